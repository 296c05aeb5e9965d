package org.slipstream.smtpin.data;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/// Finds Date, From and Message-ID (RFC 5322 sections 3.6.1, 3.6.2 and 3.6.4) and `TLS-Required: No` (RFC 8689
/// section 3) in a header while it is received.
/// Keeps the beginning of one field at a time and the Message-ID, never the whole header.
public final class OriginFields {
    private static final int KEPT_BYTES = 300;

    private final byte[] field = new byte[KEPT_BYTES];
    private int length;
    private boolean atLineStart = true;
    private boolean hasDate;
    private boolean hasFrom;
    private Optional<String> messageId = Optional.empty();
    private int tlsFields;
    private boolean saysNo;

    /// Takes the next piece of the header with CRLF line ends.
    public void scan(byte[] block, int offset, int count) {
        for (int i = offset; i < offset + count; i++) {
            byte b = block[i];
            boolean continues = b == ' ' || b == '\t';
            if (atLineStart && !continues) {
                endOfField();
            }
            atLineStart = b == '\n';
            if (length < KEPT_BYTES && b != '\r' && b != '\n') {
                field[length++] = b;
            }
        }
    }

    /// Ends the header.
    public void end() {
        endOfField();
    }

    public boolean hasDate() {
        return hasDate;
    }

    public boolean hasFrom() {
        return hasFrom;
    }

    /// The first Message-ID, unfolded, possibly truncated; empty when there is none.
    public Optional<String> messageId() {
        return messageId;
    }

    /// True after `TLS-Required: No`. The field must occur once: of two, one may come from a
    /// stranger on the way.
    public boolean isTlsOptional() {
        return saysNo && tlsFields == 1;
    }

    private void endOfField() {
        String text = new String(field, 0, length, StandardCharsets.ISO_8859_1);
        length = 0;
        int colon = text.indexOf(':');
        switch (colon < 0 ? "" : text.substring(0, colon).stripTrailing().toLowerCase(Locale.ROOT)) {
            case "date" -> hasDate = true;
            case "from" -> hasFrom = true;
            case "message-id" -> messageId = messageId.or(() -> Optional.of(text.substring(colon + 1).strip()));
            case "tls-required" -> {
                tlsFields++;
                saysNo = text.substring(colon + 1).strip().equalsIgnoreCase("no");
            }
            default -> {
                // Other fields are ignored.
            }
        }
    }
}
