package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.Effects.Ended;
import org.slipstream.qmgr.place.FailedAttempts.AfterFailure;
import org.slipstream.qmgr.place.FailedAttempts.Failure;
import org.slipstream.qmgr.place.FailedAttempts.Situation;
import org.slipstream.qmgr.place.Placement.PlacementQuestion;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/// The connections of one transport with their assignments: Finch's workers. Each assignment ends
/// with exactly one [Ended]; until then it may move between connections.
///
/// **States of a connection**, by event, and by the seats that are taken and given up. A refused call
/// throws: an event as an [ImpossibleEventException], a seat as a programming error. Numbers are not
/// reused, so an event of a connection that is gone is recognized and dropped.
///
/// | State | ready | failed | answered | returned | lost | queue | reuse | evict |
/// |---|---|---|---|---|---|---|---|---|
/// | Opening | Busy | Gone | refused | refused | refused | Opening | refused | Gone |
/// | Busy | refused | refused | Busy or Idle or Gone | Gone | Gone | Busy | refused | refused |
/// | Idle | refused | refused | refused | refused | Gone | refused | Busy | Gone |
/// | Gone | Gone | Gone | Gone | Gone | Gone | refused | refused | refused |
///
/// A seat on a new connection orders `Open`; *ready* orders its deliveries, and each later seat is a
/// `Deliver`. After its last answer a connection is kept ([IdlePool]), or `Close` is ordered: also
/// when its idle time ends, and when it is past its maximum age, since then it takes no assignment.
///
/// [FailedAttempts] says what becomes of the deliveries of a connection that ends.
final class Connections {
    private PlaceRules rules;
    private final WorkerBudget budget;
    private final ConnectionBook book;
    private final HostOutlook outlook;
    private final OpenConnections open;
    private final IdlePool idle;
    private final DestDb hosts;
    private final TransportLeases leases;
    private final Placement placement;
    private final Displaced displaced = new Displaced();
    private final Refusals refusals = new Refusals();

    /// How often a delivery was first on a breaking connection, by number.
    private final Map<Long, Integer> returns = new LinkedHashMap<>();

    /// The effects of seating: deliveries that were deferred, and evictions. They are told with the
    /// next alarm, which is due at once and gives the deliveries of evicted connections another seat.
    private EffectsBuilder pending = effects();

    private long possibleDuplicates;

    /// @param random selects among equal hosts
    /// @param numbers a source of unique connection numbers
    /// @param leases what the shard may use
    Connections(PlaceRules rules, DestDb hosts, RandomGenerator random, LongSupplier numbers,
            TransportLeases leases) {
        this.rules = rules;
        this.hosts = hosts;
        this.leases = leases;
        this.budget = new WorkerBudget(leases::workers, rules.messages(), rules.verification());
        this.book = new ConnectionBook(budget, numbers);
        this.outlook = new HostOutlook(hosts, book);
        this.idle = new IdlePool(rules);
        this.open = new OpenConnections(rules, budget, book, idle, hosts, leases);
        this.placement = new Placement(rules, budget, book, idle, hosts, random, leases);
    }

    private EffectsBuilder effects() {
        return new EffectsBuilder(refusals, returns::remove);
    }

    void change(PlaceRules others) {
        rules = others;
        leases.change(others);
        budget.change(others.messages(), others.verification());
        idle.change(others);
        placement.change(others);
        open.change(others);
        refusals.clear();
    }

    // ---- asking and seating

    /// The seat that a delivery of this owner would get now. Read-only, see [#noteRefusal].
    ///
    /// @param mayOpen the destination's window permits one more connection
    Seat find(Owner owner, Candidates where, boolean mayOpen, long nowMillis) {
        return displaced.isWaiting(where.destination())
                ? new Seat.Wait(Code.HOST_LIMIT, "deliveries that lost their connection come first", List.of())
                : placement.find(new PlacementQuestion(owner, where, mayOpen), nowMillis);
    }

