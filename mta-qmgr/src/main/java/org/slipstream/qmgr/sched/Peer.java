package org.slipstream.qmgr.sched;

import java.util.ArrayDeque;

/// The entries of one job that wait for one destination, in order. Exists while there are any.
final class Peer {
    final Job job;
    final Line line;
    final ArrayDeque<Entry> waiting = new ArrayDeque<>(2);

    /// Among the peers of a job the smallest turn is served first, and gets a new one: round-robin.
    long turn;

    /// Index in the job's list.
    int place;

    Peer(Job job, Line line, long turn) {
        this.job = job;
        this.line = line;
        this.turn = turn;
    }
}
