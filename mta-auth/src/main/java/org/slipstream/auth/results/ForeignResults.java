package org.slipstream.auth.results;

import org.slipstream.core.dns.DomainName;
import org.slipstream.core.text.Ascii;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Finds fields of strangers that claim to be ours, which the border removes (RFC 8601 section 5).
///
/// A reader behind us may be more tolerant than the grammar, so this one is, too: case, comments,
/// quotes, versions, blanks and a final dot make no difference. A field that cannot be read, such as
/// one with an open comment, may name us to another reader, and counts. The scan takes each character
/// once and has no recursion, because comments nest as deep as a stranger likes.
public final class ForeignResults {
    private ForeignResults() {}

    /// True when the field must not reach a reader that trusts our name.
    ///
    /// @param value of a field Authentication-Results, folded or not
    public static boolean claimsToBe(String authservId, String value) {
        Optional<List<String>> words = words(value);
        if (words.isEmpty()) {
            return true;
        }
        List<String> all = words.get();
        String own = canonical(authservId);
        String joined = String.join("", all);
        int version = joined.indexOf('/');
        return all.isEmpty() || isOwn(own, all.getFirst()) || isOwn(own, joined)
                || version >= 0 && isOwn(own, joined.substring(0, version))
                || all.size() > 1 && all.getLast().chars().allMatch(c -> c >= '0' && c <= '9')
                        && isOwn(own, String.join("", all.subList(0, all.size() - 1)));
    }

    private static boolean isOwn(String own, String word) {
        return canonical(word).equals(own);
    }

    private static String canonical(String name) {
        return DomainName.ascii(name).orElse(Ascii.lower(name));
    }

    /// The words before the first semicolon, without comments and quotes. Empty when a comment or a
    /// quoted string does not end, or a character is a control.
    private static Optional<List<String>> words(String value) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        int depth = 0;
        boolean quoted = false;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c < ' ' && c != '\r' && c != '\n' && c != '\t' || c == 127) {
                return Optional.empty();
            }
            if (c == '\\' && (quoted || depth > 0)) {
                i++;
                if (quoted && i < value.length()) {
                    word.append(value.charAt(i));
                }
            } else if (depth > 0) {
                depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (quoted) {
                word.append(c);
            } else if (c == ';') {
                break;
            } else if (c == '(' || c <= ' ') {
                depth = c == '(' ? 1 : 0;
                end(word, words);
            } else {
                word.append(c);
            }
        }
        end(word, words);
        return quoted || depth > 0 ? Optional.empty() : Optional.of(words);
    }

    private static void end(StringBuilder word, List<String> words) {
        if (!word.isEmpty()) {
            words.add(word.toString());
            word.setLength(0);
        }
    }
}
