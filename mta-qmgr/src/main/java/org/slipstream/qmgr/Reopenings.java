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
final class Reopenings {
    /// What opens.
    sealed interface Opening {
        record OfLine(DestinationQueue line) implements Opening {}

        record OfTransport(String name) implements Opening {}

        /// The next start of bulk mail to a destination has its turn.
        record OfTurn(DestinationQueue line) implements Opening {}
    }

    private record Reopening(long atMillis, long number, Opening door) {}

    private final TreeSet<Reopening> planned = new TreeSet<>(
            Comparator.comparingLong(Reopening::atMillis).thenComparingLong(Reopening::number));
    private final Map<Opening, Reopening> byDoor = new LinkedHashMap<>();
    private long numbers;

    void plan(Opening door, long atMillis) {
        cancel(door);
        Reopening reopening = new Reopening(atMillis, ++numbers, door);
        byDoor.put(door, reopening);
        planned.add(reopening);
    }

    boolean isPlanned(Opening door) {
        return byDoor.containsKey(door);
    }

    void cancel(Opening door) {
        Reopening reopening = byDoor.remove(door);
        if (reopening != null) {
            planned.remove(reopening);
        }
    }

    long nextMillis() {
        return planned.isEmpty() ? Long.MAX_VALUE : planned.getFirst().atMillis();
    }

    /// The next that is due, taken out.
    Optional<Opening> due(long nowMillis) {
        if (nextMillis() > nowMillis) {
            return Optional.empty();
        }
        Opening door = planned.getFirst().door();
        cancel(door);
        return Optional.of(door);
    }

    /// All that are planned, in order.
    List<Opening> all() {
        return planned.stream().map(Reopening::door).toList();
    }
}
