package org.slipstream.qmgr;

import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.queue.GateReading;
import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.LimitOrder.LimitedThing;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.core.queue.QueuePhase.Figure;
import org.slipstream.core.queue.Suspension;
import org.slipstream.qmgr.QmgrSnapshot.ActiveDestination;
import org.slipstream.qmgr.QmgrSnapshot.ActiveMessage;
import org.slipstream.qmgr.dest.DestinationRules;
import org.slipstream.qmgr.dest.Destinations;
import org.slipstream.qmgr.flow.MeanDuration;
import org.slipstream.qmgr.message.Activation;
import org.slipstream.qmgr.place.LackingLane;
import org.slipstream.qmgr.place.PlaceSnapshot;
import org.slipstream.qmgr.place.Seat;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.settings.OrderedLimits;
import org.slipstream.qmgr.wake.LimitKey;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// Determines the phase of each active message for one snapshot. It is read-only.
///
/// The facts of a destination, such as the head of its queue and a shortage of seats, are computed
/// once for all its messages, and only [#COUNTED] entries of a queue are counted. So the cost of a
/// snapshot grows with the messages shown, not with those that wait.
final class Explanation {
    /// Slower deliveries are worth a remark.
    private static final long SLOW_MILLIS = 10_000;
    /// An estimate below this is not worth a remark.
    private static final long LEAST_REST_MILLIS = 5_000;
    /// Reasons that end when earlier deliveries end.
    private static final Set<Code> QUEUES = EnumSet.of(Code.WINDOW, Code.HOST_LIMIT, Code.CONNECTIONS, Code.TURN);

    /// The maximum number of entries that are counted per destination queue.
    static final int COUNTED = 1_000;

    private final Seating seating;
    private final Destinations destinations;
    private final Map<QueueId, FirstDelivery> firstDeliveries;
    private final boolean stopping;
    private final Optional<Suspension> freeze;
    private final OrderedLimits limits;
    private final long nowMillis;
    private final Map<Long, Seating.HostPosition> positions;
    private final Map<DestinationQueue, Map<QueueId, Integer>> before = new LinkedHashMap<>();
    private final Map<DestinationQueue, Seat.Wait> shortages = new LinkedHashMap<>();

    /// The delivery of a message that started first.
    record FirstDelivery(long number, DestinationQueue queue, long sinceMillis) {}

    Explanation(Seating seating, Destinations destinations, Map<QueueId, FirstDelivery> firstDeliveries,
            boolean stopping, Optional<Suspension> freeze, OrderedLimits limits, long nowMillis) {
        this.limits = limits;
        this.seating = seating;
        this.destinations = destinations;
        this.firstDeliveries = firstDeliveries;
        this.stopping = stopping;
        this.freeze = freeze;
        this.nowMillis = nowMillis;
        this.positions = firstDeliveries.isEmpty() ? Collections.emptyMap() : seating.positions();
    }

    ActiveMessage message(Activation message) {
        Optional<FirstDelivery> first = Optional.ofNullable(firstDeliveries.get(message.id))
                .filter(_ -> !message.isReporting());
        Optional<QmgrSnapshot.SnapshotSeat> seat = first
                .flatMap(delivery -> Optional.ofNullable(positions.get(delivery.number()))
                        .map(at -> new QmgrSnapshot.SnapshotSeat(delivery.number(), at.connection(), at.ahead())));
        QueuePhase phase = first.map(this::underWay).orElseGet(() -> standing(message));
        String besides = first.map(_ -> message.isLeaving() ? ", then it is " + leaving(message) : rest(message))
                .orElse("");
        return new ActiveMessage(message.id, message.work.waiting(), message.work.running(), phase, besides, seat,
                waits(message));
    }

    private Optional<QmgrSnapshot.Waits> waits(Activation message) {
        return stopping || message.isLeaving()
                ? Optional.empty()
                : message.work.waitsFor()
                        .map(queue -> new QmgrSnapshot.Waits(queue.route(), destinations.mayOpen(queue)));
    }

    ActiveDestination destination(DestinationQueue queue) {
        return new ActiveDestination(queue.transport(), queue.key(), queue.waiting(), queue.running(),
                seating.connections(queue.route()), destinations.rules().refusal(queue),
                destinations.rules().duration(queue).map(MeanDuration::millis));
    }

    // ---- on a connection

    private QueuePhase underWay(FirstDelivery delivery) {
        return onConnection(delivery).since(delivery.sinceMillis());
    }

