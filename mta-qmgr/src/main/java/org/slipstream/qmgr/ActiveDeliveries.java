package org.slipstream.qmgr;

import org.slipstream.core.Reply;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.core.queue.QueuePhase.Extent;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.admit.Routing;
import org.slipstream.qmgr.dest.Destinations;
import org.slipstream.qmgr.dest.Groups;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.message.Activation;
import org.slipstream.qmgr.message.ActiveSet;
import org.slipstream.qmgr.message.DeferralReason;
import org.slipstream.qmgr.message.RetryBounds;
import org.slipstream.qmgr.message.StepContext;
import org.slipstream.qmgr.place.Effects;
import org.slipstream.qmgr.place.Effects.Ended;
import org.slipstream.qmgr.place.Seat;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.sched.Choice;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Entry;
import org.slipstream.qmgr.sched.Gate;
import org.slipstream.qmgr.sched.Message;
import org.slipstream.qmgr.sched.Scheduler;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settle.Outcomes;
import org.slipstream.qmgr.settle.RetrySchedule;
import org.slipstream.qmgr.trace.QmgrTrace;
import org.slipstream.qmgr.wake.LimitKey;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/// Selects the next deliveries, and applies their ends: the window of the destination gets its feedback, and the
/// outcomes are recorded.
///
/// The scheduler decides *who is next*, and asks for a seat in its order ([#gate]). The seat that it got is the one
/// that the entry takes.
final class ActiveDeliveries {
    /// Destinations that may be refused for lack of a connection before a choice ends. Otherwise
    /// ten thousand destinations that wait for a connection would be asked at every event, although
    /// one of them might share one.
    private static final int MOST_SHORTAGES = 64;
    private static final Gate.GateAnswer<Boolean> FREE = new Gate.GateAnswer.Free<>(true);

    private QmgrConfig config;
    private final StepContext step;
    private final Seating seating;
    private final Destinations destinations;
    private final Scheduler scheduler;
    private final ActiveSet active;
    private final Outcomes outcomes;
    private final RetrySchedule retrySchedule;
    private final Probes probes;
    private final Routing routing;
    private final QmgrTrace trace;

    private final Map<Long, Seated> seated = new LinkedHashMap<>();
    private long deliveries;
    private long nextSweepMillis;

    /// Destinations that were refused in this choice because all connections are busy.
    private int shortages;

    /// An entry in delivery.
    ///
    /// @param timed its duration is to be measured
    /// @param sender the limits of its sender domain at the provider
    record Seated(Entry entry, boolean timed, long sinceMillis, Optional<LimitKey.OfGroup> sender) {}

    ActiveDeliveries(QmgrConfig config, StepContext step, Seating seating, Destinations destinations,
            Scheduler scheduler,
            ActiveSet active, Outcomes outcomes, RetrySchedule retrySchedule, Probes probes, Routing routing,
            QmgrTrace trace) {
        this.config = config;
        this.step = step;
        this.seating = seating;
        this.destinations = destinations;
        this.scheduler = scheduler;
        this.active = active;
        this.outcomes = outcomes;
        this.retrySchedule = retrySchedule;
        this.probes = probes;
        this.routing = routing;
        this.trace = trace;
    }

    /// Mail that may wait no longer under other settings is deferred.
    void change(QmgrConfig settings) {
        config = settings;
        Map<DestinationQueue, DeferralReason> closed = destinations.change(config, step.nowMillis());
        scheduler.change(config.recipientLimit(), config.memory().messageRecipientMinimum(),
                name -> config.transport(name).service());
        closed.forEach((queue, reason) -> {
            deferWaiting(queue, reason);
            destinations.dropIfDone(queue);
        });
    }

    /// Connections that the shard lends or lost.
    void lease(QmgrEvent.LeaseEvent event) {
        destinations.windows().lanes().happened(event);
        if (event instanceof QmgrEvent.LeaseGranted granted) {
            destinations.windows().granted(granted.key(), step.nowMillis());
            if (seating.displaced() > 0) {
                apply(seating.reseat(step.nowMillis(), step.orders()));
            }
        }
    }

