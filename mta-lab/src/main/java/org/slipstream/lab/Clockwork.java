package org.slipstream.lab;

import java.util.PriorityQueue;

/// Simulated time: things that happen, in the order of their times, and in the order of their
/// planning where times are equal.
public final class Clockwork {
    private record Planned(long atMillis, long sequence, Runnable deed) implements Comparable<Planned> {
        @Override
        public int compareTo(Planned other) {
            return atMillis != other.atMillis
                    ? Long.compare(atMillis, other.atMillis)
                    : Long.compare(sequence, other.sequence);
        }
    }

    private final PriorityQueue<Planned> planned = new PriorityQueue<>();
    private long sequence;
    private long now;

    public long now() {
        return now;
    }

    public void at(long millis, Runnable deed) {
        planned.add(new Planned(Math.max(now, millis), ++sequence, deed));
    }

    public void after(long millis, Runnable deed) {
        at(now + millis, deed);
    }

    public long nextMillis() {
        return planned.isEmpty() ? Long.MAX_VALUE : planned.peek().atMillis();
    }

    /// Moves on to a time at which nothing is planned before.
    public void advance(long millis) {
        now = Math.max(now, millis);
    }

    /// The next thing happens.
    public void tick() {
        Planned next = planned.remove();
        now = next.atMillis();
        next.deed().run();
    }
}
