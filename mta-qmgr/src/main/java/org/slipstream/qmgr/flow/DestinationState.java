package org.slipstream.qmgr.flow;

import org.slipstream.core.Reply;

import java.util.Objects;

/// Whether mail for a destination may be tried.
public sealed interface DestinationState {
    /// As much at once as the window says.
    record Live() implements DestinationState {}

    /// Too much has failed there; until then what is queued and what arrives is deferred without a try.
    ///
    /// @param reason what the last try met, 4xx
    record Dead(long untilMillis, Reply reason) implements DestinationState {
        public Dead {
            Objects.requireNonNull(reason);
        }
    }

    /// A delivery was made just now, and there is to be a pause before the next (PF-15). What is queued waits.
    record Suspended(long untilMillis) implements DestinationState {}
}
