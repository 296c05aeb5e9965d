package org.slipstream.qmgr.sched;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/// The destinations of one transport that are ready, as far as is known: an entry waits, the window
/// permits another, and no seat was refused at the [next hop][NextHop].
///
/// They are checked before any search begins. A search has side effects even without a result
/// (preemption, marks), and for an idle server with a full list one check shows that no entry can
/// go.
///
/// The window is known at any time. The answer about seats is known only after the [Gate] was
/// asked: a refusal is stored for the whole next hop until an event may change it.
final class ReadyDestinations {
    private final SequencedSet<NextHop> open = new LinkedHashSet<>();

    /// Next hops where a seat was refused, and no event since then could change that.
    private final SequencedSet<NextHop> full = new LinkedHashSet<>();

    /// Updates a destination whose figures changed.
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

    /// True when an entry exists whose window and seat are free.
    boolean isAnyOpen(Gate<?> gate) {
        while (!open.isEmpty()) {
            DestinationQueue queue = open.getFirst().open.getFirst();
            if (!(gate.ask(queue.head().message(), queue) instanceof Gate.GateAnswer.Refused<?> refused)) {
                return true;
            }
            switch (refused.extent()) {
                case MESSAGE, BULK -> {
                    return true; // another message may go; the search finds it
                }
                case NONE, DESTINATION, UNPROVEN -> noSeat(queue);
                case TRANSPORT, SERVER -> {
                    return false;
                }
            }
        }
        return false;
    }

    /// Records a refusal, which applies to every destination of the same next hop.
    void noSeat(DestinationQueue queue) {
        queue.hop.full = true;
        full.add(queue.hop);
        look(queue.hop);
    }

    /// Voids a refusal. True when there was one.
    boolean seatsMayBeFree(NextHop hop) {
        boolean was = hop.full;
        hop.full = false;
        if (was) {
            full.remove(hop);
            look(hop);
        }
        return was;
    }

    /// The next hop was removed.
    void forget(NextHop hop) {
        open.remove(hop);
        full.remove(hop);
    }

    /// Next hops where a seat was refused.
    List<NextHop> withoutSeat() {
        return List.copyOf(full);
    }
}
