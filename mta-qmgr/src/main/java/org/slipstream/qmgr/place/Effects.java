package org.slipstream.qmgr.place;

import org.slipstream.core.Reply;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.RecipientOutcome;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/// The effects of a connection event on the scheduler and on windows.
///
/// @param ended deliveries that are finished; each ends exactly once
/// @param refusals connections that a working host refused, without the end of a delivery: it waits
/// for another seat
/// @param opened deliveries whose connection is up now
/// @param seatsElsewhere destinations other than those of `ended` may find a seat now
public record Effects(List<Ended> ended, List<Refusal> refusals, List<Long> opened, boolean seatsElsewhere) {
    public static final Effects NONE = new Effects(List.of(), List.of(), List.of(), false);

    public Effects {
        ended = List.copyOf(ended);
        refusals = List.copyOf(refusals);
        opened = List.copyOf(opened);
    }

    /// Concatenates two sets of effects.
    Effects and(Effects others) {
        if (others.isNothing()) {
            return this;
        }
        return isNothing()
                ? others
                : new Effects(joined(ended, others.ended), joined(refusals, others.refusals),
                        joined(opened, others.opened),
                        seatsElsewhere || others.seatsElsewhere);
    }

    private boolean isNothing() {
        return ended.isEmpty() && refusals.isEmpty() && opened.isEmpty() && !seatsElsewhere;
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

    /// The end of a delivery.
    public sealed interface Ended {
        long delivery();

        List<RecipientOutcome> outcomes();

        /// The session worked, whatever the replies were: positive feedback.
        ///
        /// @param released true when the connection no longer serves the destination
        record Worked(long delivery, List<RecipientOutcome> outcomes, boolean released) implements Ended {}

        /// The attempt failed and no other host is left: one negative feedback (PF-04, PF-06).
        ///
        /// @param retryAfterMillis the delay that the host requested; it can only lengthen a dead
        /// time
        record Failed(long delivery, List<RecipientOutcome> outcomes, Reply reason,
                OptionalLong retryAfterMillis) implements Ended {}

        /// Attempted, and deferred for a reason that is no feedback: the content may have arrived,
        /// or the message itself breaks connections.
        record Inconclusive(long delivery, List<RecipientOutcome> outcomes) implements Ended {}

        /// Deferred without an attempt, so without feedback.
        ///
        /// @param resumesMillis end of the earliest suspension, when all its hosts are suspended
        record Untried(long delivery, List<RecipientOutcome> outcomes, OptionalLong resumesMillis) implements Ended {}

        /// A local failure, so without feedback; a failure of the transport pauses it (PF-16), and after one of
        /// the route another route is asked for.
        record OwnFailure(long delivery, List<RecipientOutcome> outcomes, Reply reason,
                DeliveryResult.Scope scope) implements Ended {}
    }
}
