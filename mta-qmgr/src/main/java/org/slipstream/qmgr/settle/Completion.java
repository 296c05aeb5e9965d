package org.slipstream.qmgr.settle;

import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.QueueName;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.ReportKind;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.event.QmgrOrder.Result;
import org.slipstream.qmgr.message.Activation;
import org.slipstream.qmgr.message.ActiveSet;
import org.slipstream.qmgr.message.RetryBounds;
import org.slipstream.qmgr.message.StepContext;
import org.slipstream.qmgr.sched.Scheduler;
import org.slipstream.qmgr.settings.QmgrConfig;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// Executes the end of an activation, one step of [Settlement] at a time. A message leaves the
/// active set with its last order, and stays known in [PendingFilings] until the spool confirms it.
///
/// Each step is an order with an answer, and the answer triggers the next step: expired recipients
/// are recorded as failed, then the sender gets a report, then the message is deferred, set on hold
/// or removed.
public final class Completion {
    private final StepContext step;
    private final Settlement settlement;
    private final Scheduler scheduler;
    private final ActiveSet active;
    private final Outcomes outcomes;
    private final Scans scans;
    private final FailedMessages failedMessages;
    private final Deferrals deferrals;
    private final PendingFilings pendingFilings = new PendingFilings();
    private final Moves moves = new Moves();
    private final Tickets tickets;
    private final PendingReports pendingReports = new PendingReports();
    private int reportsUnderWay;

    /// Is told of each message that is deferred.
    @FunctionalInterface
    public interface Deferrals {
        void deferred(Activation message, long nextMillis);
    }

    public Completion(QmgrConfig config, StepContext step, RetrySchedule retrySchedule, Scheduler scheduler,
            ActiveSet active, Outcomes outcomes, Scans scans, FailedMessages failedMessages, Deferrals deferrals) {
        this.step = step;
        this.settlement = new Settlement(retrySchedule, ReportRules.of(config));
        this.scheduler = scheduler;
        this.active = active;
        this.outcomes = outcomes;
        this.scans = scans;
        this.failedMessages = failedMessages;
        this.deferrals = deferrals;
        this.tickets = new Tickets(step);
    }

    public void change(QmgrConfig settings) {
        settlement.change(ReportRules.of(settings));
    }

    public PendingFilings pendingFilings() {
        return pendingFilings;
    }

    public Moves moves() {
        return moves;
    }

    public Tickets tickets() {
        return tickets;
    }

    public boolean isQuiet() {
        return outcomes.isQuiet() && reportsUnderWay == 0 && pendingReports.isQuiet() && pendingFilings.isEmpty();
    }

    /// Executes the next step of a message that is idle.
    public void settle(Activation message) {
        switch (next(message)) {
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
            case Settlement.Next.Report(ReportKind kind) -> report(message, kind);
            case Settlement.Next.PutBack(long nextMillis) -> {
                scans.dueAt(QueueName.DEFERRED, nextMillis);
                deferrals.deferred(message, nextMillis);
                reportLater(message);
                file(message, new QmgrOrder.Defer(message.id, nextMillis));
            }
            case Settlement.Next.File(QmgrOrder.FilingOrder order) -> file(message, order);
            case Settlement.Next.MoveOut(long nextMillis) -> moveOut(message, nextMillis);
        }
    }

    /// The spool confirmed one record of this message.
    public void recorded(QueueId id) {
        Activation message = active.known(id);
        outcomes.recorded(message);
        settle(message);
    }

    private Settlement.Next next(Activation message) {
        step.handles(message.id);
        try {
            return settlement.next(message, step.nowMillis());
        } catch (RuntimeException failure) {
            failedMessages.tell(message, failure);
            return new Settlement.Next.File(new QmgrOrder.SetHold(message.id, true));
        }
    }

    private void report(Activation message, ReportKind kind) {
        message.report(kind);
        reportsUnderWay++;
        step.order(new QmgrOrder.Notify(message.id, kind));
    }

    // A message whose failures were collected, or whose report failed just now.
    private void reportLater(Activation message) {
        ReportRules reportRules = settlement.reportRules();
        if (reportRules.tellsFailure(message) && reportRules.collects(message, step.nowMillis())) {
            pendingReports.add(message.id, message.failedSinceMillis(),
                    pendingReports.isFull() ? step.nowMillis() : reportRules.dueMillis(message));
        }
    }

    /// The message becomes active: its failures are reported from there.
    ///
    /// @return the time of the first one without a report, 0 when it is not known
    public long takeFailures(QueueId id) {
        return pendingReports.take(id);
    }

    public long nextReportMillis() {
        return pendingReports.nextMillis();
    }

    /// Reports collected failures that are due. A message that is being filed waits for that.
    public void timePasses() {
        for (QueueId id : pendingReports.due(step.nowMillis(), pendingFilings::contains)) {
            step.order(new QmgrOrder.Notify(id, ReportKind.FAILED, true));
        }
    }

