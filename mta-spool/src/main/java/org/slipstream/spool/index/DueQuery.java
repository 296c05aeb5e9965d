package org.slipstream.spool.index;

import org.slipstream.core.queue.QueueName;

/// A query for the due mail of one queue.
///
/// @param heldCreatedBeforeMillis held messages belong to the deferred queue and are found only
///     when created before this time
/// @param furthestMillis a message that is deferred beyond this time becomes due then, unless its
///     sender asked for the delay
public record DueQuery(QueueName queue, long nowMillis, int limit, long heldCreatedBeforeMillis, long furthestMillis) {
    public DueQuery {
        limit = Math.min(limit, Integer.MAX_VALUE - 1);
    }
}
