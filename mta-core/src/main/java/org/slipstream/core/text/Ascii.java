package org.slipstream.core.text;

/// Upper and lower case of protocol words, whose letters are those of ASCII (RFC 5321 section 2.4).
///
/// Unicode knows more pairs: the dotless i (U+0131) and the long s (U+017F) are a capital I and S,
/// the Kelvin sign (U+212A) is a small k. With [String#toUpperCase] a word that contains them is
/// taken for a keyword here and for something else by the next server.
public final class Ascii {
    private Ascii() {}

    public static String upper(String text) {
        return shifted(text, 'a', 'z', 'A' - 'a');
    }

    public static String lower(String text) {
        return shifted(text, 'A', 'Z', 'a' - 'A');
    }

    /// True when the text has ASCII characters only.
    public static boolean is(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > 127) {
                return false;
            }
        }
        return true;
    }

    /// True when the two differ in the case of ASCII letters at most.
    public static boolean same(String one, String other) {
        return one.length() == other.length() && lower(one).equals(lower(other));
    }

    private static String shifted(String text, char first, char last, int distance) {
        int at = 0;
        while (at < text.length() && (text.charAt(at) < first || text.charAt(at) > last)) {
            at++;
        }
        return at == text.length() ? text : shiftedFrom(at, text, first, last, distance);
    }

    private static String shiftedFrom(int at, String text, char first, char last, int distance) {
        StringBuilder shifted = new StringBuilder(text.length()).append(text, 0, at);
        for (int i = at; i < text.length(); i++) {
            char c = text.charAt(i);
            shifted.append(c >= first && c <= last ? (char) (c + distance) : c);
        }
        return shifted.toString();
    }
}
