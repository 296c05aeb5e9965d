package org.slipstream.cli.shard;

import org.slipstream.admin.operations.ShardOperations.ClaimView;
import org.slipstream.admin.operations.ShardOperations.ClusterView;
import org.slipstream.admin.operations.ShardOperations.NodeView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandGroup;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// `cluster`: several servers over one database.
@Command(header = "Shows the servers over one database, and which of them owns a shard.",
        description = "A server with the setting cluster.node is a node of the cluster of its spool.database. Each shard"
                + " belongs to one node at a time.",
        footer = {"  mta cluster status", "  mta cluster check", "  mta shard move 2 --to b"})
public final class ClusterCommand implements CommandGroup {
    @Command(header = "Shows the nodes and the owners of the shards.",
            description = "SEEN is the time since a node renewed its leases, which it does each second. A silent node"
                    + " loses its shards when their leases end, and others take them. GRANTS is the time for which a"
                    + " node may start deliveries without a further answer of the node that divides the limits.",
            exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
            footer = {"  mta cluster status",
                    "  mta cluster status --json | jq '.nodes[] | select(.state == \"silent\") | .name'"})
    public static final class ClusterStatus implements MtaAction {
        @Option(names = "--json", description = "as the server's JSON")
        private boolean json;

        @Override
        public int run(MtaCommand mta) {
            return AdminClient.show(mta, "cluster", json, ClusterView.class, ClusterCommand::lines);
        }
    }

    private static List<String> lines(ClusterView cluster) {
        if (cluster.node().isEmpty()) {
            return List.of("this server is alone: cluster.node is not set");
        }
        List<String> lines = new ArrayList<>();
        lines.add("this is node " + cluster.node());
        if (!cluster.database().isEmpty()) {
            lines.add("the database does not answer: " + cluster.database() + "; below is its last answer");
        }
        lines.add("");
        Table nodes = new Table("NODE", "STATE", "SEEN", "UP", "VERSION", "ADDRESS", "GRANTS", "SHARDS");
        for (NodeView each : cluster.nodes()) {
            nodes.add(each.name(), each.state(), seconds(each.seenSeconds()), seconds(each.upSeconds()),
                    each.version(), each.address().isEmpty() ? "-" : each.address(), grants(each),
                    numbers(each.shards()));
        }
        lines.addAll(nodes.lines());
        lines.add("");
        Table shards = new Table("SHARD", "OWNER", "EPOCH", "LEASE", "MOVES TO");
        for (ClaimView each : cluster.shards()) {
            shards.add(String.valueOf(each.number()), each.owner().isEmpty() ? "-" : each.owner(),
                    String.valueOf(each.epoch()), each.owner().isEmpty() ? "-" : seconds(each.leaseSeconds()),
                    each.moveTo().isEmpty() ? "-" : each.moveTo());
        }
        lines.addAll(shards.lines());
        lines.add("");
        lines.add(cluster.broker().isEmpty()
                ? "the node that divides the limits is not known"
                : "node " + cluster.broker() + " divides the limits");
        lines.addAll(standbys(cluster));
        return lines;
    }

    private static String grants(NodeView node) {
        return node.grantSeconds().map(left -> left > 0 ? seconds(left) : "none").orElse("-");
    }

    private static List<String> standbys(ClusterView cluster) {
        if (cluster.standbys().isEmpty()) {
            return List.of(cluster.database().isEmpty()
                    ? "the database has no standby that is connected"
                    : "the standbys of the database are not known");
        }
        Table table = new Table("STANDBY", "STATE", "CONFIRMS");
        cluster.standbys().forEach(each -> table.add(each.name(), each.state().isEmpty() ? "-" : each.state(),
                each.sync().isEmpty() ? "not visible, grant pg_monitor" : each.sync()));
        List<String> lines = new ArrayList<>(List.of(""));
        lines.addAll(table.lines());
        return lines;
    }

    private static String numbers(List<Integer> shards) {
        return shards.isEmpty() ? "-" : shards.stream().map(String::valueOf).collect(Collectors.joining(" "));
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, "%.1f s", seconds);
    }
}
