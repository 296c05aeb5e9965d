package org.slipstream.server.report;

import org.slipstream.core.text.Ascii;

import java.util.Locale;

/// One field of a header or of a delivery status, encoded so that its value cannot change its
/// structure.
///
/// Many values come from remote systems: a reply, an envelope id, a local part. Here each becomes
/// one line of visible ASCII. Control characters, including every kind of line end, are replaced by
/// `?`, other characters by their number, `\x{E9}` (the notation of RFC 6533 section 3). Then the
/// line is folded, at blanks where possible, and in any case before the 998 octets of RFC 5322
/// section 2.1.1.
public final class ReportField {
    private static final int RECOMMENDED_LINE = 78;
    private static final int LONGEST_WORD = 900;

    private ReportField() {}

    /// Including CRLF.
    public static String of(String name, String value) {
        return folded(name, harmless(value, false));
    }

    /// The same with Unicode unchanged, for `message/global-delivery-status` (RFC 6533 section 3).
    static String international(String name, String value) {
        return folded(name, harmless(value, true));
    }

    private static String folded(String name, String value) {
        StringBuilder field = new StringBuilder(name).append(':');
        int column = field.length();
        for (String word : value.strip().split(" +")) {
            for (int from = 0; from == 0 || from < word.length(); from += LONGEST_WORD) {
                String piece = word.substring(from, Math.min(word.length(), from + LONGEST_WORD));
                // The first word stays beside the name: a line of blanks only must not result from
                // folding (RFC 5322 3.2.2).
                boolean fits = column + 1 + piece.length() <= RECOMMENDED_LINE || column == name.length() + 1;
                field.append(fits ? " " : "\r\n ").append(piece);
                column = (fits ? column : 0) + 1 + piece.length();
            }
        }
        return field.append("\r\n").toString();
    }

    /// `type; value`, with the address type of RFC 6533 where the address needs it.
    static String typed(String type, String value) {
        return Ascii.is(value) ? type + "; " + value : "utf-8; " + value.replace("\\", "\\x{5C}");
    }

    private static String harmless(String value, boolean international) {
        StringBuilder safe = new StringBuilder(value.length());
        value.codePoints().forEach(c -> {
            if (c == '\t') {
                safe.append(' ');
            } else if (Character.isISOControl(c)) {
                safe.append('?');
            } else if (c < 128 || international && isVisible(c)) {
                safe.appendCodePoint(c);
            } else {
                safe.append("\\x{").append(Integer.toHexString(c).toUpperCase(Locale.ROOT)).append('}');
            }
        });
        return safe.toString();
    }

    // Separators of lines and lone surrogates cannot stand in UTF-8 text.
    private static boolean isVisible(int c) {
        int type = Character.getType(c);
        return type != Character.LINE_SEPARATOR && type != Character.PARAGRAPH_SEPARATOR
                && type != Character.SURROGATE;
    }
}
