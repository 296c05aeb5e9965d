package org.slipstream.qmgr.message;

import org.slipstream.core.Address;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.Instructions;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.core.queue.ReportKind;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.sched.Message;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// One activation of a message: its state from entering the active set to leaving it. It records
/// the outcomes so far and what is in progress; [org.slipstream.qmgr.settle.Settlement] derives the
/// next step from it.
///
/// **Transitions**, by state and call. A refused call is a programming error and throws; an answer
/// without its order is an [ImpossibleEventException].
///
/// | State | progress | route | order | damage | report | reportAnswered | leave |
/// |---|---|---|---|---|---|---|---|
/// | Open | Open | Open | Leaving | Leaving | Reporting | refused | Left |
/// | Leaving | Leaving | refused | Leaving | Leaving | Reporting | refused | Left |
/// | Reporting | refused | refused | Reporting | refused | refused | Open or Leaving | refused |
/// | Left | refused | refused | refused | refused | refused | refused | refused |
///
/// *Progress* is `read`, `routeAnswered`, `record`, `recorded` and `leaveOpen`; *route* is
/// `routeRequested` and `addRouted`. A report and the end require that nothing is in progress
/// ([#isIdle]), and each kind of report comes once.
public final class Activation {
    /// Each state permits fewer calls than the one before it.
    enum ActivationState {
        /// Its recipients are read, routed and delivered.
        OPEN,
        /// An operator's order or damage ends the activation: no new delivery starts.
        LEAVING,
        /// A report is under way, and nothing else.
        REPORTING,
        /// It is no longer active.
        LEFT
    }

    private static final int MOST_ROUTED_AGAIN = 1_000;

    public final QueueId id;
    public final Optional<Address> sender;
    /// Start of the message's lifetime.
    public final long createdMillis;
    public final DeliveryOptions options;
    public final int delayReports;

    /// On hold longer than its lifetime: its recipients fail without an attempt.
    public final boolean heldTooLong;

    /// An operator returns the message, or sends it to another next hop.
    public final Instructions instructions;

    /// Attempts that earlier activations counted.
    private final int attemptsBefore;

    /// The message as the scheduler sees it.
    public final Message work;

    /// Open recipients according to the spool that were not read; a smaller number read is not the
    /// end of the list.
    private int unread;

    /// Time at which recipients last entered the scheduler.
    public long placedMillis;

    /// A recipient with its route.
    public record Routed(Recipient recipient, Route route) {}

    /// Routed recipients that are not yet in the scheduler.
    private List<Routed> routed = List.of();

    /// Domains with a pending route request, and the time of the first of these requests.
    private List<String> pendingDomains = List.of();
    private long routeRequestedMillis;

    /// Entries that got another route, in this activation.
    private int routedAgain;

    /// Unanswered `RecordOutcome` orders.
    private int recording;

    /// Failed recipients that no report covers yet, including earlier activations.
    private int failed;
    private long failedSinceMillis;

    /// A deferred recipient with its outcome.
    ///
    /// @param bounds of its destination
    public record DeferredRecipient(Recipient recipient, Outcome outcome, RetryBounds bounds) {}

    /// Deferred in this activation, with the latest outcome.
    private List<DeferredRecipient> deferred = List.of();

    /// This activation counts an attempt.
    private boolean attempted;
    private long resumesMillis = Long.MAX_VALUE;

    /// Open recipients remain without an outcome: withdrawn, or never read.
    private boolean leftOpen;

    /// The reports that were ordered, the one under way, and whether the sender knows of failures.
    private Set<ReportKind> triedReports = Collections.emptySet();
    private Optional<ReportKind> reporting = Optional.empty();
    private boolean reported;

    /// The spool found the message corrupt; it is dropped as soon as it is idle.
    private boolean damaged;

    /// The order of an operator that applies; empty when there is none.
    private Optional<MessageOrder> order;
    private boolean left;

    /// @param failedSinceMillis time of the first failure without a report, 0 when it is not known
    public Activation(MessageSummary summary, Message work, long failedSinceMillis) {
        this.id = summary.id();
        this.sender = summary.sender();
        this.createdMillis = summary.releaseMillis();
        this.options = summary.options();
        this.delayReports = summary.delayReports();
        this.heldTooLong = summary.held();
        this.instructions = summary.instructions();
        this.attemptsBefore = summary.attempts();
        this.unread = summary.open();
        this.failed = summary.failed();
        this.failedSinceMillis = failedSinceMillis;
        this.work = work;
        // An order from before a restart.
        this.order = summary.instructions().isDeleted() ? Optional.of(new MessageOrder.Delete()) : Optional.empty();
    }

    ActivationState state() {
        if (left) {
            return ActivationState.LEFT;
        }
        if (isReporting()) {
            return ActivationState.REPORTING;
        }
        return isLeaving() ? ActivationState.LEAVING : ActivationState.OPEN;
    }

    private void require(ActivationState latest, String call) {
        require(state().compareTo(latest) <= 0, call);
    }

    private void require(boolean permitted, String call) {
        if (!permitted) {
            throw new IllegalStateException("queue=" + id + " is " + state() + ": no " + call);
        }
    }

    // ---- recipients. Most messages have no list most of the time, so the lists are created on demand.

    /// A batch of recipients was read.
    public void read(int recipients) {
        require(ActivationState.LEAVING, "read");
        unread -= recipients;
    }

    public void routeRequested(String domain, long nowMillis) {
        require(ActivationState.OPEN, "route request");
        if (pendingDomains.isEmpty()) {
            pendingDomains = new ArrayList<>(1);
            routeRequestedMillis = nowMillis;
        }
        pendingDomains.add(domain);
    }

