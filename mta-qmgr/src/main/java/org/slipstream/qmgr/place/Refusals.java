package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;
import org.slipstream.core.queue.QueuePhase.Code;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/// Destinations that were refused a connection, and the changes that justify another question.
///
/// A refusal for lack of a seat at a destination's own hosts ends with a change at one of these
/// hosts. The end of one of the destination's own deliveries is such a change, and the scheduler
/// handles it anyway. So only other destinations that share the host need a wake-up. A refusal by
/// the message's share, or one that ends with time, is asked about again after every change.
///
/// The restriction also preserves the order: a question to all destinations after every event would
/// restart the round-robin of each message, and the order of service would differ from Postfix's.
final class Refusals {
    private final Map<HostKey, Set<String>> atHosts = new LinkedHashMap<>();
    private boolean anywhere;

    /// A destination was refused a seat since the last alarm, and gets one when an unproven
    /// connection is evicted.
    private boolean connectionsShort;

    /// Earliest time at which a refusal ends because a host may be tried again.
    private long endsMillis = Long.MAX_VALUE;

    /// Hosts of messages that had used up their share and found no connection to queue on.
    private final Set<HostKey> rationed = new LinkedHashSet<>();

    /// @param untilAnyChange true when the refusal may end for a reason outside the destination's
    /// hosts
    void add(Candidates where, Code gate, boolean untilAnyChange) {
        switch (gate.extent()) {
            case NONE, DESTINATION -> {
                anywhere |= untilAnyChange;
                for (List<Candidate> level : where.levels()) {
                    level.forEach(candidate -> atHosts.computeIfAbsent(candidate.host(), _ -> new LinkedHashSet<>(2))
                            .add(where.destination()));
                }
            }
            case MESSAGE, BULK -> {
                anywhere = true;
                where.hosts().forEach(candidate -> rationed.add(candidate.host()));
            }
            case UNPROVEN -> anywhere = true;
            // With one delivery per connection, the next choice asks again. Otherwise only this
            // destination was refused: others may share a busy connection.
            case TRANSPORT, SERVER -> anywhere |= untilAnyChange;
        }
    }

    /// A refusal that ends at this time, at the latest.
    void until(Seat.Wait wait, long millis) {
        connectionsShort |= wait.isForAll();
        endsMillis = Math.min(endsMillis, millis);
    }

    /// The refused are asked about again at once.
    void endNow(long nowMillis) {
        endsMillis = nowMillis;
    }

    /// True when the time of a refusal has come.
    boolean alarm(long nowMillis) {
        connectionsShort = false;
        boolean over = endsMillis <= nowMillis;
        endsMillis = over ? Long.MAX_VALUE : endsMillis;
        return over;
    }

    /// @param yields when an unproven connection gives its place
    long nextMillis(LongSupplier yields) {
        return connectionsShort ? Math.min(endsMillis, yields.getAsLong()) : endsMillis;
    }

    /// The destination found a seat.
    void remove(Candidates where) {
        for (List<Candidate> level : where.levels()) {
            for (Candidate candidate : level) {
                atHosts.computeIfPresent(candidate.host(), (_, refused) -> {
                    refused.remove(where.destination());
                    return refused.isEmpty() ? null : refused;
                });
            }
        }
    }

    /// True when a destination other than the returned ones may find a seat now.
    ///
    /// @param hosts with a change
    /// @param returned destinations with an ended delivery
    boolean concerns(Set<HostKey> hosts, Set<String> returned) {
        if (anywhere || atHosts.isEmpty()) {
            return anywhere;
        }
        for (HostKey host : hosts) {
            if (atHosts.containsKey(host) && !returned.containsAll(atHosts.get(host))) {
                return true;
            }
        }
        return false;
    }

    /// True when a message that has used up its share may queue on a connection to this host.
    boolean isRationedAt(HostKey host) {
        return rationed.contains(host);
    }

    void clear() {
        atHosts.clear();
        rationed.clear();
        anywhere = false;
    }
}
