package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Destinations that were refused a connection, and what has to change before the question is worth asking again.
///
/// A refusal for want of a seat at a destination's own hosts ends with a change at one of these hosts. A delivery of that
/// destination that comes back is such a change, and the order of service notices that by itself. So only the other destinations
/// that share the host need to be told. A refusal because of the message's share, or one that ends with time, is asked again after every change.
///
/// This is more than thrift. To ask everybody again after every event would start the round-robin of each message at its head again,
/// and the order of service would no longer be Postfix's.
final class Refusals {
    private final Map<HostKey, Set<String>> atHosts = new LinkedHashMap<>();
    private boolean anywhere;

    /// @param untilAnyChange it may end for a reason outside of the destination's hosts
    void add(Candidates where, Seat.Scope scope, boolean untilAnyChange) {
        switch (scope) {
            case HERE -> {
                anywhere |= untilAnyChange;
                for (List<Candidate> level : where.levels()) {
                    level.forEach(candidate -> atHosts.computeIfAbsent(candidate.host(), _ -> new LinkedHashSet<>(2))
                            .add(where.destination()));
                }
            }
            case MESSAGE, UNPROVEN -> anywhere = true;
            // Where a connection carries one delivery, the question is asked again at the next choice. Otherwise only this destination
            // was refused: others may share a connection that is at work.
            case EVERYWHERE -> anywhere |= untilAnyChange;
        }
    }

    /// This destination has found a seat.
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

    /// A destination may find a seat now that does not hear of the change by a delivery of its own.
    ///
    /// @param hosts where something has changed
    /// @param returned destinations whose deliveries came back
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

    void clear() {
        atHosts.clear();
        anywhere = false;
    }
}
