package org.slipstream.qmgr.shard;

import org.slipstream.qmgr.shard.ShardLoad.ShardMode;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// The rules of many queues (indimail): which shard takes a message, and when shards are added and
/// removed. They are pure functions of the loads.
///
/// @param growth whether the number of shards follows the load
/// @param most shards at once
/// @param threshold average load of one side in percent above which a shard is added
public record ShardRules(Growth growth, int most, int threshold) {
    private static final double FULL = 200;

    /// How the number of shards changes.
    public enum Growth {
        /// A fixed number; a message goes to any of them (IM-02).
        STATIC,
        /// Shards are added and removed; a message goes to the least loaded (IM-03).
        DYNAMIC,
        /// As dynamic, but the number stays; a change that would be due is only reported (IM-07).
        KEEP_COUNT
    }

    /// A change of the number of shards.
    public sealed interface CountChange {
        record None() implements CountChange {}

        /// A shard with this number is added.
        record Add(int shard) implements CountChange {}

        /// These empty shards are removed, the highest first.
        record Remove(List<Integer> shards) implements CountChange {}

        /// The number stays, and the change that is due is logged (IM-07).
        record Kept(CountChange due) implements CountChange {}
    }

    public ShardRules {
        if (most < 1 || threshold < 1 || threshold > 100) {
            throw new IllegalArgumentException("most " + most + ", threshold " + threshold);
        }
    }

    /// The shard that takes the next message; empty when none takes mail.
    ///
    /// A shard that takes no mail is never chosen, and equal loads are drawn by lot, so that an idle
    /// server spreads its mail (IM-10, IM-11).
    public Optional<Integer> place(List<ShardLoad> loads, RandomGenerator random) {
        List<ShardLoad> best = new ArrayList<>(loads.size());
        for (ShardLoad load : loads) {
            if (load.takesMail()) {
                boolean any = growth == Growth.STATIC || best.isEmpty();
                double less = any ? 0 : placed(load) - placed(best.getFirst());
                if (less < 0) {
                    best.clear();
                }
                if (less <= 0) {
                    best.add(load);
                }
            }
        }
        return best.isEmpty() ? Optional.empty() : Optional.of(best.get(random.nextInt(best.size())).shard());
    }

    // A shard that delivers nothing looks idle; all mail would go there.
    private static double placed(ShardLoad load) {
        return load.mode() == ShardMode.HELD ? FULL : load.percent();
    }

    /// The change that the loads call for.
    public CountChange change(List<ShardLoad> loads) {
        if (growth == Growth.STATIC || loads.isEmpty()) {
            return new CountChange.None();
        }
        CountChange due = due(loads);
        return growth == Growth.KEEP_COUNT && !(due instanceof CountChange.None) ? new CountChange.Kept(due) : due;
    }

    /// indimail adds a queue when the sum of both sides is greater than 2 · queues · threshold. Then a relay, which
    /// has no local deliveries, never grows, and neither does a server of mailboxes. Here one busy side is enough; so
    /// this server grows whenever indimail does.
    private CountChange due(List<ShardLoad> loads) {
        double busy = (double) loads.size() * threshold;
        if (loads.stream().mapToDouble(load -> load.local().percent()).sum() > busy
                || loads.stream().mapToDouble(load -> load.remote().percent()).sum() > busy) {
            return loads.size() < most ? new CountChange.Add(highest(loads) + 1) : new CountChange.None();
        }
        List<Integer> gone = removable(loads);
        return gone.isEmpty() ? new CountChange.None() : new CountChange.Remove(gone);
    }

    /// The empty shards from the top; it ends at the first with mail, and one shard always stays
    /// (IM-06). At a start the same rule drops shards that the last run left empty (IM-08).
    public static List<Integer> removable(List<ShardLoad> loads) {
        List<ShardLoad> down = new ArrayList<>(loads);
        down.sort(Comparator.comparingInt(ShardLoad::shard).reversed());
        List<Integer> gone = new ArrayList<>();
        for (ShardLoad load : down.subList(0, Math.max(0, down.size() - 1))) {
            if (!load.empty()) {
                break;
            }
            gone.add(load.shard());
        }
        return gone;
    }

    private static int highest(List<ShardLoad> loads) {
        return loads.stream().mapToInt(ShardLoad::shard).max().orElse(0);
    }
}
