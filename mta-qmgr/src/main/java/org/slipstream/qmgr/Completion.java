package org.slipstream.qmgr;

import org.slipstream.core.QueueId;
import org.slipstream.core.QueueName;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.sched.Scheduler;

import java.util.List;
import java.util.Optional;

/// Executes the end of an activation, one step of [Settlement] at a time. A message leaves the
/// active set with its last order, and stays known in [PendingFilings] until the spool confirms it.
///
/// Each step is an order with an answer, and the answer triggers the next step: expired recipients
/// are recorded as failed, then the sender gets a report, then the message is deferred, set on hold
/// or removed.
final class Completion {
    private final StepContext step;
    private final Settlement settlement;
    private final Scheduler scheduler;
    private final ActiveSet active;
    private final Outcomes outcomes;
    private final Scans scans;
    private final PendingFilings pendingFilings = new PendingFilings();
    private final Tickets tickets;
    private final ReportRules reportRules;
    private final PendingReports pendingReports = new PendingReports();
    private int reportsUnderWay;

    Completion(StepContext step, Settlement settlement, ReportRules reportRules, Scheduler scheduler, ActiveSet active,
            Outcomes outcomes, Scans scans) {
        this.step = step;
        this.settlement = settlement;
        this.reportRules = reportRules;
        this.scheduler = scheduler;
        this.active = active;
        this.outcomes = outcomes;
        this.scans = scans;
        this.tickets = new Tickets(step);
    }

    PendingFilings pendingFilings() {
        return pendingFilings;
    }

    Tickets tickets() {
        return tickets;
    }

    boolean isQuiet() {
        return reportsUnderWay == 0 && pendingReports.isQuiet() && pendingFilings.isEmpty();
    }

    /// Executes the next step of a message that is idle.
    void settle(Activation message) {
        switch (settlement.next(message, step.nowMillis())) {
            case Settlement.Next.Wait _ -> {
                // The pending answer calls this method again.
            }
            case Settlement.Next.Forget _ -> {
                leaveActive(message);
                tickets.filed(message.id);
            }
            case Settlement.Next.Expire(List<RecipientOutcome> failures) -> {
                List<Recipient> recipients = message.takeDeferred(failures).stream()
                        .map(Activation.DeferredRecipient::recipient).toList();
                outcomes.record(message, recipients, failures, false, RetryBounds.NONE);
            }
            case Settlement.Next.Report(QmgrOrder.NoticeKind kind) -> report(message, kind);
            case Settlement.Next.PutBack(long nextMillis) -> {
                scans.dueAt(QueueName.DEFERRED, nextMillis);
                reportLater(message);
                file(message, PendingFilings.FilingKind.DEFER, new QmgrOrder.Defer(message.id, nextMillis));
            }
            case Settlement.Next.Hold _ ->
                file(message, PendingFilings.FilingKind.HOLD, new QmgrOrder.SetHold(message.id, true));
            case Settlement.Next.Release _ ->
                file(message, PendingFilings.FilingKind.RELEASE, new QmgrOrder.SetHold(message.id, false));
            case Settlement.Next.TakeUp _ -> file(message, PendingFilings.FilingKind.TAKE_UP,
                    new QmgrOrder.TakeUp(message.id, step.nowMillis()));
            case Settlement.Next.MakeDue _ -> file(message, PendingFilings.FilingKind.MAKE_DUE, due(message.id));
            case Settlement.Next.Finish(String reason) ->
                file(message, PendingFilings.FilingKind.REMOVE, new QmgrOrder.Remove(message.id, reason));
        }
    }

    private void report(Activation message, QmgrOrder.NoticeKind kind) {
        switch (kind) {
            case FAILED -> message.failureReportTried = true;
            case DELAYED -> message.delayReportTried = true;
            case CLEARED -> message.clearedReportTried = true;
            case COLLECTED -> throw new IllegalArgumentException("not for an active message: " + message.id);
        }
        message.reporting = true;
        reportsUnderWay++;
        step.order(new QmgrOrder.Notify(message.id, kind));
    }

