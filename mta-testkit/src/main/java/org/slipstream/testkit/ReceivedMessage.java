package org.slipstream.testkit;

import java.nio.charset.StandardCharsets;
import java.util.List;

/// A message that a sink received whole, with its envelope.
///
/// @param sender the reverse path without angle brackets; empty for `<>`
/// @param mailArguments the text after `MAIL FROM:`
/// @param content the octets of the message, with dot-stuffing undone
/// @param connection the number of the connection, from 1
/// @param reply the final reply, the first one for LMTP; empty when the sink sent none
/// @param atNanos `System.nanoTime()` just before the final reply
public record ReceivedMessage(String sender, List<String> recipients, String mailArguments, byte[] content,
        int connection, String reply, long atNanos) {
    public ReceivedMessage {
        recipients = List.copyOf(recipients);
    }

    /// Whether the sink replied at all.
    public boolean answered() {
        return !reply.isEmpty();
    }

    /// Whether the final reply was positive.
    public boolean accepted() {
        return reply.startsWith("2");
    }

    /// The content with one character per octet.
    public String text() {
        return new String(content, StandardCharsets.ISO_8859_1);
    }

    /// The Message-ID without angle brackets; empty when there is none.
    public String id() {
        return OutgoingMessage.idOf(content);
    }
}
