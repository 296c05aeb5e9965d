package org.slipstream.core.text;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;

/// The encoding of values inside parameters of MAIL and RCPT (RFC 3461 section 4).
///
/// ```
/// xtext   = *( xchar / hexchar )
/// xchar   = any ASCII character between "!" and "~" but "+" and "="
/// hexchar = "+" and two upper case hexadecimal digits
/// ```
public final class Xtext {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private Xtext() {}

    /// The meaning, one character per octet, UTF-8 not yet decoded; empty when the text is not
    /// xtext.
    public static Optional<String> decode(String xtext) {
        return decode(xtext, false);
    }

    /// The same where characters above 127 may stand for themselves (RFC 6533 section 3,
    /// `utf-8-addr-unitext`).
    public static Optional<String> decodeInternational(String xtext) {
        return decode(xtext, true);
    }

    private static Optional<String> decode(String xtext, boolean international) {
        StringBuilder meaning = new StringBuilder(xtext.length());
        for (int i = 0; i < xtext.length(); i++) {
            char c = xtext.charAt(i);
            if (c == '+') {
                int high = i + 1 < xtext.length() ? hex(xtext.charAt(i + 1)) : -1;
                int low = i + 2 < xtext.length() ? hex(xtext.charAt(i + 2)) : -1;
                if (high < 0 || low < 0) {
                    return Optional.empty();
                }
                meaning.append((char) (16 * high + low));
                i += 2;
            } else if (c < '!' || c == '=' || c > '~' && !(international && c > 127)) {
                return Optional.empty();
            } else {
                meaning.append(c);
            }
        }
        return Optional.of(meaning.toString());
    }

    /// The xtext of any text, in UTF-8.
    public static String encode(String meaning) {
        StringBuilder xtext = new StringBuilder(meaning.length() + 8);
        for (byte b : meaning.getBytes(StandardCharsets.UTF_8)) {
            if (b > ' ' && b <= '~' && b != '+' && b != '=') {
                xtext.append((char) b);
            } else {
                xtext.append('+').append(HEX.toHexDigits(b));
            }
        }
        return xtext.toString();
    }

    private static int hex(char c) {
        return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    }
}
