package org.slipstream.events.feedback;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;

import java.util.List;
import java.util.Optional;

/// The field `Slipstream-Trace` of a message. This server reads it when the message, or a part of its header, comes
/// back.
///
/// The log forgets a message that is delivered, and a complaint comes days later. So the trace has all that is needed
/// then, and no list of sent mail is kept.
///
/// @param number of the recipient in the envelope; 0 for a delivery to several recipients, whose copies are equal
/// @param sender of the envelope
/// @param recipient empty for a delivery to several
/// @param user the login of the client; empty without one
public record MailTrace(QueueId queue, int number, String sender, String recipient, String user) {
    static final String FIELD = "Slipstream-Trace";
    /// Names the form.
    private static final String VERSION = "1";
    private static final String PURPOSE = "trace";
    /// Of a line. A line of 76 characters would be broken when the header is encoded as quoted-printable.
    private static final int PIECE = 60;

    /// The field with its end, in lines of ASCII.
    public String field(SealedText seal) {
        String sealed = seal.seal(PURPOSE,
                List.of(queue.toString(), Integer.toString(number), sender, recipient, user));
        StringBuilder field = new StringBuilder(FIELD).append(": ").append(VERSION);
        for (int at = 0; at < sealed.length(); at += PIECE) {
            field.append("\r\n ").append(sealed, at, Math.min(sealed.length(), at + PIECE));
        }
        return field.append("\r\n").toString();
    }

    /// The trace in the value of a field; empty when this server did not write it.
    ///
    /// @param value with or without the ends of its lines
    static Optional<MailTrace> of(SealedText seal, String value) {
        String text = value.strip();
        if (!text.startsWith(VERSION) || text.length() > 2 * SealedText.LONGEST) {
            return Optional.empty();
        }
        return seal.open(PURPOSE, text.substring(VERSION.length()).replaceAll("[^A-Za-z0-9_-]", ""))
                .map(fields -> new MailTrace(QueueId.parse(fields.get(0)).orElseThrow(),
                        Integer.parseInt(fields.get(1)), fields.get(2), fields.get(3), fields.get(4)));
    }

    /// The domain of the sender, in lower case; empty without one.
    public String senderDomain() {
        return Address.parse(sender).map(Address::domainKey).orElse("");
    }
}
