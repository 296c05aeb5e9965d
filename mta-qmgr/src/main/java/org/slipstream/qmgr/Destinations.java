package org.slipstream.qmgr;

import org.slipstream.core.Address;
import org.slipstream.core.Outcome;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.qmgr.QmgrTrace.FeedbackEvent;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.flow.DestinationState;
import org.slipstream.qmgr.flow.Spacing;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Message;
import org.slipstream.qmgr.sched.OrderPolicy;
import org.slipstream.qmgr.sched.Scheduler;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// Where the two halves of a destination are kept together: the line, which the order of service knows, and what deliveries
/// taught ([Destination]). Postfix calls both together the queue of a transport.
///
/// The order of service hears one figure of each destination, how many may run; every change of it passes through here. A
/// destination exists as long as something waits or runs there, or as it is dead or in a pause; then all that was learned is
/// forgotten.
final class Destinations {
    private final QmgrConfig config;
    private final Seating seating;
    private final Scheduler scheduler;
    private final QmgrTrace trace;
    private final Map<DestinationQueue, Destination> byQueue = new LinkedHashMap<>();
    /// Of the lines whose starts may have to be spread.
    private final Map<DestinationQueue, Spacing> spacings = new LinkedHashMap<>();
    private final Map<String, Reply> deadTransports = new LinkedHashMap<>();
    private final DestinationTimers timers = new DestinationTimers();

    Destinations(QmgrConfig config, Seating seating, Scheduler scheduler, QmgrTrace trace) {
        this.config = config;
        this.seating = seating;
        this.scheduler = scheduler;
        this.trace = trace;
    }

    /// The line for mail to this address by this route, made when there is none.
    DestinationQueue queue(Route route, Address address) {
        String key = scheduler.isPerRecipient(route.transport())
                ? address.mailboxKey(config.recipientDelimiter(), route.nextHop())
                : route.nextHop();
        DestinationQueue queue = scheduler.queue(route, key);
        if (!byQueue.containsKey(queue)) {
            Destination destination = new Destination(config.transport(queue.transport()).flow(config.feedback()));
            byQueue.put(queue, destination);
            if (isSpaced(queue, destination)) {
                TransportSettings settings = config.transport(queue.transport());
                spacings.put(queue, new Spacing(settings.slotCost(), settings.slotLoan()));
            }
            // A recipient's own window, and a pause after each delivery, are matters of entries.
            if (key.equals(route.nextHop()) && !destination.isRateLimited() && seating.charge(route).isPresent()) {
                queue.countConnections();
            }
            changed(queue, FeedbackEvent.NEW);
        }
        return queue;
    }

    // Where nobody may pass, nothing is won by it, and a pause after each delivery is an order of its own.
    private boolean isSpaced(DestinationQueue queue, Destination destination) {
        return config.spacedStarts() && config.policy() == OrderPolicy.PREEMPTIVE
                && config.transport(queue.transport()).slotCost() > 1 && !destination.isRateLimited();
    }

    /// Why recipients for this line are deferred without a try; empty when they may wait.
    Optional<Reply> suspension(DestinationQueue queue) {
        return byQueue.get(queue).suspension()
                .or(() -> Optional.ofNullable(deadTransports.get(queue.transport())).map(Destination::suspended));
    }

    /// The outcome of such recipients.
    Outcome suspended(DestinationQueue queue) {
        return new Outcome.Deferred(suspension(queue).orElseThrow(), Outcomes.HERE);
    }

    /// What the window is charged with at present.
    private int charge(DestinationQueue queue) {
        return queue.countsConnections() ? seating.charge(queue.route()).orElse(queue.running()) : queue.running();
    }

    // The connection of the delivery that is reported counts, though it may have become idle with it.
    private int chargeBefore(DestinationQueue queue, boolean released) {
        return queue.countsConnections() ? charge(queue) + (released ? 1 : 0) : queue.running();
    }

    /// Connections or deliveries that the window is charged with at present.
    int atWork(DestinationQueue queue) {
        return charge(queue);
    }

    /// The window has room for one more of what it counts.
    boolean mayOpen(DestinationQueue queue) {
        return charge(queue) < queue.allowed();
    }

    // ---- what deliveries tell; before their entry is taken off the line

    /// @param released its connection served this destination until then and does so no longer
    void worked(DestinationQueue queue, boolean released, long nowMillis) {
        transportWorks(queue.transport());
        good(queue, released, nowMillis);
    }

