package org.slipstream.sink.server;

import org.slipstream.sink.script.Reaction;
import org.slipstream.sink.script.ScriptPhase;

import java.io.IOException;

/// What a session asks its server for. One instance for each connection, called by its thread.
public interface SessionPolicy {
    /// Asked again for each command, so that a change applies to open connections.
    ServerTraits traits();

    /// @param argument the name of HELO, the sender of MAIL or a recipient; else empty
    Reaction react(ScriptPhase phase, String argument);

    /// What the server does beside its refusal of a command that has a mistake.
    default Reaction mistake(String reply) {
        return Reaction.reply(reply);
    }

    /// The line of a command arrived.
    void heard(String line);

    /// A reply is sent, with CRLF between its lines.
    default void replies(String text) {}

    default void transactionBegins() {}

    default void transactionEnds() {}

    /// A message arrived whole. It is kept before its reply leaves, so that a client that has the
    /// reply finds the message kept.
    ///
    /// @throws IOException when it cannot be kept; the client gets a 451
    void received(ReceivedContent message) throws IOException;

    /// Returns when held replies may go on.
    default void awaitRelease() throws InterruptedException {}

    /// Returns when the server stops.
    void awaitEnd() throws InterruptedException;
}
