package org.slipstream.qmgr.place;

import org.slipstream.core.QueueId;

/// The party on whose account a connection is busy.
public sealed interface Owner {
    record Message(QueueId id) implements Owner {}

    /// All address probes together (FI-07): probes count as one message, however many there are.
    record Verification() implements Owner {}
}
