package org.slipstream.cli.shard;

import org.slipstream.admin.operations.ShardOperations.ShardView;
import org.slipstream.admin.operations.ShardOperations.UseView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandGroup;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/// `shard`: the queues of the server. This class has the list, [ShardOrderCommand] the orders.
@Command(header = "Shows the shards of the server, adds and drains them.",
        description = "A shard is a queue with a folder and a thread of its own. All limits hold for the whole server,"
                + " whatever the number of shards.",
        footer = {"  mta shard list", "  mta shard add", "  mta shard drain 2", "  mta shard load 2 2/10 5/20"})
public final class ShardCommand implements CommandGroup {
    @Command(header = "Lists the shards with their load and their mail.",
            description = "LOCAL and REMOTE are deliveries in progress and their limit, to mailboxes of this server and to"
                    + " other servers. LOAD is the sum of both in percent, 0 to 200; `*` marks a load set by"
                    + " hand.",
            exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
            footer = {"  mta shard list", "  mta shard list --json | jq '.shards[] | select(.state != \"running\")'"})
    public static final class ShardListing implements MtaAction {
        @Option(names = "--json", description = "as the server's JSON")
        private boolean json;

        private record Found(List<ShardView> shards) {}

        @Override
        public int run(MtaCommand mta) {
            return AdminClient.show(mta, "shards", json, Found.class, found -> lines(found.shards()));
        }
    }

    /// A table of shards, with their sum when there are several.
    static List<String> lines(List<ShardView> shards) {
        boolean owned = shards.stream().anyMatch(each -> !each.owner().isEmpty());
        Table table = new Table("SHARD", "MODE", "STATE", "LOCAL", "REMOTE", "LOAD", "MESSAGES", "SIZE", "RESTARTS",
                "FOLDER", owned ? "OWNER" : "", owned ? "EPOCH" : "");
        shards.forEach(each -> table.add(String.valueOf(each.number()), each.mode(), each.state(),
                each.local().toString(), each.remote().toString(), load(each), String.valueOf(each.messages()),
                DisplayUnits.size(each.bytes()), String.valueOf(each.restarts()), each.folder(),
                each.owner(), owned ? String.valueOf(each.epoch()) : ""));
        if (shards.size() > 1) {
            table.add("all", "-", "-", sum(shards, ShardView::local), sum(shards, ShardView::remote),
                    percent(shards.stream().mapToDouble(ShardView::load).average().orElse(0)) + " average",
                    String.valueOf(shards.stream().mapToLong(ShardView::messages).sum()),
                    DisplayUnits.size(shards.stream().mapToLong(ShardView::bytes).sum()),
                    String.valueOf(shards.stream().mapToInt(ShardView::restarts).sum()), "-", owned ? "-" : "",
                    owned ? "-" : "");
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
