package org.slipstream.core.queue;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// The outcome for one recipient of a message.
///
/// @param number the recipient's number in the envelope
/// @param reached how far the attempt came
public record RecipientOutcome(int number, Outcome outcome, Reached reached) {
    public RecipientOutcome {
        Objects.requireNonNull(outcome);
        Objects.requireNonNull(reached);
    }

    /// An outcome of which the phase and the duration are not known.
    public RecipientOutcome(int number, Outcome outcome) {
        this(number, outcome, Reached.UNKNOWN);
    }

    /// An outcome without an attempt.
    public static RecipientOutcome untried(int number, Outcome outcome, QueuePhase.Code reason) {
        return new RecipientOutcome(number, outcome, new Reached(Optional.of(reason), -1));
    }

    /// The outcomes, each without an attempt for this reason.
    public static List<RecipientOutcome> because(List<RecipientOutcome> outcomes, QueuePhase.Code reason) {
        return outcomes.stream().map(each -> untried(each.number, each.outcome, reason)).toList();
    }

    /// The outcomes of one attempt, each with its duration.
    public static List<RecipientOutcome> timed(List<RecipientOutcome> outcomes, long millis) {
        return outcomes.stream().map(
                each -> new RecipientOutcome(each.number, each.outcome, new Reached(each.reached.phase, millis)))
                .toList();
    }

    /// The outcomes of one attempt that ended in the same phase.
    public static List<RecipientOutcome> endedIn(List<RecipientOutcome> outcomes, Optional<QueuePhase.Code> phase) {
        return phase.isEmpty()
                ? outcomes
                : outcomes.stream().map(each -> new RecipientOutcome(each.number, each.outcome,
                        new Reached(phase, each.reached.tookMillis))).toList();
    }

    /// How far an attempt came.
    ///
    /// @param phase of the connection when the outcome was decided; without an attempt, the reason
    /// for which there was none
    /// @param tookMillis from the assignment of the connection to the end; below 0 when the outcome
    /// was decided without an attempt
    public record Reached(Optional<QueuePhase.Code> phase, long tookMillis) {
        public static final Reached UNKNOWN = new Reached(Optional.empty(), -1);

        /// True when there was an attempt.
        public boolean isAttempt() {
            return tookMillis >= 0;
        }

        /// The reason for which there was no attempt; empty after an attempt, and when it is not known.
        public Optional<QueuePhase.Code> reason() {
            return isAttempt() ? Optional.empty() : phase;
        }
    }
}