    /// By number, in the order of their start.
    Map<Long, Seated> seated() {
        return Collections.unmodifiableMap(seated);
    }

    long nextNumber() {
        return ++deliveries;
    }

    /// A series of choices begins.
    void begin() {
        shortages = 0;
        if (destinations.groups().hasNewRoom()) {
            scheduler.seatsMayBeFree();
        }
    }

    /// Assigns one entry to a seat, or asks for recipients. False when nothing can be delivered.
    boolean choose(long nowMillis) {
        return switch (scheduler.choose(this::gate, nowMillis)) {
            case Choice.Taken<Seat>(Entry entry, Seat seat) -> {
                seat(entry, seat);
                yield true;
            }
            case Choice.Reading<Seat> _ -> true;
            case Choice.Nothing<Seat> _ -> false;
        };
    }

    private Gate.GateAnswer<Seat> gate(Message message, DestinationQueue queue) {
        Optional<Groups.GroupRefusal> limit = destinations.groups().refusal(queue, message);
        if (limit.isPresent()) {
            destinations.refused(queue, limit.get().key(), step.nowMillis());
            return refused(limit.get());
        }
        boolean mayOpen = destinations.windows().mayOpen(queue);
        Seat seat = seating.ask(message.id(), queue.route(), mayOpen, step.nowMillis());
        if (seat.isShort()) {
            destinations.windows().need(message, queue, mayOpen);
        }
        return switch (seat) {
            // Takes no slot, so spacing does not apply.
            case Seat.Queue _,Seat.Defer _ -> new Gate.GateAnswer.Free<>(seat);
            case Seat.Reuse _,Seat.Open _ -> inTurn(message, queue, seat);
            case Seat.Wait wait -> refused(queue, wait);
        };
    }

    private static <S> Gate.GateAnswer<S> refused(Groups.GroupRefusal limit) {
        Code gate = limit.key().gate();
        return new Gate.GateAnswer.Refused<>(gate, gate.extent(), limit.blocker());
    }

    private Gate.GateAnswer<Seat> refused(DestinationQueue queue, Seat.Wait wait) {
        Code gate = destinations.refused(queue, wait, step.nowMillis());
        return gate.extent().compareTo(Extent.TRANSPORT) >= 0 && mayOthersShare(queue)
                ? new Gate.GateAnswer.Refused<>(gate, Extent.DESTINATION)
                : Gate.GateAnswer.refused(gate);
    }

    // All connections are busy. If they carry several deliveries, another destination may share one
    // of them.
    private boolean mayOthersShare(DestinationQueue queue) {
        return seating.charge(queue.route()).isPresent() && ++shortages < MOST_SHORTAGES;
    }

    /// Finds entries that wait although their windows and a seat are free: lost wake-ups, if there
    /// are any after [QueueManager#pump]. Changes nothing.
    Stream<Entry> overlooked(long nowMillis) {
        Gate<Boolean> question = (message, queue) -> look(message, queue, nowMillis);
        return scheduler.overlooked(question);
    }

    private Gate.GateAnswer<Boolean> look(Message message, DestinationQueue queue, long nowMillis) {
        Optional<Groups.GroupRefusal> limit = destinations.groups().refusal(queue, message);
        if (limit.isPresent()) {
            return refused(limit.get());
        }
        return switch (seating.find(message.id(), queue.route(), destinations.windows().mayOpen(queue), nowMillis)) {
            case Seat.Queue _ -> FREE;
            // With a planned start slot, a message that has one delivery left by now is asked about
            // in that slot.
            case Seat.Reuse _,Seat.Open _ ->
                destinations.spacing().waitMillis(message, queue, nowMillis) == 0
                        && !destinations.spacing().awaitsTurn(queue)
                                ? FREE
                                : Gate.GateAnswer.refused(Code.SPACING);
            case Seat.Wait wait -> Gate.GateAnswer.refused(wait.gate());
            case Seat.Defer _ -> Gate.GateAnswer.refused(Code.DEAD);
        };
    }