    /// @return false when the answer is about no active message
    public boolean notified(QmgrEvent.Notified notified) {
        if (notified.order().collected()) {
            if (!pendingReports.answered(notified.id())) {
                throw new ImpossibleEventException("unexpected event: " + notified, notified.id());
            }
            // After a local failure the next attempt reports: the spool still counts the failures.
            return false;
        }
        Activation message = active.known(notified.id());
        message.reportAnswered(notified);
        reportsUnderWay--;
        settle(message);
        return true;
    }

    private void leaveActive(Activation message) {
        active.leave(message);
        outcomes.forget(message);
        scheduler.forget(message.work);
    }

    private void file(Activation message, QmgrOrder.FilingOrder order) {
        leaveActive(message);
        begin(message.id, order);
    }

    private void begin(QueueId id, QmgrOrder.FilingOrder order) {
        pendingFilings.begin(id, order);
        step.order(order);
    }

    // ---- messages outside the active set

    public void filed(Optional<QueueId> id) {
        if (id.isEmpty()) {
            scans.now();
            return;
        }
        PendingFilings.Filing filing = pendingFilings.done(id.get());
        pendingReports.again(id.get());
        switch (filing.order()) {
            case QmgrOrder.SetHold(_, boolean held) when held -> {
                // Nothing is due because of it.
            }
            case QmgrOrder.SetHold _,QmgrOrder.TakeUp _,QmgrOrder.MakeDue _ -> scans.now();
            case QmgrOrder.Defer _,QmgrOrder.Remove _ -> {
                // Nothing is due because of it.
            }
            case QmgrOrder.MoveOut _ ->
                throw new ImpossibleEventException("queue=" + id.get() + " is being moved", id.get());
        }
        if (filing.next().isEmpty()) {
            tickets.filed(id.get());
        } else {
            if (filing.next().get() instanceof MessageOrder.Move) {
                tickets.filedBeforeMove(id.get());
            }
            fulfil(id.get(), filing.next().get());
        }
    }

    /// Executes an operator's order for a message outside the active set.
    public void fulfil(QueueId id, MessageOrder order) {
        if (order instanceof MessageOrder.Move) {
            moveOut(id, OptionalLong.empty());
        } else {
            fileOutside(id, Settlement.filing(id, order, step.nowMillis()));
        }
    }

    // ---- moves to another shard

    private void moveOut(Activation message, long nextMillis) {
        if (mustStay(message.id)) {
            moves.postpone(message.id);
        } else {
            leaveActive(message);
            beginMove(message.id, OptionalLong.of(nextMillis));
        }
    }

    /// Moves a message outside the active set.
    ///
    /// @param dueMillis its next attempt, when the spool has another time
    public void moveOut(QueueId id, OptionalLong dueMillis) {
        if (mustStay(id)) {
            moves.postpone(id);
        } else {
            beginMove(id, dueMillis);
        }
    }

    // A scan under way may postpone the message on disk; a report changes its state there.
    private boolean mustStay(QueueId id) {
        return scans.isUnderWay() || pendingReports.isUnderWay(id);
    }

    private void beginMove(QueueId id, OptionalLong dueMillis) {
        moves.begin(id, dueMillis);
        begin(id, new QmgrOrder.MoveOut(id, dueMillis));
    }

    /// @return the commands that waited, to be executed here
    public List<QmgrEvent.Operator> movedOut(QmgrEvent.MovedOut event) {
        QueueId id = event.id();
        Moves.EndedMove ended = moves.ended(id);
        pendingFilings.done(id);
        pendingReports.again(id);
        if (event.moved()) {
            pendingReports.take(id);
            tickets.moved(id, Result.MOVED);
            ended.commands().forEach(each -> tickets.answer(each.ticket(), Result.MOVED));
            return List.of();
        }
        tickets.moved(id, Result.UNCHANGED);
        ended.dueMillis().ifPresent(due -> stays(id, due));
        ended.commands().stream().filter(Completion::isMove)
                .forEach(each -> tickets.answer(each.ticket(), Result.UNCHANGED));
        return ended.commands().stream().filter(each -> !isMove(each)).toList();
    }

    private static boolean isMove(QmgrEvent.Operator operator) {
        return operator.command() instanceof OperatorCommand.OfMessage(_, MessageOrder.Move _);
    }

    // It left the active set, and the spool has the time of its activation.
    private void stays(QueueId id, long dueMillis) {
        if (dueMillis <= step.nowMillis()) {
            fileOutside(id, QmgrOrder.MakeDue.of(id, step.nowMillis()));
        } else {
            scans.dueAt(QueueName.DEFERRED, dueMillis);
            fileOutside(id, new QmgrOrder.Defer(id, dueMillis));
        }
    }

    /// A message from another shard is on disk. Failures that wait there for their report are
    /// reported now.
    public void movedIn(QmgrEvent.MovedIn event) {
        MessageSummary message = event.message();
        if (message.failed() > 0 && message.sender().isPresent()) {
            pendingReports.add(message.id(), step.nowMillis(), step.nowMillis());
        }
        if (!message.held()) {
            scans.dueAt(QueueName.DEFERRED, event.nextAttemptMillis());
        }
    }

    private void fileOutside(QueueId id, QmgrOrder.FilingOrder order) {
        if (order instanceof QmgrOrder.Remove) {
            pendingReports.take(id);
        }
        begin(id, order);
    }
}
