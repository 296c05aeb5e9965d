package org.slipstream.qmgr.flow;

import org.slipstream.core.Reply;

import java.util.Objects;

/// The state of a destination: live, dead, or suspended by its rate delay.
public sealed interface DestinationState {
    /// Deliveries run up to the window.
    record Live() implements DestinationState {}

    /// Too many failures: waiting and new mail is deferred without an attempt until `untilMillis`.
    ///
    /// @param reason of the last failure, 4xx
    record Dead(long untilMillis, Reply reason) implements DestinationState {
        public Dead {
            Objects.requireNonNull(reason);
        }
    }

    /// The rate delay after a delivery is running (PF-15); queued entries wait.
    record Suspended(long untilMillis) implements DestinationState {}
}
