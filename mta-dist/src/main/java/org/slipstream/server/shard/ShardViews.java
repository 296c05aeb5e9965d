package org.slipstream.server.shard;

import org.slipstream.admin.operations.HostOperations;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.admin.operations.StandingOrders;
import org.slipstream.config.Config;
import org.slipstream.qmgr.shard.ShardLoad;
import org.slipstream.server.operate.AllShards;
import org.slipstream.server.operate.AllShardsHosts;
import org.slipstream.server.operate.AllShardsOperations;
import org.slipstream.server.operate.AllShardsStandingOrders;
import org.slipstream.server.operate.ServerLimits;
import org.slipstream.server.operate.ShardPart;
import org.slipstream.server.operate.ShardQueue;
import org.slipstream.server.operate.ShardStandingOrders;

import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Views and orders of operators, over all shards, those that wait for their disks among them.
///
/// @param queue the mail, and the state of the server
/// @param hosts the destination database
/// @param suspensions with the freeze
public record ShardViews(AllShardsOperations queue, HostOperations hosts, StandingOrders suspensions) {
    /// @param troubles those of the server that concern all its shards
    public static ShardViews of(ShardSet set, Supplier<Config> config, Supplier<List<TroubleView>> troubles,
            LongSupplier clockMillis) {
        AllShards shards = new AllShards(() -> Stream.concat(
                set.all().stream().<ShardPart>map(shard -> new RunningShard(shard, set)),
                set.waiting().stream().map(WaitingSpool::part))
                .sorted(Comparator.comparingInt(ShardPart::number)).toList());
        Supplier<ServerLimits> limits = () -> ServerLimits.of(config.get(), set.known().size());
        return new ShardViews(AllShardsOperations.of(shards, limits, troubles, clockMillis),
                new AllShardsHosts(shards, limits), new AllShardsStandingOrders(shards, set.records()));
    }

    private record RunningShard(Shard shard, ShardSet set) implements ShardPart {
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
        public boolean keepsRecords() {
            return set.records().is(shard);
        }
    }
}
