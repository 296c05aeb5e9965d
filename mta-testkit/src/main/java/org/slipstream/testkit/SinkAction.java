package org.slipstream.testkit;

import org.slipstream.sink.script.Reaction.After;

import java.time.Duration;
import java.util.Optional;

/// The action of a sink in one phase: the reply, its speed, and the end of the connection.
///
/// An action is an immutable value. Each method that begins with a verb in the third person returns
/// a changed copy.
///
/// @param reply the text of the reply, its lines separated by CRLF; empty text sends nothing, no
///     text sends the usual reply
/// @param delay the wait before the reply
/// @param drip the wait before each octet of the reply; zero sends the reply at once
/// @param held whether the reply waits for [SmtpSink#release]
/// @param times how often the action applies; afterwards the sink behaves as if there were no such
///     action
public record SinkAction(Optional<String> reply, Duration delay, Duration drip, boolean held, After after, int times) {
    private static final SinkAction USUAL = new SinkAction(Optional.empty(), Duration.ZERO, Duration.ZERO, false,
            After.CONTINUE, Integer.MAX_VALUE);

    /// The reply of a server that accepts, to be changed by the other methods.
    public static SinkAction usual() {
        return USUAL;
    }

    /// @param text code and text, as in `550 5.1.1 User unknown`
    public static SinkAction reply(String text) {
        return new SinkAction(Optional.of(text), Duration.ZERO, Duration.ZERO, false, After.CONTINUE,
                Integer.MAX_VALUE);
    }

    /// Close in place of a reply.
    public static SinkAction close() {
        return reply("").then(After.CLOSE);
    }

    /// A TCP reset in place of a reply.
    public static SinkAction reset() {
        return reply("").then(After.RESET);
    }

    /// An open connection on which no reply comes.
    public static SinkAction stall() {
        return reply("").then(After.STALL);
    }

    /// Sends the reply after this time.
    public SinkAction waits(Duration time) {
        return new SinkAction(reply, time, drip, held, after, times);
    }

    /// Sends the reply octet by octet, each after this time.
    public SinkAction drips(Duration time) {
        return new SinkAction(reply, delay, time, held, after, times);
    }

    /// Holds the reply until [SmtpSink#release].
    public SinkAction holds() {
        return new SinkAction(reply, delay, drip, true, after, times);
    }

    /// Closes the connection after the reply.
    public SinkAction thenCloses() {
        return then(After.CLOSE);
    }

    /// Stalls after the reply.
    public SinkAction thenStalls() {
        return then(After.STALL);
    }

    /// Applies this often in all, over all connections of the sink.
    public SinkAction applies(int count) {
        return new SinkAction(reply, delay, drip, held, after, count);
    }

    private SinkAction then(After next) {
        return new SinkAction(reply, delay, drip, held, next, times);
    }
}
