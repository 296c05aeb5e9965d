package org.slipstream.cli.queue;

import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.admin.operations.Operations.SeatView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.Ids;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.PrintStream;
import java.time.Instant;

/// `queue show`: all facts about one message.
@Command(header = "Shows a message with each of its recipients.", footer = "  mta queue show 1p4q0c8k2v0")
public final class QueueShowCommand implements MtaAction {
    @Parameters(paramLabel = "ID", description = "as in `queue list`")
    private String id;

    @Option(names = "--json", description = "as the server's JSON")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public int run(MtaCommand mta) {
        var queueId = Ids.of(spec, id);
        try (AdminClient server = AdminClient.of(mta)) {
            String body = server.ask("GET", "queue/" + queueId).orElseThrow(
                    () -> new CommandFailure(Exit.NO, "mta: there is no message " + queueId + " in the queue"));
            if (json) {
                mta.world().out().println(body);
            } else {
                print(RecordJson.read(body, MessageView.class), mta.world().out());
            }
        }
        return Exit.DONE;
    }

    /// The seat that the message would get now, and a line for each host that was passed over.
    private static void add(Table facts, SeatView seat) {
        facts.add("seat", seat.host().isEmpty() ? "none: " + seat.reason() : seat.host() + ", " + seat.reason());
        seat.passedOver().forEach(passed -> facts.add("passed over", passed.host() + ": " + passed.why()));
    }

    private static void submitter(Table facts, MessageView message) {
        String submitter = TraceText.submitter(message.submitter());
        if (!submitter.isEmpty()) {
            facts.add("submitted", submitter);
        }
        if (!message.submitter().messageId().isEmpty()) {
            facts.add("message-id", message.submitter().messageId());
        }
    }

    private static void print(MessageView message, PrintStream out) {
        Instant now = Instant.now();
        Table facts = new Table("id", message.id());
        message.shard().ifPresent(number -> facts.add("shard", number.toString()));
        facts.add("sender", QueueListCommand.sender(message));
        submitter(facts, message);
        facts.add("size", message.sizeBytes() + " bytes");
        facts.add("created", message.created() + " (" + DisplayUnits.age(message.created(), now) + " ago)");
        facts.add("state", message.state());
        facts.add("attempts", Integer.toString(message.attempts()));
        facts.add("last attempt", message.lastAttempt().isEmpty()
                ? "-"
                : message.lastAttempt() + " (" + DisplayUnits.age(message.lastAttempt(), now) + " ago)");
        facts.add("next", message.nextAttempt().isEmpty()
                ? "-"
                : message.nextAttempt() + " (" + DisplayUnits.until(message.nextAttempt(), now) + ")");
        if (!message.expires().isEmpty()) {
            facts.add("expires", message.expires() + " (" + DisplayUnits.until(message.expires(), now) + ")");
        }
        facts.add("phase", message.phase().code());
        if (!message.phase().since().isEmpty()) {
            facts.add("since",
                    message.phase().since() + " (" + DisplayUnits.age(message.phase().since(), now) + " ago)");
        }
        facts.add("why", QueueListCommand.why(message, now));
        message.instructions().forEach(each -> facts.add("instruction", each));
        message.seat().ifPresent(seat -> add(facts, seat));
        facts.lines().forEach(out::println);
        out.println();
        Table recipients = new Table("RECIPIENT", "STATE", "LAST REPLY", "FROM");
        message.recipients().forEach(
                recipient -> recipients.add(recipient.address(), recipient.state(), recipient.lastReply(),
                        recipient.remote()));
        recipients.lines().forEach(out::println);
        ReplyMeanings.of(message.recipients()).forEach(out::println);
    }
}
