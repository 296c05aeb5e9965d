package org.slipstream.qmgr;

import org.slipstream.core.Address;
import org.slipstream.core.HostKey;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import org.slipstream.qmgr.admit.Routing;
import org.slipstream.qmgr.admit.Suspensions;
import org.slipstream.qmgr.dest.Destinations;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.message.Activation;
import org.slipstream.qmgr.message.ActiveSet;
import org.slipstream.qmgr.message.StepContext;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Entry;
import org.slipstream.qmgr.sched.Scheduler;
import org.slipstream.qmgr.settle.Completion;
import org.slipstream.qmgr.settle.Outcomes;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/// Executes suspend and resume for mail in memory. Suspended recipients that wait are deferred
/// without an attempt; a running delivery finishes.
///
/// Mail that is not yet in an entry is deferred by [Routing], so a suspension concerns all states
/// of a message. Suspended mail is due when the suspension ends, at the latest. A resume makes due
/// exactly the mail whose last outcome is that suspension. The placement suspends hosts; the end of
/// such a suspension is the same here.
///
/// A freeze defers nothing: no delivery starts, no message is admitted, and all mail keeps its
/// place, so that a thaw costs nothing.
final class SuspendedMail {
    private final StepContext step;
    private final Suspensions suspensions;
    private final ActiveSet active;
    private final Scheduler scheduler;
    private final Destinations destinations;
    private final Outcomes outcomes;
    private final Completion completion;
    private final QmgrTrace trace;

    SuspendedMail(StepContext step, Suspensions suspensions, ActiveSet active, Scheduler scheduler,
            Destinations destinations, Outcomes outcomes, Completion completion, QmgrTrace trace) {
        this.step = step;
        this.suspensions = suspensions;
        this.active = active;
        this.scheduler = scheduler;
        this.destinations = destinations;
        this.outcomes = outcomes;
        this.completion = completion;
        this.trace = trace;
    }

    void suspend(Suspension suspension) {
        suspensions.put(suspension).ifPresent(this::wake);
        if (suspension.scope() != SuspensionScope.EVERYTHING) {
            withdraw();
        }
    }

    /// False when there is no such suspension.
    boolean resume(SuspensionScope scope, String name) {
        Optional<Suspension> ended = suspensions.remove(scope, name);
        ended.ifPresent(this::wake);
        return ended.isPresent();
    }

    // ---- the end

    private void wake(Suspension ended) {
        if (ended.scope() == SuspensionScope.EVERYTHING) {
            return;
        }
        wake(ended.reply().text(), last -> last.reply().equals(ended.reply()));
    }

    /// The suspension of a host has ended. Its mail has the host as the remote of its last outcome, because
    /// the reply has the name under which the mail's domain knows the host.
    void resumed(HostKey host) {
        wake(host.toString(), last -> last.remote().equals(host.toString()));
    }

    private void wake(String last, Predicate<Outcome> concerns) {
        step.order(QmgrOrder.MakeDue.after(last, step.nowMillis()));
        // These are not on disk yet, so the order does not find them.
        for (Activation message : active.now()) {
            if (message.deferred().stream().anyMatch(each -> concerns.test(each.outcome()))) {
                message.resumesBy(step.nowMillis());
            }
        }
    }

    // ---- the beginning

    private void withdraw() {
        Set<Activation> concerned = new LinkedHashSet<>();
        for (DestinationQueue queue : scheduler.queues().toList()) {
            List<Entry> entries = queue.entries();
            if (!entries.isEmpty()
                    && entries.stream().allMatch(each -> suspended(each).size() == each.recipients().size())) {
                scheduler.withdraw(queue).forEach(this::defer);
                destinations.dropIfDone(queue);
            } else {
                entries.stream().filter(each -> !suspended(each).isEmpty()).map(active::of).forEach(concerned::add);
            }
        }
        concerned.forEach(this::withdraw);
    }

    // A message that is suspended in part leaves memory as a whole, and its other recipients are due
    // at once.
    private void withdraw(Activation message) {
        boolean others = message.work.isPartlyUnread();
        for (Entry entry : scheduler.withdraw(message.work)) {
            others |= suspended(entry).size() < entry.recipients().size();
            defer(entry);
            destinations.dropIfDone(entry.queue());
        }
        if (others) {
            message.leaveOpen();
            message.resumesBy(step.nowMillis());
        }
        completion.settle(message);
    }

    private List<Recipient> suspended(Entry entry) {
        Optional<Address> sender = active.of(entry).sender;
        return entry.recipients().stream()
                .filter(each -> suspensions.of(sender, entry.queue(), each.address()).isPresent()).toList();
    }

    private void defer(Entry entry) {
        Activation message = active.of(entry);
        List<Recipient> recipients = suspended(entry);
        trace.deferredWithoutAttempt(message.id, entry.queue(), recipients);
        for (Recipient each : recipients) {
            Suspension suspension = suspensions.of(message.sender, entry.queue(), each.address()).orElseThrow();
            message.resumesBy(suspension.untilMillis());
            outcomes.untried(message, new ArrayList<>(List.of(each)),
                    new Outcome.Deferred(suspension.reply(), Outcome.HERE), QueuePhase.Code.SUSPENDED,
                    destinations.retryBounds(entry.queue()));
        }
    }
}
