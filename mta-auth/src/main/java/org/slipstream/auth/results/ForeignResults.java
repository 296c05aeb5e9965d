package org.slipstream.auth.results;

import org.slipstream.core.dns.DomainName;
import org.slipstream.core.text.Ascii;
import org.slipstream.core.text.CommentedText;

import java.util.List;
import java.util.Optional;

/// Finds fields of strangers that claim to be ours, which the border removes (RFC 8601 section 5).
///
/// A reader behind us may be more tolerant than the grammar, so this one is, too: case, comments,
/// quotes, versions, blanks and a final dot make no difference. A field that cannot be read, such as
/// one with an open comment, may name us to another reader, and counts.
public final class ForeignResults {
    private ForeignResults() {}

    /// True when the field must not reach a reader that trusts our name.
    ///
    /// @param value of a field Authentication-Results, folded or not
    public static boolean claimsToBe(String authservId, String value) {
        Optional<List<String>> words = CommentedText.words(value);
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
}
