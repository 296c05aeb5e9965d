package org.slipstream.testkit;

import org.slipstream.sink.script.OctetPace;
import org.slipstream.sink.script.Reaction;
import org.slipstream.sink.script.ScriptPhase;
import org.slipstream.sink.script.TlsBehaviour;
import org.slipstream.sink.server.ReceivedContent;
import org.slipstream.sink.server.ServerTraits;
import org.slipstream.sink.server.SessionPolicy;

/// One client of a sink that follows a [SinkScript]. The script is looked up at each phase, so a
/// change applies to open connections, too.
final class SinkScriptPolicy implements SessionPolicy {
    private final SmtpSink sink;
    private final int connection;

    SinkScriptPolicy(SmtpSink sink, int connection) {
        this.sink = sink;
        this.connection = connection;
    }

    @Override
    public ServerTraits traits() {
        SinkScript script = sink.script(connection);
        SinkScript.Traits traits = script.traits();
        return new ServerTraits(SinkScript.HOST, script.isLmtp(), traits.extensions(),
                traits.tls().isPresent() ? TlsBehaviour.GOOD : TlsBehaviour.OFF, traits.tls(),
                traits.discardsPipelined(), false, Integer.MAX_VALUE, traits.readOctets(), traits.writtenOctets());
    }

    @Override
    public Reaction react(ScriptPhase phase, String argument) {
        SinkScript script = sink.script(connection);
        if (phase == ScriptPhase.CONNECT && sink.open() > script.traits().connections()) {
            return Reaction.reply(script.traits().tooMany()).then(Reaction.After.CLOSE);
        }
        return SinkPhase.of(phase)
                .map(own -> reaction(sink.action(script, own, phase == ScriptPhase.HELO ? "" : argument)))
                .orElse(Reaction.USUAL);
    }

    private static Reaction reaction(SinkAction action) {
        OctetPace drip = action.drip().isPositive() ? new OctetPace(1, action.drip()) : OctetPace.FULL;
        return new Reaction(action.reply(), action.delay(), drip, OctetPace.FULL, -1, action.held(), action.after());
    }

    @Override
    public void heard(String line) {
        sink.heard(connection, line);
    }

    @Override
    public void transactionBegins() {
        sink.transactionBegins();
    }

    @Override
    public void transactionEnds() {
        sink.transactionEnds();
    }

    @Override
    public void received(ReceivedContent message) {
        sink.keep(message.wire(), new ReceivedMessage(message.sender(), message.recipients(), message.arguments(),
                message.content(), connection, message.reply(), System.nanoTime()));
    }

    @Override
    public void awaitRelease() throws InterruptedException {
        sink.awaitRelease();
    }

    @Override
    public void awaitEnd() throws InterruptedException {
        sink.awaitClose();
    }
}