    private void good(DestinationQueue queue, boolean released, long nowMillis) {
        boolean revived = byQueue.get(queue).good(chargeBefore(queue, released) + heldBack(queue, nowMillis));
        if (revived) {
            timers.cancel(new DestinationTimers.Target.OfDestination(queue));
            seating.flush(queue.route(), Long.MAX_VALUE, nowMillis);
        }
        changed(queue, revived ? FeedbackEvent.OK_REVIVE : FeedbackEvent.OK);
    }

    /// One attempt failed and left no other host. True when that was the end of the destination. A permanent reason is the answer itself, which
    /// each entry is to get; none is to wait for better times.
    ///
    /// @param retryAfterMillis when the host wants to be asked again: lengthens the rest, never shortens it
    boolean failed(DestinationQueue queue, Reply reason, OptionalLong retryAfterMillis, long nowMillis) {
        transportWorks(queue.transport());
        Destination destination = byQueue.get(queue);
        if (reason.isPermanent() || !destination.isLive()) {
            return false;
        }
        long until = nowMillis + Math.max(config.minimalBackoffMillis(), retryAfterMillis.orElse(0));
        boolean died = destination.bad(reason, until);
        changed(queue, died ? FeedbackEvent.FAIL_DEAD : FeedbackEvent.FAIL);
        if (died) {
            timers.plan(new DestinationTimers.Target.OfDestination(queue), until);
            // Where each recipient is a destination of its own, its death says nothing about the others at that host.
            if (queue.key().equals(queue.route().nextHop())) {
                seating.dead(queue.route(), reason, until, nowMillis);
            }
        }
        return died;
    }

    /// A transport is out of order. Its lines are returned.
    List<DestinationQueue> broken(String transport, Reply reason, long nowMillis) {
        deadTransports.put(transport, reason);
        scheduler.setDead(transport, true);
        timers.plan(new DestinationTimers.Target.OfTransport(transport), nowMillis + config.transportRetryMillis());
        return scheduler.queues(transport);
    }

    private void transportWorks(String transport) {
        if (deadTransports.remove(transport) != null) {
            timers.cancel(new DestinationTimers.Target.OfTransport(transport));
            scheduler.setDead(transport, false);
        }
    }

    /// An entry of this line is done and taken off.
    void finished(DestinationQueue queue, long nowMillis) {
        Destination destination = byQueue.get(queue);
        if (destination.isRateLimited()) {
            pause(queue, destination, nowMillis);
        } else {
            scheduler.mayGo(queue, destination.isDead());
        }
        dropIfDone(queue);
    }

    // Also after a failure, so that a rate-limited destination never stays dead.
    private void pause(DestinationQueue queue, Destination destination, long nowMillis) {
        if (destination.isDead()) {
            good(queue, false, nowMillis);
        }
        timers.plan(new DestinationTimers.Target.OfDestination(queue), destination.suspend(nowMillis));
        changed(queue, FeedbackEvent.SUSPEND);
        scheduler.seatMayBeFree(queue);
    }

    // ---- starts that are spread ([Spacing])

    /// How long a message has to wait here although there is a seat; 0 when it may go.
    long waitMillis(Message message, DestinationQueue queue, long nowMillis) {
        Spacing spacing = spacings.get(queue);
        if (spacing == null || spacing.turnMillis() <= nowMillis || !isCrowded(queue)) {
            return 0;
        }
        return isSingleDelivery(message, queue) && spacing.maySinglePass() ? 0 : spacing.turnMillis() - nowMillis;
    }

    /// It does wait, and is to be asked about again when it is its turn.
    void awaitTurn(DestinationQueue queue, long nowMillis) {
        DestinationTimers.Target turn = new DestinationTimers.Target.OfTurn(queue);
        if (!timers.isPlanned(turn)) {
            long turnMillis = spacings.get(queue).turnMillis();
            timers.plan(turn, turnMillis);
            trace.startHeld(queue, nowMillis, turnMillis);
        }
    }

    /// The next start at this destination is planned.
    boolean awaitsTurn(DestinationQueue queue) {
        return timers.isPlanned(new DestinationTimers.Target.OfTurn(queue));
    }

    /// A delivery of this message starts, and takes a slot. True when the time that it takes is of interest.
    boolean started(Message message, DestinationQueue queue, long nowMillis) {
        Spacing spacing = spacings.get(queue);
        if (spacing == null || isSingleDelivery(message, queue)) {
            if (spacing != null && spacing.turnMillis() > nowMillis && isCrowded(queue)) {
                spacing.singlePassed();
            }
            return false;
        }
        if (isCrowded(queue)) {
            spacing.started(nowMillis, queue.allowed());
        }
        return true;
    }

