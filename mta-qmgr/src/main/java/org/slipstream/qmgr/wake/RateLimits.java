package org.slipstream.qmgr.wake;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.stream.Stream;

/// The starts of deliveries under a [Rate], as far as they still count.
///
/// The period slides: no period of the rate's length has more starts than the rate permits,
/// whenever it begins. (With fixed periods, twice the number could start around a boundary.) The
/// starts stay while no mail waits, so that a rate holds across pauses, and across a restart
/// ([KeptText.KeptStarts]). A rate counts for all shards, so a shard counts what the others had
/// started before the restart, and does not keep it a second time.
public final class RateLimits {
    private static final int SWEEP = 1_000;

    private int sweepAt = SWEEP;
    private final Map<LimitKey, Starts> byKey = new LinkedHashMap<>();

    private final SequencedSet<LimitKey> changed = new LinkedHashSet<>();

    /// @param elsewhere those of other shards before the restart
    private record Starts(Rate rate, Deque<Long> millis, Deque<Long> elsewhere) {
        Starts(Rate rate) {
            this(rate, new ArrayDeque<>(), new ArrayDeque<>());
        }

        void dropOld(long nowMillis) {
            dropOld(millis, nowMillis);
            dropOld(elsewhere, nowMillis);
        }

        private void dropOld(Deque<Long> starts, long nowMillis) {
            while (!starts.isEmpty() && starts.getFirst() + rate.period().toMillis() <= nowMillis) {
                starts.removeFirst();
            }
        }

        int count() {
            return millis.size() + elsewhere.size();
        }

        long firstMillis() {
            return Math.min(millis.isEmpty() ? Long.MAX_VALUE : millis.getFirst(),
                    elsewhere.isEmpty() ? Long.MAX_VALUE : elsewhere.getFirst());
        }
    }

    /// A delivery starts.
    public void started(LimitKey key, Rate rate, long nowMillis) {
        if (byKey.size() >= sweepAt) {
            byKey.values().removeIf(starts -> {
                starts.dropOld(nowMillis);
                return starts.count() == 0;
            });
            sweepAt = Math.max(SWEEP, 2 * byKey.size());
        }
        byKey.computeIfAbsent(key, _ -> new Starts(rate)).millis().addLast(nowMillis);
        changed.add(key);
    }

    /// The earliest start of the next delivery; `nowMillis` when it may start now.
    ///
    /// @param deliveries the part of the rate, per period; with 0 the answer is `Long.MAX_VALUE`
    public long nextMillis(LimitKey key, Rate rate, int deliveries, long nowMillis) {
        // Its period may be another one than before a reload or a restart.
        byKey.computeIfPresent(key, (_, starts) -> starts.rate().equals(rate)
                ? starts
                : new Starts(rate, starts.millis(), starts.elsewhere()));
        int count = count(key, nowMillis);
        return count < deliveries
                ? nowMillis
                : deliveries == 0 ? Long.MAX_VALUE : nextEndMillis(key, nowMillis);
    }

    /// The time at which the first of the starts that count counts no longer; `Long.MAX_VALUE`
    /// without any.
    public long nextEndMillis(LimitKey key, long nowMillis) {
        Starts starts = byKey.get(key);
        return starts == null || count(key, nowMillis) == 0
                ? Long.MAX_VALUE
                : starts.firstMillis() + starts.rate().period().toMillis();
    }

    /// The starts that count now.
    public int count(LimitKey key, long nowMillis) {
        Starts starts = byKey.get(key);
        if (starts == null) {
            return 0;
        }
        starts.dropOld(nowMillis);
        return starts.count();
    }

    // ---- kept over a restart

    /// The rates with starts that are not kept yet, the oldest change first. The caller removes from it.
    public SequencedSet<LimitKey> changed() {
        return changed;
    }

    /// Empty when no start counts.
    public Optional<KeptText.KeptStarts> kept(LimitKey key, long nowMillis) {
        Optional<Starts> starts = Optional.ofNullable(byKey.get(key));
        starts.ifPresent(each -> each.dropOld(nowMillis));
        return starts.filter(each -> !each.millis().isEmpty())
                .map(each -> new KeptText.KeptStarts(each.rate(), List.copyOf(each.millis())));
    }

    /// Starts before the restart. A start of the future, after a clock that went back, would count too long.
    ///
    /// @param here false for those of another shard
    public void learn(LimitKey key, KeptText.KeptStarts kept, boolean here, long nowMillis) {
        Starts starts = byKey.computeIfAbsent(key, _ -> new Starts(kept.rate()));
        Deque<Long> known = here ? starts.millis() : starts.elsewhere();
        List<Long> all = Stream.concat(known.stream(), kept.millis().stream().filter(each -> each <= nowMillis))
                .sorted().toList();
        known.clear();
        known.addAll(all);
    }
}
