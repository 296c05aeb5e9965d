package org.slipstream.spool.box;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;

/// How many letters of each segment the register names, and what may be thrown away when. Belongs to the writer thread.
///
/// A segment goes when it is closed, nobody names anything in it or before it (the notes in it may speak of those), and the grace time has passed since. The grace time is
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
    private final NavigableMap<Long, Long> live = new TreeMap<>();
    private final Queue<Due> due = new ArrayDeque<>();
    private boolean changed;
    private long condemned;
    private long open;

    SegmentBook(long graceMillis) {
        this.graceMillis = graceMillis;
    }

    /// Segment `number` takes the letters from now on; the one before is closed.
    void opened(long number) {
        if (open != 0) {
            changed = true;
        }
        open = number;
        live.put(number, 0L);
    }

    /// A segment of an earlier run, closed.
    void found(long number, long letters) {
        live.put(number, letters);
        changed = true;
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
            changed = true;
        }
    }

    void condemn(Waste waste, long nowMillis) {
        due.add(new Due(waste, nowMillis + graceMillis));
    }

    /// Between groups: condemns what is closed and empty, from the beginning of the box on. Not at once when a segment is
    /// closed, because the letters that the running group put into it are entered only when the group is safe.
    void settle(long nowMillis) {
        if (!changed) {
            return;
        }
        changed = false;
        for (Map.Entry<Long, Long> each : live.entrySet()) {
            long number = each.getKey();
            if (number == open || each.getValue() != 0) {
                return;
            }
            if (number > condemned) {
                condemned = number;
                condemn(new Waste.Segment(number), nowMillis);
            }
        }
    }

    /// How many segments take no more letters and have not been condemned.
    long closed() {
        return live.tailMap(condemned, false).size() - (live.containsKey(open) ? 1 : 0);
    }

    /// The oldest segment that is not condemned, unless it is the open one.
    Optional<Long> firstNamed() {
        return Optional.ofNullable(live.higherKey(condemned)).filter(number -> number != open);
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
