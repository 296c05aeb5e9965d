package org.slipstream.core.text;

/// Finds words in a text of a stranger. A word is never a part of a longer one.
public final class WholeWords {
    private WholeWords() {}

    /// The place of the words at `from` or behind it; -1 when they do not occur.
    public static int indexOf(String text, String words, int from) {
        for (int at = text.indexOf(words, from); at >= 0; at = text.indexOf(words, at + 1)) {
            if (!isPart(text, at - 1) && !isPart(text, at + words.length())) {
                return at;
            }
        }
        return -1;
    }

    private static boolean isPart(String text, int at) {
        return at >= 0 && at < text.length() && Character.isLetterOrDigit(text.charAt(at));
    }
}
