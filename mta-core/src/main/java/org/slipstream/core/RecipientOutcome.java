package org.slipstream.core;

import java.util.Objects;

/// The outcome of one recipient of a message, named by its number in the envelope.
public record RecipientOutcome(int number, Outcome outcome) {
    public RecipientOutcome {
        Objects.requireNonNull(outcome);
    }
}
