package org.slipstream.qmgr.flow;

import org.slipstream.core.Reply;

import java.util.Objects;

/// Whether mail for a destination may be tried.
public sealed interface DestinationState {
    /// Entries go as seats allow.
    record Live() implements DestinationState {}

    /// Nobody could be reached there; until then what is queued and what arrives is deferred without a try.
    ///
    /// @param reason what the last try met, 4xx
    record Dead(long untilMillis, Reply reason) implements DestinationState {
        public Dead {
            Objects.requireNonNull(reason);
        }
    }
}
