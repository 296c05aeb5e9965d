package org.slipstream.lab;

import java.util.ArrayList;
import java.util.List;

/// The log of a simulated spool. A change is made when its record is on disk, and a crash loses the
/// changes that are not.
///
/// Without costs one writer makes the changes one after the other, and each takes the same time.
/// With costs the log's thread writes the records that have come, and one sync makes all of them
/// durable, as the message log of the server does.
final class SimulatedLog {
    private final EventList clock;
    private final long writeMillis;
    private final ShardCosts costs;
    private final SimulatedStation disk;
    private List<Runnable> group = new ArrayList<>();
    private boolean writing;
    private long freeMillis;
    private long busySum;
    private int generation;

    /// @param writeMillis for each change, without costs
    /// @param disk for the syncs
    SimulatedLog(EventList clock, long writeMillis, ShardCosts costs, SimulatedStation disk) {
        this.clock = clock;
        this.writeMillis = writeMillis;
        this.costs = costs;
        this.disk = disk;
    }

    void crash() {
        generation++;
        group = new ArrayList<>();
        writing = false;
        freeMillis = clock.now();
    }

    void write(Runnable change) {
        if (costs.groupsCommits()) {
            group.add(change);
            writeGroup();
        } else {
            freeMillis = Math.max(clock.now(), freeMillis) + writeMillis;
            clock.at(freeMillis, unlessCrashed(change));
        }
    }

    private void writeGroup() {
        if (writing || group.isEmpty()) {
            return;
        }
        writing = true;
        List<Runnable> written = group;
        group = new ArrayList<>();
        long work = written.size() * costs.perRecord();
        busySum += work;
        clock.after(work, unlessCrashed(() -> disk.serve(costs.sync(), unlessCrashed(() -> {
            written.forEach(Runnable::run);
            writing = false;
            writeGroup();
        }))));
    }

    private Runnable unlessCrashed(Runnable action) {
        int thisGeneration = generation;
        return () -> {
            if (generation == thisGeneration) {
                action.run();
            }
        };
    }

    /// The time that the log's thread was at work, without its waits for the disk.
    long busySum() {
        return busySum;
    }
}
