package org.slipstream.server.shard;

import org.slipstream.admin.operations.HostOperations;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.admin.operations.StandingOrders;
import org.slipstream.cluster.OrderTable;
import org.slipstream.config.Config;
import org.slipstream.qmgr.shard.ShardLoad;
import org.slipstream.server.operate.AllShards;
import org.slipstream.server.operate.AllShardsHosts;
import org.slipstream.server.operate.AllShardsOperations;
import org.slipstream.server.operate.AllShardsStandingOrders;
import org.slipstream.server.operate.OwnShard;
import org.slipstream.server.operate.ServerLimits;
import org.slipstream.server.operate.ShardPart;
import org.slipstream.server.operate.ShardQueue;
import org.slipstream.server.operate.ShardStandingOrders;
import org.slipstream.server.operate.WaitingShard;
import org.slipstream.spool.Spool;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Views and orders of operators, over all shards, those that wait for their disks among them. In a cluster these
/// are the shards of all nodes.
///
/// @param queue the mail, and the state of the server
/// @param here the same for the shards of this node alone
/// @param hosts the destination database
/// @param suspensions with the freeze
public record ShardViews(AllShardsOperations queue, AllShardsOperations here, HostOperations hosts,
        StandingOrders suspensions) {
    /// @param troubles those of the server that concern all its shards
    public static ShardViews of(ShardSet set, Supplier<Config> config, Supplier<List<TroubleView>> troubles,
            LongSupplier clockMillis) {
        AllShards<OwnShard> own = new AllShards<>(() -> own(set));
        Supplier<ServerLimits> limits = () -> ServerLimits.of(config.get(), set.known().size());
        AllShardsOperations here = AllShardsOperations.of(own, limits, troubles, clockMillis);
        Optional<ClusterOrders> cluster = set.clusterOrders();
        return cluster.isEmpty()
                ? new ShardViews(here, here, new AllShardsHosts(own, limits),
                        new AllShardsStandingOrders(own, set.records()))
                : new ShardViews(AllShardsOperations.of(new AllShards<>(() -> everywhere(set)), limits, troubles,
                        clockMillis), here, cluster.get().hosts(), cluster.get());
    }

    private static List<OwnShard> own(ShardSet set) {
        return Stream.concat(running(set), set.waiting().stream().map(WaitingSpool::part))
                .sorted(Comparator.comparingInt(ShardPart::number)).toList();
    }

    private static Stream<OwnShard> running(ShardSet set) {
        return set.all().stream().map(shard -> new RunningShard(shard, set));
    }

    /// The shards of this node first, because the first answer tells version and name of the server.
    private static List<ShardPart> everywhere(ShardSet set) {
        List<ShardPart> parts = new ArrayList<>(own(set));
        List<ShardPart> elsewhere = set.inCluster().map(each -> each.elsewhere(set)).orElse(List.of());
        parts.removeIf(part -> part instanceof WaitingShard
                && elsewhere.stream().anyMatch(each -> each.number() == part.number()));
        parts.addAll(elsewhere);
        return parts;
    }

    /// A shard of this node, for another node that asks.
    static Optional<ShardPart> part(ShardSet set, int number) {
        return set.shard(number).map(shard -> new RunningShard(shard, set));
    }

    /// The standing orders of a cluster, with all that are in force.
    static ClusterOrders clusterOrders(ShardSet set, OrderTable table, Config config, LongSupplier clock)
            throws IOException {
        AllShards<OwnShard> own = new AllShards<>(() -> running(set).toList());
        ClusterOrders orders = new ClusterOrders(table, new AllShardsStandingOrders(own, _ -> {}),
                new AllShardsHosts(own, () -> ServerLimits.of(config, set.known().size())), clock);
        orders.load();
        return orders;
    }

    private record RunningShard(Shard shard, ShardSet set) implements OwnShard {
        @Override
        public int number() {
            return shard.number();
        }

        @Override
        public ShardQueue queue() {
            return shard.operations();
        }

        @Override
        public HostOperations hosts() {
            return shard.hosts();
        }

        @Override
        public ShardStandingOrders suspensions() {
            return shard.suspensions();
        }

        @Override
        public ShardLoad load() {
            return set.load(shard, false);
        }

        @Override
        public String node() {
            return set.node();
        }

        @Override
        public Spool.CommonRecords commonRecords() throws IOException {
            return set.commonRecords();
        }

        @Override
        public boolean keepsRecords() {
            return set.records().is(shard);
        }
    }
}
