package org.slipstream.qmgr.place;

import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.HostKey;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.Connection.ConnectionStanding;
import org.slipstream.qmgr.place.Effects.Ended;
import org.slipstream.qmgr.place.Placement.PlacementQuestion;
import org.slipstream.qmgr.shard.Leases;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
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
/// **States of a connection.**
///
/// | State | Event | Next | Effect |
/// |---|---|---|---|
/// | – | a seat on a new connection is taken | opening | `Open` |
/// | opening | `ConnectionReady` | busy | its deliveries are ordered |
/// | opening | `ConnectionFailed` | gone | see *failed attempts* |
/// | busy | `Answered`, others are left | busy | |
/// | busy | `Answered`, the last one | idle | kept ([IdlePool]), or `Close` |
/// | busy | `Answered`, not usable; `Unanswered` | gone | the others are displaced one by one |
/// | idle | a seat on it is taken | busy | `Deliver` |
/// | idle | `ConnectionLost`, its idle time ended, evicted for another host | gone | |
/// | opening | evicted for another host, and the greeting is late | gone | as a failed attempt |
///
/// A connection past its maximum age accepts no assignment and is closed when it is empty. Numbers
/// are not reused, so a late event of a closed connection is recognized and dropped.
///
/// **Failed attempts** (ruling 2 of docs/architecture.md). An attempt fails when the connection
/// cannot be established, the host sends no greeting, or the connection breaks before the first
/// reply to a delivery.
///
/// - *Another host is left*: the host is marked in [DestDb], the delivery moves, and no window gets
///   feedback.
/// - *None is left*: the destination's window gets one negative feedback, and the delivery is
///   deferred. The host is not marked: the cohorts decide whether the destination is dead, and
///   [#dead] marks its hosts then.
/// - *Other connections to the host are up*: the host refuses more than it has. It is marked as
///   crowded. If no other host is left, that is one negative feedback as well, and the delivery
///   waits for a connection that is up. The plain rules defer it, as Postfix does
///   ([PlaceRules#refusedWait]).
///
/// **A host that defers every recipient of a delivery** is not asked again in this attempt: the
/// delivery moves to another host, once, as in Postfix (`smtp_mx_session_limit = 2`; RFC 5321 section
/// 5.1). Its answer is the outcome when no other host can be asked.
///
/// Other assignments of a failed connection are displaced: they were not attempted, and get another
/// seat before any new assignment does. One of each destination may open a connection in place of the
/// lost one ([Displaced]), so the window is never charged with more than before.
///
/// **A delivery that may have arrived** (RFC 1047) is deferred: with another seat at once it would
/// be sent three times within a tenth of a second to a host that accepts mail and closes without a
/// reply. A delivery that is first on a breaking connection for the [PlaceRules#returns]th time is
/// deferred too, or one such message would break every connection.
final class Connections {
    private static final String HERE = "local";

    private PlaceRules rules;
    private final WorkerBudget budget;
    private final ConnectionBook book;
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
    private EffectsBuilder pending = new EffectsBuilder();

    /// Suspended since the last alarm.
    private final Set<HostKey> suspended = new LinkedHashSet<>();
    private long possibleDuplicates;

    /// A destination was refused a seat since the last alarm, and gets one when an unproven
    /// connection is evicted.
    private boolean connectionsShort;

    /// Earliest time at which a refusal ends because a host may be tried again.
    private long refusalEndsMillis = Long.MAX_VALUE;

    /// @param random selects among equal hosts
    /// @param numbers a source of unique connection numbers
    Connections(PlaceRules rules, DestDb hosts, RandomGenerator random, LongSupplier numbers) {
        this(rules, hosts, random, numbers, new TransportLeases("", rules, Leases.WHOLE));
    }

    /// @param leases what the shard may use
    Connections(PlaceRules rules, DestDb hosts, RandomGenerator random, LongSupplier numbers,
            TransportLeases leases) {
        this.rules = rules;
        this.hosts = hosts;
        this.leases = leases;
        this.budget = new WorkerBudget(leases::workers, rules.messages(), rules.verification());
        this.book = new ConnectionBook(budget, numbers);
        this.idle = new IdlePool(rules);
        this.placement = new Placement(rules, budget, book, idle, hosts, random, leases);
    }