    /// [#find] for the scheduler: a refusal is recorded, so that its end triggers another
    /// selection.
    Seat ask(Owner owner, Candidates where, boolean mayOpen, long nowMillis) {
        Seat seat = find(owner, where, mayOpen, nowMillis);
        if (seat instanceof Seat.Wait wait) {
            noteRefusal(wait, where, nowMillis);
        }
        return seat;
    }

    private void noteRefusal(Seat.Wait wait, Candidates where, long now) {
        refusals.until(wait, outlook.nextChangeMillis(where, now));
        refusals.add(where, wait.gate(), wait.gate() == Code.CONNECTIONS
                ? carriesSeveral()
                : displaced.isWaiting(where.destination()) || outlook.mayEndWithTime(where, now));
    }

    /// Takes the seat.
    ///
    /// @param seat the answer of [#ask] for this assignment, with no change since
    void seat(Seat seat, Assignment assignment, long nowMillis, OrderSink orders) {
        if (seat instanceof Seat.Defer defer) {
            pending.ended(FailedAttempts.untried(assignment, defer));
            return;
        }
        HostKey host = seat.target().host();
        idle.starts(host, book.connections(host) == idle.size(host), nowMillis);
        refusals.remove(assignment.where());
        take(seat, assignment, nowMillis, orders);
    }

    private void take(Seat seat, Assignment assignment, long now, OrderSink orders) {
        switch (seat) {
            case Seat.Queue queue -> {
                Connection connection = connection(queue.connection());
                connection.require(!connection.isIdle(), "queue on");
                assign(connection, assignment, orders);
            }
            case Seat.Reuse reuse -> {
                Connection connection = connection(reuse.connection());
                connection.require(connection.isIdle(), "reuse");
                idle.remove(connection);
                assign(connection, assignment, orders);
                // A message that has used up its share may queue behind others, but takes no idle connection.
                if (carriesSeveral() && placement.takesOverflow(connection)
                        && refusals.isRationedAt(connection.host.host())) {
                    refusals.endNow(now);
                }
            }
            case Seat.Open open -> {
                open.closing().ifPresent(number -> evict(connection(number), now, orders));
                HostKey host = open.host().host();
                int depth = hosts.oneAtATime(host, now).isPresent() ? 1 : rules.depth().first();
                Connection connection = book.open(open.host(), assignment, outlook.standing(host, now), depth, now);
                orders.order(new QmgrOrder.Open(connection.number, open.host().route()));
                retryRefused(host, assignment, now);
                placement.redraw();
            }
            case Seat.Wait _,Seat.Defer _ -> throw new IllegalStateException("no seat: " + seat);
        }
    }

    // Refused deliveries may share the new connection: they are asked about again at once.
    private void retryRefused(HostKey host, Assignment assignment, long now) {
        if (carriesSeveral() && refusals.concerns(Collections.singleton(host),
                Collections.singleton(assignment.destination()))) {
            refusals.endNow(now);
        }
    }

    private void assign(Connection connection, Assignment assignment, OrderSink orders) {
        book.assign(connection, assignment);
        if (connection.up) {
            deliver(connection, assignment, orders);
        }
    }

    private static void deliver(Connection connection, Assignment assignment, OrderSink orders) {
        orders.order(new QmgrOrder.Deliver(connection.number, assignment.to(connection.host)));
    }

    // ---- events

    boolean contains(long connection) {
        return book.find(connection).isPresent() || displaced.isReturningFrom(connection);
    }

    /// Applies an event. The caller gives feedback for the ended deliveries before it calls
    /// [#reseat].
    Effects handle(QmgrEvent.OfConnection event, long nowMillis, OrderSink orders) {
        hosts.collect(nowMillis);
        EffectsBuilder report = effects();
        book.find(event.connection()).ifPresentOrElse(
                connection -> handle(connection, event, nowMillis, orders, report),
                () -> displaced.late(event, report));
        if (event instanceof QmgrEvent.DeliveryDone(DeliveryResult.Unanswered back) && back.mayHaveArrived()) {
            possibleDuplicates++;
        }
        return report.effects();
    }

