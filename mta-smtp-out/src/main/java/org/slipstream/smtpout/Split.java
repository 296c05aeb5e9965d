package org.slipstream.smtpout;

import org.slipstream.core.Reply;
import org.slipstream.core.queue.Delivery;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.DeliveryResult.Answered;
import org.slipstream.core.queue.DeliveryResult.OwnFailure;
import org.slipstream.core.queue.DeliveryResult.Unanswered;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// A delivery in several transactions, because the peer accepts only some of its recipients in one.
/// It has one result when all portions have theirs.
///
/// A delivery cannot come back in parts. When one portion was answered and another was not, the
/// recipients of the other are deferred. A delivery without any answered portion is unanswered, and
/// it may have arrived if one portion may have.
///
/// Not thread-safe.
final class Split {
    private final Delivery whole;
    private int left;
    private boolean usable = true;
    private boolean answered;
    private Optional<DeliveryResult> failure = Optional.empty();
    private final List<RecipientOutcome> outcomes = new ArrayList<>();

    Split(Delivery whole, int portions) {
        this.whole = whole;
        this.left = portions;
    }

    /// Adds the result of one portion. Returns the result of the whole after the last.
    Optional<DeliveryResult> add(Delivery portion, DeliveryResult result) {
        switch (result) {
            case Answered one -> answered(one);
            case Unanswered one -> unanswered(portion, one);
            case OwnFailure one -> failed(portion, one);
        }
        left--;
        return left > 0 ? Optional.empty() : Optional.of(answered ? answer(result) : failure.orElseThrow());
    }

    private void answered(Answered one) {
        answered = true;
        usable &= one.usable();
        outcomes.addAll(one.outcomes());
    }

    private void unanswered(Delivery portion, Unanswered one) {
        boolean may = one.mayHaveArrived()
                || failure.filter(before -> before instanceof Unanswered u && u.mayHaveArrived()).isPresent();
        failure = Optional
                .of(new Unanswered(whole.number(), one.connection(), one.reason(), one.remote(), may,
                        one.phase()));
        usable = false;
        defer(portion, one.reason(), one.remote(), one.phase());
    }

    private void failed(Delivery portion, OwnFailure one) {
        usable &= one.usable();
        if (failure.filter(Unanswered.class::isInstance).isEmpty()) {
            failure = Optional.of(new OwnFailure(whole.number(), one.connection(), one.reason(), one.scope(), usable));
        }
        defer(portion, one.reason(), FailureReplies.LOCAL, Optional.empty());
    }

    private void defer(Delivery portion, Reply reason, String remote, Optional<QueuePhase.Code> phase) {
        outcomes.addAll(RecipientOutcome.endedIn(portion.all(new Outcome.Deferred(reason, remote)), phase));
    }

    // Recipient numbers ascend in a delivery, but portions may be answered in any order.
    private Answered answer(DeliveryResult last) {
        outcomes.sort(Comparator.comparingInt(RecipientOutcome::number));
        return new Answered(whole.number(), last.connection(), outcomes, usable);
    }
}