    private Gate.GateAnswer<Seat> inTurn(Message message, DestinationQueue queue, Seat seat) {
        long waitMillis = destinations.spacing().waitMillis(message, queue, step.nowMillis());
        if (waitMillis == 0) {
            return new Gate.GateAnswer.Free<>(seat);
        }
        destinations.spacing().awaitTurn(queue, step.nowMillis(), waitMillis);
        return Gate.GateAnswer.refused(Code.SPACING);
    }

    private void seat(Entry entry, Seat seat) {
        step.handles(entry.message().id());
        long delivery = nextNumber();
        boolean timed = !seat.isShared()
                && destinations.spacing().started(entry.message(), entry.queue(), step.nowMillis());
        Optional<LimitKey.OfGroup> sender = seat instanceof Seat.Defer
                ? Optional.empty()
                : destinations.delivers(entry, step.nowMillis());
        seated.put(delivery, new Seated(entry, timed, step.nowMillis(), sender));
        trace.placed(delivery, entry, seat);
        seating.seat(seat, delivery, entry.message().id(), entry.queue().route(), entry.recipients(),
                destinations.rules().idle(entry.queue()), step.nowMillis(), step.orders());
        if (seat instanceof Seat.Open && destinations.spacing().awaitsTurn(entry.queue())) {
            // Deliveries that wait for their turn may share the connection.
            scheduler.mayGo(entry.queue(), false);
        }
    }

    /// Windows get their feedback before displaced deliveries get another seat: no connection is
    /// opened for a destination that has just died.
    void learn(Effects effects) {
        apply(effects);
        apply(seating.reseat(step.nowMillis(), step.orders()));
    }

    void apply(Effects effects) {
        if (effects.seatsElsewhere()) {
            scheduler.seatsMayBeFree();
        }
        for (Effects.Refusal refusal : effects.refusals()) {
            if (!probes.contains(refusal.delivery())) {
                Seated refused = Objects.requireNonNull(seated.get(refusal.delivery()));
                failed(refused.entry().queue(), refusal.reason(), OptionalLong.empty());
            }
        }
        for (long delivery : effects.opened()) {
            if (!probes.contains(delivery)) {
                destinations.opened(Objects.requireNonNull(seated.get(delivery)).entry().queue(), step.nowMillis());
            }
        }
        for (Ended ended : effects.ended()) {
            if (probes.ended(ended)) {
                continue;
            }
            Seated back = seated.remove(ended.delivery());
            if (back == null) {
                throw new IllegalStateException("not seated: " + ended);
            }
            learn(back, ended);
            finish(back, ended);
        }
    }

    private void learn(Seated back, Ended ended) {
        DestinationQueue queue = back.entry().queue();
        switch (ended) {
            case Ended.Worked worked -> {
                destinations.rules().lasted(queue, step.nowMillis() - back.sinceMillis());
                if (back.timed()) {
                    destinations.spacing().took(queue, step.nowMillis() - back.sinceMillis());
                }
                destinations.worked(queue, worked.released(), step.nowMillis());
            }
            case Ended.Failed failed -> failed(queue, failed.reason(), failed.retryAfterMillis());
            case Ended.Inconclusive _,Ended.Untried _ -> {
                // No feedback.
            }
            case Ended.OwnFailure own -> {
                switch (own.scope()) {
                    case TRANSPORT -> pause(queue, own.reason());
                    case ROUTE -> routeAgain(queue);
                    case MESSAGE -> {
                        // No feedback: the failure affects this message only.
                    }
                }
            }
        }
    }

    private void pause(DestinationQueue queue, Reply reason) {
        for (DestinationQueue each : destinations.broken(queue.transport(), reason, step.nowMillis())) {
            deferSuspended(each);
            destinations.dropIfDone(each);
        }
    }

