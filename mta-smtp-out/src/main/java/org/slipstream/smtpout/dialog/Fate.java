package org.slipstream.smtpout.dialog;

import org.slipstream.core.RecipientOutcome;

import java.util.List;

/// What became of a transaction.
public sealed interface Fate {
    long delivery();

    /// At least one recipient has an answer; whoever has none is deferred. Final.
    ///
    /// @param outcomes one per recipient, in their order
    record Answered(long delivery, List<RecipientOutcome> outcomes) implements Fate {
        public Answered {
            outcomes = List.copyOf(outcomes);
        }
    }

    /// The peer took no decision on anybody, and will not any more.
    record Unanswered(long delivery) implements Fate {}
}
