package org.slipstream.cli.host;

import org.slipstream.admin.operations.StandingOrders.LimitView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.OrderArguments;
import org.slipstream.cli.frame.PagedRequests;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import org.slipstream.core.order.LimitVerb;
import org.slipstream.core.order.OrderForm;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

import java.time.Instant;
import java.util.List;

/// `limit`: another limit while the server runs. `limit list` shows those that are set.
@Command
public final class LimitCommand implements MtaAction {
    private record Done(String done, List<String> limits) {}

    private final OrderArguments arguments = new OrderArguments(OrderForm.of(LimitVerb.class, "limit"), this, 0);

    public static CommandSpec of() {
        return new LimitCommand().arguments.spec();
    }

    @Override
    public int run(MtaCommand mta) {
        List<String> keyAndNumber = arguments.positional();
        String body = AdminClient.order(mta, "limits/limit" + PagedRequests.asked(arguments.query(keyAndNumber)),
                () -> new CommandFailure(Exit.NO, "mta: no limit is set for " + keyAndNumber.getFirst()
                        + " (mta limit list shows those that are; mta destdb list shows the known hosts)"));
        RecordJson.read(body, Done.class).limits().forEach(each -> mta.world().out()
                .println(arguments.did() + " " + each + ": " + keyAndNumber.getLast()));
        return Exit.DONE;
    }

    @Command(header = "Lists the limits that are set, and why.",
            exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT}, footer = "  mta limit list")
    public static final class LimitListing implements MtaAction {
        @Option(names = "--json", description = "as the server's JSON")
        private boolean json;

        private record Found(List<LimitView> limits) {}

        @Override
        public int run(MtaCommand mta) {
            return AdminClient.show(mta, "limits", json, Found.class, found -> lines(found.limits()));
        }

        private static List<String> lines(List<LimitView> limits) {
            if (limits.isEmpty()) {
                return List.of("no limit is set");
            }
            Instant now = Instant.now();
            Table table = new Table("LIMIT", "NUMBER", "SINCE", "FOR", "AUTHOR", "REASON");
            limits.forEach(each -> table.add(each.limit(), each.number(), DisplayUnits.age(each.since(), now) + " ago",
                    each.until().isEmpty() ? "ever" : DisplayUnits.until(each.until(), now), each.author(),
                    each.reason()));
            return table.lines();
        }
    }
}
