package org.slipstream.qmgr.dest;

import org.slipstream.core.Address;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.flow.DestinationState;
import org.slipstream.qmgr.message.DeferralReason;
import org.slipstream.qmgr.message.RetryBounds;
import org.slipstream.qmgr.message.StepContext;
import org.slipstream.qmgr.place.LackingLane;
import org.slipstream.qmgr.place.Seat;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Message;
import org.slipstream.qmgr.sched.Scheduler;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.shard.Leases;
import org.slipstream.qmgr.trace.DestinationFigures;
import org.slipstream.qmgr.trace.QmgrTrace;
import org.slipstream.qmgr.trace.QmgrTrace.FeedbackEvent;
import org.slipstream.qmgr.wake.LimitKey;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;

/// Combines the two parts of a destination: its [DestinationQueue] in the scheduler and its
/// [Destination] with the concurrency window. Postfix keeps both in one structure, the queue of a
/// transport.
///
/// The scheduler gets one number per destination, the deliveries that may run; every change of it
/// goes through this class. A destination exists as long as an entry waits or runs, or the
/// destination is dead or suspended; then its state is dropped.
public final class Destinations {
    private QmgrConfig config;
    private final Seating seating;
    private final Scheduler scheduler;
    private final QmgrTrace trace;
    private final Map<DestinationQueue, Destination> byQueue = new LinkedHashMap<>();
    private final DestinationTimers timers = new DestinationTimers();
    private final DeadTransports transports;

    private final Rings rings;
    private final DestinationRules rules;
    private final Lanes lanes;
    private final LaneNeeds needs;
    private final SpacedStarts spacing;

    public Destinations(QmgrConfig config, Seating seating, Scheduler scheduler, QmgrTrace trace,
            RandomGenerator random,
            StepContext step) {
        this.config = config;
        this.seating = seating;
        this.scheduler = scheduler;
        this.trace = trace;
        this.transports = new DeadTransports(scheduler, timers);
        Leases leases = seating.leases();
        this.rings = new Rings(config.destinations(), config.queue().lanesOfServer(), seating::busy, this::atWork,
                leases);
        this.rules = new DestinationRules(config, random, rings, leases);
        this.lanes = leases.areShared()
                ? new SharedLanes(leases, seating, rings, step, this::atWork, rules.rates(),
                        key -> lanesChanged(key, step.nowMillis()))
                : new Lanes.WholeLanes();
        this.needs = new LaneNeeds(lanes, rules, scheduler, seating);
        this.spacing = new SpacedStarts(scheduler, timers, this::slots, trace);
    }

    /// Other settings, for the destinations in memory too.
    ///
    /// @return queues whose mail may wait in memory no longer, with the reason
    public Map<DestinationQueue, DeferralReason> change(QmgrConfig settings, long nowMillis) {
        QmgrConfig before = config;
        config = settings;
        Map<DestinationQueue, DeferralReason> closed = rules.change(settings);
        lanes.change(settings);
        List.copyOf(byQueue.keySet()).forEach(queue -> change(queue, before, nowMillis));
        return closed;
    }

    private void change(DestinationQueue queue, QmgrConfig before, long nowMillis) {
        Destination destination = destination(queue);
        TransportSettings settings = config.transport(queue.transport());
        TransportSettings former = before.transport(queue.transport());
        if (destination.state() instanceof DestinationState.Suspended
                && settings.rateDelay().compareTo(former.rateDelay()) < 0) {
            // The pause that it waits for is no longer so long.
            timers.cancel(new DestinationTimers.TimerTarget.OfDestination(queue));
            reopen(queue, nowMillis);
            if (!byQueue.containsKey(queue)) {
                return;
            }
        }
        destination.change(settings.flow(config.feedback(), rules.settings(queue)));
        spacing.enter(queue, SpacedStarts.apply(config, queue, destination), settings,
                settings.slotCost() != former.slotCost()
                        || settings.slotLoan() != former.slotLoan());
        queue.countsConnections(countsConnections(queue, destination));
        lanes.rateIs(queue, rules.rate(queue));
        timers.cancel(new DestinationTimers.TimerTarget.OfRate(queue));
        awaitRate(queue, nowMillis);
        changed(queue, FeedbackEvent.NEW);
        needLanes(queue, 0, nowMillis);
        // A wider window or the end of a rate is an event like the end of a delivery: jobs that this
        // destination blocked are free.
        scheduler.mayGo(queue, destination.isDead());
    }

    // A per-recipient window and a rate delay apply to entries, not to connections.
    private boolean countsConnections(DestinationQueue queue, Destination destination) {
        return queue.key().equals(queue.route().nextHop()) && !destination.isRateLimited()
                && seating.charge(queue.route()).isPresent();
    }

    /// The rules of single destinations.
    public DestinationRules rules() {
        return rules;
    }

