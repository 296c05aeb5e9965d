package org.slipstream.qmgr.sched;

import java.util.LinkedHashSet;
import java.util.SequencedSet;

/// One next hop of a transport, with its destinations.
///
/// Usually it has one destination. With per-recipient destinations (PF-12), many destinations with
/// separate windows share the connections to one next hop; an answer about seats for one of them
/// applies to all.
final class NextHop {
    final String name;

    /// Destinations at which an entry waits and the window permits another.
    final SequencedSet<DestinationQueue> open = new LinkedHashSet<>(2);
    int queues;

    /// A seat was refused, and no event since then could change that.
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
