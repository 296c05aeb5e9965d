package org.slipstream.config;

import org.slipstream.core.TransportKind;
import org.slipstream.qmgr.settings.TransportTable;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// The deliveries at once of one shard (IM-21).
///
/// @param local to mailboxes of this server; empty: no limit of its own
/// @param remote the same for each other transport
public record ShardLanes(Optional<Integer> local, Optional<Integer> remote) {
    static ShardLanes of(ShardSettings settings) {
        return new ShardLanes(settings.localLanes(), settings.remoteLanes());
    }

    ShardLanes with(boolean toMailboxes, Optional<Integer> limit) {
        return toMailboxes ? new ShardLanes(limit, remote) : new ShardLanes(local, limit);
    }

    /// The limits by transport, where they are set.
    public Map<String, Integer> byTransport(TransportTable transports) {
        Map<String, Integer> lanes = new LinkedHashMap<>();
        for (String transport : transports.names()) {
            boolean toMailboxes = transports.kind(transport).equals(Optional.of(TransportKind.LOCAL));
            (toMailboxes ? local : remote).ifPresent(most -> lanes.put(transport, most));
        }
        return lanes;
    }
}
