package org.slipstream.qmgr.lane;

import org.slipstream.qmgr.Seating.Answer;

import java.util.ArrayDeque;

/// The lanes to one destination.
final class Site {
    /// A delivery that starts within this time of the end of another follows it without a pause.
    static final long BACK_TO_BACK_MILLIS = 1_000;

    final Pool pool;
    final String nextHop;

    /// Opening, busy or idle.
    int lanes;

    /// Busy or idle.
    int up;

    /// Most recently used first: the others run dry and are closed.
    final ArrayDeque<Lane> idle = new ArrayDeque<>(2);

    private boolean backToBack;
    private long lastDoneMillis = Long.MIN_VALUE / 2;

    /// The answer when there is no room, composed once because it is given at every vain question.
    final Answer full;

    Site(Pool pool, String nextHop, int limit) {
        this.pool = pool;
        this.nextHop = nextHop;
        this.full = new Answer.FullHere("all " + limit + " lanes to " + this + " are busy");
    }

    /// A delivery starts: one after the other without a pause, or alone after a while? Between the two nothing changes, so
    /// that a burst of connections keeps what it has come to (Postfix's hint to agents, PF-71).
    void starts(long nowMillis) {
        if (nowMillis - lastDoneMillis <= BACK_TO_BACK_MILLIS) {
            backToBack = true;
        } else if (lanes == idle.size()) {
            backToBack = false;
        }
    }

    void done(long nowMillis) {
        lastDoneMillis = nowMillis;
    }

    /// Mail flows here, and connections are worth keeping.
    boolean isBackToBack() {
        return backToBack;
    }

    @Override
    public String toString() {
        return pool.transport + "/" + nextHop;
    }
}
