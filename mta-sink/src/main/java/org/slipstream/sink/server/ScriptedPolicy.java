package org.slipstream.sink.server;

import org.slipstream.sink.script.Reaction;
import org.slipstream.sink.script.ScriptPhase;
import org.slipstream.sink.script.ScriptSession;
import org.slipstream.sink.server.SinkServer.Followed;
import org.slipstream.sink.store.SessionTranscript;

import java.io.IOException;

/// One connection of a [SinkServer], as its script decides.
final class ScriptedPolicy implements SessionPolicy {
    private final SinkServer server;
    private final SessionTranscript transcript;
    private Followed followed;
    private ScriptSession session;

    ScriptedPolicy(SinkServer server, Followed followed, ScriptSession session, SessionTranscript transcript) {
        this.server = server;
        this.followed = followed;
        this.session = session;
        this.transcript = transcript;
    }

    /// Follows a script that was replaced since the last command.
    private void followNewest() {
        Followed newest = server.followed();
        if (newest != followed) {
            session.end();
            session = newest.run().takeOver(session);
            followed = newest;
        }
    }

    @Override
    public ServerTraits traits() {
        return followed.traits();
    }

    @Override
    public Reaction react(ScriptPhase phase, String argument) {
        return session.at(phase, argument, server.nowMillis());
    }

    @Override
    public Reaction mistake(String reply) {
        return session.error(Reaction.reply(reply));
    }

    @Override
    public void heard(String line) {
        followNewest();
        transcript.add("C", line);
    }

    @Override
    public void replies(String text) {
        transcript.add("S", text);
    }

    @Override
    public void received(ReceivedContent message) throws IOException {
        server.received(session, transcript, message);
    }

    @Override
    public void awaitEnd() throws InterruptedException {
        server.awaitEnd();
    }

    void end(String remark) {
        session.end();
        transcript.end(remark);
    }
}
