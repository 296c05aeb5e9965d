package org.slipstream.core.text;

/// The length of text in UTF-8, without its bytes.
public final class Utf8 {
    private Utf8() {}

    public static int length(String text) {
        int octets = 0;
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            octets += length(text.codePointAt(i));
        }
        return octets;
    }

    /// The longest beginning of at most this length that ends between two characters.
    public static String beginning(String text, int mostOctets) {
        int left = mostOctets;
        int end = 0;
        while (end < text.length()) {
            int character = text.codePointAt(end);
            left -= length(character);
            if (left < 0) {
                return text.substring(0, end);
            }
            end += Character.charCount(character);
        }
        return text;
    }

    // A lone surrogate becomes a question mark of one octet; three are the upper bound.
    private static int length(int character) {
        return character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    }
}
