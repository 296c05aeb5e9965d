package org.slipstream.qmgr.place;

import org.slipstream.core.DeliveryResult;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/// What an event at a connection means for the order of service and for windows.
///
/// @param ended deliveries that are over; each ends exactly once
/// @param refusals connections that a working host refused, though no delivery ended by that: it waits for another seat
/// @param seatsElsewhere destinations other than those of `ended` may find a seat now
public record Effects(List<Ended> ended, List<Refusal> refusals, boolean seatsElsewhere) {
    public static final Effects NONE = new Effects(List.of(), List.of(), false);

    public Effects {
        ended = List.copyOf(ended);
        refusals = List.copyOf(refusals);
    }

    /// These and then the others.
    Effects and(Effects others) {
        if (others.isNothing()) {
            return this;
        }
        return isNothing()
                ? others
                : new Effects(joined(ended, others.ended), joined(refusals, others.refusals),
                        seatsElsewhere || others.seatsElsewhere);
    }

    private boolean isNothing() {
        return ended.isEmpty() && refusals.isEmpty() && !seatsElsewhere;
    }

    private static <T> List<T> joined(List<T> first, List<T> then) {
        List<T> all = new ArrayList<>(first);
        all.addAll(then);
        return all;
    }

    /// One negative feedback for the destination's window.
    ///
    /// @param delivery one that waited on the connection
    public record Refusal(long delivery, Reply reason) {}

    /// How a delivery ended.
    public sealed interface Ended {
        long delivery();

        List<RecipientOutcome> outcomes();

        /// The session worked, whatever the replies were: positive feedback.
        ///
        /// @param released the connection served the destination until then and does so no longer
        record Worked(long delivery, List<RecipientOutcome> outcomes, boolean released) implements Ended {}

        /// The attempt failed and left no other host: one negative feedback (PF-04, PF-06).
        ///
        /// @param retryAfterMillis when the host wants to be asked again; may only lengthen a pause
        record Failed(long delivery, List<RecipientOutcome> outcomes, Reply reason,
                OptionalLong retryAfterMillis) implements Ended {}

        /// Attempted, and deferred for a reason that says nothing about the destination: the content may have arrived, or the message itself breaks
        /// connections.
        record Inconclusive(long delivery, List<RecipientOutcome> outcomes) implements Ended {}

        /// Deferred without an attempt. Teaches nothing about the destination.
        ///
        /// @param resumesMillis when the first of its hosts may be tried again, where an operator has said that
        record Untried(long delivery, List<RecipientOutcome> outcomes, OptionalLong resumesMillis) implements Ended {}

        /// Something of our own failed. Teaches nothing about the destination; a failure of the transport pauses it (PF-16).
        record OwnFailure(long delivery, List<RecipientOutcome> outcomes, Reply reason,
                DeliveryResult.Scope scope) implements Ended {}
    }
}