    private QueuePhase onConnection(FirstDelivery delivery) {
        Seating.HostPosition at = positions.get(delivery.number());
        if (at == null) {
            return QueuePhase.of(Code.CONNECTION, seating.refusesMore(delivery.queue().route(), nowMillis)
                    .map(refusal -> "waits for one of the connections to " + delivery.queue() + " (" + refusal + ")")
                    .orElse("lost its connection to " + delivery.queue() + " and waits for another"));
        }
        if (at.ahead() > 0) {
            return QueuePhase.of(Code.AHEAD, others(at.ahead()) + " ahead on a connection to " + at.host()
                    + (at.up() ? "" : " that is being opened")).with(Figure.AHEAD, at.ahead());
        }
        if (!at.up()) {
            return QueuePhase.of(Code.CONNECTING, "a connection to " + at.host() + " is being opened");
        }
        return delivery.queue().route() instanceof Route.Local
                ? QueuePhase.of(Code.MAILBOX, "being put into the mailbox")
                : QueuePhase.of(Code.HANDED_OVER, "being delivered to " + at.host());
    }

    private static String others(int deliveries) {
        return deliveries == 1 ? "1 delivery" : deliveries + " deliveries";
    }

    // Other entries of the message usually wait for connections, which is not worth a sentence;
    // spacing is.
    private String rest(Activation message) {
        return message.work.waitsFor().filter(_ -> !stopping).map(queue -> atGates(message, queue))
                .filter(phase -> phase.code() == Code.SPACING).map(phase -> "; " + phase.text()).orElse("");
    }

    private static String leaving(Activation message) {
        return message.order().map(order -> OrderForm.did((Record) order).orElse("moved to another shard"))
                .orElse("set aside");
    }

    // ---- waiting

    // The most informative of several reasons: blocked states first, then states that change by
    // themselves.
    private QueuePhase standing(Activation message) {
        if (message.isReporting()) {
            return QueuePhase.of(Code.REPORTING, "a report to its sender is being made");
        }
        if (freeze.isPresent() && (message.work.waiting() > 0 || message.hasRouted())) {
            return suspended(freeze.get());
        }
        if (message.work.waiting() > 0) {
            return stopping
                    ? QueuePhase.of(Code.STOPPING, "waits: the server is stopping")
                    : message.work.waitsFor().map(queue -> waits(message, queue)).orElseThrow();
        }
        if (!message.pendingDomains().isEmpty()) {
            int more = message.pendingDomains().size() - 1;
            return QueuePhase.of(Code.ROUTE, "waits for the route of " + message.pendingDomains().getFirst()
                    + (more > 0 ? " and " + more + " more" : "")).since(message.routeRequestedMillis());
        }
        if (message.hasRouted()) {
            return QueuePhase.of(Code.TURN, "waits for its place in the order of service");
        }
        if (message.work.isReading()) {
            return QueuePhase.of(Code.RECIPIENTS, "its recipients are being read")
                    .since(message.work.activatedMillis());
        }
        return QueuePhase.of(Code.RECORDING, "its outcomes are being recorded");
    }

    private static QueuePhase suspended(Suspension suspension) {
        QueuePhase phase = QueuePhase.of(Code.SUSPENDED, suspension.text()).since(suspension.sinceMillis())
                .about(suspension.endCommand());
        return suspension.isEndless() ? phase : phase.until(suspension.untilMillis());
    }

    private QueuePhase waits(Activation message, DestinationQueue queue) {
        Integer first = before.computeIfAbsent(queue, each -> each.entriesBefore(COUNTED)).get(message.id);
        QueuePhase at = atGates(message, queue).since(message.placedMillis);
        QueuePhase phase = sinceRefusal(
                ordered(at.code(), queue).map(order -> at.adding(" (limit " + order.text() + ")")).orElse(at), queue);
        QueuePhase slow = destinations.rules().duration(queue).filter(each -> each.millis() >= SLOW_MILLIS)
                .map(each -> phase.adding(", slow answers (" + duration(each.millis()) + " each)")).orElse(phase);
        if (first == null) {
            return slow.adding(", more than " + others(COUNTED) + " before it");
        }
        QueuePhase placed = slow.with(Figure.BEFORE, first)
                .adding(first == 0 ? "" : ", " + others(first) + " before it");
        return destinations.rules().duration(queue).filter(_ -> QUEUES.contains(phase.code()))
                .map(each -> estimated(placed, each, first, queue)).orElse(placed);
    }

    // The message may have come after the gate closed, or before.
    private QueuePhase sinceRefusal(QueuePhase phase, DestinationQueue queue) {
        OptionalLong since = destinations.rules().refusedSince(queue, phase.code());
        return since.isPresent() && nowMillis - since.getAsLong() >= 1_000
                ? phase.adding(" since " + duration(nowMillis - since.getAsLong()))
                : phase;
    }

    // Deliveries under way tell the concurrency: several of them may share a connection.
    private static QueuePhase estimated(QueuePhase phase, MeanDuration duration, int before, DestinationQueue queue) {
        long rest = duration.restMillis(before, Math.max(queue.running(), 1));
        return phase.with(Figure.MEAN_MILLIS, duration.millis()).with(Figure.REST_MILLIS, rest)
                .adding(rest < LEAST_REST_MILLIS ? "" : ", about " + duration(rest));
    }

