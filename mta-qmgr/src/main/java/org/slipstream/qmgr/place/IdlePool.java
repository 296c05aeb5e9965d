package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeSet;

/// The idle connections of a transport, and the time for which each is kept.
///
/// An idle connection is the cheapest seat for the next delivery, and it never changes the order of
/// service. Of a host's idle connections the most recently used one is taken, so superfluous ones
/// age. An idle connection is used again, evicted for another destination (the longest idle of all,
/// FI-36), closed by age (FI-37), or closed because the host has too many. Without these limits
/// each host that ever received mail would keep its sockets occupied.
///
/// **A grace time.** Under load every connection is idle briefly, between a reply and the next
/// delivery. A pool that closes all but two at that moment opens them again at once: one new
/// connection for every four messages was observed, each with greeting and EHLO. So a host has too
/// many only when it has had too many for [#GRACE_MILLIS] without interruption.
///
/// **Sparse mail** (PF-71). When deliveries follow each other closely, an idle connection is kept
/// for the full time. With sparse deliveries it would occupy a process of the remote server without
/// use, and is closed after a second. The rule is that of Postfix's on-demand connection cache: on
/// when a delivery starts within a second of the end of another, off when one starts alone later
/// than that. Between the two nothing changes, so a burst keeps the connections that it opened.
///
/// **A time of its own** (ZM-13): a connection that served a destination with `idle-connection` last is kept for
/// that time whatever the rhythm, as by ZMailer's `idlemax`, and never beyond its greatest age.
///
/// O(log n) for each change, and the few connections of one host.
final class IdlePool {
    static final long GRACE_MILLIS = 200;

    /// A delivery that starts within this time after the end of another follows it closely.
    static final long FOLLOW_MILLIS = 1_000;

    private PlaceRules rules;
    private final Map<HostKey, Deque<Connection>> byHost = new LinkedHashMap<>();

    /// Longest idle first; of two since the same moment the one with more time.
    private final NavigableSet<Connection> idle = new TreeSet<>(
            Comparator.comparingLong((Connection c) -> c.idleSinceMillis).thenComparingLong(c -> -c.closesMillis)
                    .thenComparingLong(c -> c.idleTurn));

    /// The first to close first; of two at the same moment the one with less time.
    private final NavigableSet<Connection> byEnd = new TreeSet<>(
            Comparator.comparingLong((Connection c) -> c.closesMillis).thenComparingLong(c -> -c.idleSinceMillis)
                    .thenComparingLong(c -> c.idleTurn));
    private long turns;

    /// Start of each host's time with too many connections, the earliest first.
    private final SequencedMap<HostKey, Long> crowded = new LinkedHashMap<>();

    private final Map<HostKey, Flow> flows = new LinkedHashMap<>();

    /// The rhythm of deliveries to a host.
    private static final class Flow {
        boolean consecutive;
        long lastDoneMillis = Long.MIN_VALUE / 2;
    }

    IdlePool(PlaceRules rules) {
        this.rules = rules;
    }

    void change(PlaceRules others) {
        rules = others;
    }

    /// A delivery to this host starts.
    ///
    /// @param alone no other delivery to the host is in progress
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

    /// No connection to this host is left, whatever the reason. Its rhythm begins again with the next.
    void forget(HostKey host) {
        flows.remove(host);
    }

    /// Hosts whose rhythm is known; each has a connection.
    int rhythms() {
        return flows.size();
    }

    /// Adds a connection. False when it is not to be kept.
    boolean add(Connection connection, long nowMillis) {
        if (rules.idle().perHost() == 0 || connection.isTooOld(nowMillis, rules)) {
            return false;
        }
        HostKey host = connection.host.host();
        connection.idleSinceMillis = nowMillis;
        byHost.computeIfAbsent(host, _ -> new ArrayDeque<>(2)).push(connection);
        Flow flow = flows.get(host);
        connection.closesMillis = connection.idle
                .map(own -> Math.min(nowMillis + own.toMillis(), connection.openedMillis + rules.idle().ageMillis()))
                .orElseGet(() -> nowMillis
                        + (flow != null && flow.consecutive ? rules.idle().maxMillis() : briefMillis()));
        connection.idleTurn = ++turns;
        idle.add(connection);
        byEnd.add(connection);
        if (size(host) > rules.idle().perHost()) {
            crowded.putIfAbsent(host, nowMillis);
        }
        return true;
    }

    void remove(Connection connection) {
        if (idle.remove(connection)) {
            byEnd.remove(connection);
            HostKey host = connection.host.host();
            byHost.computeIfPresent(host, (_, ofHost) -> {
                ofHost.remove(connection);
                return ofHost.isEmpty() ? null : ofHost;
            });
            if (size(host) <= rules.idle().perHost()) {
                crowded.remove(host);
            }
        }
    }

    /// The most recently used connection below the maximum age.
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

    int size(HostKey host) {
        Deque<Connection> ofHost = byHost.get(host);
        return ofHost == null ? 0 : ofHost.size();
    }

    /// The longest idle connection to any host.
    Optional<Connection> longestIdle() {
        return idle.isEmpty() ? Optional.empty() : Optional.of(idle.getFirst());
    }

    /// A connection whose time has ended.
    Optional<Connection> expired(long nowMillis) {
        if (crowdedMillis() <= nowMillis) {
            return Optional.of(Objects.requireNonNull(byHost.get(crowded.firstEntry().getKey())).getLast());
        }
        return endMillis() > nowMillis ? Optional.empty() : Optional.of(byEnd.getFirst());
    }

    long nextMillis() {
        return Math.min(crowdedMillis(), endMillis());
    }

    private long endMillis() {
        return byEnd.isEmpty() ? Long.MAX_VALUE : byEnd.getFirst().closesMillis;
    }

    private long briefMillis() {
        return Math.min(FOLLOW_MILLIS, rules.idle().maxMillis());
    }

    private long crowdedMillis() {
        return crowded.isEmpty() ? Long.MAX_VALUE : crowded.firstEntry().getValue() + GRACE_MILLIS;
    }
}
