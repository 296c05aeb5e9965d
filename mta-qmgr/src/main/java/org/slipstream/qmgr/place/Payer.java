package org.slipstream.qmgr.place;

import org.slipstream.core.QueueId;

/// On whose account a worker is busy.
public sealed interface Payer {
    record Message(QueueId id) implements Payer {}

    /// All address probes together (FI-07): outsiders who make us verify addresses are one message, however many they are.
    record Verification() implements Payer {}
}
