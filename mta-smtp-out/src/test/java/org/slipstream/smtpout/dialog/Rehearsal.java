package org.slipstream.smtpout.dialog;

import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// Plays a dialogue with replies from a list and writes down what the client did. Commands of one write stand on one
/// line, between bars.
final class Rehearsal {
    private final ClientDialog dialog;
    private final List<String> transcript = new ArrayList<>();

    Rehearsal(ClientDialog dialog) {
        this.dialog = dialog;
    }

    /// A dialogue that has just greeted a peer with these extensions.
    static Rehearsal with(Protocol protocol, String... extensions) {
        Rehearsal rehearsal = new Rehearsal(new ClientDialog(protocol, "me.example", false, "peer"));
        String ehlo = "250" + (extensions.length == 0 ? " " : "-") + "peer\r\n";
        for (int i = 0; i < extensions.length; i++) {
            ehlo += "250" + (i == extensions.length - 1 ? " " : "-") + extensions[i] + "\r\n";
        }
        rehearsal.play(rehearsal.dialog.begin(), "220 peer", ehlo.strip());
        rehearsal.transcript.clear();
        return rehearsal;
    }

    ClientDialog dialog() {
        return dialog;
    }

    String play(Step step, String... replies) {
        int next = 0;
        while (true) {
            note(step);
            switch (step) {
                case Step.Send _,Step.Await _,Step.SendContent _ -> {
                    if (next == replies.length) {
                        return text();
                    }
                    step = dialog.heard(reply(replies[next++]));
                }
                case Step.StartTls _ -> step = dialog.encrypted();
                case Step.Ready _,Step.Refused _,Step.Finished _ -> {
                    return text() + (next < replies.length ? "\nunheard " + (replies.length - next) : "");
                }
            }
        }
    }

    private void note(Step step) {
        switch (step) {
            case Step.Send(String commands, Phase _) -> transcript.add(commands.strip().replace("\r\n", " | "));
            case Step.Await _ -> {
            }
            case Step.StartTls _ -> transcript.add("(TLS)");
            case Step.SendContent _ -> transcript.add("(content)");
            case Step.Ready(PeerExtensions extensions) -> transcript
                    .add("ready " + extensions.announced().stream().sorted().toList());
            case Step.Refused(Reply reply, Phase phase) -> transcript.add("refused at " + phase + ": " + reply);
            case Step.Finished finished -> transcript.add(finished(finished));
        }
    }

    static String finished(Step.Finished finished) {
        return finished.outcomes().stream().map(Rehearsal::outcome).collect(Collectors.joining("\n")) + "\n"
                + finished.aftermath() + (finished.siteTrouble() ? " site trouble" : "");
    }

    private static String outcome(RecipientOutcome outcome) {
        return outcome.number() + " " + outcome.outcome().getClass().getSimpleName() + " " + outcome.outcome().reply();
    }

    private String text() {
        return String.join("\n", transcript);
    }

    static Reply reply(String text) {
        ByteBuffer wire = ByteBuffer.wrap((text + "\r\n").getBytes(StandardCharsets.UTF_8));
        return ((ReplyParser.Progress.Complete) new ReplyParser().take(wire)).reply();
    }
}
