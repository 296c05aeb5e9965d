package org.slipstream.qmgr.place;

import org.slipstream.core.QueueId;

/// The account that a busy connection is charged to.
public sealed interface Owner {
    record Message(QueueId id) implements Owner {}

    /// All address probes together (FI-07): probes count as one message, however many there are.
    record Verification() implements Owner {}
}
