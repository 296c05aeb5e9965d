package org.slipstream.testkit;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/// A message to send: envelope and exact content, lines ended by CRLF.
///
/// @param sender the reverse path; empty for `<>`
public record OutgoingMessage(String sender, List<String> recipients, byte[] content) {
    private static final Pattern MESSAGE_ID = Pattern.compile("^Message-ID: <([^>]+)>\r?$", Pattern.MULTILINE);

    public OutgoingMessage {
        recipients = List.copyOf(recipients);
    }

    /// A message of one short line with this Message-ID.
    public static OutgoingMessage of(String id, String sender, String recipient) {
        return of(id, sender, List.of(recipient), "A short text.\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    /// A message with the header that a mail program would write, and this body.
    public static OutgoingMessage of(String id, String sender, List<String> recipients, byte[] body) {
        String header = "From: <" + sender + ">\r\nTo: <" + recipients.getFirst() + ">\r\nSubject: " + id
                + "\r\nDate: Sat, 21 Nov 2026 10:00:00 +0000\r\nMessage-ID: <" + id + ">\r\n\r\n";
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        content.writeBytes(header.getBytes(StandardCharsets.US_ASCII));
        content.writeBytes(body);
        return new OutgoingMessage(sender, recipients, content.toByteArray());
    }

    /// The Message-ID, by which tests find a message again.
    public String id() {
        return idOf(content);
    }

    /// The Message-ID of a content without angle brackets; empty when there is none.
    public static String idOf(byte[] content) {
        var match = MESSAGE_ID.matcher(new String(content, StandardCharsets.ISO_8859_1));
        return match.find() ? match.group(1) : "";
    }
}
