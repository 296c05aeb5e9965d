package org.slipstream.qmgr;

import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.List;

/// What comes next for a message of which nothing is under way: the end of each activation, as one decision.
///
/// The order of the questions is the rule. What an operator said comes first. Then age: what was deferred and is too old
/// fails (PF-30, ZM-35, ZM-36). Then the sender: failures are reported before the message is put back or removed, so that a crash
/// repeats a report rather than loses it; mail of the null sender is never reported on (RFC 5321 section 4.5.5). Then the
/// rest: open recipients wait for the next attempt, and a message without any is removed.
///
/// A message whose recipients were not all found in the spool counts as open. It is looked at again later rather than
/// removed on a miscount.
final class Settlement {
    static final String SENT = "sent";
    static final String BOUNCED = "bounced";
    static final String DELETED = "deleted";
    static final String UNRETURNABLE = "failed; the null sender is not told";

    private final RetrySchedule patience;

    Settlement(RetrySchedule patience) {
        this.patience = patience;
    }

    sealed interface Next {
        /// Something is under way.
        record Wait() implements Next {}

        /// It is no longer ours.
        record Forget() implements Next {}

        /// These recipients have waited for too long.
        record Expire(List<RecipientOutcome> failures) implements Next {}

        record Report(QmgrOrder.NoticeKind kind) implements Next {}

        record PutBack(long nextAttemptMillis) implements Next {}

        record Hold() implements Next {}

        record Release() implements Next {}

        record Finish(String reason) implements Next {}
    }

    Next next(Activation message, long nowMillis) {
        if (!message.isAtRest()) {
            return new Next.Wait();
        }
        if (message.damaged) {
            return new Next.Forget();
        }
        return switch (message.request) {
            case DELETE -> new Next.Finish(DELETED);
            case HOLD -> message.hasOpen() ? new Next.Hold() : ofItself(message, nowMillis);
            case RELEASE -> message.hasOpen() ? new Next.Release() : ofItself(message, nowMillis);
            case FLUSH, NONE -> ofItself(message, nowMillis);
        };
    }

    private Next ofItself(Activation message, long nowMillis) {
        boolean expired = patience.isExpired(message.nullSender, message.hasBeenTried(), message.createdMillis,
                nowMillis);
        if (expired && !message.late().isEmpty()) {
            return new Next.Expire(message.late().stream().map(d -> new RecipientOutcome(d.recipient().number(),
                    patience.expired(d.outcome(), message.createdMillis, nowMillis))).toList());
        }
        if (message.options.isTooLate(nowMillis) && !message.late().isEmpty()) {
            return new Next.Expire(message.late().stream().map(d -> new RecipientOutcome(d.recipient().number(),
                    RetrySchedule.tooLate("; last reply: " + d.outcome().reply(), d.outcome().remote()))).toList());
        }
        boolean tellFailure = message.failed > 0 && !message.nullSender;
        if (tellFailure && !message.failureReportTried) {
            return new Next.Report(QmgrOrder.NoticeKind.FAILED);
        }
        if (message.hasOpen() && owesDelayNotice(message, nowMillis)) {
            return new Next.Report(QmgrOrder.NoticeKind.DELAYED);
        }
        if (message.hasOpen() || tellFailure) {
            return new Next.PutBack(nextAttemptMillis(message, nowMillis));
        }
        return new Next.Finish(message.reported ? BOUNCED : message.failed > 0 ? UNRETURNABLE : SENT);
    }

    // The sender is to hear of a deadline when it passes, not at the attempt after it. Mail for a suspended host is tried when the suspension
    // ends.
    private long nextAttemptMillis(Activation message, long nowMillis) {
        boolean first = message.attempted && !message.attemptedBefore;
        long scheduled = first
                ? patience.secondAttemptMillis(nowMillis)
                : patience.nextAttemptMillis(message.createdMillis, nowMillis);
        long next = Math.min(scheduled, Math.max(message.resumesMillis, nowMillis));
        return message.options.deliverBy().map(DeliveryOptions.DeliverBy::deadlineMillis)
                .filter(deadline -> deadline > nowMillis).map(deadline -> Math.min(next, deadline)).orElse(next);
    }

    private boolean owesDelayNotice(Activation message, long nowMillis) {
        return !message.nullSender && !message.delayNotified && !message.delayReportTried
                && (patience.isLate(message.createdMillis, nowMillis) || message.options.isLate(nowMillis));
    }
}