    // Mail of other destinations with this source finds out by itself, when its turn comes.
    private void routeAgain(DestinationQueue queue) {
        if (queue.entries().stream().allMatch(entry -> active.of(entry).mayRouteAgain())) {
            queue.entries().forEach(scheduler::again);
            scheduler.withdraw(queue).forEach(entry -> routing.again(active.of(entry), entry.recipients()));
        }
    }

    private void failed(DestinationQueue queue, Reply reason, OptionalLong retryAfterMillis) {
        if (destinations.failed(queue, reason, retryAfterMillis, step.nowMillis())) {
            deferSuspended(queue);
        }
    }

    private void deferSuspended(DestinationQueue queue) {
        deferWaiting(queue, new DeferralReason(QueuePhase.Code.DEAD, destinations.suspension(queue).orElseThrow()));
    }

    private void deferWaiting(DestinationQueue queue, DeferralReason reason) {
        Outcome deferred = new Outcome.Deferred(reason.reply(), Outcome.HERE);
        for (Entry entry : scheduler.withdraw(queue)) {
            trace.deferredWithoutAttempt(entry.message().id(), queue, entry.recipients());
            outcomes.untried(active.of(entry), entry.recipients(), deferred, reason.code(),
                    destinations.retryBounds(queue));
        }
    }

    /// Expiry applies in every state: a message that never gets a seat must not depend on a failed
    /// attempt.
    void timePasses() {
        if (nextSweepMillis <= step.nowMillis()) {
            active.now().forEach(this::expireWhileWaiting);
            nextSweepMillis = Long.MAX_VALUE;
        }
        nextSweepMillis = Math.min(nextSweepMillis, step.nowMillis() + config.scanIntervalMillis());
    }

    long nextSweepMillis() {
        return active.isEmpty() ? Long.MAX_VALUE : nextSweepMillis;
    }

    private void expireWhileWaiting(Activation message) {
        long nowMillis = step.nowMillis();
        boolean overdue = message.options.isTooLate(nowMillis)
                || retrySchedule.isExpired(message.sender.isEmpty(), message.hasBeenTried(), message.createdMillis,
                        nowMillis) && nowMillis - message.work.activatedMillis() >= config.minimalBackoffMillis();
        if (overdue && !message.isLeaving() && message.work.waiting() > 0) {
            Outcome untried = new Outcome.Deferred(Reply.of(451, "4.4.7", "no connection available before expiry"),
                    Outcome.HERE);
            scheduler.withdraw(message.work).forEach(entry -> outcomes.untried(message, entry.recipients(), untried,
                    QueuePhase.Code.CONNECTIONS, RetryBounds.NONE));
        }
    }

    private void finish(Seated back, Ended ended) {
        Entry entry = back.entry();
        step.handles(entry.message().id());
        Activation message = active.of(entry);
        if (ended instanceof Ended.OwnFailure own && own.scope() == DeliveryResult.Scope.ROUTE
                && message.mayRouteAgain()) {
            scheduler.again(entry);
            scheduler.finished(entry);
            routing.again(message, entry.recipients());
            destinations.finished(entry.queue(), back.sender(), step.nowMillis());
            return;
        }
        scheduler.finished(entry);
        boolean tried = switch (ended) {
            case Ended.Worked _,Ended.Failed _,Ended.Inconclusive _ -> true;
            case Ended.OwnFailure _ -> false;
            case Ended.Untried untried -> {
                untried.resumesMillis().ifPresent(message::resumesBy);
                yield false;
            }
        };
        RetryBounds bounds = destinations.retryBounds(entry.queue());
        List<RecipientOutcome> results = tried
                ? RecipientOutcome.timed(ended.outcomes(), step.nowMillis() - back.sinceMillis())
                : ended.outcomes();
        outcomes.delivered(message, entry.recipients(), results, tried,
                ended instanceof Ended.Failed failed
                        ? bounds.notBefore(
                                retrySchedule.afterFailureMillis(failed.retryAfterMillis(), step.nowMillis()))
                        : bounds);
        destinations.finished(entry.queue(), back.sender(), step.nowMillis());
    }
}