    /// The limits that destinations share.
    public Rings rings() {
        return rings;
    }

    /// The part of the limits that may be used here.
    public Lanes lanes() {
        return lanes;
    }

    /// The queue for this address and route, created on first use.
    public DestinationQueue queue(Route route, Address address, long nowMillis) {
        String key = scheduler.isPerRecipient(route.transport())
                ? address.mailboxKey(config.recipientDelimiter(), route.nextHop())
                : rules.key(route, address);
        DestinationQueue queue = scheduler.queue(route, key);
        if (!byQueue.containsKey(queue)) {
            Destination destination = new Destination(
                    config.transport(queue.transport()).flow(config.feedback(), rules.enter(queue, route, address)));
            byQueue.put(queue, destination);
            lanes.enter(queue);
            spacing.enter(queue, SpacedStarts.apply(config, queue, destination), config.transport(queue.transport()),
                    false);
            queue.countsConnections(countsConnections(queue, destination));
            awaitRate(queue, nowMillis);
            changed(queue, FeedbackEvent.NEW);
        }
        rules.mailFor(queue, address);
        needLanes(queue, 1, nowMillis);
        return queue;
    }

    // Destinations of the queues in use.
    private Destination destination(DestinationQueue queue) {
        return Objects.requireNonNull(byQueue.get(queue));
    }

    public DestinationFigures figures(DestinationQueue queue) {
        Destination destination = destination(queue);
        return DestinationFigures.of(queue, destination.state(), destination.allowed(), destination.figures().limit(),
                seating.connections(queue.route()));
    }

    /// The dead ones, by next hop.
    public Map<String, DestinationState.Dead> dead() {
        Map<String, DestinationState.Dead> dead = new LinkedHashMap<>();
        byQueue.forEach((queue, destination) -> {
            if (destination.state() instanceof DestinationState.Dead state) {
                dead.put(queue.key(), state);
            }
        });
        return dead;
    }

    /// The reason for which recipients of this queue are deferred without an attempt; empty when
    /// they may wait.
    public Optional<Reply> suspension(DestinationQueue queue) {
        return destination(queue).suspension().or(() -> transports.suspension(queue.transport()));
    }

    /// The bounds that this destination adds to the retry schedule.
    public RetryBounds retryBounds(DestinationQueue queue) {
        return new RetryBounds(rules.retry(queue),
                destination(queue).state() instanceof DestinationState.Dead(long until, Reply _) ? until : 0);
    }

    /// The connections or deliveries that currently count against the window.
    public int atWork(DestinationQueue queue) {
        return queue.countsConnections() ? seating.charge(queue.route()).orElse(queue.running()) : queue.running();
    }

    // The connection of the reported delivery counts, even if the delivery left it idle.
    private int chargeBefore(DestinationQueue queue, boolean released) {
        return queue.countsConnections() ? atWork(queue) + (released ? 1 : 0) : queue.running();
    }

    /// True when the window permits one more connection or delivery.
    public boolean mayOpen(DestinationQueue queue) {
        return atWork(queue) < slots(queue) && rings.full(queue) == null;
    }

    /// The end of the pause after a delivery; empty when there is no pause.
    public OptionalLong pausedUntilMillis(DestinationQueue queue) {
        return destination(queue).state() instanceof DestinationState.Suspended(long untilMillis)
                ? OptionalLong.of(untilMillis)
                : OptionalLong.empty();
    }

    /// The part of the window that this shard may use.
    private int slots(DestinationQueue queue) {
        return lanes.limit(queue, queue.allowed());
    }

    /// A delivery was refused. The result is the first closed gate.
    public Code refused(DestinationQueue queue, Seat.Wait wait, long nowMillis) {
        Code full = rings.full(queue);
        Code gate = full == null || full.compareTo(wait.gate()) > 0 ? wait.gate() : full;
        rings.refused(queue);
        rules.refused(queue, gate, nowMillis);
        return gate;
    }

    /// A delivery starts, over a connection of its own or one that others use.
    public void delivers(DestinationQueue queue, long nowMillis) {
        rules.started(queue, nowMillis);
        if (awaitRate(queue, nowMillis)) {
            allow(queue);
        }
    }

    // True when the rate permits no start at present.
    private boolean awaitRate(DestinationQueue queue, long nowMillis) {
        long next = rules.nextStartMillis(queue, nowMillis);
        if (next <= nowMillis) {
            return false;
        }
        timers.plan(new DestinationTimers.TimerTarget.OfRate(queue), next);
        return true;
    }

    private void allow(DestinationQueue queue) {
        boolean waits = timers.isPlanned(new DestinationTimers.TimerTarget.OfRate(queue)) || rules.isHeld(queue);
        int allowed = destination(queue).allowed();
        // A window that counts connections is shared at the gate: deliveries may share a connection.
        scheduler.allow(queue, waits ? 0 : queue.countsConnections() ? allowed : lanes.limit(queue, allowed));
    }

