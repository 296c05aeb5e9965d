package org.slipstream.qmgr.lane;

import org.slipstream.qmgr.Seating.Answer;
import org.slipstream.qmgr.TransportSettings;

import java.util.LinkedHashMap;
import java.util.Map;

/// The lanes of one transport.
final class Pool {
    final String transport;
    final Map<String, Site> sites = new LinkedHashMap<>();
    int lanes;

    /// Of all sites.
    final IdleLanes idle;
    final Answer full;

    /// Lanes in all, and to one destination.
    final int limit;
    final int limitPerSite;

    Pool(String transport, TransportSettings settings, long idleLaneMillis) {
        this.transport = transport;
        this.idle = new IdleLanes(idleLaneMillis);
        this.limit = settings.processLimit();
        this.limitPerSite = settings.concurrencyLimit() == 0 ? Integer.MAX_VALUE : settings.concurrencyLimit();
        this.full = new Answer.FullEverywhere("all " + limit + " lanes of " + transport + " are busy");
    }
}
