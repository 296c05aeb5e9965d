package org.slipstream.qmgr.sched;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/// The destinations of one transport where an entry may go, as far as is known: an entry waits there, the window has room, and no
/// seat was refused at the [next hop][NextHop].
///
/// These are consulted before any search begins. A search has consequences even when it finds nothing (a job may step
/// forward, jobs are marked), and an idle server with a full list finds in one look that nothing can go.
///
/// The window is known at any time. The answer about seats is known only after the [Gate] was asked: a refusal is remembered
/// for the whole next hop until something happens that could change it.
final class ReadyDestinations {
    private final SequencedSet<NextHop> open = new LinkedHashSet<>();

    /// Next hops where a seat was refused, and nothing has happened since that could change that.
    private final SequencedSet<NextHop> full = new LinkedHashSet<>();

    /// The figures of a destination have changed.
    void look(DestinationQueue queue) {
        boolean isOpen = queue.waiting > 0 && queue.hasRoom();
        if (isOpen != queue.listedOpen) {
            queue.listedOpen = isOpen;
            if (isOpen) {
                queue.hop.open.add(queue);
            } else {
                queue.hop.open.remove(queue);
            }
            look(queue.hop);
        }
    }

    private void look(NextHop hop) {
        boolean isOpen = hop.isOpen();
        if (isOpen != hop.listedOpen) {
            hop.listedOpen = isOpen;
            if (isOpen) {
                open.add(hop);
            } else {
                open.remove(hop);
            }
        }
    }

    /// Is there an entry whose destination has room and for which there is a seat?
    boolean isAnyOpen(Gate gate) {
        while (!open.isEmpty()) {
            DestinationQueue queue = open.getFirst().open.getFirst();
            switch (gate.ask(queue.first.message(), queue)) {
                case FREE, NOT_OF_MESSAGE, NOT_YET -> {
                    return true; // not this message, perhaps, but then the search will say which
                }
                case NOT_HERE -> noSeat(queue);
                case NOWHERE -> {
                    return false;
                }
            }
        }
        return false;
    }

    /// A seat was refused. That holds for every destination behind the same next hop.
    void noSeat(DestinationQueue queue) {
        queue.hop.full = true;
        full.add(queue.hop);
        look(queue.hop);
    }

    /// A refusal is void. True when there had been one.
    boolean seatsMayBeFree(NextHop hop) {
        boolean was = hop.full;
        hop.full = false;
        if (was) {
            full.remove(hop);
            look(hop);
        }
        return was;
    }

    /// The next hop is gone.
    void forget(NextHop hop) {
        open.remove(hop);
        full.remove(hop);
    }

    /// Next hops where a seat was refused.
    List<NextHop> withoutSeat() {
        return List.copyOf(full);
    }
}
