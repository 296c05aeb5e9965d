package org.slipstream.qmgr.sched;

import java.util.LinkedHashSet;
import java.util.SequencedSet;

/// One next hop of a transport, with the destinations that lead there.
///
/// Mostly there is one. Where every recipient is a destination of its own (PF-12), many destinations with windows of their own share
/// the connections to one next hop; an answer about seats for one of them holds for all.
final class NextHop {
    final String name;

    /// Destinations at which an entry waits and the window has room.
    final SequencedSet<DestinationQueue> open = new LinkedHashSet<>(2);
    int queues;

    /// There was no seat, and nothing has happened since that could change that.
    boolean full;

    /// Listed by [ReadyDestinations].
    boolean listedOpen;

    NextHop(String name) {
        this.name = name;
    }

    boolean isOpen() {
        return !full && !open.isEmpty();
    }
}