    void change(PlaceRules others) {
        rules = others;
        leases.change(others);
        budget.change(others.messages(), others.verification());
        idle.change(others);
        placement.change(others);
        refusals.clear();
    }

    // ---- asking and seating

    /// The seat that a delivery of this owner would get now. Read-only, see [#noteRefusal].
    ///
    /// @param mayOpen the destination's window permits one more connection
    Seat find(Owner owner, Candidates where, boolean mayOpen, long nowMillis) {
        return displaced.isWaiting(where.destination())
                ? new Seat.Wait(Seat.Scope.HERE, "deliveries that lost their connection come first", List.of())
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
        connectionsShort |= isShort(wait);
        refusalEndsMillis = Math.min(refusalEndsMillis, nextChangeMillis(where, now));
        refusals.add(where, wait.scope(), wait.scope() == Seat.Scope.EVERYWHERE
                ? carriesSeveral()
                : displaced.isWaiting(where.destination()) || mayEndWithTime(where, now));
    }

    /// The earliest end of a state that excludes this destination's hosts.
    private long nextChangeMillis(Candidates where, long now) {
        return where.hosts().mapToLong(candidate -> Math.min(
                Math.min(hosts.crowd(candidate.host(), now).map(HostState.Crowded::untilMillis).orElse(Long.MAX_VALUE),
                        hosts.suspension(candidate.host(), now).map(HostState.Suspended::untilMillis)
                                .orElse(Long.MAX_VALUE)),
                hosts.mark(candidate.host(), now) instanceof HostState.Retry retry
                        ? retry.isDue(now) ? retry.forgivenMillis() : retry.untilMillis()
                        : Long.MAX_VALUE))
                .min().orElse(Long.MAX_VALUE);
    }

    private boolean mayEndWithTime(Candidates where, long now) {
        return where.hosts().anyMatch(candidate -> hosts.crowd(candidate.host(), now).isPresent()
                || hosts.suspension(candidate.host(), now).isPresent()
                || hosts.mark(candidate.host(), now) instanceof HostState.Retry);
    }

    /// Takes the seat.
    ///
    /// @param seat the answer of [#ask] for this assignment, with no change since
    void seat(Seat seat, Assignment assignment, long nowMillis, OrderSink orders) {
        if (seat instanceof Seat.Defer defer) {
            pending.ended(untried(assignment, defer));
            return;
        }
        HostKey host = host(seat).host();
        idle.starts(host, book.connections(host) == idle.size(host), nowMillis);
        refusals.remove(assignment.where());
        take(seat, assignment, nowMillis, orders);
    }

    private static Candidate host(Seat seat) {
        return switch (seat) {
            case Seat.Queue queue -> queue.host();
            case Seat.Reuse reuse -> reuse.host();
            case Seat.Open open -> open.host();
            case Seat.Wait _,Seat.Defer _ -> throw new IllegalStateException("no seat: " + seat);
        };
    }

