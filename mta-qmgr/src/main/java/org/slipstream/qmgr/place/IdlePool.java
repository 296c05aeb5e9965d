package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;

/// Connections with nothing to do: how long the door stays open.
///
/// An idle connection is the cheapest seat for whoever is next and nothing more: it never pulls work out of order. Of a
/// host's idle connections the most recently used one is taken, so that superfluous ones grow old. They leave by four
/// ways: used again, reclaimed for another destination (the one that has been idle for longest anywhere, FI-36), closed for
/// age (FI-37), or closed because the host has enough of them. What is kept for every host that ever got a letter would
/// be a leak of other people's sockets.
///
/// **Enough, for a breath.** Under load every connection is idle now and then, for the moment between an answer and the next letter. Who
/// closes all but two in that moment opens them again in the next: one for every four letters was seen, each with its greeting and
/// EHLO. So a host has too many only when it has had too many for [#GRACE_MILLIS] without interruption.
///
/// **Mail that trickles** (PF-71). Where deliveries follow each other closely, an idle connection is kept for the full time. Where one comes
/// now and then, it would hold a process of another server for nothing, and is closed after a second. The rule is Postfix's: on when a
/// delivery starts within a second of the end of another, off when one starts alone later than that. Between the two nothing
/// changes, so that a burst keeps the connections that it has opened.
///
/// All in O(1), but for the few of one host.
final class IdlePool {
    static final long GRACE_MILLIS = 200;

    /// A delivery that starts within this time of the end of another follows it closely.
    static final long FOLLOW_MILLIS = 1_000;

    private final PlaceRules rules;
    private final Map<HostKey, Deque<Connection>> byHost = new LinkedHashMap<>();

    /// Idle for longest first, with those that are kept and those that are soon closed apart.
    private final SequencedSet<Connection> kept = new LinkedHashSet<>();
    private final SequencedSet<Connection> brief = new LinkedHashSet<>();

    /// Since when hosts have had too many, the earliest first.
    private final SequencedMap<HostKey, Long> crowded = new LinkedHashMap<>();

    private final Map<HostKey, Flow> flows = new LinkedHashMap<>();

    /// How deliveries to a host follow each other.
    private static final class Flow {
        boolean consecutive;
        long lastDoneMillis = Long.MIN_VALUE / 2;
    }

    IdlePool(PlaceRules rules) {
        this.rules = rules;
    }

    /// A delivery to this host starts.
    ///
    /// @param alone no other delivery is under way there
    void starts(HostKey host, boolean alone, long nowMillis) {
        Flow flow = flows.computeIfAbsent(host, _ -> new Flow());
        if (nowMillis - flow.lastDoneMillis <= FOLLOW_MILLIS) {
            flow.consecutive = true;
        } else if (alone) {
            flow.consecutive = false;
        }
    }

    /// A delivery to this host is over.
    void done(HostKey host, long nowMillis) {
        Flow flow = flows.get(host);
        if (flow != null) {
            flow.lastDoneMillis = nowMillis;
        }
    }

    /// No connection to this host is left.
    void forget(HostKey host) {
        flows.remove(host);
    }

    /// One more. False when it is not worth keeping.
    boolean add(Connection connection, long nowMillis) {
        if (rules.idle().perHost() == 0 || connection.isTooOld(nowMillis, rules)) {
            return false;
        }
        HostKey host = connection.host.host();
        connection.idleSinceMillis = nowMillis;
        byHost.computeIfAbsent(host, _ -> new ArrayDeque<>(2)).push(connection);
        Flow flow = flows.get(host);
        (flow != null && flow.consecutive ? kept : brief).add(connection);
        if (size(host) > rules.idle().perHost()) {
            crowded.putIfAbsent(host, nowMillis);
        }
        return true;
    }

    void remove(Connection connection) {
        if (kept.remove(connection) || brief.remove(connection)) {
            Deque<Connection> ofHost = byHost.get(connection.host.host());
            ofHost.remove(connection);
            if (ofHost.isEmpty()) {
                byHost.remove(connection.host.host());
            }
            if (ofHost.size() <= rules.idle().perHost()) {
                crowded.remove(connection.host.host());
            }
        }
    }

    /// The most recently used one that is young enough.
    Optional<Connection> latest(HostKey host, long nowMillis) {
        Deque<Connection> ofHost = byHost.get(host);
        if (ofHost != null) {
            for (Connection connection : ofHost) {
                if (!connection.isTooOld(nowMillis, rules)) {
                    return Optional.of(connection);
                }
            }
        }
        return Optional.empty();
    }

    boolean has(HostKey host) {
        return byHost.containsKey(host);
    }

    int size(HostKey host) {
        Deque<Connection> ofHost = byHost.get(host);
        return ofHost == null ? 0 : ofHost.size();
    }

    /// The one that has been idle for longest, to whatever host.
    Optional<Connection> longestIdle() {
        if (kept.isEmpty() || brief.isEmpty()) {
            return Optional.ofNullable((kept.isEmpty() ? brief : kept).isEmpty()
                    ? null
                    : (kept.isEmpty() ? brief : kept).getFirst());
        }
        return Optional.of(kept.getFirst().idleSinceMillis <= brief.getFirst().idleSinceMillis
                ? kept.getFirst()
                : brief.getFirst());
    }

    /// One whose time is over.
    Optional<Connection> expired(long nowMillis) {
        if (crowdedMillis() <= nowMillis) {
            return Optional.of(byHost.get(crowded.firstEntry().getKey()).peekLast());
        }
        long briefEnds = closesMillis(brief, briefMillis());
        long keptEnds = closesMillis(kept, rules.idle().maxMillis());
        if (Math.min(briefEnds, keptEnds) > nowMillis) {
            return Optional.empty();
        }
        return Optional.of(briefEnds <= keptEnds ? brief.getFirst() : kept.getFirst());
    }

    long nextMillis() {
        return Math.min(crowdedMillis(),
                Math.min(closesMillis(brief, briefMillis()), closesMillis(kept, rules.idle().maxMillis())));
    }

    private long briefMillis() {
        return Math.min(FOLLOW_MILLIS, rules.idle().maxMillis());
    }

    private long crowdedMillis() {
        return crowded.isEmpty() ? Long.MAX_VALUE : crowded.firstEntry().getValue() + GRACE_MILLIS;
    }

    private static long closesMillis(SequencedSet<Connection> idle, long millis) {
        return idle.isEmpty() ? Long.MAX_VALUE : idle.getFirst().idleSinceMillis + millis;
    }
}
