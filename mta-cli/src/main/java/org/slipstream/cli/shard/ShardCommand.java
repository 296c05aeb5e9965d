package org.slipstream.cli.shard;

import org.slipstream.admin.operations.ShardOperations.ShardView;
import org.slipstream.admin.operations.ShardOperations.UseView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import org.slipstream.cli.frame.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Function;

/// `shard`: the queues of the server. This class has the list, [ShardOrderCommand] the orders.
@Command(name = "shard", mixinStandardHelpOptions = true, versionProvider = Version.class,
        header = "Shows the shards of the server, adds and drains them.", descriptionHeading = "%n",
        description = {
                "A shard is a queue with a folder and a thread of its own. All limits hold for the whole server,"
                        + " whatever the number of shards."},
        optionListHeading = "%nOptions:%n", commandListHeading = "%nCommands:%n", exitCodeListHeading = Exit.HEADING,
        exitCodeList = {
                Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                Exit.UNREACHABLE_TEXT},
        footerHeading = "%nExamples:%n", footer = {"  mta shard list", "  mta shard add",
                "  mta shard drain 2", "  mta shard load 2 2/10 5/20"})
public final class ShardCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    private final MtaCommand mta;

    public ShardCommand(MtaCommand mta) {
        this.mta = mta;
    }

    @Override
    public Integer call() {
        mta.world().err().print(spec.commandLine().getUsageMessage());
        return Exit.USAGE;
    }

    @Command(name = "list", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Lists the shards with their load and their mail.", descriptionHeading = "%n",
            description = {
                    "LOCAL and REMOTE are deliveries in progress and their limit, to mailboxes of this server and to"
                            + " other servers. LOAD is the sum of both in percent, 0 to 200; `*` marks a load set by"
                            + " hand."},
            optionListHeading = "%nOptions:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {"  mta shard list",
                    "  mta shard list --json | jq '.shards[] | select(.state != \"running\")'"})
    public static final class ShardListing implements Callable<Integer> {
        @Option(names = "--json", description = "as the server's JSON")
        private boolean json;

        private final MtaCommand mta;

        public ShardListing(MtaCommand mta) {
            this.mta = mta;
        }

        private record Found(List<ShardView> shards) {}

        @Override
        public Integer call() {
            try (AdminClient server = AdminClient.of(mta)) {
                String body = server.ask("GET", "shards").orElseThrow();
                if (json) {
                    mta.world().out().println(body);
                } else {
                    lines(RecordJson.read(body, Found.class).shards()).forEach(mta.world().out()::println);
                }
            }
            return Exit.DONE;
        }
    }

    /// A table of shards, with their sum when there are several.
    static List<String> lines(List<ShardView> shards) {
        Table table = new Table("SHARD", "MODE", "STATE", "LOCAL", "REMOTE", "LOAD", "MESSAGES", "SIZE", "RESTARTS",
                "FOLDER");
        shards.forEach(each -> table.add(String.valueOf(each.number()), each.mode(), each.state(),
                each.local().toString(), each.remote().toString(), load(each), String.valueOf(each.messages()),
                DisplayUnits.size(each.bytes()), String.valueOf(each.restarts()), each.folder()));
        if (shards.size() > 1) {
            table.add("all", "-", "-", sum(shards, ShardView::local), sum(shards, ShardView::remote),
                    percent(shards.stream().mapToDouble(ShardView::load).average().orElse(0)) + " average",
                    String.valueOf(shards.stream().mapToLong(ShardView::messages).sum()),
                    DisplayUnits.size(shards.stream().mapToLong(ShardView::bytes).sum()),
                    String.valueOf(shards.stream().mapToInt(ShardView::restarts).sum()), "-");
        }
        return table.lines();
    }

    static String load(ShardView shard) {
        return percent(shard.load()) + (shard.byHand() ? "*" : "");
    }

    private static String percent(double load) {
        return String.format(Locale.ROOT, "%.0f%%", load);
    }

    private static String sum(List<ShardView> shards, Function<ShardView, UseView> side) {
        return new UseView(shards.stream().map(side).mapToInt(UseView::used).sum(),
                shards.stream().map(side).mapToInt(UseView::limit).sum()).toString();
    }
}
