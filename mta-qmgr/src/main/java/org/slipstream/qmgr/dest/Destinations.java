package org.slipstream.qmgr.dest;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.flow.DestinationState;
import org.slipstream.qmgr.message.DeferralReason;
import org.slipstream.qmgr.message.RetryBounds;
import org.slipstream.qmgr.message.StepContext;
import org.slipstream.qmgr.place.Seat;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Entry;
import org.slipstream.qmgr.sched.Scheduler;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.trace.DestinationFigures;
import org.slipstream.qmgr.trace.QmgrTrace;
import org.slipstream.qmgr.trace.QmgrTrace.FeedbackEvent;
import org.slipstream.qmgr.wake.LimitKey;
import org.slipstream.qmgr.wake.RateLimits;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
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
    private final StepContext step;

    /// False when the caller decides which mail is due.
    private final boolean scanning;
    private final DestinationTimers timers = new DestinationTimers();
    private final DeadTransports transports;

    private final Groups groups;
    private final DestinationRules rules;
    private final Windows windows;
    private final SpacedStarts spacing;

    /// @param senderDomain of an active message; empty for a report
    public Destinations(QmgrConfig config, Seating seating, Scheduler scheduler, QmgrTrace trace,
            RandomGenerator random, StepContext step, Function<QueueId, Optional<String>> senderDomain,
            boolean scanning) {
        this.config = config;
        this.seating = seating;
        this.scheduler = scheduler;
        this.trace = trace;
        this.step = step;
        this.scanning = scanning;
        this.transports = new DeadTransports(scheduler, timers);
        RateLimits rates = new RateLimits();
        this.groups = new Groups(config.destinations(), config.queue().lanesOfServer(), seating::busy,
                queue -> Windows.atWork(seating, queue), seating.leases(), rates, senderDomain, step::nowMillis);
        this.rules = new DestinationRules(config, random, groups, rates, seating.leases());
        this.windows = new Windows(seating, scheduler, timers, groups, rules, rates, trace, step);
        this.spacing = new SpacedStarts(scheduler, timers, windows::slots, windows::atWork, trace);
    }

    /// Other settings, for the destinations in memory too.
    ///
    /// @return queues whose mail may wait in memory no longer, with the reason
    public Map<DestinationQueue, DeferralReason> change(QmgrConfig settings, long nowMillis) {
        QmgrConfig before = config;
        config = settings;
        Map<DestinationQueue, DeferralReason> closed = rules.change(settings);
        windows.lanes().change(settings);
        windows.queues().forEach(queue -> change(queue, before, nowMillis));
        return closed;
    }

    private void change(DestinationQueue queue, QmgrConfig before, long nowMillis) {
        Destination destination = windows.destination(queue);
        TransportSettings settings = config.transport(queue.transport());
        TransportSettings former = before.transport(queue.transport());
        if (destination.state() instanceof DestinationState.Suspended
                && settings.rateDelay().compareTo(former.rateDelay()) < 0) {
            // The pause that it waits for is no longer so long.
            timers.cancel(new DestinationTimers.TimerTarget.OfDestination(queue));
            reopen(queue, nowMillis);
            if (windows.find(queue).isEmpty()) {
                return;
            }
        }
        destination.change(settings.flow(config.feedback(), rules.settings(queue)));
        spacing.enter(queue, SpacedStarts.apply(config, queue, destination), settings,
                settings.slotCost() != former.slotCost()
                        || settings.slotLoan() != former.slotLoan());
        queue.countsConnections(countsConnections(queue, destination));
        windows.lanes().rateIs(queue, rules.rate(queue));
        timers.cancel(new DestinationTimers.TimerTarget.OfRate(queue));
        windows.awaitRate(queue, nowMillis);
        windows.changed(queue, FeedbackEvent.NEW);
        windows.need(queue, 0, nowMillis);
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
    public Groups groups() {
        return groups;
    }

    /// The windows, as far as they may be used here.
    public Windows windows() {
        return windows;
    }

    /// The queue for this address and route, created on first use.
    public DestinationQueue queue(Route route, Address address, long nowMillis) {
        String key = scheduler.isPerRecipient(route.transport())
                ? address.mailboxKey(config.recipientDelimiter(), route.nextHop())
                : rules.key(route, address);
        DestinationQueue queue = scheduler.queue(route, key);
        if (windows.find(queue).isEmpty()) {
            Destination destination = new Destination(
                    config.transport(queue.transport()).flow(config.feedback(), rules.enter(queue, route, address)));
            windows.enter(queue, destination);
            spacing.enter(queue, SpacedStarts.apply(config, queue, destination), config.transport(queue.transport()),
                    false);
            queue.countsConnections(countsConnections(queue, destination));
            windows.awaitRate(queue, nowMillis);
            windows.changed(queue, FeedbackEvent.NEW);
        }
        rules.mailFor(queue, address);
        windows.need(queue, 1, nowMillis);
        return queue;
    }

    public DestinationFigures figures(DestinationQueue queue) {
        Destination destination = windows.destination(queue);
        return DestinationFigures.of(queue, destination.state(), destination.allowed(), destination.figures().limit(),
                seating.connections(queue.route()));
    }

    /// The dead ones, by next hop.
    public Map<String, DestinationState.Dead> dead() {
        Map<String, DestinationState.Dead> dead = new LinkedHashMap<>();
        windows.queues().forEach(queue -> {
            if (windows.destination(queue).state() instanceof DestinationState.Dead state) {
                dead.put(queue.key(), state);
            }
        });
        return dead;
    }

    /// The reason for which recipients of this queue are deferred without an attempt; empty when
    /// they may wait.
    public Optional<Reply> suspension(DestinationQueue queue) {
        return windows.destination(queue).suspension().or(() -> transports.suspension(queue.transport()));
    }

    /// The bounds that this destination adds to the retry schedule.
    public RetryBounds retryBounds(DestinationQueue queue) {
        return new RetryBounds(rules.retry(queue),
                windows.destination(queue).state() instanceof DestinationState.Dead(long until, Reply _) ? until : 0,
                rules.thread(queue));
    }

    /// Mail of this queue was placed. The rest of its thread is due with it (ZM-07).
    ///
    /// @param tried before
    public void tries(DestinationQueue queue, boolean tried) {
        wake(queue, rules.due(queue, tried, step.nowMillis()));
    }

    // With sources of its own the caller decides what is due.
    private void wake(DestinationQueue queue, List<String> domains) {
        if (scanning && !domains.isEmpty()) {
            trace.woke(queue, domains);
            domains.forEach(domain -> step
                    .order(new QmgrOrder.MakeDue(Optional.empty(), Optional.of(domain), step.nowMillis())));
        }
    }

    /// The end of the pause after a delivery; empty when there is no pause.
    public OptionalLong pausedUntilMillis(DestinationQueue queue) {
        return windows.destination(queue).state() instanceof DestinationState.Suspended(long untilMillis)
                ? OptionalLong.of(untilMillis)
                : OptionalLong.empty();
    }

    /// A delivery was refused. The result is the first closed gate.
    public Code refused(DestinationQueue queue, Seat.Wait wait, long nowMillis) {
        Code full = groups.full(queue);
        Code gate = full == null || full.compareTo(wait.gate()) > 0 ? wait.gate() : full;
        groups.refused(queue);
        rules.refused(queue, gate, nowMillis);
        return gate;
    }

    /// A limit permits no delivery, over any connection.
    public void refused(DestinationQueue queue, LimitKey limit, long nowMillis) {
        groups.refused(limit, queue.waiting());
        rules.refused(queue, limit.gate(), nowMillis);
    }

    /// A delivery starts, over a connection of its own or one that others use. The result is the
    /// group of its sender, see [#finished].
    public Optional<LimitKey.OfGroup> delivers(Entry entry, long nowMillis) {
        DestinationQueue queue = entry.queue();
        rules.started(queue, nowMillis);
        if (windows.awaitRate(queue, nowMillis)) {
            windows.allow(queue);
        }
        return groups.started(queue, entry.message());
    }

    // ---- feedback from deliveries, before their entry leaves the queue

    /// @param released true when the connection no longer serves this destination
    public void worked(DestinationQueue queue, boolean released, long nowMillis) {
        transports.works(queue.transport());
        good(queue, released, nowMillis);
        wake(queue, rules.worked(queue, nowMillis));
    }

    /// A connection for a delivery of this queue is up. The plain algorithm, without spaced starts,
    /// waits for the end of the delivery.
    public void opened(DestinationQueue queue, long nowMillis) {
        if (spacing.isSpaced(queue) && windows.destination(queue)
                .opened(windows.charge(queue, false, spacing.holdsBack(queue, nowMillis)))) {
            windows.changed(queue, FeedbackEvent.OK);
            scheduler.mayGo(queue, false);
        }
    }

    private void good(DestinationQueue queue, boolean released, long nowMillis) {
        boolean revived = windows.destination(queue)
                .good(windows.charge(queue, released, spacing.holdsBack(queue, nowMillis)));
        if (revived) {
            timers.cancel(new DestinationTimers.TimerTarget.OfDestination(queue));
            reviveHosts(queue, Long.MAX_VALUE, nowMillis);
        }
        windows.changed(queue, revived ? FeedbackEvent.OK_REVIVE : FeedbackEvent.OK);
    }

    /// Negative feedback: an attempt failed and no other host is left. True when the destination is
    /// dead now. A permanent reply is final for each entry, so it does not count as negative
    /// feedback.
    ///
    /// @param retryAfterMillis the delay that the host requested: it can lengthen the dead time,
    /// never shorten it
    public boolean failed(DestinationQueue queue, Reply reason, OptionalLong retryAfterMillis, long nowMillis) {
        transports.works(queue.transport());
        Destination destination = windows.destination(queue);
        if (reason.isPermanent()) {
            return false;
        }
        rules.failed(queue, nowMillis);
        if (!destination.isLive()) {
            return false;
        }
        long until = nowMillis + Math.max(config.minimalBackoffMillis(), retryAfterMillis.orElse(0));
        boolean died = destination.bad(reason, until);
        windows.changed(queue, died ? FeedbackEvent.FAIL_DEAD : FeedbackEvent.FAIL);
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
    ///
    /// @param sender the group of its sender
    public void finished(DestinationQueue queue, Optional<LimitKey.OfGroup> sender, long nowMillis) {
        Destination destination = windows.destination(queue);
        groups.finished(queue);
        sender.ifPresent(groups::finished);
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
        windows.changed(queue, FeedbackEvent.SUSPEND);
        scheduler.seatMayBeFree(queue);
    }

    /// The start slots of destinations.
    public SpacedStarts spacing() {
        return spacing;
    }

    // ---- kept over a restart

    /// The changes of destinations to keep now.
    ///
    /// @param all of them, because the server stops
    public List<HostRow.Change> toKeep(boolean all) {
        return rules.kept().changes(all, step.nowMillis());
    }

    /// A record of the run before.
    public void learn(HostRow row, long nowMillis) {
        rules.kept().learn(row, nowMillis);
    }

    // ---- timers

    /// The time of the next timer.
    public long nextMillis() {
        return Math.min(Math.min(timers.nextMillis(), groups.nextMillis()), rules.kept().nextMillis());
    }

    public void timePasses(long nowMillis) {
        for (var due = timers.due(nowMillis); due.isPresent(); due = timers.due(nowMillis)) {
            reopen(due.get(), nowMillis);
        }
        if (groups.hasNewRoom()) {
            scheduler.seatsMayBeFree();
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
        boolean diedBefore = windows.destination(queue).state() instanceof DestinationState.Dead(long until, Reply _)
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
            case DestinationTimers.TimerTarget.OfDestination(DestinationQueue queue) ->
                windows.destination(queue).isDead();
            case DestinationTimers.TimerTarget.OfTurn _,DestinationTimers.TimerTarget.OfRate _ -> false;
        };
    }

    private void reopen(DestinationTimers.TimerTarget target, long nowMillis) {
        switch (target) {
            case DestinationTimers.TimerTarget.OfTransport(String name) -> transports.works(name);
            case DestinationTimers.TimerTarget.OfDestination(DestinationQueue queue) -> reopen(queue, nowMillis);
            case DestinationTimers.TimerTarget.OfTurn(DestinationQueue queue) -> scheduler.mayGo(queue, false);
            case DestinationTimers.TimerTarget.OfRate(DestinationQueue queue) -> {
                windows.allow(queue);
                scheduler.mayGo(queue, false);
            }
        }
    }

    private void reopen(DestinationQueue queue, long nowMillis) {
        Destination destination = windows.destination(queue);
        boolean wasDead = destination.isDead();
        if (wasDead) {
            destination.revive(windows.atWork(queue));
        } else {
            destination.resume();
        }
        if (queue.isEmpty()) {
            forget(queue, wasDead ? FeedbackEvent.TIMER_REVIVE_FORGET : FeedbackEvent.RESUME_FORGET);
        } else {
            windows.changed(queue, wasDead ? FeedbackEvent.TIMER_REVIVE : FeedbackEvent.RESUME);
            windows.need(queue, 0, nowMillis);
            scheduler.mayGo(queue, false);
        }
    }

    // ---- the end

    public void dropIfDone(DestinationQueue queue) {
        if (queue.isEmpty() && windows.find(queue).filter(Destination::isLive).isPresent()) {
            forget(queue, FeedbackEvent.FORGET);
        }
    }

    private void forget(DestinationQueue queue, FeedbackEvent why) {
        spacing.leave(queue);
        timers.cancel(new DestinationTimers.TimerTarget.OfTurn(queue));
        timers.cancel(new DestinationTimers.TimerTarget.OfRate(queue));
        rules.leave(queue);
        trace.feedback(queue, why, queue.running(), windows.destination(queue).figures());
        windows.leave(queue);
        scheduler.drop(queue);
    }
}
