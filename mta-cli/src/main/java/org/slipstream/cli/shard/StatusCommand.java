package org.slipstream.cli.shard;

import org.slipstream.admin.operations.Operations.ConnectionsView;
import org.slipstream.admin.operations.Operations.Status;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import org.slipstream.local.maildrop.MaildropFolder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.PrintStream;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// `status`: the state of the running server.
@Command(header = "Shows the state of the running server.",
        exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
        footer = {"  mta status", "  mta status --json | jq .messages",
                "  mta status --metrics > /var/lib/node_exporter/slipstream.prom"})
public final class StatusCommand implements MtaAction {
    @Option(names = "--json", description = "as the server's JSON")
    private boolean json;

    @Option(names = "--metrics", description = "counters and gauges in the text format of Prometheus")
    private boolean metrics;

    @Override
    public int run(MtaCommand mta) {
        try (AdminClient server = AdminClient.of(mta)) {
            String body = server.ask("GET", metrics ? "metrics" : "status").orElseThrow();
            if (metrics) {
                mta.world().out().print(body);
            } else if (json) {
                mta.world().out().println(body);
            } else {
                print(RecordJson.read(body, Status.class), MaildropFolder.in(mta.home()).waiting(), mta.world().out());
            }
        }
        return Exit.DONE;
    }

    private static void print(Status status, Optional<Long> inMaildrop, PrintStream out) {
        Table facts = new Table("hostname", status.hostname());
        facts.add("version", status.version());
        facts.add("started", status.started() + " (" + DisplayUnits.age(status.started(), Instant.now()) + " ago)");
        facts.add("messages", count(status, status.messages()));
        facts.add("active", Integer.toString(status.active()));
        if (status.stuck() > 0) {
            facts.add("stuck", status.stuck() + " messages waited although nothing held them; the log has each:"
                    + " event=message-stuck");
        }
        if (status.unannounced() > 0) {
            facts.add("unannounced", status.unannounced() + " new messages were found by a scan, because no event"
                    + " announced them; the log has: event=unannounced-mail-found");
        }
        if (!status.delivers()) {
            facts.add("delivers", "no: queue.deliver is false, mail is accepted and kept");
        }
        status.suspensions().stream().filter(each -> each.scope().equals("everything")).findFirst()
                .ifPresent(freeze -> facts.add("frozen", "since " + freeze.since() + " by " + freeze.author() + ": "
                        + freeze.reason() + (freeze.until().isEmpty() ? "" : " (until " + freeze.until() + ")")));
        long suspended = status.suspensions().stream().filter(each -> !each.scope().equals("everything")).count();
        if (suspended > 0) {
            facts.add("suspended", suspended + " (mta suspend list)");
        }
        facts.add("held", count(status, status.held()));
        facts.add("corrupt", count(status, status.corrupt()));
        inMaildrop.filter(count -> count > 0)
                .ifPresent(count -> facts.add("maildrop", count + " not taken yet; the log tells why"));
        facts.add("connections", connections(status.connections()));
        facts.lines().forEach(out::println);
        trouble(status.trouble(), out);
        List<String> shards = ShardTable.lines(status.shards());
        if (!shards.isEmpty()) {
            out.println();
            shards.forEach(out::println);
        }
        if (!status.destinations().isEmpty()) {
            out.println();
            Table table = new Table("TRANSPORT", "NEXT HOP", "WAITING", "RUNNING", "CONNECTIONS");
            status.destinations().forEach(d -> table.add(d.transport(), d.nextHop(), Integer.toString(d.waiting()),
                    Integer.toString(d.running()), Integer.toString(d.connections())));
            table.lines().forEach(out::println);
        }
    }

    private static String connections(ConnectionsView now) {
        String open = now.open() + " of " + now.most() + ", " + now.opening() + " wait for a greeting";
        return now.unproven() < now.mostUnproven()
                ? open
                : open + "; limited: " + now.unproven() + " of " + now.mostUnproven()
                        + " connections to hosts that are not known to work";
    }

    private static String count(Status status, Optional<Long> known) {
        return known.map(Object::toString).orElse(status.shards().isEmpty()
                ? "unknown: the queue index cannot be read"
                : "unknown: not all shards can be read");
    }

    private static void trouble(List<TroubleView> troubles, PrintStream out) {
        for (TroubleView trouble : troubles) {
            out.println();
            Table table = new Table("TROUBLE", trouble.what());
            if (!trouble.since().isEmpty()) {
                table.add("since",
                        trouble.since() + " (" + DisplayUnits.age(trouble.since(), Instant.now()) + " ago)");
            }
            table.add("meaning", trouble.meaning());
            table.add("reason", trouble.reason());
            table.lines().forEach(out::println);
        }
    }
}
