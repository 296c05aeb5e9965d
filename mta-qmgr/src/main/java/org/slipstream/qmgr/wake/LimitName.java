package org.slipstream.qmgr.wake;

/// The limits of concurrent deliveries, in the order in which they are examined. The first that
/// refuses is the reason for which a destination waits (ZM-22).
public enum LimitName {
    /// Busy connections of all transports (`queue.lanes-of-server`).
    SERVER,
    /// The queue manager's share of them: with one shard the same as [#SERVER], which is named.
    SHARD,
    /// Connections of the transport (`queue.lanes`).
    TRANSPORT,
    /// Connections of the ring (`[ring."…"]`).
    RING,
    /// The window of the destination.
    DESTINATION,
    /// The share of one message (`placement.max-message-concurrency`).
    MESSAGE,
    /// Connections to the hosts of the destination.
    HOST,
    /// Starts per period to the destination (`rate`). Not a limit of concurrency; it is here for the
    /// shards, which share it as they share the others.
    RATE;

    /// A refusal of a destination.
    ///
    /// @param sinceMillis the first refusal by this limit after the last delivery that started
    public record LimitRefusal(LimitName limit, long sinceMillis) {}
}