    private static String duration(long millis) {
        long seconds = Math.round(millis / 1000.0);
        if (seconds < 120) {
            return seconds + " s";
        }
        return seconds < 7_200 ? Math.round(seconds / 60.0) + " min" : Math.round(seconds / 3600.0) + " h";
    }

    // ---- all gates of one message

    /// The gates of a message that waits, in order. Each gate is asked, whether or not an earlier one
    /// is closed; exactly one of the closed ones is the phase of the message.
    List<GateReading> gates(Activation message) {
        if (freeze.isPresent()) {
            return List.of(GateReading.of(Code.SUSPENDED, true, freeze.get().text()));
        }
        return message.work.waitsFor().filter(_ -> message.work.waiting() > 0 && !stopping)
                .map(queue -> gates(message, queue)).orElse(List.of());
    }

    private List<GateReading> gates(Activation message, DestinationQueue queue) {
        boolean mayOpen = destinations.mayOpen(queue);
        PlaceSnapshot.PlaceFigures figures = seating.figures(queue.transport());
        boolean full = queue.allowed() > 0 && destinations.atWork(queue) >= queue.allowed();
        boolean window = full
                && (!queue.hasRoom()
                        || seating.find(message.id, queue.route(), mayOpen, nowMillis) instanceof Seat.Wait);
        // With an open window, so that the answer does not depend on the window's gate.
        Optional<Seat.Wait> wait = Optional.of(seating.find(message.id, queue.route(), true, nowMillis))
                .filter(Seat.Wait.class::isInstance).map(Seat.Wait.class::cast);
        List<GateReading> gates = new ArrayList<>(destinations.rules().gates(queue, nowMillis));
        gates.add(GateReading.of(Code.CONNECTIONS, is(wait, Seat.Scope.EVERYWHERE),
                figures.open() + " of " + figures.most() + " connections open"));
        gates.add(GateReading.of(Code.WINDOW, window, queue.allowed() == 0
                ? "no delivery is permitted at present"
                : destinations.atWork(queue) + " of " + queue.allowed() + " at work"));
        boolean pause = destinations.pausedUntilMillis(queue).isPresent();
        gates.add(GateReading.of(Code.PAUSE, pause, pause ? destinations.rules().pauseWords(queue) : "no pause"));
        long turn = destinations.spacing().waitMillis(message.work, queue, nowMillis);
        gates.add(GateReading.of(Code.SPACING, turn > 0,
                turn > 0 ? "the next start is in " + turn + " ms" : "no distance"));
        gates.add(GateReading.of(Code.SHARE, is(wait, Seat.Scope.MESSAGE),
                wait.filter(each -> each.scope() == Seat.Scope.MESSAGE).map(Seat::reason).orElse("within its share")));
        boolean host = is(wait, Seat.Scope.HERE) || is(wait, Seat.Scope.UNPROVEN);
        gates.add(GateReading.of(Code.HOST_LIMIT, host, host
                ? wait.orElseThrow().reason()
                : "connections to its hosts: " + seating.connections(queue.route())));
        gates.add(turnOf(message, queue));
        destinations.lacking(message.work, queue, nowMillis)
                .ifPresent(lack -> gates.replaceAll(gate -> gate.code() == DestinationRules.gate(lack.key().limit())
                        ? GateReading.of(gate.code(), true, destinations.lanes().words(lack))
                        : gate));
        gates.replaceAll(gate -> ordered(gate.code(), queue)
                .map(order -> gate.withText(gate.text() + "; the limit is " + order.text())).orElse(gate));
        gates.replaceAll(gate -> gate.state() == GateReading.GateState.CLOSED
                ? gate.since(destinations.rules().refusedSince(queue, gate.code()))
                : gate);
        return gates;
    }

    /// The limit that an operator has set for this gate.
    private Optional<LimitOrder> ordered(Code gate, DestinationQueue queue) {
        return switch (gate) {
            case SERVER -> limits.of(LimitedThing.SERVER, _ -> true);
            case CONNECTIONS -> limits.of(LimitedThing.TRANSPORT, queue.transport()::equals);
            case RING -> limits.of(LimitedThing.RING,
                    ring -> destinations.rules().ring(queue).filter(ring::equals).isPresent());
            case HOST_LIMIT -> limits.of(LimitedThing.HOST, host -> seating.leadsTo(queue.route(), host));
            case WINDOW -> limits.of(LimitedThing.WINDOW, name -> destinations.rules().isNamed(queue, name));
            case RATE -> limits.of(LimitedThing.RATE, name -> destinations.rules().isNamed(queue, name));
            default -> Optional.empty();
        };
    }

