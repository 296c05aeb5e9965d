package org.slipstream.lab;

import java.util.ArrayDeque;
import java.util.Deque;

/// A station with one queue and a number of equal servers, such as a disk or the processors of the
/// listener. Jobs are served in the order in which they come.
final class SimulatedStation {
    private record StationJob(long duration, Runnable end) {}

    private final EventList clock;
    private final int servers;
    private final Deque<StationJob> waiting = new ArrayDeque<>();
    private int busy;
    private long busySum;

    SimulatedStation(EventList clock, int servers) {
        this.clock = clock;
        this.servers = servers;
    }

    /// @param end runs when the job has been served
    void serve(long duration, Runnable end) {
        waiting.add(new StationJob(duration, end));
        next();
    }

    private void next() {
        if (busy < servers && !waiting.isEmpty()) {
            StationJob job = waiting.remove();
            busy++;
            clock.after(job.duration(), () -> {
                busy--;
                busySum += job.duration();
                job.end().run();
                next();
            });
        }
    }

    /// The time for which servers were at work, summed.
    long busySum() {
        return busySum;
    }

    int servers() {
        return servers;
    }
}
