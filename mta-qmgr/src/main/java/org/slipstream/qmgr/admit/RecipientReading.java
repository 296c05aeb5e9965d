package org.slipstream.qmgr.admit;

import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.message.Activation;
import org.slipstream.qmgr.message.ActiveSet;
import org.slipstream.qmgr.message.StepContext;
import org.slipstream.qmgr.sched.Scheduler;
import org.slipstream.qmgr.settle.Completion;
import org.slipstream.qmgr.settle.FailedMessages;
import org.slipstream.qmgr.settle.Outcomes;
import org.slipstream.qmgr.settle.RetrySchedule;
import org.slipstream.qmgr.settle.Returns;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Reads the recipients of active messages in batches, and decides what becomes of each batch: it is routed, or it ends
/// without an attempt.
public final class RecipientReading {
    private final StepContext step;
    private final ActiveSet active;
    private final Scheduler scheduler;
    private final Routing routing;
    private final Outcomes outcomes;
    private final RetrySchedule retrySchedule;
    private final FailedMessages failedMessages;
    private final Completion completion;

    public RecipientReading(StepContext step, ActiveSet active, Scheduler scheduler, Routing routing, Outcomes outcomes,
            RetrySchedule retrySchedule, FailedMessages failedMessages, Completion completion) {
        this.step = step;
        this.active = active;
        this.scheduler = scheduler;
        this.routing = routing;
        this.outcomes = outcomes;
        this.retrySchedule = retrySchedule;
        this.failedMessages = failedMessages;
        this.completion = completion;
    }

    public void orderReads() {
        for (var read = scheduler.nextRead(); read.isPresent(); read = scheduler.nextRead()) {
            QueueId id = read.get().message().id();
            Optional<Activation> message = active.find(id);
            step.order(new QmgrOrder.ReadRecipients(id, message.flatMap(each -> each.sender), read.get().after(),
                    read.get().limit(), Returns.needReplies(message)));
        }
    }

    public void recipientsRead(QmgrEvent.RecipientsRead read) {
        Activation message = active.reading(read.id());
        step.handles(message.id);
        message.read(read.recipients().size());
        scheduler.batchRead(message.work, read.recipients(), read.end(), step.nowMillis());
        if (message.instructions.isDeleted()) {
            scheduler.withdraw(message.work);
        }
        if (message.isLeaving()) {
            outcomes.leaveOpen(message, read.recipients());
        } else if (read.recipients().isEmpty() && !read.end()) {
            // Another read would loop. In each case the next attempt examines the message
            // again.
            message.leaveOpen();
            scheduler.withdraw(message.work);
        } else {
            nextStep(message, read).run();
        }
        completion.settle(message);
    }

    // All that the data of the message decide is computed before anything changes.
    private Runnable nextStep(Activation message, QmgrEvent.RecipientsRead read) {
        List<Recipient> recipients = read.recipients();
        try {
            if (message.instructions.ending().isPresent()) {
                List<RecipientOutcome> returned = Returns.outcomes(message.instructions.ending().get(), read,
                        message.createdMillis, step.nowMillis());
                return () -> outcomes.conclude(message, recipients, returned);
            }
            if (message.heldTooLong || message.options.isTooLate(step.nowMillis())) {
                Outcome expired = message.heldTooLong
                        ? retrySchedule.expiredUntried(message.createdMillis, step.nowMillis(), Outcome.HERE)
                        : RetrySchedule.tooLate("", Outcome.HERE);
                return () -> outcomes.conclude(message, recipients, expired, false);
            }
            Set<Integer> suppressed = read.suppressed().stream().map(RecipientOutcome::number)
                    .collect(Collectors.toCollection(TreeSet::new));
            if (suppressed.isEmpty()) {
                return way(message, recipients);
            }
            Map<Boolean, List<Recipient>> split = recipients.stream()
                    .collect(Collectors.partitioningBy(each -> suppressed.contains(each.number())));
            Runnable rest = way(message, split.getOrDefault(false, List.of()));
            return () -> {
                outcomes.conclude(message, split.getOrDefault(true, List.of()), read.suppressed());
                rest.run();
            };
        } catch (RuntimeException failure) {
            return () -> {
                routing.withdraw(message);
                failedMessages.hold(message, recipients, failure);
            };
        }
    }

    private Runnable way(Activation message, List<Recipient> recipients) {
        Optional<Route> instructed = message.instructions.route();
        if (instructed.isPresent()) {
            return () -> routing.instructed(message, recipients, instructed.get());
        }
        Map<String, List<Recipient>> questions = routing.questions(message, recipients);
        return () -> routing.find(message, questions);
    }

    public void damaged(QueueId id) {
        Activation message = active.reading(id);
        message.damage();
        routing.withdraw(message);
        scheduler.batchRead(message.work, List.of(), true, step.nowMillis());
        scheduler.withdraw(message.work);
        completion.settle(message);
    }
}
