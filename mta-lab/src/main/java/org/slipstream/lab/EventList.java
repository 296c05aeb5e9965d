package org.slipstream.lab;

import java.util.PriorityQueue;

/// The clock and the event list of a simulation. Actions run in the order of their times; actions
/// of the same time run in the order in which they were scheduled.
public final class EventList {
    private record Scheduled(long atMillis, long sequence, Runnable action) implements Comparable<Scheduled> {
        @Override
        public int compareTo(Scheduled other) {
            return atMillis != other.atMillis
                    ? Long.compare(atMillis, other.atMillis)
                    : Long.compare(sequence, other.sequence);
        }
    }

    private final PriorityQueue<Scheduled> scheduled = new PriorityQueue<>();
    private long sequence;
    private long now;

    public long now() {
        return now;
    }

    public void at(long millis, Runnable action) {
        scheduled.add(new Scheduled(Math.max(now, millis), ++sequence, action));
    }

    public void after(long millis, Runnable action) {
        at(now + millis, action);
    }

    public long nextMillis() {
        return scheduled.isEmpty() ? Long.MAX_VALUE : scheduled.peek().atMillis();
    }

    /// Sets the clock. No action may be scheduled before this time.
    public void advance(long millis) {
        now = Math.max(now, millis);
    }

    /// Runs the next action.
    public void runNext() {
        Scheduled next = scheduled.remove();
        now = next.atMillis();
        next.action().run();
    }
}
