package org.slipstream.qmgr.message;

import org.slipstream.core.Address;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.Instructions;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.sched.Message;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/// One activation of a message: its state from entering the active set to leaving it. It records
/// the outcomes so far and what is in progress.
///
/// Plain data of the queue manager's thread; [org.slipstream.qmgr.settle.Settlement] derives the next step from it.
public final class Activation {
    public final QueueId id;
    public final boolean nullSender;
    public final Optional<Address> sender;
    /// Start of the message's lifetime.
    public final long createdMillis;
    public final DeliveryOptions options;
    public final int delayReports;
    /// Deferred at least once, so a scan of the deferred queue found it.
    final boolean tried;

    /// On hold longer than its lifetime: its recipients fail without an attempt.
    public final boolean heldTooLong;

    /// An operator returns the message, or sends it to another next hop.
    public final Instructions instructions;

    /// An earlier activation counted an attempt.
    public final boolean attemptedBefore;

    /// Attempts that earlier activations counted.
    private final int attemptsBefore;

    /// Open recipients according to the spool; a smaller number read is not the end of the list.
    final int expectedOpen;

    /// The message as the scheduler sees it.
    public final Message work;

    public int recipientsRead;

    /// Time at which recipients last entered the scheduler.
    public long placedMillis;

    /// A recipient with its route.
    public record Routed(Recipient recipient, Route route) {}

    /// Routed recipients that are not yet in the scheduler.
    private List<Routed> routed = List.of();

    /// Domains with a pending route request, and the time of the first of these requests.
    private List<String> pendingDomains = List.of();
    private long routeRequestedMillis;

    /// Unanswered `RecordOutcome` orders.
    public int recording;

    /// Failed recipients that no report covers yet, including earlier activations.
    public int failed;

    /// Time of the first of them; 0 when it is not known.
    public long failedSinceMillis;

    /// A deferred recipient with its outcome.
    ///
    /// @param bounds of its destination
    public record DeferredRecipient(Recipient recipient, Outcome outcome, RetryBounds bounds) {}

    /// Deferred in this activation, with the latest outcome.
    private List<DeferredRecipient> deferred = List.of();

    /// Counted by [org.slipstream.qmgr.settle.OutcomeTexts], and the reply that was counted last.
    public long textOctets;
    public Optional<Reply> countedReply = Optional.empty();

    /// This activation counts an attempt.
    public boolean attempted;

    /// End of the earliest suspension that this message waits for.
    public long resumesMillis = Long.MAX_VALUE;

    /// Open recipients remain without an outcome: withdrawn, or never read.
    public boolean leftOpen;

    /// A `Notify` order is unanswered.
    public boolean reporting;

    /// The kinds of reports that were ordered, as bits: one number is smaller than a set for each message.
    public int triedReports;
    public boolean reported;

    /// The spool found the message corrupt; it is dropped as soon as it is idle.
    public boolean damaged;

    /// The order of an operator that applies; empty when there is none.
    private Optional<MessageOrder> order;

    public Activation(MessageSummary summary, Message work) {
        this.id = summary.id();
        this.nullSender = summary.sender().isEmpty();
        this.sender = summary.sender();
        this.createdMillis = summary.releaseMillis();
        this.options = summary.options();
        this.delayReports = summary.delayReports();
        this.tried = summary.attempts() > 0;
        this.heldTooLong = summary.held();
        this.instructions = summary.instructions();
        this.attemptedBefore = summary.attempts() > 0;
        this.attemptsBefore = summary.attempts();
        this.expectedOpen = summary.open();
        this.failed = summary.failed();
        this.work = work;
        // An order from before a restart.
        this.order = summary.instructions().isDeleted() ? Optional.of(new MessageOrder.Delete()) : Optional.empty();
    }

    // Most messages have neither list most of the time, so the lists are created on demand.

    public void addRouted(Recipient recipient, Route route) {
        routed = routed.isEmpty() ? new ArrayList<>(1) : routed;
        routed.add(new Routed(recipient, route));
    }

    public boolean hasRouted() {
        return !routed.isEmpty();
    }

    public List<Routed> takeRouted() {
        List<Routed> taken = routed;
        routed = List.of();
        return taken;
    }

    public void routeRequested(String domain, long nowMillis) {
        if (pendingDomains.isEmpty()) {
            pendingDomains = new ArrayList<>(1);
            routeRequestedMillis = nowMillis;
        }
        pendingDomains.add(domain);
    }

    /// True when no other route request is pending.
    public boolean routeAnswered(String domain) {
        pendingDomains.remove(domain);
        pendingDomains = pendingDomains.isEmpty() ? List.of() : pendingDomains;
        return pendingDomains.isEmpty();
    }

    public List<String> pendingDomains() {
        return Collections.unmodifiableList(pendingDomains);
    }

    public long routeRequestedMillis() {
        return routeRequestedMillis;
    }

    public void addDeferred(Recipient recipient, Outcome outcome, RetryBounds bounds) {
        deferred = deferred.isEmpty() ? new ArrayList<>(1) : deferred;
        deferred.add(new DeferredRecipient(recipient, outcome, bounds));
    }

    public void addFailed(long nowMillis) {
        failedSinceMillis = failed == 0 ? nowMillis : failedSinceMillis;
        failed++;
    }

    public List<DeferredRecipient> deferred() {
        return Collections.unmodifiableList(deferred);
    }

    /// Takes out the recipients with these outcomes, which are in the order of [#deferred].
    public List<DeferredRecipient> takeDeferred(List<RecipientOutcome> outcomes) {
        List<DeferredRecipient> taken = new ArrayList<>(outcomes.size());
        List<DeferredRecipient> left = new ArrayList<>();
        for (DeferredRecipient each : deferred) {
            boolean next = taken.size() < outcomes.size()
                    && outcomes.get(taken.size()).number() == each.recipient().number();
            (next ? taken : left).add(each);
        }
        deferred = left;
        return taken;
    }

    public void order(MessageOrder later) {
        order = Optional.of(order.map(earlier -> earlier.then(later)).orElse(later));
    }

    public Optional<MessageOrder> order() {
        return order;
    }

    /// Attempts so far, with this activation.
    public int attempts() {
        return attemptsBefore + (attempted ? 1 : 0);
    }

    /// True when this or an earlier activation counted an attempt.
    public boolean hasBeenTried() {
        return attempted || attemptedBefore;
    }

    /// True when no new delivery starts; running deliveries finish.
    public boolean isLeaving() {
        return damaged || order.isPresent();
    }

    /// True when nothing of the message is in progress.
    public boolean isIdle() {
        return work.isExhausted() && recording == 0 && !reporting;
    }

    public boolean hasOpen() {
        return hasUntried() || !deferred.isEmpty();
    }

    /// Open recipients remain that have no outcome in this activation.
    public boolean hasUntried() {
        return leftOpen || recipientsRead < expectedOpen;
    }
}
