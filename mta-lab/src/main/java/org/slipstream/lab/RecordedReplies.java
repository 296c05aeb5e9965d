package org.slipstream.lab;

import org.slipstream.core.Reply;

import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/// The replies that a host gave in a recorded run, for a simulation of another course of that run.
///
/// An attempt at a time gets the reply that the recorded attempt nearest at or after that time got;
/// behind the last one, that of the last one. So a host that refused for ten minutes refuses for the
/// same ten minutes, however often it is asked. It does not react to a client that asks less: this
/// model shows the refusals that rules save, not a limit that is lifted earlier.
public final class RecordedReplies {
    private final NavigableMap<Long, Optional<Reply>> connections = new TreeMap<>();
    private final NavigableMap<Long, Optional<Reply>> deliveries = new TreeMap<>();

    /// @param refusal empty: the host greeted
    public void connected(long atMillis, Optional<Reply> refusal) {
        connections.merge(atMillis, refusal, RecordedReplies::worse);
    }

    /// @param refusal empty: the host accepted
    public void delivered(long atMillis, Optional<Reply> refusal) {
        deliveries.merge(atMillis, refusal, RecordedReplies::worse);
    }

    // Two attempts in one millisecond.
    private static Optional<Reply> worse(Optional<Reply> one, Optional<Reply> other) {
        return one.isPresent() ? one : other;
    }

    /// The refusal of a connection; empty when the host greets.
    Optional<Reply> connection(long atMillis) {
        return nearest(connections, atMillis);
    }

    /// The refusal of a delivery; empty when the host accepts.
    Optional<Reply> delivery(long atMillis) {
        return nearest(deliveries, atMillis);
    }

    /// A host that was never asked accepts.
    private static Optional<Reply> nearest(NavigableMap<Long, Optional<Reply>> replies, long atMillis) {
        return Optional.ofNullable(replies.ceilingEntry(atMillis)).or(() -> Optional.ofNullable(replies.lastEntry()))
                .flatMap(Map.Entry::getValue);
    }

    public int size() {
        return connections.size() + deliveries.size();
    }
}
