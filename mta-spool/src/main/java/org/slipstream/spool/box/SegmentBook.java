package org.slipstream.spool.box;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;

/// How many letters of each segment the register names, and what may be thrown away when. Belongs to the writer thread.
///
/// A segment goes when it is closed, nobody names anything in it, and the grace time has passed since. The grace time is
/// there because a register that was torn in a power cut may open at a state some seconds old: letters it names again
/// should still be found, or be gone for good, and not lie in a segment that was used anew.
final class SegmentBook {
    /// Something to delete: a whole segment or a large letter's own file.
    sealed interface Waste {
        record Segment(long number) implements Waste {}

        record Letter(org.slipstream.core.QueueId id) implements Waste {}
    }

    private record Due(Waste waste, long atMillis) {}

    private final long graceMillis;
    private final Map<Long, Long> live = new HashMap<>();
    private final Queue<Due> due = new ArrayDeque<>();
    private final Set<Long> perhapsEmpty = new HashSet<>();
    private long open;

    SegmentBook(long graceMillis) {
        this.graceMillis = graceMillis;
    }

    /// Segment `number` takes the letters from now on; the one before is closed.
    void opened(long number) {
        if (open != 0) {
            perhapsEmpty.add(open);
        }
        open = number;
        live.put(number, 0L);
    }

    /// A segment of an earlier run, closed.
    void found(long number, long letters) {
        live.put(number, letters);
        perhapsEmpty.add(number);
    }

    void entered(Place place) {
        live.merge(place.segment(), 1L, Long::sum);
    }

    void released(Place place) {
        Long left = live.computeIfPresent(place.segment(), (number, letters) -> letters - 1);
        if (left == null) {
            return;
        }
        if (left < 0) {
            throw new IllegalStateException("more letters released than entered in segment " + place.segment());
        }
        if (left == 0) {
            perhapsEmpty.add(place.segment());
        }
    }

    void condemn(Waste waste, long nowMillis) {
        due.add(new Due(waste, nowMillis + graceMillis));
    }

    /// Between groups: condemns what is closed and empty. Not at once when a segment is closed, because the letters that the
    /// running group put into it are entered only when the group is safe.
    void settle(long nowMillis) {
        for (long number : perhapsEmpty) {
            if (number != open && live.getOrDefault(number, 1L) == 0L) {
                condemn(new Waste.Segment(number), nowMillis);
            }
        }
        perhapsEmpty.clear();
    }

    /// The next thing to delete, taken off the list.
    Optional<Waste> next(long nowMillis, boolean hurry) {
        Due first = due.peek();
        if (first == null || !hurry && first.atMillis() > nowMillis) {
            return Optional.empty();
        }
        due.remove();
        if (first.waste() instanceof Waste.Segment(long number)) {
            Long letters = live.remove(number);
            if (letters == null || letters != 0) {
                throw new IllegalStateException("segment " + number + " is condemned and holds " + letters);
            }
        }
        return Optional.of(first.waste());
    }

    long nextMillis() {
        return due.isEmpty() ? Long.MAX_VALUE : due.peek().atMillis();
    }
}
