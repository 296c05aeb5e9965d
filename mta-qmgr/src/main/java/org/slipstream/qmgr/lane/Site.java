package org.slipstream.qmgr.lane;

import org.slipstream.qmgr.Seating.Answer;

import java.util.ArrayDeque;

/// The lanes to one destination.
final class Site {
    final Pool pool;
    final String nextHop;

    /// Opening, busy or idle.
    int lanes;

    /// Busy or idle.
    int up;

    /// Most recently used first: the others run dry and are closed.
    final ArrayDeque<Lane> idle = new ArrayDeque<>(2);

    /// The answer when there is no room, composed once because it is given at every vain question.
    final Answer full;

    Site(Pool pool, String nextHop, int limit) {
        this.pool = pool;
        this.nextHop = nextHop;
        this.full = new Answer.FullHere("all " + limit + " lanes to " + this + " are busy");
    }

    @Override
    public String toString() {
        return pool.transport + "/" + nextHop;
    }
}
