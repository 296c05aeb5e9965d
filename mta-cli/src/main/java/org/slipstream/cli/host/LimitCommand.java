package org.slipstream.cli.host;

import org.slipstream.admin.operations.StandingOrders.LimitView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.OrderArguments;
import org.slipstream.cli.frame.PagedRequests;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import org.slipstream.cli.frame.Version;
import org.slipstream.core.order.LimitVerb;
import org.slipstream.core.order.OrderForm;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;

/// `limit`: another limit while the server runs. `limit list` shows those that are set.
@Command(mixinStandardHelpOptions = true, versionProvider = Version.class)
public final class LimitCommand implements Callable<Integer> {
    private record Done(String done, List<String> limits) {}

    private final MtaCommand mta;
    private final OrderForm<LimitVerb> form;
    private final OrderArguments arguments;

    private LimitCommand(OrderForm<LimitVerb> form, MtaCommand mta) {
        this.mta = mta;
        this.form = form;
        this.arguments = new OrderArguments(form, this, 0);
    }

    public static CommandSpec of(MtaCommand mta) {
        return new LimitCommand(OrderForm.of(LimitVerb.class, "limit"), mta).arguments.spec();
    }

    @Override
    public Integer call() {
        List<String> keyAndNumber = arguments.positional();
        String query = arguments.query(keyAndNumber);
        try (AdminClient server = AdminClient.of(mta)) {
            String body = server.ask("POST", "limits/" + form.word() + PagedRequests.asked(query))
                    .orElseThrow(() -> new CommandFailure(Exit.NO, "mta: no limit is set for " + keyAndNumber.getFirst()
                            + " (mta limit list shows those that are; mta destdb list shows the known hosts)"));
            RecordJson.read(body, Done.class).limits()
                    .forEach(each -> mta.world().out().println(form.verb().did() + " " + each + ": "
                            + keyAndNumber.getLast()));
        }
        return Exit.DONE;
    }

    @Command(name = "list", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Lists the limits that are set, and why.", optionListHeading = "%nOptions:%n",
            exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = "  mta limit list")
    public static final class LimitListing implements Callable<Integer> {
        @Option(names = "--json", description = "as the server's JSON")
        private boolean json;

        private final MtaCommand mta;

        public LimitListing(MtaCommand mta) {
            this.mta = mta;
        }

        private record Found(List<LimitView> limits) {}

        @Override
        public Integer call() {
            try (AdminClient server = AdminClient.of(mta)) {
                String body = server.ask("GET", "limits").orElseThrow();
                if (json) {
                    mta.world().out().println(body);
                } else {
                    lines(RecordJson.read(body, Found.class).limits()).forEach(mta.world().out()::println);
                }
            }
            return Exit.DONE;
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
