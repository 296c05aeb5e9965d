package org.slipstream.smtpout.dialog;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/// How the values of DSN parameters are written (RFC 3461 section 4, RFC 6533 section 3).
final class Xtext {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();
    private static final Pattern TYPE = Pattern.compile("[A-Za-z0-9-]+");
    private static final Pattern EMBEDDED = Pattern.compile("\\\\x\\{[0-9A-F]{2,6}}");
    private static final String INTERNATIONAL = "utf-8";

    private Xtext() {}

    /// `+`, `=` and what is not printable ASCII become `+` and two hexadecimal digits, by octets of UTF-8.
    static String encode(String meaning) {
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

    /// The value of ORCPT for `type;address`. An address with letters beyond ASCII is of the type `utf-8`, in the
    /// form that also a peer without SMTPUTF8 can take. Empty when there is no type.
    static Optional<String> originalRecipient(String decoded) {
        int semicolon = decoded.indexOf(';');
        String type = decoded.substring(0, Math.max(semicolon, 0));
        String address = decoded.substring(semicolon + 1);
        if (!TYPE.matcher(type).matches() || address.isEmpty()) {
            return Optional.empty();
        }
        boolean international = type.equalsIgnoreCase(INTERNATIONAL) || address.chars().anyMatch(c -> c > 127);
        return Optional.of(international ? INTERNATIONAL + ";" + unicode(address) : type + ";" + encode(address));
    }

    private static String unicode(String address) {
        StringBuilder text = new StringBuilder(address.length() + 16);
        for (int i = 0; i < address.length();) {
            int point = address.codePointAt(i);
            // Somebody before us may have embedded it already.
            if (point == '\\' && EMBEDDED.matcher(address).region(i, address.length()).lookingAt()) {
                int end = address.indexOf('}', i) + 1;
                text.append(address, i, end);
                i = end;
                continue;
            }
            if (point > ' ' && point <= '~' && point != '+' && point != '=' && point != '\\') {
                text.append((char) point);
            } else {
                text.append("\\x{").append(String.format("%02X", point)).append('}');
            }
            i += Character.charCount(point);
        }
        return text.toString();
    }
}
