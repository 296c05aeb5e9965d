package org.slipstream.qmgr;

import org.slipstream.core.QueueId;
import org.slipstream.core.QueuePhase;
import org.slipstream.core.QueuePhase.Code;
import org.slipstream.core.QueuePhase.Figure;
import org.slipstream.core.Route;
import org.slipstream.qmgr.QmgrSnapshot.ActiveDestination;
import org.slipstream.qmgr.QmgrSnapshot.ActiveMessage;
import org.slipstream.qmgr.place.Seat;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.sched.DestinationQueue;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// Finds the phase of each active message. Made for one snapshot; asks, and changes nothing.
///
/// The facts of a destination, the head of its queue and its shortage of seats, are found out once for all of its messages, and only so much of the
/// queue is counted. So the cost of a snapshot grows with the messages that it shows, and not with those that wait.
final class Explanation {
    /// Entries of a destination's queue that are counted.
    static final int COUNTED = 1_000;

    private final Seating seating;
    private final Destinations destinations;
    private final Map<QueueId, FirstDelivery> firstDeliveries;
    private final boolean stopping;
    private final long nowMillis;
    private final Map<Long, Seating.HostPosition> positions;
    private final Map<DestinationQueue, Map<QueueId, Integer>> before = new LinkedHashMap<>();
    private final Map<DestinationQueue, Seat.Wait> shortages = new LinkedHashMap<>();

    /// The delivery of a message that was begun first.
    record FirstDelivery(long number, DestinationQueue line, long sinceMillis) {}

    Explanation(Seating seating, Destinations destinations, Map<QueueId, FirstDelivery> firstDeliveries,
            boolean stopping,
            long nowMillis) {
        this.seating = seating;
        this.destinations = destinations;
        this.firstDeliveries = firstDeliveries;
        this.stopping = stopping;
        this.nowMillis = nowMillis;
        this.positions = firstDeliveries.isEmpty() ? Collections.emptyMap() : seating.positions();
    }

    ActiveMessage message(Activation message) {
        Optional<FirstDelivery> first = Optional.ofNullable(firstDeliveries.get(message.id))
                .filter(_ -> !message.reporting);
        Optional<QmgrSnapshot.SeatView> seat = first
                .flatMap(delivery -> Optional.ofNullable(positions.get(delivery.number()))
                        .map(at -> new QmgrSnapshot.SeatView(delivery.number(), at.connection(), at.ahead())));
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
                        .map(line -> new QmgrSnapshot.Waits(line.route(), destinations.mayOpen(line)));
    }

    ActiveDestination destination(DestinationQueue line) {
        return new ActiveDestination(line.transport(), line.key(), line.waiting(), line.running(),
                seating.connections(line.route()));
    }

    // ---- on a connection

    private QueuePhase underWay(FirstDelivery delivery) {
        return onConnection(delivery).since(delivery.sinceMillis());
    }

    private QueuePhase onConnection(FirstDelivery delivery) {
        Seating.HostPosition at = positions.get(delivery.number());
        if (at == null) {
            return QueuePhase.of(Code.CONNECTION,
                    "lost its connection to " + delivery.line() + " and waits for another");
        }
        if (at.ahead() > 0) {
            return QueuePhase.of(Code.AHEAD, others(at.ahead()) + " ahead on a connection to " + at.host()
                    + (at.up() ? "" : " that is being opened")).with(Figure.AHEAD, at.ahead());
        }
        if (!at.up()) {
            return QueuePhase.of(Code.CONNECTING, "a connection to " + at.host() + " is being opened");
        }
        return delivery.line().route() instanceof Route.Local
                ? QueuePhase.of(Code.MAILBOX, "being put into the mailbox")
                : QueuePhase.of(Code.HANDED_OVER, "being delivered to " + at.host());
    }

    private static String others(int deliveries) {
        return deliveries == 1 ? "1 delivery" : deliveries + " deliveries";
    }

    // The others of its entries wait for connections, which needs no saying, or for their turn.
    private String rest(Activation message) {
        return message.work.waitsFor().filter(_ -> !stopping).map(line -> atGates(message, line))
                .filter(phase -> phase.code() == Code.SPACING).map(phase -> "; " + phase.text()).orElse("");
    }

