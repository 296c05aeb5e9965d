package org.slipstream.core;

import java.util.Objects;

/// The outcome for one recipient of a message.
///
/// @param number the recipient's number in the envelope
public record RecipientOutcome(int number, Outcome outcome) {
    public RecipientOutcome {
        Objects.requireNonNull(outcome);
    }
}
