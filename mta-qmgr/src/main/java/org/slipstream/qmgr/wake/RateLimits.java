package org.slipstream.qmgr.wake;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;

/// The starts of deliveries under a [Rate], as far as they still count.
///
/// The period slides: no period of the rate's length has more starts than the rate permits,
/// whenever it begins. (With fixed periods, twice the number could start around a boundary.) The
/// starts stay while no mail waits, so that a rate holds across pauses. A restart
/// of the server forgets them.
public final class RateLimits {
    private static final int SWEEP = 1_000;

    private int sweepAt = SWEEP;
    private final Map<LimitKey, Starts> byKey = new LinkedHashMap<>();

    private record Starts(Rate rate, Deque<Long> millis) {
        void dropOld(long nowMillis) {
            while (!millis.isEmpty() && millis.getFirst() + rate.period().toMillis() <= nowMillis) {
                millis.removeFirst();
            }
        }
    }

    /// A delivery starts.
    public void started(LimitKey key, Rate rate, long nowMillis) {
        if (byKey.size() >= sweepAt) {
            byKey.values().removeIf(starts -> {
                starts.dropOld(nowMillis);
                return starts.millis().isEmpty();
            });
            sweepAt = Math.max(SWEEP, 2 * byKey.size());
        }
        byKey.computeIfAbsent(key, _ -> new Starts(rate, new ArrayDeque<>())).millis()
                .addLast(nowMillis);
    }

    /// The earliest start of the next delivery; `nowMillis` when it may start now.
    ///
    /// @param deliveries the part of the rate, per period; with 0 the answer is `Long.MAX_VALUE`
    public long nextMillis(LimitKey key, Rate rate, int deliveries, long nowMillis) {
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
                : starts.millis().getFirst() + starts.rate().period().toMillis();
    }

    /// The starts that count now.
    public int count(LimitKey key, long nowMillis) {
        Starts starts = byKey.get(key);
        if (starts == null) {
            return 0;
        }
        starts.dropOld(nowMillis);
        return starts.millis().size();
    }
}
