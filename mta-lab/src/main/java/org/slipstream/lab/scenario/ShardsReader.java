package org.slipstream.lab.scenario;

import org.slipstream.lab.ShardPlan;
import org.slipstream.lab.ShardPlan.ShardAction;
import org.slipstream.qmgr.shard.ShardRules;
import org.slipstream.qmgr.shard.ShardRules.Growth;
import org.slipstream.settings.TomlSection;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads `[shard]`, whose keys are those of `mta.toml`, and checks orders for shards.
final class ShardsReader {
    private static final int MOST = 64;
    private static final int USUAL_MOST = 20;
    private static final int USUAL_LOAD = 90;
    private static final long USUAL_INTERVAL_MILLIS = 60_000;
    private static final Map<String, Growth> MODES = Map.of("static", Growth.STATIC, "dynamic", Growth.DYNAMIC,
            "keep-count", Growth.KEEP_COUNT);

    private ShardsReader() {}

    /// @param orders of the file
    static ShardPlan read(TomlSection root, List<ShardAction> orders) {
        Optional<TomlSection> section = root.section("shard");
        if (section.isEmpty()) {
            if (!orders.isEmpty()) {
                throw root.wrong("orders for shards need [shard]; add it");
            }
            return ShardPlan.ONE;
        }
        TomlSection shard = section.get();
        int count = bounded(shard, "count", 1);
        int most = bounded(shard, "maximum", USUAL_MOST);
        if (count > most) {
            throw shard.wrong("count", "= " + count + " is above maximum = " + most + "; make maximum larger");
        }
        Growth growth = shard.oneOf("mode", MODES).orElse(Growth.STATIC);
        int load = (int) shard.count("load", 1, 100, USUAL_LOAD);
        long interval = shard.millis("interval", USUAL_INTERVAL_MILLIS);
        if (interval < 1_000) {
            throw shard.wrong("interval", "is less than a second; write at least \"1s\"");
        }
        shard.end();
        ShardPlan plan = ShardPlan.of(count).with(new ShardRules(growth, most, load)).with(orders);
        return growth == Growth.DYNAMIC ? plan.following(interval) : plan;
    }

    private static int bounded(TomlSection section, String key, int usual) {
        return (int) section.count(key, 1, MOST, usual);
    }
}
