package org.slipstream.qmgr.settle;

import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.ReportKind;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.message.Activation;

import java.util.List;
import java.util.Optional;

/// Decides the next step of an idle message at the end of its activation.
///
/// The order of the checks is the rule. An operator's order comes first. Then age: deferred
/// recipients past their lifetime fail (PF-30, ZM-35, ZM-36). Then reports: failures are reported
/// before the message is removed, so that a crash repeats a report rather than loses it. While
/// recipients are open, failures are collected for one report ([PendingReports], ZM-41). Mail of
/// the null sender never causes a report to its sender (RFC 5321 section 4.5.5). Then the rest:
/// open recipients wait for the next attempt, and a message without any is removed.
///
/// A message whose recipients were not all found in the spool counts as open. The next attempt
/// examines it again, so a wrong count never removes it.
public final class Settlement {
    public static final String SENT = "sent";
    public static final String BOUNCED = "bounced";
    public static final String DELETED = QmgrOrder.Remove.DELETED;
    public static final String UNRETURNABLE = "failed; no report to the null sender";

    private final RetrySchedule retrySchedule;
    private ReportRules reportRules;

    Settlement(RetrySchedule retrySchedule, ReportRules reportRules) {
        this.retrySchedule = retrySchedule;
        this.reportRules = reportRules;
    }

    void change(ReportRules rules) {
        reportRules = rules;
    }

    ReportRules reportRules() {
        return reportRules;
    }

    sealed interface Next {
        /// The message is not idle.
        record Wait() implements Next {}

        /// The spool no longer has the message.
        record Forget() implements Next {}

        /// These deferred recipients have expired.
        record Expire(List<RecipientOutcome> failures) implements Next {}

        record Report(ReportKind kind) implements Next {}

        record PutBack(long nextAttemptMillis) implements Next {}

        /// The message leaves the active set with this order.
        record File(QmgrOrder.FilingOrder order) implements Next {}

        record MoveOut(long nextAttemptMillis) implements Next {}
    }

    /// The order to the spool that carries out an operator's order for a message outside the active set.
    static QmgrOrder.FilingOrder filing(QueueId id, MessageOrder order, long nowMillis) {
        return switch (order) {
            case MessageOrder.Flush _,MessageOrder.Reroute _ -> QmgrOrder.MakeDue.of(id, nowMillis);
            case MessageOrder.Bounce _,MessageOrder.Expire _ -> new QmgrOrder.TakeUp(id, nowMillis);
            case MessageOrder.Release _,MessageOrder.Requeue _ -> new QmgrOrder.SetHold(id, false);
            case MessageOrder.Hold _ -> new QmgrOrder.SetHold(id, true);
            case MessageOrder.Delete _ -> new QmgrOrder.Remove(id, DELETED);
            case MessageOrder.Priority _,MessageOrder.Move _ ->
                throw new IllegalArgumentException("no filing: " + order);
        };
    }

    Next next(Activation message, long nowMillis) {
        if (!message.isIdle()) {
            return new Next.Wait();
        }
        if (message.isDamaged()) {
            return new Next.Forget();
        }
        Optional<MessageOrder> order = message.order();
        if (order.isEmpty()) {
            return byRules(message, nowMillis);
        }
        return switch (order.get()) {
            case MessageOrder.Delete delete -> new Next.File(filing(message.id, delete, nowMillis));
            case MessageOrder.Move _ -> movedOut(message, byRules(message, nowMillis), nowMillis);
            case MessageOrder.Flush _,MessageOrder.Priority _ -> byRules(message, nowMillis);
            case MessageOrder.Hold _,MessageOrder.Release _,MessageOrder.Requeue _,MessageOrder.Reroute _,MessageOrder.Bounce _,MessageOrder.Expire _ ->
                message.hasOpen()
                        ? new Next.File(filing(message.id, order.get(), nowMillis))
                        : byRules(message, nowMillis);
        };
    }

    // Recipients that were not tried here are tried there at once.
    private static Next movedOut(Activation message, Next next, long nowMillis) {
        return next instanceof Next.PutBack(long nextMillis)
                ? new Next.MoveOut(message.hasUntried() ? nowMillis : nextMillis)
                : next;
    }

    private Next byRules(Activation message, long nowMillis) {
        List<Activation.DeferredRecipient> expired = retrySchedule.expired(message, nowMillis);
        if (!expired.isEmpty()) {
            return new Next.Expire(expired.stream().map(d -> new RecipientOutcome(d.recipient().number(),
                    RetrySchedule.expired(d.outcome(), message.createdMillis, nowMillis))).toList());
        }
        if (message.options.isTooLate(nowMillis) && !message.deferred().isEmpty()) {
            return new Next.Expire(message.deferred().stream().map(d -> new RecipientOutcome(d.recipient().number(),
                    RetrySchedule.tooLate("; last reply: " + d.outcome().reply(), d.outcome().remote()))).toList());
        }
        Optional<ReportKind> report = reportRules.due(message, retrySchedule, nowMillis);
        if (report.isPresent()) {
            return new Next.Report(report.get());
        }
        if (message.hasOpen() || reportRules.tellsFailure(message)) {
            return new Next.PutBack(nextAttemptMillis(message, nowMillis));
        }
        return new Next.File(new QmgrOrder.Remove(message.id,
                message.isReported() ? BOUNCED : message.failed() > 0 ? UNRETURNABLE : SENT));
    }

    // A DELIVERBY deadline triggers its report when it passes, not at the next attempt. Mail for a
    // suspended host is tried when the suspension ends.
    private long nextAttemptMillis(Activation message, long nowMillis) {
        long next = Math.min(retrySchedule.nextAttemptMillis(message, nowMillis),
                Math.max(message.resumesMillis(), nowMillis));
        return message.options.deliverBy().map(DeliveryOptions.DeliverBy::deadlineMillis)
                .filter(deadline -> deadline > nowMillis).map(deadline -> Math.min(next, deadline)).orElse(next);
    }
}