    private void handle(Connection connection, QmgrEvent.OfConnection event, long now, OrderSink orders,
            EffectsBuilder report) {
        if (!connection.permits(event)) {
            throw new ImpossibleEventException(event + " is not possible: " + connection);
        }
        if (!(event instanceof QmgrEvent.ConnectionReady) || opensTheHost(connection, now)) {
            report.touched(connection.host.host());
        }
        switch (event) {
            case QmgrEvent.ConnectionReady _ -> ready(connection, orders, report);
            case QmgrEvent.ConnectionFailed failed -> failed(connection, failed, now, report);
            case QmgrEvent.DeliveryDone(DeliveryResult result) -> done(connection, result, now, orders, report);
            case QmgrEvent.ConnectionLost lost ->
                broken(connection, Failure.of("connection lost: " + lost.reason()),
                        connection.answered == 0 ? FailedAttempts.firstOfEach() : Optional.empty(), now, report);
            case QmgrEvent.ConnectionDepth depth ->
                connection.depth = hosts.oneAtATime(connection.host.host(), now).isPresent()
                        ? 1
                        : Math.clamp(depth.deliveries(), 1, rules.depth().most());
            case QmgrEvent.PipelinesBadly bad -> {
                hosts.breaksUnderPipelining(connection.host, bad.what(), now);
                connection.depth = 1;
            }
        }
    }

    // Further connections to an unproven or failed host wait until one connection is up. For all
    // others a greeting frees no seat.
    private boolean opensTheHost(Connection connection, long now) {
        HostKey host = connection.host.host();
        return connection.isUnproven() && rules.unproven().perHost() < Integer.MAX_VALUE || book.up(host) == 0
                && (rules.unproven().perHost() < Integer.MAX_VALUE || hosts.mark(host, now) instanceof HostState.Retry);
    }

    private void ready(Connection connection, OrderSink orders, EffectsBuilder report) {
        book.isUp(connection);
        hosts.works(connection.host.host());
        connection.assignments().forEach(assignment -> {
            deliver(connection, assignment, orders);
            report.opened(assignment);
        });
    }

    private void failed(Connection connection, QmgrEvent.ConnectionFailed failed, long now, EffectsBuilder report) {
        Failure failure = new Failure(failed.reason(), failed.remote(), failed.retryAfterMillis(), failed.phase());
        if (failed.ours()) {
            open.remove(connection).forEach(assignment -> report.ended(assignment,
                    FailedAttempts.ownFailure(assignment, failed.reason(), FailedAttempts.scope(failure))));
        } else {
            broken(connection, failure, FailedAttempts.firstOfEach(), now, report);
        }
    }

    private void done(Connection connection, DeliveryResult result, long now, OrderSink orders, EffectsBuilder report) {
        Assignment assignment = connection.find(result.delivery())
                .orElseThrow(() -> new ImpossibleEventException(result + " is not on " + connection));
        switch (result) {
            case DeliveryResult.Answered answered -> {
                over(connection, assignment, now);
                boolean released = !connection.serves(assignment.destination());
                if (outlook.mayTryAnother(assignment, answered.outcomes(), connection.host.host(), now)) {
                    displaced.addAnswered(assignment.without(connection.host.host(), answered.outcomes()));
                    displaced.had(assignment.destination(),
                            book.serving(assignment.destination()) + (released ? 1 : 0));
                } else {
                    report.ended(assignment, new Ended.Worked(assignment.number(), answered.outcomes(), released));
                }
                goesOn(connection, answered.usable(), now, orders, report);
            }
            case DeliveryResult.OwnFailure own -> {
                over(connection, assignment, now);
                report.ended(assignment, FailedAttempts.ownFailure(assignment, own.reason(), own.scope()));
                goesOn(connection, own.usable(), now, orders, report);
            }
            case DeliveryResult.Unanswered back -> unanswered(connection, assignment, back, now, report);
        }
    }

