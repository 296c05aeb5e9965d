package org.slipstream.server.operate;

import org.slipstream.admin.operations.StandingOrders;
import org.slipstream.core.queue.StandingOrder;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// Suspensions, the freeze and limits over all shards. The first shard keeps the record, which each shard
/// reads when it starts, so an order that is kept comes into force in a shard that failed meanwhile.
public final class AllShardsStandingOrders implements StandingOrders {
    private final AllShards shards;

    public AllShardsStandingOrders(AllShards shards) {
        this.shards = shards;
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
        return first().suspensions().refusal(order);
    }

    @Override
    public void begin(StandingOrder order) throws IOException {
        first().suspensions().keep(order);
        ShardReplies<Boolean> begun = shards.ask(shard -> {
            shard.suspensions().beginHere(order);
            return true;
        });
        StandingOrderControl.logBegun(order);
        begun.orFailIncomplete();
    }

    @Override
    public boolean end(String kind, String name) throws IOException {
        first().suspensions().forget(kind, name);
        ShardReplies<Boolean> ended = shards.ask(shard -> shard.suspensions().endHere(kind, name));
        boolean anyEnded = ended.values().contains(true);
        if (anyEnded) {
            StandingOrderControl.logEnded(kind, name);
        }
        ended.orFailIncomplete();
        return anyEnded;
    }

    private ShardPart first() {
        return shards.parts().get().getFirst();
    }
}
