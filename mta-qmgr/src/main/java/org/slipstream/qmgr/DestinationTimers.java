package org.slipstream.qmgr;

import org.slipstream.qmgr.sched.DestinationQueue;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/// When dead or suspended destinations, and dead transports, open again, and when held starts have their turn: in order of time, then in the order in which the times
/// were set.
final class DestinationTimers {
    /// What opens.
    sealed interface TimerTarget {
        record OfLine(DestinationQueue line) implements TimerTarget {}

        record OfTransport(String name) implements TimerTarget {}

        /// The next start of bulk mail to a destination has its turn.
        record OfTurn(DestinationQueue line) implements TimerTarget {}
    }

    private record Timer(long atMillis, long number, TimerTarget door) {}

    private final TreeSet<Timer> planned = new TreeSet<>(
            Comparator.comparingLong(Timer::atMillis).thenComparingLong(Timer::number));
    private final Map<TimerTarget, Timer> byDoor = new LinkedHashMap<>();
    private long numbers;

    void plan(TimerTarget door, long atMillis) {
        cancel(door);
        Timer reopening = new Timer(atMillis, ++numbers, door);
        byDoor.put(door, reopening);
        planned.add(reopening);
    }

    boolean isPlanned(TimerTarget door) {
        return byDoor.containsKey(door);
    }

    void cancel(TimerTarget door) {
        Timer reopening = byDoor.remove(door);
        if (reopening != null) {
            planned.remove(reopening);
        }
    }

    long nextMillis() {
        return planned.isEmpty() ? Long.MAX_VALUE : planned.getFirst().atMillis();
    }

    /// The next that is due, taken out.
    Optional<TimerTarget> due(long nowMillis) {
        if (nextMillis() > nowMillis) {
            return Optional.empty();
        }
        TimerTarget door = planned.getFirst().door();
        cancel(door);
        return Optional.of(door);
    }

    /// All that are planned, in order.
    List<TimerTarget> all() {
        return planned.stream().map(Timer::door).toList();
    }
}