    // ---- limits that shards share

    private void needLanes(DestinationQueue queue, int more, long nowMillis) {
        needs.ask(queue, window(queue), more, nowMillis);
    }

    private int window(DestinationQueue queue) {
        return destination(queue).allowed();
    }

    /// The lanes that deliveries ask for.
    public LaneNeeds needs() {
        return needs;
    }

    /// See [LaneNeeds#lacking].
    public Optional<LackingLane> lacking(Message message, DestinationQueue queue, long nowMillis) {
        return needs.lacking(message, queue, window(queue), mayOpen(queue), nowMillis);
    }

    // More or fewer lanes of this limit are here.
    private void lanesChanged(LimitKey key, long nowMillis) {
        lanes.find(key).ifPresent(queue -> {
            timers.cancel(new DestinationTimers.TimerTarget.OfRate(queue));
            awaitRate(queue, nowMillis);
            allow(queue);
        });
    }

    /// Lanes of this limit were granted: deliveries that it refused are selected again.
    public void granted(LimitKey key, long nowMillis) {
        lanes.find(key).ifPresent(queue -> {
            needLanes(queue, 0, nowMillis);
            scheduler.mayGo(queue, destination(queue).isDead());
        });
        if (key.gate() != Code.WINDOW && key.gate() != Code.RATE) {
            needs.askForReturned(this::window, nowMillis);
        }
        scheduler.seatsMayBeFree();
    }

    /// See [LaneNeeds#askAgain].
    public void askAgain(long nowMillis) {
        needs.askAgain(this::window, nowMillis);
    }

    // ---- feedback from deliveries, before their entry leaves the queue

    /// @param released true when the connection no longer serves this destination
    public void worked(DestinationQueue queue, boolean released, long nowMillis) {
        transports.works(queue.transport());
        good(queue, released, nowMillis);
    }

    private void good(DestinationQueue queue, boolean released, long nowMillis) {
        boolean revived = destination(queue)
                .good(chargeBefore(queue, released) + heldBack(queue, nowMillis) + heldByOthers(queue));
        if (revived) {
            timers.cancel(new DestinationTimers.TimerTarget.OfDestination(queue));
            reviveHosts(queue, Long.MAX_VALUE, nowMillis);
        }
        changed(queue, revived ? FeedbackEvent.OK_REVIVE : FeedbackEvent.OK);
    }

    /// Negative feedback: an attempt failed and no other host is left. True when the destination is
    /// dead now. A permanent reply is final for each entry, so it does not count as negative
    /// feedback.
    ///
    /// @param retryAfterMillis the delay that the host requested: it can lengthen the dead time,
    /// never shorten it
    public boolean failed(DestinationQueue queue, Reply reason, OptionalLong retryAfterMillis, long nowMillis) {
        transports.works(queue.transport());
        Destination destination = destination(queue);
        if (reason.isPermanent()) {
            return false;
        }
        rules.failed(queue, nowMillis);
        if (!destination.isLive()) {
            return false;
        }
        long until = nowMillis + Math.max(config.minimalBackoffMillis(), retryAfterMillis.orElse(0));
        boolean died = destination.bad(reason, until);
        changed(queue, died ? FeedbackEvent.FAIL_DEAD : FeedbackEvent.FAIL);
        if (died) {
            timers.plan(new DestinationTimers.TimerTarget.OfDestination(queue), until);
            // With per-recipient destinations, the death of one says nothing about the others at
            // that host.
            if (queue.key().equals(queue.route().nextHop())) {
                seating.dead(queue.route(), reason, until, nowMillis);
            }
        }
        return died;
    }

    /// Marks a transport as dead and returns its queues.
    public List<DestinationQueue> broken(String transport, Reply reason, long nowMillis) {
        transports.broken(transport, reason, nowMillis + config.transportRetryMillis());
        return scheduler.queues(transport);
    }

    /// An entry of this queue finished and left it.
    public void finished(DestinationQueue queue, long nowMillis) {
        Destination destination = destination(queue);
        rings.finished(queue);
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
        timers.plan(new DestinationTimers.TimerTarget.OfDestination(queue), destination.suspend(nowMillis));
        changed(queue, FeedbackEvent.SUSPEND);
        scheduler.seatMayBeFree(queue);
    }

    /// The start slots of destinations.
    public SpacedStarts spacing() {
        return spacing;
    }

    // A start that only waits for its slot tests the window as much as a running delivery does
    // (PF-11): otherwise spaced starts would keep windows from growing.
    private int heldBack(DestinationQueue queue, long nowMillis) {
        return spacing.holdsBack(queue, nowMillis) ? Math.max(0, queue.allowed() - atWork(queue)) : 0;
    }

