package org.slipstream.server.operate;

import org.slipstream.admin.operations.SuspensionOperations;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// Suspensions and the freeze over all shards. The first shard keeps the record, which each shard
/// reads when it starts, so an order that is kept comes into force in a shard that failed meanwhile.
public final class AllShardsSuspensions implements SuspensionOperations {
    private final AllShards shards;

    public AllShardsSuspensions(AllShards shards) {
        this.shards = shards;
    }

    @Override
    public List<SuspensionView> suspensions() throws IOException {
        return shards.ask(shard -> shard.suspensions().suspensions()).orFail().values().stream()
                .flatMap(List::stream).distinct().toList();
    }

    @Override
    public Optional<String> refusal(SuspensionScope scope, String name) {
        return first().suspensions().refusal(scope, name);
    }

    @Override
    public void suspend(Suspension suspension) throws IOException {
        first().suspensions().keep(suspension);
        ShardReplies<Boolean> begun = shards.ask(shard -> {
            shard.suspensions().begin(suspension);
            return true;
        });
        SuspensionControl.logBegun(suspension);
        begun.orFailIncomplete();
    }

    @Override
    public boolean resume(SuspensionScope scope, String name) throws IOException {
        first().suspensions().forget(scope, name);
        ShardReplies<Boolean> ended = shards.ask(shard -> shard.suspensions().end(scope, name));
        boolean anyEnded = ended.values().contains(true);
        if (anyEnded) {
            SuspensionControl.logEnded(scope, name);
        }
        ended.orFailIncomplete();
        return anyEnded;
    }

    private ShardPart first() {
        return shards.parts().get().getFirst();
    }
}
