package org.slipstream.smtpout.dialog;

import org.slipstream.core.Reply;
import org.slipstream.core.queue.RecipientOutcome;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Plays a dialogue with replies from a list and records the commands of the client. Commands of
/// one write stand on one line, between bars.
final class Rehearsal {
    private final ClientDialog dialog;
    private final List<String> transcript = new ArrayList<>();
    private Optional<Pipeline> pipeline = Optional.empty();
    private int chunks = 1;

    Rehearsal(ClientDialog dialog) {
        this.dialog = dialog;
    }

    /// A dialogue that has just greeted a peer with these extensions.
    static Rehearsal with(ClientProtocol protocol, String... extensions) {
        return with(false, protocol, extensions);
    }

    static Rehearsal with(boolean plainly, ClientProtocol protocol, String... extensions) {
        Rehearsal rehearsal = new Rehearsal(new ClientDialog(protocol, HandshakeSettings.of("me.example", false)));
        String ehlo = "250" + (extensions.length == 0 ? " " : "-") + "peer\r\n";
        for (int i = 0; i < extensions.length; i++) {
            ehlo += "250" + (i == extensions.length - 1 ? " " : "-") + extensions[i] + "\r\n";
        }
        rehearsal.play(rehearsal.dialog.begin(), "220 peer", ehlo.strip());
        rehearsal.transcript.clear();
        rehearsal.pipeline = Optional.of(rehearsal.dialog.pipeline(plainly));
        return rehearsal;
    }

    ClientDialog dialog() {
        return dialog;
    }

    Pipeline pipeline() {
        return pipeline.orElseThrow();
    }

    /// Contents are cut into this number of chunks from now on.
    Rehearsal chunks(int count) {
        chunks = count;
        return this;
    }

    // ---- handshake

    String play(HandshakeStep step, String... replies) {
        int next = 0;
        while (true) {
            record(step);
            switch (step) {
                case HandshakeStep.Send _,HandshakeStep.Await _ -> {
                    if (next == replies.length) {
                        return text();
                    }
                    step = dialog.received(reply(replies[next++]));
                }
                case HandshakeStep.StartTls _ -> step = dialog.encrypted();
                case HandshakeStep.Ready _,HandshakeStep.Refused _ -> {
                    return text() + (next < replies.length ? "\nunheard " + (replies.length - next) : "");
                }
            }
        }
    }

    private void record(HandshakeStep step) {
        switch (step) {
            case HandshakeStep.Send(String commands, DialogPhase _) -> transcript.add(onOneLine(commands));
            case HandshakeStep.Await _ -> {
            }
            case HandshakeStep.StartTls _ -> transcript.add("(TLS)");
            case HandshakeStep.Ready(PeerExtensions extensions) -> transcript
                    .add("ready " + extensions.announced().stream().sorted().toList());
            case HandshakeStep.Refused(Reply reply, DialogPhase phase) ->
                transcript.add("refused at " + phase + ": " + reply);
        }
    }

    // ---- transactions

    /// Begins a transaction and writes what can be written.
    Rehearsal deliver(Transfer transfer) {
        record(pipeline().begin(transfer, "peer", 0));
        write();
        return this;
    }

    Rehearsal deliver(long delivery, Transfer transfer) {
        return deliver(transfer.portion(delivery, transfer.delivery().recipients()));
    }

    /// Passes these replies to the dialogue and writes after each the commands that can be written.
    /// Returns everything so far.
    String hear(String... replies) {
        for (String reply : replies) {
            record(pipeline().received(reply(reply)));
            write();
        }
        return text();
    }

    String breakOff() {
        record(pipeline().broken(Reply.of(450, "4.4.2", "gone")));
        return text();
    }

    private void write() {
        for (PipelineStep move = pipeline().next(); !(move instanceof PipelineStep.Wait); move = pipeline().next()) {
            switch (move) {
                case PipelineStep.Write(String commands) -> transcript.add(onOneLine(commands));
                case PipelineStep.WriteContent(long delivery) -> {
                    transcript.add("(content)".replace("content", delivery == 1 ? "content" : "content " + delivery));
                    pipeline().contentWritten();
                }
                case PipelineStep.WriteChunk(long delivery) -> {
                    chunks--;
                    transcript.add("(BDAT " + delivery + (chunks > 0 ? ")" : " LAST)"));
                    pipeline().chunk(chunks <= 0);
                    chunks = Math.max(chunks, 1);
                }
                case PipelineStep.Wait _ -> throw new AssertionError();
            }
        }
    }

    void record(ReplyEffects effects) {
        effects.outcomes().forEach((delivery, all) -> all.forEach(o -> transcript.add(of(delivery) + outcome(o))));
        effects.unanswered().forEach(delivery -> transcript.add(of(delivery) + "unanswered"));
        effects.end().ifPresent(end -> transcript
                .add("CLOSE " + end.reason()
                        + end.breach().map(breach -> " (pipelines badly: " + breach + ")").orElse("")));
    }

    private static String of(long delivery) {
        return delivery == 1 ? "" : delivery + ": ";
    }

    private static String outcome(RecipientOutcome outcome) {
        return outcome.number() + " " + outcome.outcome().getClass().getSimpleName() + " " + outcome.outcome().reply();
    }

    private static String onOneLine(String commands) {
        return commands.strip().replace("\r\n", " | ");
    }

    String text() {
        return String.join("\n", transcript);
    }

    static Reply reply(String text) {
        ByteBuffer wire = ByteBuffer.wrap((text + "\r\n").getBytes(StandardCharsets.UTF_8));
        return ((ReplyParser.Progress.Complete) new ReplyParser().take(wire)).reply();
    }
}
