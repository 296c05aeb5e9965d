package org.slipstream.qmgr;

import org.slipstream.core.QueueId;
import org.slipstream.qmgr.QmgrSnapshot.ActiveDestination;
import org.slipstream.qmgr.QmgrSnapshot.ActiveMessage;
import org.slipstream.qmgr.sched.Line;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Puts into words why each active message is not finished. Made for one snapshot; asks, changes nothing.
record Explanation(Seating seating, Destinations destinations, Map<QueueId, List<String>> openQuestions,
        boolean stopping, long nowMillis) {

    private static final String TURN = "its turn is in ";

    QmgrSnapshot picture(Collection<Activation> active, List<Line> lines) {
        List<ActiveMessage> messages = active.stream().map(this::message)
                .sorted(Comparator.comparing(ActiveMessage::id)).toList();
        return new QmgrSnapshot(messages, lines.stream().map(this::destination).toList());
    }

    ActiveMessage message(Activation message) {
        return new ActiveMessage(message.id, message.work.waiting(), message.work.running(), why(message));
    }

    private ActiveDestination destination(Line line) {
        return new ActiveDestination(line.transport(), line.key(), line.waiting(), line.running(),
                seating.connections(line.route()));
    }

    // The most telling of several reasons: what moves, then what stands and why.
    private String why(Activation message) {
        List<String> domains = openQuestions.getOrDefault(message.id, List.of());
        if (message.reporting) {
            return "sending report";
        } else if (message.work.running() > 0) {
            return message.isLeaving() ? "delivering, then " + leaving(message) : "delivering" + rest(message);
        } else if (message.work.waiting() > 0) {
            return "waiting: " + standing(message);
        } else if (!domains.isEmpty()) {
            return "finding route for " + domains.getFirst()
                    + (domains.size() > 1 ? " and " + (domains.size() - 1) + " more" : "");
        } else if (message.hasRouted()) {
            return "finding its place";
        } else if (message.work.isReading()) {
            return "reading recipients";
        }
        return "recording";
    }

    private String standing(Activation message) {
        if (stopping) {
            return "the server is stopping";
        }
        return message.work.waitsFor().map(line -> atGates(message, line)).orElse("");
    }

    // Gate one is the window, gate two the seat; the first that says no is the reason.
    private String atGates(Activation message, Line line) {
        Seating.Answer seat = seating.ask(message.id, line.route(), destinations.mayOpen(line), nowMillis);
        if (!(seat instanceof Seating.Answer.Free(boolean rides))) {
            return seat.reason();
        }
        if (line.hasRoom()) {
            return rides ? seat.reason() : inTurn(message, line, seat.reason());
        }
        return line.allowed() == 0
                ? line + " pauses between deliveries"
                : "the window of " + line + " is " + line.allowed() + ", and so many are delivering";
    }

    // The others of its entries wait for connections, which needs no saying, or for their turn.
    private String rest(Activation message) {
        return message.work.waitsFor().filter(_ -> !stopping).map(line -> atGates(message, line))
                .filter(reason -> reason.startsWith(TURN)).map(reason -> "; " + reason).orElse("");
    }

    private String inTurn(Activation message, Line line, String otherwise) {
        long wait = destinations.waitMillis(message.work, line, nowMillis);
        return wait == 0
                ? otherwise
                : TURN + wait + " ms: starts to " + line
                        + " are spaced, so that the connections do not all come free at once";
    }

    private static String leaving(Activation message) {
        return switch (message.wish) {
            case HOLD -> "held";
            case DELETE -> "deleted";
            case RELEASE -> "released";
            case FLUSH, NONE -> "set aside";
        };
    }
}
