package org.slipstream.qmgr.sched;

/// One job at one destination: the entries of one message that wait for or run to one place. Exists while there are any.
final class Peer {
    final Job job;
    final DestinationQueue queue;

    /// The row of waiting entries.
    Entry first;
    Entry last;
    int waiting;
    int running;

    /// Neighbours in the job's ring of peers.
    Peer previous;
    Peer next;

    Peer(Job job, DestinationQueue queue) {
        this.job = job;
        this.queue = queue;
    }

    /// Adds an entry behind all that wait, here and at the destination.
    void append(Entry entry) {
        if (last == null) {
            first = entry;
        } else {
            last.nextAtPeer = entry;
        }
        last = entry;
        queue.append(entry);
        waiting++;
        job.message.waiting++;
        job.read++;
    }

    /// Takes the first entry, which counts as selected and waits no longer.
    Entry takeFirst() {
        Entry taken = first;
        first = taken.nextAtPeer;
        if (first == null) {
            last = null;
        }
        taken.nextAtPeer = null;
        queue.remove(taken);
        waiting--;
        job.message.waiting--;
        job.selected++;
        return taken;
    }

    /// Takes the first entry, which runs from now on.
    Entry start() {
        Entry entry = takeFirst();
        running++;
        queue.running++;
        job.message.running++;
        return entry;
    }

    /// A running entry is done with.
    void finish() {
        running--;
        queue.running--;
        job.message.running--;
    }

    boolean isEmpty() {
        return waiting == 0 && running == 0;
    }
}