    void took(DestinationQueue queue, long millis) {
        spacings.get(queue).took(millis);
    }

    /// More waits than could go at once.
    private static boolean isCrowded(DestinationQueue queue) {
        return queue.allowed() > 1 && queue.waiting() >= queue.allowed();
    }

    /// All that is left of it here is one delivery.
    private boolean isSingleDelivery(Message message, DestinationQueue queue) {
        return scheduler.entriesAt(message, queue) <= 1 && !message.isPartlyUnread();
    }

    // A start that only waits for its turn tests the window as well as one that has been made (PF-11): otherwise spread starts would
    // keep windows from growing.
    private int heldBack(DestinationQueue queue, long nowMillis) {
        Spacing spacing = spacings.get(queue);
        boolean holds = spacing != null && spacing.turnMillis() > nowMillis && isCrowded(queue);
        return holds ? Math.max(0, queue.allowed() - charge(queue)) : 0;
    }

    // ---- what time brings

    /// When the next destination or transport opens again.
    long nextMillis() {
        return timers.nextMillis();
    }

    void timePasses(long nowMillis) {
        for (var due = timers.due(nowMillis); due.isPresent(); due = timers.due(nowMillis)) {
            reopen(due.get());
        }
    }

    /// Everything that is dead gets another chance. A pause between deliveries stays one.
    void flush(long nowMillis) {
        seating.flush(nowMillis);
        scheduler.seatsMayBeFree();
        for (DestinationTimers.Target target : timers.all()) {
            if (isDead(target)) {
                timers.cancel(target);
                reopen(target);
            }
        }
    }

    /// Revives this destination and the hosts of its route, as far as they failed before `requestedMillis`. The line may be forgotten with that, see
    /// [#queue].
    void revive(DestinationQueue queue, long requestedMillis, long nowMillis) {
        seating.flush(queue.route(), requestedMillis, nowMillis);
        boolean diedBefore = byQueue.get(queue).state() instanceof DestinationState.Dead(long until, Reply _)
                && until - config.minimalBackoffMillis() < requestedMillis;
        if (diedBefore) {
            timers.cancel(new DestinationTimers.Target.OfDestination(queue));
            reopen(queue);
        }
    }

    private boolean isDead(DestinationTimers.Target target) {
        return switch (target) {
            case DestinationTimers.Target.OfTransport _ -> true;
            case DestinationTimers.Target.OfDestination(DestinationQueue queue) -> byQueue.get(queue).isDead();
            case DestinationTimers.Target.OfTurn _ -> false;
        };
    }

    private void reopen(DestinationTimers.Target target) {
        switch (target) {
            case DestinationTimers.Target.OfTransport(String name) -> transportWorks(name);
            case DestinationTimers.Target.OfDestination(DestinationQueue queue) -> reopen(queue);
            case DestinationTimers.Target.OfTurn(DestinationQueue queue) -> scheduler.mayGo(queue, false);
        }
    }

    private void reopen(DestinationQueue queue) {
        Destination destination = byQueue.get(queue);
        boolean wasDead = destination.isDead();
        if (wasDead) {
            destination.revive(charge(queue));
        } else {
            destination.resume();
        }
        if (queue.isEmpty()) {
            forget(queue, wasDead ? FeedbackEvent.TIMER_REVIVE_FORGET : FeedbackEvent.RESUME_FORGET);
        } else {
            changed(queue, wasDead ? FeedbackEvent.TIMER_REVIVE : FeedbackEvent.RESUME);
            scheduler.mayGo(queue, false);
        }
    }

    // ---- the end

    void dropIfDone(DestinationQueue queue) {
        Destination destination = byQueue.get(queue);
        if (destination != null && destination.isLive() && queue.isEmpty()) {
            forget(queue, FeedbackEvent.FORGET);
        }
    }

    private void forget(DestinationQueue queue, FeedbackEvent why) {
        spacings.remove(queue);
        timers.cancel(new DestinationTimers.Target.OfTurn(queue));
        trace.feedback(queue, why, queue.running(), byQueue.remove(queue).figures());
        scheduler.drop(queue);
    }

    private void changed(DestinationQueue queue, FeedbackEvent event) {
        Destination destination = byQueue.get(queue);
        scheduler.allow(queue, destination.allowed());
        trace.feedback(queue, event, queue.running(), destination.figures());
    }
}