    private void take(Seat seat, Assignment assignment, long now, OrderSink orders) {
        switch (seat) {
            case Seat.Queue queue -> assign(connection(queue.connection()), assignment, orders);
            case Seat.Reuse reuse -> {
                Connection connection = connection(reuse.connection());
                idle.remove(connection);
                assign(connection, assignment, orders);
                // A message that has used up its share may queue behind others, but takes no idle connection.
                if (carriesSeveral() && placement.takesOverflow(connection)
                        && refusals.isRationedAt(connection.host.host())) {
                    refusalEndsMillis = now;
                }
            }
            case Seat.Open open -> {
                open.closing().ifPresent(number -> evict(connection(number), now, orders));
                HostKey host = open.host().host();
                int depth = hosts.oneAtATime(host, now).isPresent() ? 1 : rules.depth().first();
                Connection connection = book.open(open.host(), assignment, standing(host, now), depth, now);
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
            refusalEndsMillis = now;
        }
    }

    private ConnectionStanding standing(HostKey host, long now) {
        return switch (hosts.mark(host, now)) {
            case HostState.Closed _ -> ConnectionStanding.PROVEN;
            case HostState.Retry _ -> ConnectionStanding.FAILED;
            case HostState _ -> book.up(host) > 0 ? ConnectionStanding.PROVEN : ConnectionStanding.UNKNOWN;
        };
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
        EffectsBuilder report = new EffectsBuilder();
        book.find(event.connection()).ifPresentOrElse(
                connection -> handle(connection, event, nowMillis, orders, report), () -> late(event, report));
        if (event instanceof QmgrEvent.DeliveryDone(DeliveryResult.Unanswered back) && back.mayHaveArrived()) {
            possibleDuplicates++;
        }
        return report.effects();
    }

    private void handle(Connection connection, QmgrEvent.OfConnection event, long now, OrderSink orders,
            EffectsBuilder report) {
        if (!(event instanceof QmgrEvent.ConnectionReady) || opensTheHost(connection, now)) {
            report.touched.add(connection.host.host());
        }
        switch (event) {
            case QmgrEvent.ConnectionReady _ -> ready(connection, orders);
            case QmgrEvent.ConnectionFailed failed -> failed(connection, failed, now, report);
            case QmgrEvent.DeliveryDone(DeliveryResult result) -> done(connection, result, now, orders, report);
            case QmgrEvent.ConnectionLost lost ->
                broken(connection, Failure.of("connection lost: " + lost.reason()),
                        connection.answered == 0 ? firstOfEach() : Optional.empty(), now, report);
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

    private void ready(Connection connection, OrderSink orders) {
        if (connection.up) {
            throw new ImpossibleEventException("ready twice: " + connection);
        }
        book.isUp(connection);
        hosts.works(connection.host.host());
        connection.assignments().forEach(assignment -> deliver(connection, assignment, orders));
    }

    private void failed(Connection connection, QmgrEvent.ConnectionFailed failed, long now, EffectsBuilder report) {
        if (connection.up) {
            throw new ImpossibleEventException(failed + ", but it was up: " + connection);
        }
        Failure failure = new Failure(failed.reason(), failed.remote(), failed.retryAfterMillis(), failed.phase());
        if (failed.ours()) {
            remove(connection).forEach(assignment -> report.ended(assignment,
                    ownFailure(assignment, failed.reason(), DeliveryResult.Scope.TRANSPORT)));
        } else {
            broken(connection, failure, firstOfEach(), now, report);
        }
    }

    private static Ended ownFailure(Assignment assignment, Reply reason, DeliveryResult.Scope scope) {
        return new Ended.OwnFailure(assignment.number(),
                RecipientOutcome.because(assignment.all(new Outcome.Deferred(transientOf(reason), HERE)),
                        scope == DeliveryResult.Scope.MESSAGE ? QueuePhase.Code.CONTENT : QueuePhase.Code.DEAD),
                reason, scope);
    }

    private void done(Connection connection, DeliveryResult result, long now, OrderSink orders, EffectsBuilder report) {
        Assignment assignment = connection.find(result.delivery())
                .orElseThrow(() -> new ImpossibleEventException(result + " is not on " + connection));
        switch (result) {
            case DeliveryResult.Answered answered -> {
                over(connection, assignment, now);
                boolean released = !connection.serves(assignment.destination());
                if (mayTryAnotherHost(assignment, answered.outcomes(), connection.host.host(), now)) {
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
                report.ended(assignment, ownFailure(assignment, own.reason(), own.scope()));
                goesOn(connection, own.usable(), now, orders, report);
            }
            case DeliveryResult.Unanswered back -> unanswered(connection, assignment, back, now, report);
        }
    }

    /// True when the host has deferred every recipient, for the first time in this attempt, and
    /// another host is usable. A host that took or refused one of them has looked at the recipients,
    /// so its deferrals are about them.
    private boolean mayTryAnotherHost(Assignment assignment, List<RecipientOutcome> outcomes, HostKey host, long now) {
        return assignment.owner() instanceof Owner.Message && !assignment.isDeferredByAHost() && !outcomes.isEmpty()
                && outcomes.stream().allMatch(
                        each -> each.outcome() instanceof Outcome.Deferred(_, String remote) && !remote.equals(HERE))
                && hasOtherHost(assignment.where(), host, now);
    }

    /// The end of a delivery that a host has deferred: no other host could be asked, so that answer
    /// is the outcome. The window gets the feedback of that session, which worked.
    private static Ended deferredByAHost(Assignment assignment) {
        return new Ended.Worked(assignment.number(), assignment.answer(), true);
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
            close(connection, now, orders);
        }
    }

    private void unanswered(Connection connection, Assignment assignment, DeliveryResult.Unanswered back, long now,
            EffectsBuilder report) {
        Failure failure = new Failure(back.reason(), back.remote(), OptionalLong.empty(), back.phase());
        if (back.mayHaveArrived()) {
            book.take(connection, assignment.number());
            report.ended(assignment, failed(assignment, failure));
        } else if (exceedsReturns(connection, assignment)) {
            book.take(connection, assignment.number());
            report.ended(assignment, new Ended.Inconclusive(assignment.number(),
                    failure.outcomes(assignment, new Outcome.Deferred(failure.reason(), failure.remote()))));
        }
        boolean isAttempt = connection.answered == 0 && !back.mayHaveArrived();
        broken(connection, failure, isAttempt ? Optional.of(each -> each == assignment) : Optional.empty(), now,
                report);
        late(new QmgrEvent.DeliveryDone(back), report);
    }

    private static Ended failed(Assignment assignment, Failure failure) {
        return new Ended.Failed(assignment.number(),
                failure.outcomes(assignment, Outcome.of(failure.reason(), failure.remote())),
                failure.reason(), failure.retryAfterMillis());
    }

    private boolean exceedsReturns(Connection connection, Assignment assignment) {
        return connection.head().orElseThrow() == assignment
                && returns.merge(assignment.number(), 1, Integer::sum) >= rules.returns();
    }

    /// An event of a closed connection. Its end was handled when it ended.
    private void late(QmgrEvent.OfConnection event, EffectsBuilder report) {
        if (!(event instanceof QmgrEvent.DeliveryDone(DeliveryResult result))) {
            return;
        }
        switch (result) {
            case DeliveryResult.Unanswered back when back.mayHaveArrived() ->
                displaced.finished(back).ifPresent(one -> report.ended(one, new Ended.Inconclusive(one.number(),
                        one.all(new Outcome.Deferred(back.reason(), back.remote())))));
            case DeliveryResult.Unanswered back -> displaced.returned(back);
            case DeliveryResult.Answered answered -> displaced.finished(answered).ifPresent(
                    one -> report.ended(one, new Ended.Worked(one.number(), answered.outcomes(), false)));
            case DeliveryResult.OwnFailure own -> displaced.finished(own)
                    .ifPresent(one -> report.ended(one, ownFailure(one, own.reason(), own.scope())));
        }
    }

    // ---- the end of a connection

    /// The temporary failure of another host of the destination: a permanent failure applies only
    /// when every host reports one.
    private Optional<Reply> transientReply(Candidates where, long now) {
        return where.hosts().map(candidate -> hosts.mark(candidate.host(), now))
                .filter(HostState.Retry.class::isInstance).map(mark -> ((HostState.Retry) mark).last())
                .filter(Reply::isTransient).findFirst();
    }

    /// The reason for the end of a connection.
    private record Failure(Reply reason, String remote, OptionalLong retryAfterMillis,
            Optional<QueuePhase.Code> phase) {
        List<RecipientOutcome> outcomes(Assignment assignment, Outcome outcome) {
            return RecipientOutcome.endedIn(assignment.all(outcome), phase);
        }

        Failure orTransient(Optional<Reply> transientReply) {
            return reason.isPermanent() && transientReply.isPresent()
                    ? new Failure(transientReply.get(), HERE, retryAfterMillis, phase)
                    : this;
        }

        static Failure of(String text) {
            return new Failure(Reply.of(450, "4.4.2", text), HERE, OptionalLong.empty(), Optional.empty());
        }
    }

    /// The connection ended, and this server did not close it.
    ///
    /// @param attempted present for a failed attempt: selects the assignments that were attempted
    private void broken(Connection connection, Failure failure, Optional<Predicate<Assignment>> attempted, long now,
            EffectsBuilder report) {
        idle.remove(connection);
        List<Assignment> assignments = remove(connection);
        HostKey host = connection.host.host();
        boolean othersUp = book.up(host) > 0;
        if (attempted.isEmpty()) {
            closedIfLast(connection, now);
        } else if (othersUp) {
            hosts.refusedMore(connection.host, failure.reason(), now);
        }
        // Another host is left, or has answered: the failure is this host's.
        boolean canMove = false;
        Set<String> moved = new LinkedHashSet<>(2);
        for (Assignment assignment : assignments) {
            boolean tried = attempted.filter(which -> which.test(assignment)).isPresent();
            boolean isLast = tried && !hasOtherHost(assignment.where(), host, now);
            if (isLast && assignment.isDeferredByAHost()) {
                report.ended(assignment, deferredByAHost(assignment));
                canMove = true;
                continue;
            }
            if (isLast && !(othersUp && rules.refusedWait())) {
                report.ended(assignment,
                        failed(assignment, failure.orTransient(transientReply(assignment.where(), now))));
                continue;
            }
            if (isLast) {
                report.refusals.add(new Effects.Refusal(assignment.number(), failure.reason()));
            }
            canMove |= tried && !isLast;
            displaced.add(assignment, connection);
            moved.add(assignment.destination());
        }
        moved.forEach(destination -> displaced.had(destination, book.serving(destination) + 1));
        if (canMove && !othersUp) {
            hosts.broken(connection.host, failure.reason(), failure.retryAfterMillis(), now);
        }
    }

    /// The first assignment of each destination: the connection was opened for it as much as for
    /// the first of all.
    private static Optional<Predicate<Assignment>> firstOfEach() {
        Set<String> destinations = new LinkedHashSet<>(2);
        return Optional.of(assignment -> destinations.add(assignment.destination()));
    }

    private boolean hasOtherHost(Candidates where, HostKey failed, long now) {
        return where.hosts().map(Candidate::host).anyMatch(host -> !host.equals(failed) && isUsable(host, now));
    }

    private boolean isUsable(HostKey host, long now) {
        return hosts.suspension(host, now).isEmpty() && (book.connections(host) > 0
                || !(hosts.mark(host, now) instanceof HostState.Retry retry && !retry.isDue(now)));
    }

    /// The destination is dead: its usable hosts without a connection are marked until then.
    void dead(Candidates where, Reply reason, long untilMillis, long nowMillis) {
        where.hosts().filter(candidate -> isUsable(candidate.host(), nowMillis) && book.up(candidate.host()) == 0)
                .forEach(candidate -> hosts.broken(candidate, reason, OptionalLong.of(untilMillis - nowMillis),
                        nowMillis));
    }

    /// Evicts a connection for another host.
    private void evict(Connection connection, long now, OrderSink orders) {
        if (connection.isIdle()) {
            close(connection, now, orders);
            return;
        }
        Reply reason = Reply.of(450, "4.4.2", connection.host.name() + " has sent no greeting for "
                + (now - connection.openedMillis) / 1_000 + " s, and all connections are in use");
        orders.order(new QmgrOrder.Close(connection.number));
        broken(connection, new Failure(reason, connection.host.name(), OptionalLong.empty(),
                Optional.of(QueuePhase.Code.GREETING)), firstOfEach(), now,
                pending);
        hosts.broken(connection.host, reason, OptionalLong.empty(), now);
        pending.touched.add(connection.host.host());
    }

    private void close(Connection connection, long now, OrderSink orders) {
        idle.remove(connection);
        remove(connection);
        closedIfLast(connection, now);
        orders.order(new QmgrOrder.Close(connection.number));
    }

    private List<Assignment> remove(Connection connection) {
        List<Assignment> assignments = book.remove(connection);
        if (book.connections(connection.host.host()) == 0) {
            idle.forget(connection.host.host());
            leases.left(connection.host.host());
        }
        return assignments;
    }

    private void closedIfLast(Connection connection, long now) {
        if (book.connections(connection.host.host()) == 0 && connection.up) {
            hosts.closed(connection.host, connection.openedMillis, now);
        }
    }

    // ---- deliveries that lost their seat

    private static boolean isShort(Seat seat) {
        return seat instanceof Seat.Wait wait && (wait.scope() == Seat.Scope.UNPROVEN
                || wait.scope() == Seat.Scope.EVERYWHERE);
    }

    /// Gives displaced deliveries another seat, if there is one.
    Effects reseat(long now, OrderSink orders) {
        EffectsBuilder report = new EffectsBuilder();
        displaced.each(assignment -> {
            int serving = book.serving(assignment.destination());
            boolean mayOpen = serving == 0 || displaced.mayHaveMore(assignment.destination(), serving);
            Seat seat = placement.find(new PlacementQuestion(assignment.owner(), assignment.where(), mayOpen), now);
            switch (seat) {
                case Seat.Wait wait -> {
                    connectionsShort |= isShort(wait);
                    refusalEndsMillis = Math.min(refusalEndsMillis, nextChangeMillis(assignment.where(), now));
                    if (mayOpen) {
                        leases.need(placement.lacks(
                                new PlacementQuestion(assignment.owner(), assignment.where(), true), now), 1);
                    }
                    return false;
                }
                case Seat.Defer _ when assignment.isDeferredByAHost() ->
                    report.ended(assignment, deferredByAHost(assignment));
                case Seat.Defer defer -> report.ended(assignment, untried(assignment, defer));
                default -> take(seat, assignment, now, orders);
            }
            return true;
        });
        return report.effects();
    }

    /// A suspended host is the remote of the outcome, so that a queue listing can show the end of
    /// the suspension.
    private static Ended untried(Assignment assignment, Seat.Defer defer) {
        String remote = defer.suspension().map(suspension -> suspension.host().toString()).orElse(HERE);
        return new Ended.Untried(assignment.number(),
                RecipientOutcome.because(assignment.all(new Outcome.Deferred(suspended(defer.last()), remote)),
                        defer.suspension().isPresent() ? QueuePhase.Code.SUSPENDED : QueuePhase.Code.DEAD),
                defer.suspension().map(Seat.Suspension::resumesMillis).orElse(OptionalLong.empty()));
    }

    /// The reply of a delivery that is deferred without an attempt, from the latest reply of its
    /// host.
    private static Reply suspended(Reply last) {
        Reply word = transientOf(last);
        return new Reply(word.code(), word.status(), List.of("delivery temporarily suspended: " + last.text()));
    }

    private static Reply transientOf(Reply reply) {
        return reply.isTransient() ? reply : new Reply(450, EnhancedStatus.parse("4.4.1"), reply.lines());
    }

    // ---- time

    /// Handles due times: expired connections are closed, and deliveries that were deferred at
    /// seating end.
    Effects alarm(long nowMillis, OrderSink orders) {
        connectionsShort = false;
        hosts.collect(nowMillis);
        EffectsBuilder report = pending;
        pending = new EffectsBuilder();
        if (refusalEndsMillis <= nowMillis) {
            refusalEndsMillis = Long.MAX_VALUE;
            report.refusalEnded = true;
        }
        closeIdleOfSuspended(nowMillis, orders);
        for (var due = idle.expired(nowMillis); due.isPresent(); due = idle.expired(nowMillis)) {
            // A connection that could be reused blocked no delivery.
            if (due.get().isTooOld(nowMillis, rules)) {
                report.touched.add(due.get().host.host());
            }
            close(due.get(), nowMillis, orders);
        }
        return report.effects();
    }

    /// The time of the next [#alarm]; a time in the past means at once, `Long.MAX_VALUE` never.
    long nextAlarmMillis() {
        if (!pending.isNothing() || !suspended.isEmpty()) {
            return 0;
        }
        long next = Math.min(idle.nextMillis(), refusalEndsMillis);
        return connectionsShort ? Math.min(next, placement.nextYieldMillis()) : next;
    }

    // ---- operators

    /// Closes the idle connections of a suspended host with the next alarm.
    void closeIdle(HostKey host) {
        suspended.add(host);
    }

    private void closeIdleOfSuspended(long now, OrderSink orders) {
        if (!suspended.isEmpty()) {
            List<Connection> idleThere = book.all().stream()
                    .filter(connection -> suspended.contains(connection.host.host()) && connection.isIdle()).toList();
            idleThere.forEach(connection -> close(connection, now, orders));
            suspended.clear();
        }
    }

    /// The lanes that this delivery lacks, see [Placement#lacks].
    List<LackingLane> lacks(Owner owner, Candidates where, long nowMillis) {
        return placement.lacks(new PlacementQuestion(owner, where, true), nowMillis);
    }

    boolean isDisplaced(String destination) {
        return displaced.isWaiting(destination);
    }

    int displaced() {
        return displaced.size();
    }

    int size() {
        return book.size();
    }

    int connections(HostKey host) {
        return book.connections(host);
    }

    /// Hosts of which something is remembered as long as they have a connection.
    int hostsInUse() {
        return idle.rhythms();
    }

    /// Closes the connections that are idle for the longest time.
    ///
    /// @param host empty for all
    void closeIdle(Optional<HostKey> host, int most, long nowMillis, OrderSink orders) {
        List<Connection> unused = book.all().stream()
                .filter(connection -> connection.isIdle()
                        && host.map(connection.host.host()::equals).orElse(true))
                .sorted(Comparator.comparingLong(connection -> connection.idleSinceMillis)).limit(most).toList();
        unused.forEach(connection -> close(connection, nowMillis, orders));
    }

    boolean carriesSeveral() {
        return rules.depth().carriesSeveral();
    }

    /// Connections that open for this destination or serve it; they count against its window.
    int serving(String destination) {
        return book.serving(destination);
    }

    /// Busy connections of this owner.
    int busy() {
        return budget.busy();
    }

    int busyFor(Owner owner) {
        return budget.busyFor(owner);
    }

    /// Connections to the hosts of this destination, opening, busy or idle, of any destination.
    int connections(Candidates where) {
        return where.hosts().mapToInt(candidate -> book.connections(candidate.host())).sum();
    }

    /// All connections, first to last. Displaced deliveries are on none.
    Iterable<Connection> all() {
        return book.all();
    }

    /// Cheaper than a [#snapshot].
    PlaceSnapshot.PlaceFigures figures() {
        return new PlaceSnapshot.PlaceFigures(budget.workers(), book.size(), book.opening(), book.unproven(),
                rules.mostUnproven(budget.workers()));
    }

    PlaceSnapshot snapshot(long nowMillis) {
        return PlaceSnapshot.of(book, idle, hosts, budget, figures(),
                new PlaceSnapshot.HostCounts(book.opened(), possibleDuplicates, displaced.size()), nowMillis);
    }

    private Connection connection(long number) {
        return book.find(number).orElseThrow(() -> new IllegalStateException("no such connection: " + number));
    }

    /// Collects the effects of an event.
    private final class EffectsBuilder {
        final List<Ended> ended = new ArrayList<>();
        final List<Effects.Refusal> refusals = new ArrayList<>();

        /// The state of a host has expired.
        boolean refusalEnded;

        /// Hosts whose state changed.
        final Set<HostKey> touched = new LinkedHashSet<>(2);

        /// Destinations with an ended delivery, which triggers their own selection.
        private final Set<String> reported = new LinkedHashSet<>(2);

        void ended(Assignment assignment, Ended how) {
            reported.add(assignment.destination());
            ended(how);
        }

        void ended(Ended how) {
            returns.remove(how.delivery());
            ended.add(how);
        }

        boolean isNothing() {
            return ended.isEmpty() && touched.isEmpty();
        }

        Effects effects() {
            boolean seats = refusalEnded || Connections.this.refusals.concerns(touched, reported);
            if (seats) {
                Connections.this.refusals.clear();
            }
            return new Effects(ended, refusals, seats);
        }
    }
}