    private void over(Connection connection, Assignment assignment, long now) {
        book.take(connection, assignment.number());
        connection.answered++;
        idle.done(connection.host.host(), now);
    }

    private void goesOn(Connection connection, boolean usable, long now, OrderSink orders, EffectsBuilder report) {
        if (!usable) {
            broken(connection, Failure.of("the connection ended"), Optional.empty(), now, report);
        } else if (connection.isIdle() && !idle.add(connection, now)) {
            open.close(connection, now, orders);
        }
    }

    private void unanswered(Connection connection, Assignment assignment, DeliveryResult.Unanswered back, long now,
            EffectsBuilder report) {
        Failure failure = new Failure(back.reason(), back.remote(), OptionalLong.empty(), back.phase());
        if (back.mayHaveArrived()) {
            book.take(connection, assignment.number());
            report.ended(assignment, FailedAttempts.failed(assignment, failure));
        } else if (exceedsReturns(connection, assignment)) {
            book.take(connection, assignment.number());
            report.ended(assignment, new Ended.Inconclusive(assignment.number(),
                    failure.outcomes(assignment, new Outcome.Deferred(failure.reason(), failure.remote()))));
        }
        boolean isAttempt = connection.answered == 0 && !back.mayHaveArrived();
        broken(connection, failure, isAttempt ? Optional.of(each -> each == assignment) : Optional.empty(), now,
                report);
        displaced.late(new QmgrEvent.DeliveryDone(back), report);
    }

    private boolean exceedsReturns(Connection connection, Assignment assignment) {
        return connection.head().orElseThrow() == assignment
                && returns.merge(assignment.number(), 1, Integer::sum) >= rules.returns();
    }

    // ---- the end of a connection

    /// The connection ended, and this server did not close it.
    ///
    /// @param attempted present for a failed attempt: selects the assignments that were attempted
    private void broken(Connection connection, Failure failure, Optional<Predicate<Assignment>> attempted, long now,
            EffectsBuilder report) {
        idle.remove(connection);
        List<Assignment> assignments = open.remove(connection);
        HostKey host = connection.host.host();
        boolean othersUp = book.up(host) > 0;
        if (attempted.isEmpty()) {
            open.closedIfLast(connection, now);
        } else if (othersUp) {
            hosts.refusedMore(connection.host, failure.reason(), now);
        }
        // Another host is left, or has answered: the failure is this host's.
        boolean isOfHost = false;
        Set<String> moved = new LinkedHashSet<>(2);
        for (Assignment assignment : assignments) {
            boolean tried = attempted.filter(which -> which.test(assignment)).isPresent();
            AfterFailure after = FailedAttempts.after(assignment, failure,
                    new Situation(tried, tried && outlook.hasOtherHost(assignment.where(), host, now), othersUp,
                            rules.refusedWait(), outlook.transientReply(assignment.where(), now)));
            switch (after) {
                case AfterFailure.Ends(Ended how, boolean ofHost) -> {
                    report.ended(assignment, how);
                    isOfHost |= ofHost;
                    continue;
                }
                case AfterFailure.Moves _ -> isOfHost = true;
                case AfterFailure.Waits(Effects.Refusal refusal) -> report.refused(refusal);
                case AfterFailure.Displaced _ -> {
                    // It gets another seat.
                }
            }
            displaced.add(assignment, connection);
            moved.add(assignment.destination());
        }
        moved.forEach(destination -> displaced.had(destination, book.serving(destination) + 1));
        if (isOfHost && !othersUp) {
            hosts.broken(connection.host, failure.reason(), failure.retryAfterMillis(), now);
        }
    }

    /// The destination is dead: its usable hosts without a connection are marked until then.
    void dead(Candidates where, Reply reason, long untilMillis, long nowMillis) {
        where.hosts()
                .filter(candidate -> outlook.isUsable(candidate.host(), nowMillis) && book.up(candidate.host()) == 0)
                .forEach(candidate -> hosts.broken(candidate, reason, OptionalLong.of(untilMillis - nowMillis),
                        nowMillis));
    }

