package org.slipstream.core.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The words of a structured field without comments and quotes (RFC 5322 section 3.2), in parts that
/// semicolons end. The scan takes each character once and has no recursion, because comments nest as
/// deep as a stranger likes.
public final class CommentedText {
    private final List<List<String>> parts = new ArrayList<>();
    private List<String> words = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();

    private CommentedText() {}

    /// The words before the first semicolon. Empty when a comment or a quoted string there does not
    /// end, or a character is a control.
    public static Optional<List<String>> words(String value) {
        return new CommentedText().read(value, 1).map(List::getFirst);
    }

    /// The words of all parts; empty likewise.
    public static Optional<List<List<String>>> parts(String value) {
        return new CommentedText().read(value, Integer.MAX_VALUE);
    }

    private Optional<List<List<String>>> read(String value, int most) {
        int depth = 0;
        boolean quoted = false;
        for (int i = 0; i < value.length() && parts.size() < most; i++) {
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
                endPart();
            } else if (c == '(' || c <= ' ') {
                depth = c == '(' ? 1 : 0;
                endWord();
            } else {
                word.append(c);
            }
        }
        if (parts.size() < most) {
            endPart();
        }
        return quoted || depth > 0 ? Optional.empty() : Optional.of(parts);
    }

    private void endPart() {
        endWord();
        parts.add(words);
        words = new ArrayList<>();
    }

    private void endWord() {
        if (!word.isEmpty()) {
            words.add(word.toString());
            word.setLength(0);
        }
    }
}
