package org.slipstream.qmgr.sched;

import java.util.LinkedHashSet;
import java.util.SequencedSet;

/// One next hop of a transport: the lines that lead there, as far as seats are concerned.
///
/// Mostly there is one. Where every recipient is a destination of its own, many lines with windows of their own share the
/// connections to one place; then the answer to one about seats holds for all.
final class Site {
    final String nextHop;

    /// Lines at which an entry waits that the window would let go.
    final SequencedSet<Line> open = new LinkedHashSet<>(2);
    int lines;

    /// There was no seat, and nothing has happened since that could change that.
    boolean full;

    /// Listed by [Doors].
    boolean listedOpen;

    Site(String nextHop) {
        this.nextHop = nextHop;
    }

    boolean isOpen() {
        return !full && !open.isEmpty();
    }
}