    /// Evicts a connection for another host.
    private void evict(Connection connection, long now, OrderSink orders) {
        connection.require(connection.isIdle() || !connection.up, "evict");
        if (connection.isIdle()) {
            open.close(connection, now, orders);
            return;
        }
        Reply reason = Reply.of(450, "4.4.2", connection.host.name() + " has sent no greeting for "
                + (now - connection.openedMillis) / 1_000 + " s, and all connections are in use");
        orders.order(new QmgrOrder.Close(connection.number));
        broken(connection, new Failure(reason, connection.host.name(), OptionalLong.empty(),
                Optional.of(QueuePhase.Code.GREETING)), FailedAttempts.firstOfEach(), now,
                pending);
        hosts.broken(connection.host, reason, OptionalLong.empty(), now);
        pending.touched(connection.host.host());
    }

    // ---- deliveries that lost their seat

    /// Gives displaced deliveries another seat, if there is one.
    Effects reseat(long now, OrderSink orders) {
        EffectsBuilder report = effects();
        displaced.each(assignment -> {
            int serving = book.serving(assignment.destination());
            boolean mayOpen = serving == 0 || displaced.mayHaveMore(assignment.destination(), serving);
            Seat seat = placement.find(new PlacementQuestion(assignment.owner(), assignment.where(), mayOpen), now);
            switch (seat) {
                case Seat.Wait wait -> {
                    refusals.until(wait, outlook.nextChangeMillis(assignment.where(), now));
                    if (mayOpen) {
                        leases.need(placement.lacks(
                                new PlacementQuestion(assignment.owner(), assignment.where(), true), now), 1);
                    }
                    return false;
                }
                case Seat.Defer _ when assignment.isDeferredByAHost() ->
                    report.ended(assignment, FailedAttempts.deferredByAHost(assignment));
                case Seat.Defer defer -> report.ended(assignment, FailedAttempts.untried(assignment, defer));
                default -> take(seat, assignment, now, orders);
            }
            return true;
        });
        return report.effects();
    }

    // ---- time

    /// Handles due times: expired connections are closed, and deliveries that were deferred at
    /// seating end.
    Effects alarm(long nowMillis, OrderSink orders) {
        hosts.collect(nowMillis);
        EffectsBuilder report = pending;
        pending = effects();
        if (refusals.alarm(nowMillis)) {
            report.refusalEnded();
        }
        open.closeIdleOfSuspended(nowMillis, orders);
        for (var due = idle.expired(nowMillis); due.isPresent(); due = idle.expired(nowMillis)) {
            // A connection that could be reused blocked no delivery.
            if (due.get().isTooOld(nowMillis, rules)) {
                report.touched(due.get().host.host());
            }
            open.close(due.get(), nowMillis, orders);
        }
        return report.effects();
    }

    /// The time of the next [#alarm]; a time in the past means at once, `Long.MAX_VALUE` never.
    long nextAlarmMillis() {
        if (!pending.isNothing() || open.hasSuspended()) {
            return 0;
        }
        return Math.min(idle.nextMillis(), refusals.nextMillis(placement::nextYieldMillis));
    }

    // ---- views

    /// The connections, for counts and for closing what is idle.
    OpenConnections open() {
        return open;
    }

    PlaceSnapshot snapshot(long nowMillis) {
        return open.snapshot(possibleDuplicates, displaced.size(), nowMillis);
    }

    /// The lanes that this delivery lacks, see [Placement#lacks].
    List<LackingLane> lacks(Owner owner, Candidates where, long nowMillis) {
        return placement.lacks(new PlacementQuestion(owner, where, true), nowMillis);
    }

    Displaced displaced() {
        return displaced;
    }

    boolean carriesSeveral() {
        return rules.depth().carriesSeveral();
    }

    private Connection connection(long number) {
        return book.find(number).orElseThrow(() -> new IllegalStateException("no such connection: " + number));
    }
}
