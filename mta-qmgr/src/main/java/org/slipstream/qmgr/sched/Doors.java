package org.slipstream.qmgr.sched;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/// Where an entry of one transport may go, as far as is known: the lines at which something waits that the window would
/// let go, by [Site].
///
/// Asked before any search begins, because a search has consequences even when it comes to nothing (somebody may step
/// forward, jobs are marked), and because an idle server with a full list should notice that in one look.
///
/// What the window says is known at any time. What the seating says is known only after it was asked: a no is remembered for the
/// whole site until something happens that could change it.
final class Doors {
    private final SequencedSet<Site> open = new LinkedHashSet<>();

    /// Where the seating said no, and nothing has happened since that could change that.
    private final SequencedSet<Site> full = new LinkedHashSet<>();

    /// A line's figures have changed.
    void look(Line line) {
        boolean isOpen = line.waiting > 0 && line.hasRoom();
        if (isOpen != line.listedOpen) {
            line.listedOpen = isOpen;
            if (isOpen) {
                line.site.open.add(line);
            } else {
                line.site.open.remove(line);
            }
            look(line.site);
        }
    }

    private void look(Site site) {
        boolean isOpen = site.isOpen();
        if (isOpen != site.listedOpen) {
            site.listedOpen = isOpen;
            if (isOpen) {
                open.add(site);
            } else {
                open.remove(site);
            }
        }
    }

    /// Is there an entry whose destination has room and for which there is a seat?
    boolean isAnyOpen(Gate gate) {
        while (!open.isEmpty()) {
            Line line = open.getFirst().open.getFirst();
            switch (gate.ask(line.first.message(), line)) {
                case FREE, NOT_OF_MESSAGE, NOT_YET -> {
                    return true; // not this message, perhaps, but then the search will say which
                }
                case NOT_HERE -> noSeat(line);
                case NOWHERE -> {
                    return false;
                }
            }
        }
        return false;
    }

    /// The seating said no. That holds for every line that leads to the same place.
    void noSeat(Line line) {
        line.site.full = true;
        full.add(line.site);
        look(line.site);
    }

    /// The no is void. True when there had been one.
    boolean seatsMayBeFree(Site site) {
        boolean was = site.full;
        site.full = false;
        if (was) {
            full.remove(site);
            look(site);
        }
        return was;
    }

    /// The site is gone.
    void forget(Site site) {
        open.remove(site);
        full.remove(site);
    }

    /// Where the seating said no.
    List<Site> withoutSeat() {
        return List.copyOf(full);
    }
}