    private static boolean is(Optional<Seat.Wait> wait, Seat.Scope scope) {
        return wait.filter(each -> each.scope() == scope).isPresent();
    }

    private GateReading turnOf(Activation message, DestinationQueue queue) {
        Map<QueueId, Integer> all = before.computeIfAbsent(queue, each -> each.entriesBefore(COUNTED));
        Integer mine = all.get(message.id);
        if (mine != null && mine == 0) {
            return GateReading.of(Code.TURN, false, "first at " + queue);
        }
        return GateReading.of(Code.TURN, true, (mine == null ? "more than " + others(COUNTED) : others(mine))
                + " before it, the first of message " + all.keySet().iterator().next());
    }

    // The first gate is the window, the second the seat; the first that refuses is the reason.
    private QueuePhase atGates(Activation message, DestinationQueue queue) {
        Optional<LackingLane> lack = destinations.lacking(message.work, queue, nowMillis);
        if (lack.isPresent()) {
            return withoutLane(lack.get(), queue);
        }
        Optional<QueuePhase> rule = destinations.rules().phase(queue, nowMillis);
        if (rule.isPresent()) {
            return rule.get();
        }
        OptionalLong pausedUntil = destinations.pausedUntilMillis(queue);
        if (pausedUntil.isPresent()) {
            return QueuePhase.of(Code.PAUSE, "waits: " + destinations.rules().pauseWords(queue))
                    .until(pausedUntil.getAsLong());
        }
        boolean mayOpen = destinations.mayOpen(queue);
        Seat known = shortages.get(queue);
        Seat seat = known == null ? seating.find(message.id, queue.route(), mayOpen, nowMillis) : known;
        if (seat instanceof Seat.Wait wait) {
            return shortage(queue, wait, mayOpen);
        }
        if (!queue.hasRoom()) {
            return window(queue);
        }
        return seat instanceof Seat.Queue || seat instanceof Seat.Defer ? turn(queue) : spaced(message, queue);
    }

    private QueuePhase withoutLane(LackingLane lack, DestinationQueue queue) {
        String what = switch (lack.key().limit()) {
            case SERVER, TRANSPORT -> "a connection";
            case RATE -> "a start to " + queue;
            case RING, DESTINATION, HOST, SHARD, MESSAGE -> "a connection to " + queue;
        };
        return QueuePhase.of(DestinationRules.gate(lack.key().limit()),
                "waits for " + what + ": " + destinations.lanes().words(lack)).with(Figure.LIMIT, lack.limit())
                .about(lack.key() instanceof LimitKey.OfRing(String ring) ? ring : "");
    }

    private QueuePhase shortage(DestinationQueue queue, Seat.Wait wait, boolean mayOpen) {
        if (wait.scope() == Seat.Scope.MESSAGE) {
            return QueuePhase.of(Code.SHARE, "waits for a connection to " + queue + ": " + wait.reason());
        }
        shortages.put(queue, wait);
        if (wait.scope() == Seat.Scope.EVERYWHERE) {
            return QueuePhase.of(Code.CONNECTIONS, "waits for a connection: " + wait.reason());
        }
        return mayOpen ? hostLimit(queue, wait) : window(queue);
    }

    private QueuePhase window(DestinationQueue queue) {
        return atWork(Code.WINDOW, queue, destinations.atWork(queue), queue.allowed());
    }

    private QueuePhase hostLimit(DestinationQueue queue, Seat.Wait here) {
        int connections = seating.connections(queue.route());
        if (connections == 0) {
            return QueuePhase.of(Code.HOST_LIMIT, "waits for a connection to " + queue + ": " + here.reason());
        }
        String refusal = seating.refusesMore(queue.route(), nowMillis).map(reply -> "; " + reply).orElse("");
        return atWork(Code.HOST_LIMIT, queue, connections, connections)
                .adding(" (" + here.reason() + refusal + ")");
    }

    private static QueuePhase atWork(Code code, DestinationQueue queue, int atWork, int limit) {
        return QueuePhase.of(code, "waits for a connection to " + queue + ": " + atWork + " of " + limit + " at work")
                .with(Figure.AT_WORK, atWork).with(Figure.LIMIT, limit);
    }

    private static QueuePhase turn(DestinationQueue queue) {
        return QueuePhase.of(Code.TURN, "waits for its turn to " + queue);
    }

    private QueuePhase spaced(Activation message, DestinationQueue queue) {
        long wait = destinations.spacing().waitMillis(message.work, queue, nowMillis);
        return wait == 0
                ? turn(queue)
                : QueuePhase.of(Code.SPACING, "its turn is in " + wait + " ms: starts to " + queue
                        + " are spaced, so that the connections do not all come free at once").until(nowMillis + wait);
    }
}
