package org.slipstream.smtpout.place;

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
/// EHLO. So a host has too many only when it has had too many for [#BREATH_MILLIS] without interruption.
///
/// All in O(1), but for the few of one host.
final class IdlePool {
    static final long BREATH_MILLIS = 200;

    private final PlaceRules rules;
    private final Map<HostKey, Deque<Connection>> byHost = new LinkedHashMap<>();

    /// Idle for longest first.
    private final SequencedSet<Connection> byAge = new LinkedHashSet<>();

    /// Since when hosts have had too many, the earliest first.
    private final SequencedMap<HostKey, Long> crowded = new LinkedHashMap<>();

    IdlePool(PlaceRules rules) {
        this.rules = rules;
    }

    /// One more. False when it is not worth keeping.
    boolean add(Connection connection, long nowMillis) {
        if (rules.idlePerHost() == 0 || connection.isTooOld(nowMillis, rules)) {
            return false;
        }
        HostKey host = connection.host.host();
        connection.idleSinceMillis = nowMillis;
        byHost.computeIfAbsent(host, _ -> new ArrayDeque<>(2)).push(connection);
        byAge.add(connection);
        if (size(host) > rules.idlePerHost()) {
            crowded.putIfAbsent(host, nowMillis);
        }
        return true;
    }

    void remove(Connection connection) {
        if (byAge.remove(connection)) {
            Deque<Connection> ofHost = byHost.get(connection.host.host());
            ofHost.remove(connection);
            if (ofHost.isEmpty()) {
                byHost.remove(connection.host.host());
            }
            if (ofHost.size() <= rules.idlePerHost()) {
                crowded.remove(connection.host.host());
            }
        }
    }

    /// The most recently used one that is young enough.
    Optional<Connection> latest(HostKey host, long nowMillis) {
        Deque<Connection> ofHost = byHost.get(host);
        return ofHost == null
                ? Optional.empty()
                : ofHost.stream().filter(connection -> !connection.isTooOld(nowMillis, rules)).findFirst();
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
        return byAge.isEmpty() ? Optional.empty() : Optional.of(byAge.getFirst());
    }

    /// One whose time is over.
    Optional<Connection> expired(long nowMillis) {
        return crowdedMillis() <= nowMillis
                ? Optional.of(byHost.get(crowded.firstEntry().getKey()).peekLast())
                : longestIdle().filter(connection -> closesMillis(connection) <= nowMillis);
    }

    long nextMillis() {
        return Math.min(crowdedMillis(), longestIdle().map(this::closesMillis).orElse(Long.MAX_VALUE));
    }

    private long crowdedMillis() {
        return crowded.isEmpty() ? Long.MAX_VALUE : crowded.firstEntry().getValue() + BREATH_MILLIS;
    }

    private long closesMillis(Connection connection) {
        return connection.idleSinceMillis + rules.maxIdleMillis();
    }
}
