package org.slipstream.smtpout.dialog;

import org.slipstream.core.text.Xtext;

import java.util.Optional;
import java.util.regex.Pattern;

/// The parameter ORCPT (RFC 3461 section 4.2, RFC 6533 section 3).
final class OriginalRecipient {
    private static final Pattern TYPE = Pattern.compile("[A-Za-z0-9-]+");
    private static final Pattern EMBEDDED = Pattern.compile("\\\\x\\{[0-9A-F]{2,6}}");
    private static final String INTERNATIONAL = "utf-8";

    private OriginalRecipient() {}

    /// The value for `type;address`. An address with characters beyond ASCII gets the type `utf-8`,
    /// in the form that a peer without SMTPUTF8 accepts, too. Empty when there is no type.
    static Optional<String> value(String decoded) {
        int semicolon = decoded.indexOf(';');
        String type = decoded.substring(0, Math.max(semicolon, 0));
        String address = decoded.substring(semicolon + 1);
        if (!TYPE.matcher(type).matches() || address.isEmpty()) {
            return Optional.empty();
        }
        boolean international = type.equalsIgnoreCase(INTERNATIONAL) || address.chars().anyMatch(c -> c > 127);
        return Optional.of(international ? INTERNATIONAL + ";" + unicode(address) : type + ";" + Xtext.encode(address));
    }

    private static String unicode(String address) {
        StringBuilder text = new StringBuilder(address.length() + 16);
        for (int i = 0; i < address.length();) {
            int point = address.codePointAt(i);
            // The form is there already where an earlier server made it.
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
