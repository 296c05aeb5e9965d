package org.slipstream.lab;

import org.slipstream.qmgr.shard.ShardLoad.ShardMode;
import org.slipstream.qmgr.shard.ShardRules;
import org.slipstream.qmgr.shard.ShardRules.Growth;

import java.util.List;

/// The shards of a world: their number at its start, the rules of placement, and changes at stated
/// times.
///
/// @param shards at the start, from 1
/// @param messageMillis the time that a message takes between two parts of the server, in each
/// direction
/// @param costs of the parts of a shard
/// @param followMillis between two looks at the loads; 0: none but those among the actions
public record ShardPlan(int shards, ShardRules rules, long messageMillis, List<ShardAction> actions,
        ShardCosts costs, long followMillis) {
    private static final int MOST = 64;
    private static final int THRESHOLD = 90;

    /// A server with one shard.
    public static final ShardPlan ONE = of(1);

    public ShardPlan {
        actions = List.copyOf(actions);
    }

    /// Whether limits are leased from the beginning.
    boolean isLeased() {
        return shards > 1 || rules.growth() == Growth.DYNAMIC;
    }

    /// This number of shards, new mail to the least loaded.
    public static ShardPlan of(int shards) {
        return new ShardPlan(shards, new ShardRules(Growth.KEEP_COUNT, MOST, THRESHOLD), 0, List.of(), ShardCosts.NONE,
                0);
    }

    public ShardPlan with(List<ShardAction> others) {
        return new ShardPlan(shards, rules, messageMillis, others, costs, followMillis);
    }

    public ShardPlan withMessages(long millis) {
        return new ShardPlan(shards, rules, millis, actions, costs, followMillis);
    }

    public ShardPlan with(ShardCosts others) {
        return new ShardPlan(shards, rules, messageMillis, actions, others, followMillis);
    }

    public ShardPlan with(ShardRules other) {
        return new ShardPlan(shards, other, messageMillis, actions, costs, followMillis);
    }

    /// A look at the loads in this interval, while there is mail or may be.
    public ShardPlan following(long millis) {
        return new ShardPlan(shards, rules, messageMillis, actions, costs, millis);
    }

    /// A change of the shards at a time.
    public sealed interface ShardAction {
        long atMillis();

        /// The shard is killed and starts again on its spool.
        record Kill(long atMillis, int shard) implements ShardAction {}

        record SetMode(long atMillis, int shard, ShardMode mode) implements ShardAction {}

        /// A shard with the next number is added.
        record Add(long atMillis) implements ShardAction {}

        /// A look at the loads: a shard is added, or empty ones are removed, as the rules say.
        record Follow(long atMillis) implements ShardAction {}

        /// The shard is removed once it is empty; until then it takes no mail.
        record Remove(long atMillis, int shard) implements ShardAction {}
    }
}
