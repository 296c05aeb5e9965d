package org.slipstream.qmgr.lane;

import java.util.LinkedHashSet;
import java.util.SequencedSet;

/// The idle lanes of one transport and how long each is kept: for the full time where mail flows without a pause, for
/// a moment where it trickles (PF-71). The one unused for longest comes first among those of its kind.
final class IdleLanes {
    private final SequencedSet<Lane> kept = new LinkedHashSet<>();
    private final SequencedSet<Lane> brief = new LinkedHashSet<>();
    private final long keptMillis;
    private final long briefMillis;

    IdleLanes(long idleLaneMillis) {
        this.keptMillis = idleLaneMillis;
        this.briefMillis = Math.min(idleLaneMillis, Site.BACK_TO_BACK_MILLIS);
    }

    void add(Lane lane) {
        (lane.site.isBackToBack() ? kept : brief).add(lane);
    }

    void remove(Lane lane) {
        if (!kept.remove(lane)) {
            brief.remove(lane);
        }
    }

    boolean isEmpty() {
        return kept.isEmpty() && brief.isEmpty();
    }

    /// The one unused for longest.
    Lane first() {
        if (kept.isEmpty() || brief.isEmpty()) {
            return (kept.isEmpty() ? brief : kept).getFirst();
        }
        return kept.getFirst().idleSinceMillis <= brief.getFirst().idleSinceMillis ? kept.getFirst() : brief.getFirst();
    }

    /// When the time of the next one is over.
    long nextMillis() {
        return Math.min(endOfFirst(kept, keptMillis), endOfFirst(brief, briefMillis));
    }

    /// The one whose time is over first. There is one.
    Lane next() {
        return endOfFirst(brief, briefMillis) <= endOfFirst(kept, keptMillis) ? brief.getFirst() : kept.getFirst();
    }

    private static long endOfFirst(SequencedSet<Lane> lanes, long millis) {
        return lanes.isEmpty() ? Long.MAX_VALUE : lanes.getFirst().idleSinceMillis + millis;
    }
}
