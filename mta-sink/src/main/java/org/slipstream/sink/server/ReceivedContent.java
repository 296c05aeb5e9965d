package org.slipstream.sink.server;

import java.util.List;

/// A message as it came over the wire.
///
/// @param sender the reverse path without angle brackets
/// @param arguments the text after `MAIL FROM:`
/// @param wire the octets, with stuffed dots
/// @param content the octets of the message
/// @param reply the first reply; empty when none is sent
public record ReceivedContent(String sender, List<String> recipients, String arguments, byte[] wire, byte[] content,
        String reply) {
    /// Whether the first reply is positive.
    public boolean isAccepted() {
        return reply.startsWith("2");
    }
}
