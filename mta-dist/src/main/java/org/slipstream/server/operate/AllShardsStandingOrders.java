package org.slipstream.server.operate;

import org.slipstream.admin.operations.StandingOrders;
import org.slipstream.core.queue.StandingOrder;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// Suspensions, the freeze and limits over all shards. One shard keeps the record, which each shard
/// reads when it starts, so an order that is kept comes into force in a shard that failed meanwhile.
public final class AllShardsStandingOrders implements StandingOrders {
    private final AllShards<OwnShard> shards;
    private final OrderKeeper keeper;

    /// A step with the orders of the shard that keeps them.
    @FunctionalInterface
    public interface OrderTask {
        void run(ShardStandingOrders orders) throws IOException;
    }

    /// The shard that keeps the orders. It stays the same during a task.
    @FunctionalInterface
    public interface OrderKeeper {
        void with(OrderTask task) throws IOException;
    }

    public AllShardsStandingOrders(AllShards<OwnShard> shards, OrderKeeper keeper) {
        this.shards = shards;
        this.keeper = keeper;
    }

    @Override
    public List<SuspensionView> suspensions() throws IOException {
        return shards.ask(shard -> shard.suspensions().suspensions()).orFail().values().stream()
                .flatMap(List::stream).distinct().toList();
    }

    @Override
    public List<LimitView> limits() throws IOException {
        return shards.ask(shard -> shard.suspensions().limits()).orFail().values().stream()
                .flatMap(List::stream).distinct().toList();
    }

    @Override
    public Optional<String> refusal(StandingOrder order) {
        return shards.parts().get().stream().findFirst().flatMap(shard -> shard.suspensions().refusal(order));
    }

    @Override
    public void begin(StandingOrder order) throws IOException {
        keeper.with(orders -> orders.keep(order));
        ShardReplies<Boolean> begun = shards.ask(shard -> {
            shard.suspensions().beginHere(order);
            return true;
        });
        StandingOrderControl.logBegun(order);
        begun.orFailIncomplete();
    }

    @Override
    public boolean end(String kind, String name) throws IOException {
        keeper.with(orders -> orders.forget(kind, name));
        ShardReplies<Boolean> ended = shards.ask(shard -> shard.suspensions().endHere(kind, name));
        boolean anyEnded = ended.values().contains(true);
        if (anyEnded) {
            StandingOrderControl.logEnded(kind, name);
        }
        ended.orFailIncomplete();
        return anyEnded;
    }
}
