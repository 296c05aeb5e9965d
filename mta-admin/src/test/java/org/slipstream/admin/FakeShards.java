package org.slipstream.admin;

import org.slipstream.admin.operations.ShardOperations;
import org.slipstream.core.order.ShardOrder;

import java.util.List;
import java.util.TreeMap;

/// Shards in memory. The last one that takes mail stays in use unless forced.
class FakeShards implements ShardOperations {
    private static final UseView MEASURED = new UseView(1, 20);

    private final TreeMap<Integer, ShardView> shards = new TreeMap<>();

    FakeShards(int count) {
        for (int shard = 1; shard <= count; shard++) {
            shards.put(shard, view(shard, "normal"));
        }
    }

    private static ShardView view(int shard, String mode) {
        return new ShardView(shard, "/var/spool-" + shard, mode, "running", MEASURED, MEASURED, 10, false, 7, 4096, 0,
                "", 0);
    }

    @Override
    public List<ShardView> shards() {
        return List.copyOf(shards.values());
    }

    @Override
    public ShardAnswer order(int shard, ShardOrder order) {
        return switch (order) {
            case ShardOrder.Add _ -> shards.size() == 3
                    ? new ShardAnswer.Refused("3 shards are the most; raise shard.maximum")
                    : put(view(shards.lastKey() + 1, "normal"));
            case ShardOrder.Drain(boolean force) -> mode(shard, "drained", force);
            case ShardOrder.Enable _ -> mode(shard, "normal", true);
            case ShardOrder.Disable(boolean force) -> mode(shard, "disabled", force);
            case ShardOrder.Hold _ -> mode(shard, "held", true);
            case ShardOrder.Move(String to) -> shards.containsKey(shard)
                    ? put(new ShardView(shard, "", "normal", "elsewhere", MEASURED, MEASURED, 0, false, 0, 0, 0, to, 2))
                    : new ShardAnswer.UnknownShard(shard);
            case ShardOrder.Load(String local, String remote) -> shards.containsKey(shard)
                    ? put(new ShardView(shard, "/var/spool-" + shard, "normal", "running", use(local), use(remote), 45,
                            !local.equals("auto") || !remote.equals("auto"), 7, 4096, 0, "", 0))
                    : new ShardAnswer.UnknownShard(shard);
        };
    }

    private static UseView use(String text) {
        return ShardOrder.HandUse.of(text).map(each -> new UseView(each.used(), each.limit())).orElse(MEASURED);
    }

    private ShardAnswer mode(int shard, String mode, boolean force) {
        if (!shards.containsKey(shard)) {
            return new ShardAnswer.UnknownShard(shard);
        }
        boolean another = shards.values().stream()
                .anyMatch(each -> each.number() != shard && each.mode().equals("normal"));
        return another || force
                ? put(view(shard, mode))
                : new ShardAnswer.Refused("shard " + shard + " is the last that takes mail");
    }

    private ShardAnswer put(ShardView view) {
        shards.put(view.number(), view);
        return new ShardAnswer.Done(view);
    }
}
