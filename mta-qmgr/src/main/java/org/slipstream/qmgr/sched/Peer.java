package org.slipstream.qmgr.sched;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Objects;

/// A peer: the entries of one job for one destination, waiting or running. It exists while it has
/// entries.
final class Peer {
    final Job job;
    final DestinationQueue queue;

    /// The list of waiting entries.
    @Nullable
    Entry first;
    @Nullable
    Entry last;
    int waiting;
    int running;

    /// The counts in which the waiting entries are.
    private List<WaitingCount> counts = List.of();

    /// Neighbours in the job's ring of peers.
    Peer previous = this;
    Peer next = this;

    Peer(Job job, DestinationQueue queue) {
        this.job = job;
        this.queue = queue;
    }

    /// Appends an entry, here and at the destination queue.
    void append(Entry entry) {
        if (last == null) {
            first = entry;
        } else {
            last.nextAtPeer = entry;
        }
        last = entry;
        queue.append(entry);
        counts = waiting == 0 ? queue.counts.apply(job.message) : counts;
        waiting++;
        count(1);
        job.message.waiting++;
        job.read++;
    }

    /// Removes the first waiting entry and counts it as selected.
    Entry takeFirst() {
        Entry taken = Objects.requireNonNull(first);
        first = taken.nextAtPeer;
        if (first == null) {
            last = null;
        }
        taken.nextAtPeer = null;
        queue.remove(taken);
        waiting--;
        count(-1);
        job.message.waiting--;
        job.selected++;
        return taken;
    }

    /// The waiting entries are in other counts.
    void recount() {
        count(-waiting);
        counts = queue.counts.apply(job.message);
        count(waiting);
    }

    private void count(int entries) {
        for (WaitingCount each : counts) {
            each.entries += entries;
        }
    }

    /// Removes the first waiting entry and starts it.
    Entry start() {
        Entry entry = takeFirst();
        running++;
        queue.running++;
        job.message.running++;
        return entry;
    }

    /// A running entry finished.
    void finish() {
        running--;
        queue.running--;
        job.message.running--;
    }

    boolean isEmpty() {
        return waiting == 0 && running == 0;
    }
}