    // A message whose failures were collected, or whose report failed just now.
    private void reportLater(Activation message) {
        if (reportRules.tellsFailure(message) && reportRules.collects(message, step.nowMillis())) {
            pendingReports.add(message.id, message.failedSinceMillis,
                    pendingReports.isFull() ? step.nowMillis() : reportRules.dueMillis(message));
        }
    }

    /// The message is in the active set.
    void admitted(Activation message) {
        message.failedSinceMillis = pendingReports.take(message.id);
    }

    long nextReportMillis() {
        return pendingReports.nextMillis();
    }

    /// Reports collected failures that are due.
    void timePasses() {
        for (QueueId id : pendingReports.due(step.nowMillis())) {
            step.order(new QmgrOrder.Notify(id, QmgrOrder.NoticeKind.COLLECTED));
        }
    }

    void notified(QmgrEvent.Notified notified) {
        if (notified.kind() == QmgrOrder.NoticeKind.COLLECTED) {
            if (!pendingReports.answered(notified.id())) {
                throw new ImpossibleEventException("unexpected event: " + notified, notified.id());
            }
            // After a local failure the next attempt reports: the spool still counts the failures.
            return;
        }
        Activation message = active.known(notified.id());
        if (!message.reporting) {
            throw new ImpossibleEventException("unexpected event: " + notified, message.id);
        }
        message.reporting = false;
        reportsUnderWay--;
        if (notified.done() && notified.kind() == QmgrOrder.NoticeKind.FAILED) {
            message.failed = 0;
            message.reported = true;
        }
        settle(message);
    }

    private void leaveActive(Activation message) {
        active.leave(message);
        scheduler.forget(message.work);
    }

    private void file(Activation message, PendingFilings.FilingKind kind, QmgrOrder order) {
        leaveActive(message);
        pendingFilings.begin(message.id, kind);
        step.order(order);
    }

    // ---- messages outside the active set

    void filed(Optional<QueueId> id) {
        if (id.isEmpty()) {
            scans.now();
            return;
        }
        PendingFilings.Filing filing = pendingFilings.done(id.get());
        switch (filing.kind()) {
            case RELEASE, TAKE_UP, MAKE_DUE -> scans.now();
            case DEFER, REMOVE, HOLD -> {
                // Nothing is due because of it.
            }
        }
        if (filing.next() == OperatorRequest.NONE) {
            tickets.filed(id.get());
        } else {
            fulfil(id.get(), filing.next());
        }
    }

    /// Executes an operator's request for a message outside the active set.
    void fulfil(QueueId id, OperatorRequest request) {
        switch (request) {
            case NONE -> throw new IllegalArgumentException("no command for queue=" + id);
            case FLUSH, REROUTE -> fileOutside(id, PendingFilings.FilingKind.MAKE_DUE, due(id));
            case RETURN -> fileOutside(id, PendingFilings.FilingKind.TAKE_UP,
                    new QmgrOrder.TakeUp(id, step.nowMillis()));
            case RELEASE, REQUEUE ->
                fileOutside(id, PendingFilings.FilingKind.RELEASE, new QmgrOrder.SetHold(id, false));
            case HOLD -> fileOutside(id, PendingFilings.FilingKind.HOLD, new QmgrOrder.SetHold(id, true));
            case DELETE ->
                fileOutside(id, PendingFilings.FilingKind.REMOVE, new QmgrOrder.Remove(id, Settlement.DELETED));
        }
    }

    private QmgrOrder.MakeDue due(QueueId id) {
        return new QmgrOrder.MakeDue(Optional.of(id), Optional.empty(), step.nowMillis());
    }

    private void fileOutside(QueueId id, PendingFilings.FilingKind kind, QmgrOrder order) {
        pendingFilings.begin(id, kind);
        if (kind == PendingFilings.FilingKind.REMOVE) {
            pendingReports.take(id);
        }
        step.order(order);
    }
}
