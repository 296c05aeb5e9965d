package org.slipstream.smtpin.auth;

import java.text.Normalizer;

/// User names and passwords in the one form in which they are compared, where keyboards differ: compatibility characters
/// composed (NFKC), every kind of blank a blank, what is invisible gone. This is SASLprep (RFC 4013 sections 2.1 and 2.2)
/// without its tables of prohibited characters: what they prohibit simply is no user's password.
public final class Prepared {
    private Prepared() {}

    public static String text(String raw) {
        if (raw.chars().allMatch(c -> c < 128)) {
            return raw;
        }
        StringBuilder mapped = new StringBuilder(raw.length());
        raw.codePoints().filter(c -> !isInvisible(c))
                .forEach(c -> mapped.appendCodePoint(Character.getType(c) == Character.SPACE_SEPARATOR ? ' ' : c));
        return Normalizer.normalize(mapped, Normalizer.Form.NFKC);
    }

    // RFC 3454 table B.1, commonly mapped to nothing.
    private static boolean isInvisible(int c) {
        return c == 0x00ad || c == 0x034f || c == 0x1806 || c >= 0x180b && c <= 0x180d || c >= 0x200b && c <= 0x200d
                || c == 0x2060 || c >= 0xfe00 && c <= 0xfe0f || c == 0xfeff;
    }
}
