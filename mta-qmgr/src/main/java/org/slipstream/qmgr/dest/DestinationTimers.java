package org.slipstream.qmgr.dest;

import org.slipstream.qmgr.sched.DestinationQueue;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/// The timers of destinations: the end of a dead time, of a rate delay, of a transport's dead time,
/// and the next start slot. Due timers fire in order of time, then in the order in which they were
/// set.
final class DestinationTimers {
    /// The object of a timer.
    sealed interface TimerTarget {
        record OfDestination(DestinationQueue queue) implements TimerTarget {}

        record OfTransport(String name) implements TimerTarget {}

        /// The next start slot of bulk mail to a destination.
        record OfTurn(DestinationQueue queue) implements TimerTarget {}

        /// The next start that a rate permits.
        record OfRate(DestinationQueue queue) implements TimerTarget {}
    }

    private record Timer(long atMillis, long number, TimerTarget target) {}

    private final TreeSet<Timer> planned = new TreeSet<>(
            Comparator.comparingLong(Timer::atMillis).thenComparingLong(Timer::number));
    private final Map<TimerTarget, Timer> byTarget = new LinkedHashMap<>();
    private long numbers;

    void plan(TimerTarget target, long atMillis) {
        cancel(target);
        Timer timer = new Timer(atMillis, ++numbers, target);
        byTarget.put(target, timer);
        planned.add(timer);
    }

    boolean isPlanned(TimerTarget target) {
        return byTarget.containsKey(target);
    }

    void cancel(TimerTarget target) {
        Timer timer = byTarget.remove(target);
        if (timer != null) {
            planned.remove(timer);
        }
    }

    long nextMillis() {
        return planned.isEmpty() ? Long.MAX_VALUE : planned.getFirst().atMillis();
    }

    /// Removes and returns the next due timer.
    Optional<TimerTarget> due(long nowMillis) {
        if (nextMillis() > nowMillis) {
            return Optional.empty();
        }
        TimerTarget target = planned.getFirst().target();
        cancel(target);
        return Optional.of(target);
    }

    /// All timers, in order.
    List<TimerTarget> all() {
        return planned.stream().map(Timer::target).toList();
    }
}
