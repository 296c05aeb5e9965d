package org.slipstream.core.queue;

import org.slipstream.core.Recipient;

import java.util.Optional;

/// A recipient of a message in the spool.
///
/// @param last the latest outcome, if there was one
/// @param reason for an outcome without an attempt
public record RecipientState(Recipient recipient, RecipientStatus state, Optional<Outcome> last, long atMillis,
        Optional<QueuePhase.Code> reason) {
    public RecipientState(Recipient recipient, RecipientStatus state, Optional<Outcome> last, long atMillis) {
        this(recipient, state, last, atMillis, Optional.empty());
    }
}
