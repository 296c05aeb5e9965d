package org.slipstream.qmgr.sched;

/// One job at one destination: the entries of one message that wait for or run to one place. Exists while there are any.
final class Peer {
    final Job job;
    final Line line;

    /// The row of waiting entries.
    Entry first;
    Entry last;
    int waiting;
    int running;

    /// Neighbours in the job's ring of peers.
    Peer previous;
    Peer next;

    Peer(Job job, Line line) {
        this.job = job;
        this.line = line;
    }

    void append(Entry entry) {
        if (last == null) {
            first = entry;
        } else {
            last.nextAtPeer = entry;
        }
        last = entry;
        waiting++;
    }

    Entry takeFirst() {
        Entry taken = first;
        first = taken.nextAtPeer;
        if (first == null) {
            last = null;
        }
        taken.nextAtPeer = null;
        waiting--;
        return taken;
    }

    boolean isEmpty() {
        return waiting == 0 && running == 0;
    }
}
