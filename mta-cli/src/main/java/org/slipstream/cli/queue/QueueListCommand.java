package org.slipstream.cli.queue;

import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.admin.operations.Operations.QueuePage;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.Ids;
import org.slipstream.cli.frame.MissingShards;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.PrintStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/// `queue list`: one page of the queue.
@Command(header = "Lists waiting mail, oldest first.",
        exitCodeList = {Exit.DONE_TEXT, MissingShards.EXIT_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
        footer = {"  mta queue list", "  mta queue list --limit 20 --after 1p4q0c8k2v0",
                "  mta queue list --recipient '*@example.org' --attempts 3", "  mta queue list --shard 2",
                "  mta queue list --json | jq '.messages[].id'"})
public final class QueueListCommand implements MtaAction {
    private static final int MOST = 1000;

    @Option(names = "--json", description = "as the server's JSON: messages, next, total")
    private boolean json;

    @Option(names = "--limit", paramLabel = "N", defaultValue = "100",
            description = "at most N messages, 1 to 1000 (default: 100)")
    private int limit;

    @Option(names = "--after", paramLabel = "ID", description = "messages after this one: the next page")
    private String after = "";

    @Mixin
    private FilterOptions filter;

    @Spec
    private CommandSpec spec;

    @Override
    public int run(MtaCommand mta) {
        if (limit < 1 || limit > MOST) {
            throw new ParameterException(spec.commandLine(), "--limit must be a number from 1 to " + MOST);
        }
        String from = after.isEmpty() ? "" : "&after=" + Ids.of(spec, after);
        String query = filter.query(spec);
        try (AdminClient server = AdminClient.of(mta)) {
            QueuePage page = page(server, query, from);
            if (json) {
                mta.world().out().println(RecordJson.write(page));
            } else {
                print(page, mta.world().out());
            }
            return MissingShards.tell(mta, page.faults());
        }
    }

    /// The server reads a part of the queue for each request, and few of its messages may match.
    private QueuePage page(AdminClient server, String query, String after) {
        List<MessageView> messages = new ArrayList<>();
        SequencedSet<String> faults = new LinkedHashSet<>();
        String from = after;
        while (true) {
            QueuePage part = RecordJson
                    .read(server.ask("GET", "queue?limit=" + (limit - messages.size()) + query + from)
                            .orElseThrow(), QueuePage.class);
            messages.addAll(part.messages());
            faults.addAll(part.faults());
            if (messages.size() >= limit || part.next().isEmpty()) {
                return new QueuePage(messages, part.next(), part.total(), List.copyOf(faults));
            }
            from = "&after=" + part.next().get();
        }
    }

    private void print(QueuePage page, PrintStream out) {
        if (page.messages().isEmpty()) {
            out.println(page.total() == 0
                    ? "the queue is empty"
                    : after.isEmpty() && !filter.isEmpty() ? "no message matches" : "nothing more");
            return;
        }
        Instant now = Instant.now();
        Table table = new Table("ID", "SIZE", "AGE", "SENDER", "RECIPIENTS", "STATE", "PHASE", "FOR",
                "NEXT", "WHY");
        page.messages().forEach(message -> table.add(message.id(), DisplayUnits.size(message.sizeBytes()),
                DisplayUnits.age(message.created(), now), sender(message), recipients(message), message.state(),
                message.phase().code(), DisplayUnits.since(message.phase().since(), now),
                next(message, now), why(message, now)));
        table.lines().forEach(out::println);
        page.next().ifPresent(next -> out.println(page.messages().size()
                + (filter.isEmpty() ? " of " + page.total() : "") + "; the next page: --after " + next));
    }

    private static String next(MessageView message, Instant now) {
        return message.nextAttempt().isEmpty()
                ? message.next()
                : DisplayUnits.until(message.nextAttempt(), now);
    }

    /// The reason, with the time limit of a phase that has one.
    static String why(MessageView message, Instant now) {
        boolean hasLimit = message.state().equals("active") && !message.phase().until().isEmpty();
        return hasLimit
                ? message.why() + ", for " + DisplayUnits.rest(message.phase().until(), now) + " more at most"
                : message.why();
    }

    static String sender(MessageView message) {
        return message.sender().isEmpty() ? "<>" : message.sender();
    }

    /// The first unfinished recipient, and the number of further ones.
    private static String recipients(MessageView message) {
        var open = message.recipients().stream().filter(r -> r.state().equals("open")).toList();
        var shown = open.isEmpty() ? message.recipients() : open;
        if (shown.isEmpty()) {
            return "-";
        }
        return shown.getFirst().address() + (shown.size() > 1 ? " +" + (shown.size() - 1) : "");
    }
}
