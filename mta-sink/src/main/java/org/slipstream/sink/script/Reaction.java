package org.slipstream.sink.script;

import java.time.Duration;
import java.util.Optional;

/// The behaviour of a server at one moment: the reply, its speed, and the end of the connection.
///
/// @param reply lines separated by CRLF; empty text sends nothing, no text sends the usual reply
/// @param delay the wait before the reply
/// @param drip the speed of the reply
/// @param read the speed of reading, from now on until the end of the message
/// @param closeAfter the octets that are still read before the server closes; negative for no limit
/// @param held whether the reply waits until the server is released
public record Reaction(Optional<String> reply, Duration delay, OctetPace drip, OctetPace read, long closeAfter, boolean held,
        After after) {
    /// The state of the connection after the reply.
    public enum After {
        /// The session goes on.
        CONTINUE,
        /// The server closes the connection.
        CLOSE,
        /// The server closes the connection with a TCP reset.
        RESET,
        /// The server keeps the connection open and reads and sends nothing more.
        STALL
    }

    /// The reply of a server that accepts.
    public static final Reaction USUAL = new Reaction(Optional.empty(), Duration.ZERO, OctetPace.FULL,
            OctetPace.FULL, -1, false, After.CONTINUE);

    public static Reaction reply(String text) {
        return new Reaction(Optional.of(text), Duration.ZERO, OctetPace.FULL, OctetPace.FULL, -1, false,
                After.CONTINUE);
    }

    /// Nothing but this end of the connection.
    public static Reaction only(After end) {
        return reply("").then(end);
    }

    public Reaction then(After next) {
        return new Reaction(reply, delay, drip, read, closeAfter, held, next);
    }

    Reaction later(Duration more) {
        return more.isZero() ? this : new Reaction(reply, delay.plus(more), drip, read, closeAfter, held, after);
    }

    /// Whether the session can go on with the usual reply or another one.
    public boolean goesOn() {
        return after == After.CONTINUE;
    }

    /// Whether the reply refuses: 4xx or 5xx.
    public boolean refuses() {
        return reply.filter(text -> text.startsWith("4") || text.startsWith("5")).isPresent();
    }
}
