package org.slipstream.spool.index;

import org.slipstream.core.QueueName;

/// Asks for mail of one queue that is due.
///
/// @param heldCreatedBeforeMillis held messages, which belong to the deferred queue, are found only when created before this
/// @param furthestMillis what is deferred beyond this, though its sender did not ask for it, is due then
public record DueQuery(QueueName queue, long nowMillis, int limit, long heldCreatedBeforeMillis, long furthestMillis) {
    public DueQuery {
        limit = Math.min(limit, Integer.MAX_VALUE - 1);
    }
}
