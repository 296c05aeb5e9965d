package org.slipstream.qmgr.explain;

import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.queue.GateReading;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.core.queue.QueuePhase.Figure;
import org.slipstream.core.queue.Suspension;
import org.slipstream.qmgr.dest.Destinations;
import org.slipstream.qmgr.flow.MeanDuration;
import org.slipstream.qmgr.message.Activation;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.settings.OrderedLimits;
import org.slipstream.qmgr.trace.QmgrSnapshot;
import org.slipstream.qmgr.trace.QmgrSnapshot.ActiveDestination;
import org.slipstream.qmgr.trace.QmgrSnapshot.ActiveMessage;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/// Determines the phase of each active message for one snapshot. It is read-only.
///
/// The facts of a destination, such as the head of its queue and a shortage of seats, are computed
/// once for all its messages, and only [EarlierEntries#COUNTED] entries of a queue are counted. So the cost of a
/// snapshot grows with the messages shown, not with those that wait.
public final class Explanation {
    /// Slower deliveries are worth a remark.
    private static final long SLOW_MILLIS = 10_000;
    /// An estimate below this is not worth a remark.
    private static final long LEAST_REST_MILLIS = 5_000;
    /// Reasons that end when earlier deliveries end.
    private static final Set<Code> QUEUES = EnumSet.of(Code.WINDOW, Code.HOST_LIMIT, Code.CONNECTIONS, Code.TURN);

    private final Seating seating;
    private final Destinations destinations;
    private final Map<QueueId, FirstDelivery> firstDeliveries;
    private final boolean stopping;
    private final Optional<Suspension> freeze;
    private final OptionalInt held;
    private final QueueGates gates;
    private final long nowMillis;
    private final Map<Long, Seating.HostPosition> positions;
    private final Map<DestinationQueue, EarlierEntries> earlier = new LinkedHashMap<>();

    /// The delivery of a message that started first.
    public record FirstDelivery(long number, DestinationQueue queue, long sinceMillis) {}

    public Explanation(Seating seating, Destinations destinations, Map<QueueId, FirstDelivery> firstDeliveries,
            boolean stopping, Optional<Suspension> freeze, OptionalInt held, OrderedLimits limits, long nowMillis) {
        this.held = held;
        this.gates = new QueueGates(seating, destinations, limits, nowMillis);
        this.seating = seating;
        this.destinations = destinations;
        this.firstDeliveries = firstDeliveries;
        this.stopping = stopping;
        this.freeze = freeze;
        this.nowMillis = nowMillis;
        this.positions = firstDeliveries.isEmpty() ? Collections.emptyMap() : seating.positions();
    }

    public ActiveMessage message(Activation message) {
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
                        .map(queue -> new QmgrSnapshot.Waits(queue.route(), destinations.windows().mayOpen(queue)));
    }

    public ActiveDestination destination(DestinationQueue queue) {
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
            return QueuePhase
                    .of(Code.AHEAD, EarlierEntries.deliveries(at.ahead()) + " ahead on a connection to " + at.host()
                            + (at.up() ? "" : " that is being opened"))
                    .with(Figure.AHEAD, at.ahead());
        }
        if (!at.up()) {
            return QueuePhase.of(Code.CONNECTING, "a connection to " + at.host() + " is being opened");
        }
        return delivery.queue().route() instanceof Route.Local
                ? QueuePhase.of(Code.MAILBOX, "being put into the mailbox")
                : QueuePhase.of(Code.HANDED_OVER, "being delivered to " + at.host());
    }

    // Other entries of the message usually wait for connections, which is not worth a sentence;
    // spacing is.
    private String rest(Activation message) {
        return message.work.waitsFor().filter(_ -> !stopping).map(queue -> first(message, queue))
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
        if (held.isPresent() && (message.work.waiting() > 0 || message.hasRouted())) {
            return held(held.getAsInt());
        }
        if (message.work.waiting() > 0) {
            return stopping
                    ? QueuePhase.of(Code.STOPPING, "waits: the server is stopping")
                    : message.work.waitsFor().map(queue -> waits(message, queue)).orElseThrow();
        }
        if (!message.pendingDomains().isEmpty()) {
            int more = message.pendingDomains().size() - 1;
            return QueuePhase.of(Code.ROUTE, "waits for the route of " + domain(message.pendingDomains().getFirst())
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

    /// The domain in a question for a route.
    private static String domain(String question) {
        int mark = question.indexOf('|');
        return mark < 0 ? question : question.substring(0, mark);
    }

    private static QueuePhase suspended(Suspension suspension) {
        QueuePhase phase = QueuePhase.of(Code.SUSPENDED, suspension.text()).since(suspension.sinceMillis())
                .about(suspension.endCommand());
        return suspension.isEndless() ? phase : phase.until(suspension.untilMillis());
    }

    private static QueuePhase held(int shard) {
        return QueuePhase.of(Code.SUSPENDED, "shard " + shard + " is held: it takes mail and starts no delivery")
                .about("mta shard enable " + shard);
    }

    private QueuePhase waits(Activation message, DestinationQueue queue) {
        QueuePhase first = first(message, queue);
        QueuePhase phase = first.sinceMillis().isPresent() && nowMillis - first.sinceMillis().getAsLong() >= 1_000
                ? first.adding(" since " + duration(nowMillis - first.sinceMillis().getAsLong()))
                : first;
        Optional<MeanDuration> mean = destinations.rules().duration(queue);
        String slow = mean.filter(each -> each.millis() >= SLOW_MILLIS)
                .map(each -> ", slow answers (" + duration(each.millis()) + " each)").orElse("");
        EarlierEntries others = earlier(queue);
        Optional<Integer> before = others.count(message.id);
        boolean told = phase.code() == Code.TURN || others.isFirst(message.id);
        QueuePhase placed = phase.adding(slow + (told ? "" : ", " + others.words(message.id)))
                .since(message.placedMillis);
        return before.map(number -> mean.filter(_ -> QUEUES.contains(phase.code()))
                .map(each -> estimated(placed.with(Figure.BEFORE, number), each, number, queue))
                .orElseGet(() -> placed.with(Figure.BEFORE, number))).orElse(placed);
    }

    private QueuePhase first(Activation message, DestinationQueue queue) {
        return gates.first(message.work, queue, earlier(queue));
    }

    private EarlierEntries earlier(DestinationQueue queue) {
        return earlier.computeIfAbsent(queue, EarlierEntries::of);
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

    /// The gates of a message that waits for a delivery, in order; the first closed one is its phase.
    public List<GateReading> gates(Activation message) {
        List<GateReading> all = new ArrayList<>();
        freeze.map(Explanation::suspended).or(() -> held.isPresent()
                ? Optional.of(held(held.getAsInt()))
                : Optional.empty()).ifPresent(each -> all.add(new GateReading(true, each)));
        if (message.work.waiting() > 0 && !stopping) {
            message.work.waitsFor()
                    .ifPresent(queue -> all.addAll(gates.all(message.work, queue, earlier(queue))));
        }
        return all;
    }
}
