package org.slipstream.qmgr.settle;

import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.message.Activation;
import org.slipstream.qmgr.message.DeferralReason;
import org.slipstream.qmgr.message.RetryBounds;
import org.slipstream.qmgr.message.StepContext;
import org.slipstream.qmgr.sched.Scheduler;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Records the outcomes of recipients on disk. A message is not finished before the spool has
/// confirmed all of them.
///
/// **An outcome counts when it is on disk.** A crash before that repeats a delivery; a message that
/// was removed before that could have lost one.
///
/// **An attempt** is an activation in which a recipient was tried and deferred. A deferral without
/// a try, because the destination is dead, its host suspended or no connection free, does not
/// count.
///
/// **Every recipient has exactly one outcome.** A recipient without an outcome would count as
/// finished and lose its mail; one with another recipient's outcome could be reported as expired
/// after its delivery. So the outcomes of a delivery are put in the order of the recipients, and
/// missing ones are deferred.
public final class Outcomes {
    private final StepContext step;
    private final Scheduler scheduler;
    private final OutcomeTexts texts = new OutcomeTexts();
    private long records;
    private int underWay;

    public Outcomes(StepContext step, Scheduler scheduler) {
        this.step = step;
        this.scheduler = scheduler;
    }

    boolean isQuiet() {
        return underWay == 0;
    }

    /// Records the outcome of recipients that are in memory and in no entry.
    ///
    /// @param tried a remote system decided the outcome
    public void conclude(Activation message, List<Recipient> recipients, Outcome outcome, boolean tried) {
        conclude(message, recipients, same(recipients, outcome), tried, RetryBounds.NONE);
    }

    /// @param reason for which no host was asked
    public void conclude(Activation message, List<Recipient> recipients, Outcome outcome, boolean tried,
            QueuePhase.Code reason) {
        conclude(message, recipients, RecipientOutcome.because(same(recipients, outcome), reason), tried,
                RetryBounds.NONE);
    }

    /// Defers recipients that are in memory and in no entry, without an attempt.
    ///
    /// @param bounds of the destination that deferred them
    public void conclude(Activation message, List<Recipient> recipients, DeferralReason reason, RetryBounds bounds) {
        Outcome outcome = new Outcome.Deferred(reason.reply(), Outcome.HERE);
        conclude(message, recipients, RecipientOutcome.because(same(recipients, outcome), reason.code()), false,
                bounds);
    }

    private void conclude(Activation message, List<Recipient> recipients, List<RecipientOutcome> each, boolean tried,
            RetryBounds bounds) {
        record(message, recipients, each, tried, bounds);
        scheduler.settled(message.work, recipients.size());
    }

    /// Records outcomes that no attempt decided, in the order of the recipients.
    public void conclude(Activation message, List<Recipient> recipients, List<RecipientOutcome> outcomes) {
        record(message, recipients, outcomes, false, RetryBounds.NONE);
        scheduler.settled(message.work, recipients.size());
    }

    /// Leaves recipients that are in memory and in no entry open, without an outcome in this
    /// activation.
    public void leaveOpen(Activation message, List<Recipient> recipients) {
        if (!recipients.isEmpty()) {
            message.leaveOpen();
        }
        scheduler.settled(message.work, recipients.size());
    }

    /// Records the outcomes of a delivery.
    ///
    /// @param bounds of the destination that deferred them
    public void delivered(Activation message, List<Recipient> recipients, List<RecipientOutcome> outcomes,
            boolean tried,
            RetryBounds bounds) {
        record(message, recipients, aligned(recipients, outcomes), tried, bounds);
    }

    /// Records the outcome of recipients whose entry was withdrawn before an attempt.
    ///
    /// @param bounds of the destination
    public void untried(Activation message, List<Recipient> recipients, Outcome outcome, QueuePhase.Code reason,
            RetryBounds bounds) {
        record(message, recipients, RecipientOutcome.because(same(recipients, outcome), reason), false, bounds);
    }

    private static List<RecipientOutcome> same(List<Recipient> recipients, Outcome outcome) {
        return recipients.stream().map(r -> new RecipientOutcome(r.number(), outcome)).toList();
    }

    void record(Activation message, List<Recipient> recipients, List<RecipientOutcome> all, boolean tried,
            RetryBounds bounds) {
        if (all.isEmpty()) {
            return;
        }
        List<RecipientOutcome> outcomes = texts.counted(message, all);
        boolean attempt = message.record(recipients, outcomes, tried, bounds, step.nowMillis());
        underWay++;
        step.order(new QmgrOrder.RecordOutcome(message.id, ++records, recipients, outcomes, attempt));
    }

    /// The spool confirmed one record.
    void recorded(Activation message) {
        message.recorded();
        underWay--;
    }

    /// The message leaves the active set, and all its outcomes are on disk.
    void forget(Activation message) {
        texts.forget(message);
    }

    private static List<RecipientOutcome> aligned(List<Recipient> recipients, List<RecipientOutcome> outcomes) {
        if (areAligned(recipients, outcomes)) {
            return outcomes;
        }
        Outcome unknown = new Outcome.Deferred(Reply.of(451, "4.3.0", "delivery status unknown"), Outcome.HERE);
        Map<Integer, RecipientOutcome> byNumber = new LinkedHashMap<>();
        recipients.forEach(r -> byNumber.put(r.number(), new RecipientOutcome(r.number(), unknown)));
        outcomes.forEach(outcome -> byNumber.replace(outcome.number(), outcome));
        return List.copyOf(byNumber.values());
    }

    private static boolean areAligned(List<Recipient> recipients, List<RecipientOutcome> outcomes) {
        if (recipients.size() != outcomes.size()) {
            return false;
        }
        for (int i = 0; i < outcomes.size(); i++) {
            if (recipients.get(i).number() != outcomes.get(i).number()) {
                return false;
            }
        }
        return true;
    }
}