    // A share that is fully in use, with deliveries that wait for lanes of other shards, tests the
    // window as much as a full window does.
    private int heldByOthers(DestinationQueue queue) {
        return lanes.isHeldBack(queue) ? Math.max(0, destination(queue).allowed() - slots(queue)) : 0;
    }

    // ---- timers

    /// The time of the next timer.
    public long nextMillis() {
        return timers.nextMillis();
    }

    public void timePasses(long nowMillis) {
        for (var due = timers.due(nowMillis); due.isPresent(); due = timers.due(nowMillis)) {
            reopen(due.get(), nowMillis);
        }
    }

    /// Revives all dead destinations and transports. A rate delay between deliveries remains.
    public void flush(long nowMillis) {
        seating.flush(nowMillis);
        rules.flush(nowMillis);
        scheduler.seatsMayBeFree();
        for (DestinationTimers.TimerTarget target : timers.all()) {
            if (isDead(target)) {
                timers.cancel(target);
                reopen(target, nowMillis);
            }
        }
    }

    /// Revives this destination and the hosts of its route, if they failed before
    /// `requestedMillis`. The queue may be dropped by this, see [#queue].
    public void revive(DestinationQueue queue, long requestedMillis, long nowMillis) {
        reviveHosts(queue, requestedMillis, nowMillis);
        boolean diedBefore = destination(queue).state() instanceof DestinationState.Dead(long until, Reply _)
                && until - config.minimalBackoffMillis() < requestedMillis;
        if (diedBefore) {
            timers.cancel(new DestinationTimers.TimerTarget.OfDestination(queue));
            reopen(queue, nowMillis);
        }
    }

    // Other destinations were refused because of these hosts as well.
    private void reviveHosts(DestinationQueue queue, long requestedMillis, long nowMillis) {
        if (seating.flush(queue.route(), requestedMillis, nowMillis)) {
            scheduler.seatsMayBeFree();
        }
    }

    private boolean isDead(DestinationTimers.TimerTarget target) {
        return switch (target) {
            case DestinationTimers.TimerTarget.OfTransport _ -> true;
            case DestinationTimers.TimerTarget.OfDestination(DestinationQueue queue) -> destination(queue).isDead();
            case DestinationTimers.TimerTarget.OfTurn _,DestinationTimers.TimerTarget.OfRate _ -> false;
        };
    }

    private void reopen(DestinationTimers.TimerTarget target, long nowMillis) {
        switch (target) {
            case DestinationTimers.TimerTarget.OfTransport(String name) -> transports.works(name);
            case DestinationTimers.TimerTarget.OfDestination(DestinationQueue queue) -> reopen(queue, nowMillis);
            case DestinationTimers.TimerTarget.OfTurn(DestinationQueue queue) -> scheduler.mayGo(queue, false);
            case DestinationTimers.TimerTarget.OfRate(DestinationQueue queue) -> {
                allow(queue);
                scheduler.mayGo(queue, false);
            }
        }
    }

    private void reopen(DestinationQueue queue, long nowMillis) {
        Destination destination = destination(queue);
        boolean wasDead = destination.isDead();
        if (wasDead) {
            destination.revive(atWork(queue));
        } else {
            destination.resume();
        }
        if (queue.isEmpty()) {
            forget(queue, wasDead ? FeedbackEvent.TIMER_REVIVE_FORGET : FeedbackEvent.RESUME_FORGET);
        } else {
            changed(queue, wasDead ? FeedbackEvent.TIMER_REVIVE : FeedbackEvent.RESUME);
            needLanes(queue, 0, nowMillis);
            scheduler.mayGo(queue, false);
        }
    }

    // ---- the end

    public void dropIfDone(DestinationQueue queue) {
        Destination destination = byQueue.get(queue);
        if (destination != null && destination.isLive() && queue.isEmpty()) {
            forget(queue, FeedbackEvent.FORGET);
        }
    }

    private void forget(DestinationQueue queue, FeedbackEvent why) {
        spacing.leave(queue);
        timers.cancel(new DestinationTimers.TimerTarget.OfTurn(queue));
        timers.cancel(new DestinationTimers.TimerTarget.OfRate(queue));
        rules.leave(queue);
        trace.feedback(queue, why, queue.running(), destination(queue).figures());
        byQueue.remove(queue);
        scheduler.drop(queue);
        lanes.leave(queue);
    }

    private void changed(DestinationQueue queue, FeedbackEvent event) {
        Destination destination = destination(queue);
        if (destination.allowed() > 0) {
            lanes.windowIs(queue, destination.allowed());
        }
        allow(queue);
        trace.feedback(queue, event, queue.running(), destination.figures());
    }
}