    private static String leaving(Activation message) {
        return switch (message.request) {
            case HOLD -> "held";
            case DELETE -> "deleted";
            case RELEASE -> "released";
            case FLUSH, NONE -> "set aside";
        };
    }

    // ---- waiting

    // The most telling of several reasons: what stands and why, then what moves.
    private QueuePhase standing(Activation message) {
        if (message.reporting) {
            return QueuePhase.of(Code.REPORTING, "a report to its sender is being made");
        }
        if (message.work.waiting() > 0) {
            return stopping
                    ? QueuePhase.of(Code.STOPPING, "waits: the server is stopping")
                    : message.work.waitsFor().map(line -> waits(message, line)).orElseThrow();
        }
        if (!message.asked().isEmpty()) {
            int more = message.asked().size() - 1;
            return QueuePhase.of(Code.ROUTE, "waits for the route of " + message.asked().getFirst()
                    + (more > 0 ? " and " + more + " more" : "")).since(message.askedMillis());
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

    private QueuePhase waits(Activation message, DestinationQueue line) {
        Integer first = before.computeIfAbsent(line, each -> each.entriesBefore(COUNTED)).get(message.id);
        QueuePhase phase = atGates(message, line).since(message.placedMillis);
        if (first == null) {
            return phase.adding(", more than " + others(COUNTED) + " before it");
        }
        return phase.with(Figure.BEFORE, first).adding(first == 0 ? "" : ", " + others(first) + " before it");
    }

    // Gate one is the window, gate two the seat; the first that says no is the reason.
    private QueuePhase atGates(Activation message, DestinationQueue line) {
        if (line.allowed() == 0) {
            return QueuePhase.of(Code.PAUSE, "waits: " + line + " pauses between deliveries");
        }
        boolean mayOpen = destinations.mayOpen(line);
        Seat known = shortages.get(line);
        Seat seat = known == null ? seating.find(message.id, line.route(), mayOpen, nowMillis) : known;
        if (seat instanceof Seat.Wait wait) {
            return shortage(line, wait, mayOpen);
        }
        if (!line.hasRoom()) {
            return window(line);
        }
        return seat instanceof Seat.Queue || seat instanceof Seat.Defer ? turn(line) : spaced(message, line);
    }

    private QueuePhase shortage(DestinationQueue line, Seat.Wait wait, boolean mayOpen) {
        if (wait.scope() == Seat.Scope.MESSAGE) {
            return QueuePhase.of(Code.SHARE, "waits for a connection to " + line + ": " + wait.reason());
        }
        shortages.put(line, wait);
        if (wait.scope() == Seat.Scope.EVERYWHERE) {
            return QueuePhase.of(Code.CONNECTIONS, "waits for a connection: " + wait.reason());
        }
        return mayOpen ? hostLimit(line, wait) : window(line);
    }

    private QueuePhase window(DestinationQueue line) {
        return atWork(Code.WINDOW, line, destinations.atWork(line), line.allowed());
    }

    private QueuePhase hostLimit(DestinationQueue line, Seat.Wait here) {
        int connections = seating.connections(line.route());
        if (connections == 0) {
            return QueuePhase.of(Code.HOST_LIMIT, "waits for a connection to " + line + ": " + here.reason());
        }
        return atWork(Code.HOST_LIMIT, line, connections, connections).adding(" (" + here.reason() + ")");
    }

    private static QueuePhase atWork(Code code, DestinationQueue line, int atWork, int limit) {
        return QueuePhase.of(code, "waits for a connection to " + line + ": " + atWork + " of " + limit + " at work")
                .with(Figure.AT_WORK, atWork).with(Figure.LIMIT, limit);
    }

    private static QueuePhase turn(DestinationQueue line) {
        return QueuePhase.of(Code.TURN, "waits for its turn to " + line);
    }

    private QueuePhase spaced(Activation message, DestinationQueue line) {
        long wait = destinations.waitMillis(message.work, line, nowMillis);
        return wait == 0
                ? turn(line)
                : QueuePhase.of(Code.SPACING, "its turn is in " + wait + " ms: starts to " + line
                        + " are spaced, so that the connections do not all come free at once").until(nowMillis + wait);
    }
}
