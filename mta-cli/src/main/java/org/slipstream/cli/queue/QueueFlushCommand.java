package org.slipstream.cli.queue;

import org.slipstream.admin.operations.HostOperations.Hosts;
import org.slipstream.admin.operations.Operations.MessageCount;
import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.admin.operations.StandingOrders.SuspensionView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.Ids;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.OrderArguments;
import org.slipstream.cli.frame.PagedRequests;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.host.DestdbCommand;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.text.Controls;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

import java.io.PrintStream;
import java.util.List;

/// `queue flush`: tries deferred mail now, and tells what a flush does not change.
@Command
public final class QueueFlushCommand implements MtaAction {
    private static final String FLUSH = "flush";

    @Mixin
    private QueueSweep sweep;

    @Option(names = "--all", description = "all messages that are in the queue now, as without ID and options")
    private boolean all;

    private record Found(List<SuspensionView> suspensions) {}

    private final CommandSpec spec = new OrderArguments(OrderForm.of(MessageOrder.class, FLUSH), this, -1).spec();

    public static CommandSpec of() {
        return new QueueFlushCommand().spec;
    }

    @Override
    public int run(MtaCommand mta) {
        boolean everything = all || !sweep.namesIds() && !sweep.hasFilter();
        sweep.check(spec, everything);
        if (sweep.isDryRun()) {
            return sweep.give(mta, spec, FLUSH, "", "flushed");
        }
        try (AdminClient server = AdminClient.of(mta)) {
            return sweep.namesIds() ? flush(mta, server, sweep.ids()) : flushAll(mta, server, everything);
        }
    }

    private int flush(MtaCommand mta, AdminClient server, List<String> texts) {
        List<QueueId> ids = texts.stream().map(text -> Ids.of(spec, text)).toList();
        int found = 0;
        int held = 0;
        for (QueueId id : ids) {
            if (server.ask("POST", "queue/" + id + "/flush").isEmpty()) {
                mta.world().err().println("mta: there is no message " + id + " in the queue");
            } else {
                found++;
                held += isHeld(server, id) ? 1 : 0;
            }
        }
        tell(mta, server, found - held, held);
        return found == ids.size() ? Exit.DONE : Exit.NO;
    }

    private static boolean isHeld(AdminClient server, QueueId id) {
        return server.ask("GET", "queue/" + id).map(body -> RecordJson.read(body, MessageView.class))
                .filter(message -> message.state().equals("held")).isPresent();
    }

    private int flushAll(MtaCommand mta, AdminClient server, boolean everything) {
        String query = sweep.query(spec);
        boolean anyState = !query.contains("&state=");
        if (everything || isOneDomain(query)) {
            long held = count(server, query + "&state=held");
            long due = count(server, query + "&state=deferred");
            server.ask("POST", "queue/flush" + (query.isEmpty() ? "" : "?" + query.substring(1))).orElseThrow();
            tell(mta, server, due, held);
        } else {
            long held = anyState ? count(server, query + "&state=held") : 0;
            long given = sweep.giveAll(mta, spec, FLUSH, "", "flushed");
            long left = query.contains("&state=held") ? given : Math.min(held, given);
            tell(mta, server, given - left, left);
        }
        return sweep.exit();
    }

    /// The spool does this in portions, however long the queue is.
    private static boolean isOneDomain(String query) {
        return query.matches("&domain=[^&*]*");
    }

    private static long count(AdminClient server, String query) {
        return PagedRequests.of(server, "GET", "queue/count", query, MessageCount.class, MessageCount::next)
                .mapToLong(MessageCount::count).sum();
    }

    /// Prints what was done, and what a flush does not change.
    private void tell(MtaCommand mta, AdminClient server, long due, long held) {
        PrintStream out = mta.world().out();
        out.println(
                DisplayUnits.count(due, "message") + " due"
                        + (held == 0 ? "" : ", " + held + " on hold and not tried"));
        RecordJson.read(server.ask("GET", "suspensions").orElseThrow(), Found.class).suspensions().stream()
                .filter(each -> each.scope().equals("everything"))
                .forEach(freeze -> out.println("not tried before mta thaw: "
                        + Controls
                                .replaced("all deliveries are frozen by " + freeze.author() + ": " + freeze.reason())));
        RecordJson.read(server.ask("GET", "destdb").orElseThrow(), Hosts.class).hosts()
                .forEach(host -> host.states().stream().filter(state -> state.state().equals("suspended"))
                        .forEach(state -> out.println("not tried: " + Controls.replaced(DestdbCommand.nameOf(host)
                                + ", suspended "
                                + (state.until().isEmpty() ? "until it is resumed" : "until " + state.until())
                                + ": " + state.reason()))));
    }
}
