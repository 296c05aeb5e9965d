package org.slipstream.lab.scenario;

import org.slipstream.picture.TimeAxis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.TreeMap;

/// The work of each shard of a run, and the number of open shards over time.
public final class ShardTotals {
    static final List<String> TITLES = List.of("shard", "opened", "closed", "messages", "deliveries", "at once");

    private static final class ShardTotal {
        final long opened;
        OptionalLong closed = OptionalLong.empty();
        int messages;
        int deliveries;
        int running;
        int most;

        ShardTotal(long opened) {
            this.opened = opened;
        }
    }

    private final SequencedMap<Integer, ShardTotal> all = new TreeMap<>();
    private final List<Integer> open = new ArrayList<>();
    private final SequencedMap<Integer, Integer> messages = new TreeMap<>();
    private final List<List<String>> rows = new ArrayList<>();

    /// Shards that open at the same time are one change.
    private long sampled = -1;

    /// A shard that is open already has started again.
    void opened(int shard, long now) {
        if (all.putIfAbsent(shard, new ShardTotal(now)) == null) {
            sample(now);
        }
    }

    void closed(int shard, long now) {
        ShardTotal total = all.remove(shard);
        total.closed = OptionalLong.of(now);
        rows.add(row(shard, total));
        sample(now);
    }

    private void sample(long now) {
        if (now == sampled) {
            open.removeLast();
        }
        sampled = now;
        open.add(all.size());
    }

    void takes(int shard) {
        all.get(shard).messages++;
        messages.merge(shard, 1, Integer::sum);
    }

    void starts(int shard) {
        ShardTotal total = all.get(shard);
        total.deliveries++;
        total.most = Math.max(total.most, ++total.running);
    }

    void ends(int shard) {
        // A connection of a shard that was removed may end later.
        ShardTotal total = all.get(shard);
        if (total != null) {
            total.running--;
        }
    }

    /// Numbers of open shards, one after each change.
    List<String> counts() {
        return open.stream().map(String::valueOf).toList();
    }

    /// Messages that the shard with this number took.
    int messages(int shard) {
        return messages.getOrDefault(shard, 0);
    }

    /// One row for each shard; see [#TITLES]. A number that was open twice has two.
    List<List<String>> rows() {
        List<List<String>> both = new ArrayList<>(rows);
        all.forEach((shard, total) -> both.add(row(shard, total)));
        return both.stream().sorted(Comparator.comparingInt(row -> Integer.parseInt(row.getFirst()))).toList();
    }

    private static List<String> row(int shard, ShardTotal total) {
        return List.of("" + shard, TimeAxis.seconds(total.opened),
                total.closed.isPresent() ? TimeAxis.seconds(total.closed.getAsLong()) : "–", "" + total.messages,
                "" + total.deliveries, "" + total.most);
    }
}
