package org.slipstream.core.sasl;

import java.text.Normalizer;

/// SASLprep (RFC 4013 sections 2.1 and 2.2), the preparation of user names: NFKC, every kind of
/// space a space, invisible characters removed.
///
/// It has no table of prohibited characters: a name with one of them is no user's name. Passwords
/// are prepared by [OpaqueString]; earlier versions prepared them here, so [OpaqueString#forms]
/// still compares this form.
public final class SaslPrep {
    private SaslPrep() {}

    /// The prepared form. ASCII text stays as it is.
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
