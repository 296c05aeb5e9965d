package org.slipstream.smtpout;

import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// A parcel that goes in several transactions, because the peer takes only so many recipients in one. The house posted one parcel and
/// gets one answer, when all portions have theirs.
///
/// When the connection breaks between two portions, whoever was answered is done, and the others are deferred: a
/// parcel cannot come back in parts. Only one of which nothing was answered comes back.
///
/// For one thread at a time.
final class Split {
    final Parcel whole;
    private int left;
    private boolean answered;
    private boolean usable = true;
    private final List<RecipientOutcome> outcomes = new ArrayList<>();
    private Optional<Return> back = Optional.empty();

    /// What the house is told of the whole.
    sealed interface Answer {
        record Done(List<RecipientOutcome> outcomes, boolean usable) implements Answer {}
    }

    record Return(Reply reason, String remote, boolean mayHaveArrived, boolean siteTrouble) implements Answer {}

    Split(Parcel whole, int portions) {
        this.whole = whole;
        this.left = portions;
    }

    boolean isAnswered() {
        return answered;
    }

    Optional<Answer> done(List<RecipientOutcome> some, boolean stillUsable) {
        answered = true;
        usable &= stillUsable;
        return collect(some);
    }

    /// @param deferred the outcomes, if the whole cannot come back
    Optional<Answer> returned(Return how, List<RecipientOutcome> deferred) {
        boolean may = how.mayHaveArrived() || back.map(Return::mayHaveArrived).orElse(false);
        back = Optional.of(new Return(how.reason(), how.remote(), may, how.siteTrouble()));
        usable = false;
        return collect(deferred);
    }

    private Optional<Answer> collect(List<RecipientOutcome> some) {
        outcomes.addAll(some);
        left--;
        if (left > 0) {
            return Optional.empty();
        }
        // Numbers ascend in a parcel, and portions may have been answered in any order.
        outcomes.sort(Comparator.comparingInt(RecipientOutcome::number));
        return Optional.of(answered ? new Answer.Done(outcomes, usable) : back.orElseThrow());
    }
}