    /// True when no other route request is pending.
    public boolean routeAnswered(String domain) {
        require(ActivationState.LEAVING, "answer to a route request");
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

    public void addRouted(Recipient recipient, Route route) {
        require(ActivationState.OPEN, "routed recipient");
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

    /// False when no new delivery may start, and after many routes: a mistake outside must not route a message
    /// again and again.
    public boolean mayRouteAgain() {
        return !isLeaving() && routedAgain < MOST_ROUTED_AGAIN;
    }

    public void routedAgain() {
        routedAgain++;
    }

    /// Recipients stay open without an outcome in this activation.
    public void leaveOpen() {
        require(ActivationState.LEAVING, "open recipient");
        leftOpen = true;
    }

    // ---- outcomes

    /// A `RecordOutcome` order is given.
    ///
    /// @param tried a remote system decided the outcomes
    /// @return true when it counts an attempt: the first one of this activation that was deferred
    public boolean record(List<Recipient> recipients, List<RecipientOutcome> outcomes, boolean tried,
            RetryBounds bounds, long nowMillis) {
        require(ActivationState.LEAVING, "outcome");
        boolean attempt = false;
        for (int i = 0; i < outcomes.size(); i++) {
            Outcome outcome = outcomes.get(i).outcome();
            switch (outcome) {
                case Outcome.Delivered _ -> {
                    // Finished.
                }
                case Outcome.Deferred _ -> {
                    deferred = deferred.isEmpty() ? new ArrayList<>(1) : deferred;
                    deferred.add(new DeferredRecipient(recipients.get(i), outcome, bounds));
                    attempt = tried && !attempted;
                }
                case Outcome.Failed _ -> {
                    failedSinceMillis = failed == 0 ? nowMillis : failedSinceMillis;
                    failed++;
                }
            }
        }
        recording++;
        attempted |= attempt;
        return attempt;
    }

    /// The spool confirmed one record.
    public void recorded() {
        if (recording == 0) {
            throw new ImpossibleEventException("queue=" + id + " has no unconfirmed outcome", id);
        }
        recording--;
    }

    public List<DeferredRecipient> deferred() {
        return Collections.unmodifiableList(deferred);
    }

    /// Takes out the recipients with these outcomes, which are in the order of [#deferred].
    public List<DeferredRecipient> takeDeferred(List<RecipientOutcome> outcomes) {
        List<DeferredRecipient> taken = new ArrayList<>(outcomes.size());
        List<DeferredRecipient> rest = new ArrayList<>();
        for (DeferredRecipient each : deferred) {
            boolean next = taken.size() < outcomes.size()
                    && outcomes.get(taken.size()).number() == each.recipient().number();
            (next ? taken : rest).add(each);
        }
        deferred = rest;
        return taken;
    }

    /// A suspension that this message waits for ends at this time, or has ended.
    public void resumesBy(long millis) {
        resumesMillis = Math.min(resumesMillis, millis);
    }

    /// End of the earliest suspension that this message waits for.
    public long resumesMillis() {
        return resumesMillis;
    }

    /// Failed recipients that no report covers yet.
    public int failed() {
        return failed;
    }

    /// Time of the first of them; 0 when it is not known.
    public long failedSinceMillis() {
        return failedSinceMillis;
    }

    /// True when this activation counts an attempt.
    public boolean isAttempted() {
        return attempted;
    }

    /// True when an earlier activation counted an attempt.
    public boolean wasAttemptedBefore() {
        return attemptsBefore > 0;
    }

    /// Attempts so far, with this activation.
    public int attempts() {
        return attemptsBefore + (attempted ? 1 : 0);
    }

    /// True when this or an earlier activation counted an attempt.
    public boolean hasBeenTried() {
        return attempts() > 0;
    }

    public boolean hasOpen() {
        return hasUntried() || !deferred.isEmpty();
    }

    /// Open recipients remain that have no outcome in this activation.
    public boolean hasUntried() {
        return leftOpen || unread > 0;
    }

    // ---- reports

    /// A `Notify` order is given.
    public void report(ReportKind kind) {
        require(!left && isIdle() && !triedReports.contains(kind), "report " + kind);
        triedReports = triedReports.isEmpty() ? EnumSet.of(kind) : triedReports;
        triedReports.add(kind);
        reporting = Optional.of(kind);
    }

    public void reportAnswered(QmgrEvent.Notified answer) {
        if (!reporting.equals(Optional.of(answer.order().kind()))) {
            throw new ImpossibleEventException("unexpected event: " + answer, id);
        }
        reporting = Optional.empty();
        if (answer.done() && answer.order().kind().about == RecipientStatus.FAILED) {
            failed = 0;
            reported = true;
        }
    }

    public boolean isReporting() {
        return reporting.isPresent();
    }

    public boolean hasTriedReport(ReportKind kind) {
        return triedReports.contains(kind);
    }

    public boolean isReported() {
        return reported;
    }

    // ---- the end

    public void order(MessageOrder later) {
        require(ActivationState.REPORTING, "order");
        order = Optional.of(order.map(earlier -> earlier.then(later)).orElse(later));
    }

    public Optional<MessageOrder> order() {
        return order;
    }

    /// The spool found the message corrupt.
    public void damage() {
        require(ActivationState.LEAVING, "damage");
        damaged = true;
    }

    public boolean isDamaged() {
        return damaged;
    }

    /// True when no new delivery starts; running deliveries finish.
    public boolean isLeaving() {
        return damaged || order.isPresent();
    }

    /// True when nothing of the message is in progress.
    public boolean isIdle() {
        return work.isExhausted() && recording == 0 && !isReporting();
    }

    void leave() {
        require(!left && isIdle(), "end");
        left = true;
    }
}
