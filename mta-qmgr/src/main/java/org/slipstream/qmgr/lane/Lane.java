package org.slipstream.qmgr.lane;

import org.slipstream.qmgr.Seating.Load;

import java.util.Optional;

/// One connection and the entry on it.
final class Lane {
    enum Phase {
        /// Ordered; its entry waits for it.
        OPENING,
        /// Its entry is being delivered.
        BUSY,
        /// Up, without an entry.
        IDLE
    }

    final long connection;
    final Site site;
    Phase phase = Phase.OPENING;
    Optional<Load> load;
    long upSinceMillis;
    long idleSinceMillis;

    Lane(long connection, Site site, Load load) {
        this.connection = connection;
        this.site = site;
        this.load = Optional.of(load);
    }

    boolean isUp() {
        return phase != Phase.OPENING;
    }

    @Override
    public String toString() {
        return "connection=" + connection + " to " + site + " " + phase
                + load.map(l -> " delivery=" + l.delivery() + " queue=" + l.id()).orElse("");
    }
}
