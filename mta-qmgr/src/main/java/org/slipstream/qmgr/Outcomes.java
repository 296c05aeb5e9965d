package org.slipstream.qmgr;

import org.slipstream.core.Outcome;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.sched.Scheduler;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What became of recipients, on its way to the disk.
///
/// **An outcome counts when it is on disk.** Each is ordered to be recorded, and the message is not at rest before the answer is
/// there. A crash before that repeats a delivery; a message that was removed before that could have lost one.
///
/// **An attempt** is a stay in the active set in which a recipient was tried and deferred. A deferral without a try, because the
/// destination is dead, its host suspended or no connection free, is none.
///
/// **Every recipient has one.** A recipient without an outcome would be taken for settled and its mail lost, and one with its
/// neighbour's outcome would be given up as late after it was delivered. So whatever a delivery answers is put in the order of the
/// recipients, and who is missing is deferred.
final class Outcomes {
    /// Who says so where nobody was asked.
    static final String HERE = "local";

    private final StepContext step;
    private final Scheduler scheduler;
    private long records;
    private int underWay;

    Outcomes(StepContext step, Scheduler scheduler) {
        this.step = step;
        this.scheduler = scheduler;
    }

    boolean isQuiet() {
        return underWay == 0;
    }

    /// Recipients that are in memory and in no entry get their outcome.
    ///
    /// @param tried it comes from outside
    void conclude(Activation message, List<Recipient> recipients, Outcome outcome, boolean tried) {
        record(message, recipients, same(recipients, outcome), tried);
        scheduler.settled(message.work, recipients.size());
    }

    /// Recipients that are in memory and in no entry get none this time.
    void leaveOpen(Activation message, List<Recipient> recipients) {
        message.leftOpen |= !recipients.isEmpty();
        scheduler.settled(message.work, recipients.size());
    }

    /// What a delivery answered.
    void delivered(Activation message, List<Recipient> recipients, List<RecipientOutcome> outcomes, boolean tried) {
        record(message, recipients, aligned(recipients, outcomes), tried);
    }

    /// The outcome of recipients whose entry was taken away before anybody was asked.
    void untried(Activation message, List<Recipient> recipients, Outcome outcome) {
        record(message, recipients, same(recipients, outcome), false);
    }

    private static List<RecipientOutcome> same(List<Recipient> recipients, Outcome outcome) {
        return recipients.stream().map(r -> new RecipientOutcome(r.number(), outcome)).toList();
    }

    void record(Activation message, List<Recipient> recipients, List<RecipientOutcome> outcomes, boolean tried) {
        if (outcomes.isEmpty()) {
            return;
        }
        boolean deferred = false;
        for (int i = 0; i < outcomes.size(); i++) {
            Outcome outcome = outcomes.get(i).outcome();
            switch (outcome) {
                case Outcome.Delivered _ -> {
                    // Settled, and nothing more to say about it.
                }
                case Outcome.Deferred _ -> {
                    message.addDeferred(recipients.get(i), outcome);
                    deferred = true;
                }
                case Outcome.Failed _ -> message.failed++;
            }
        }
        message.recording++;
        underWay++;
        boolean attempt = tried && deferred && !message.attempted;
        message.attempted |= attempt;
        step.order(new QmgrOrder.RecordOutcome(message.id, ++records, recipients, outcomes, attempt));
    }

    /// It is on disk.
    void recorded(Activation message) {
        if (message.recording == 0) {
            throw new ImpossibleEventException("queue=" + message.id + " has nothing to be recorded", message.id);
        }
        message.recording--;
        underWay--;
    }

    private static List<RecipientOutcome> aligned(List<Recipient> recipients, List<RecipientOutcome> outcomes) {
        if (areAligned(recipients, outcomes)) {
            return outcomes;
        }
        Outcome unknown = new Outcome.Deferred(Reply.of(451, "4.3.0", "nothing is known of this delivery"), HERE);
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
