package org.slipstream.qmgr.explain;

import org.slipstream.core.queue.GateReading;
import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.LimitOrder.LimitedThing;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.core.queue.QueuePhase.Figure;
import org.slipstream.qmgr.dest.DestinationRules;
import org.slipstream.qmgr.dest.Destinations;
import org.slipstream.qmgr.dest.Groups;
import org.slipstream.qmgr.place.LackingLane;
import org.slipstream.qmgr.place.PlaceSnapshot;
import org.slipstream.qmgr.place.Seat;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Message;
import org.slipstream.qmgr.settings.OrderedLimits;
import org.slipstream.qmgr.wake.LimitKey;
import org.slipstream.qmgr.wake.LimitKey.GroupKind;
import org.slipstream.qmgr.wake.Rate;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// The gates between a waiting entry and its delivery. A new gate is a constant of [Code], with its
/// words, and a question in [#ALL].
///
/// The facts of a destination, such as a shortage of seats, are asked once for all its messages.
final class QueueGates {
    private static final List<QueueGate> ALL = List.of(
            new QueueGate(Code.PROVIDER_RATE, (gates, entry) -> gates.rateOf(GroupKind.PROVIDER, entry)),
            new QueueGate(Code.RING_RATE, (gates, entry) -> gates.rateOf(GroupKind.RING, entry)),
            new QueueGate(Code.RATE, QueueGates::rate),
            new QueueGate(Code.SENDER_RATE, (gates, entry) -> gates.rateOf(GroupKind.SENDER, entry)),
            new QueueGate(Code.PAUSE, QueueGates::pause),
            new QueueGate(Code.SERVER, QueueGates::server),
            new QueueGate(Code.CONNECTIONS, QueueGates::connections),
            new QueueGate(Code.PROVIDER, (gates, entry) -> gates.lanesOf(GroupKind.PROVIDER, entry)),
            new QueueGate(Code.RING, (gates, entry) -> gates.lanesOf(GroupKind.RING, entry)),
            new QueueGate(Code.WINDOW, QueueGates::window),
            new QueueGate(Code.SENDER, (gates, entry) -> gates.lanesOf(GroupKind.SENDER, entry)),
            new QueueGate(Code.SHARE, QueueGates::share),
            new QueueGate(Code.UNPROVEN, (gates, entry) -> gates.hosts(Code.UNPROVEN, "", entry)),
            new QueueGate(Code.HOST_LIMIT, (gates, entry) -> gates.hosts(Code.HOST_LIMIT,
                    "connections to its hosts: " + gates.seating.connections(entry.queue.route()), entry)),
            new QueueGate(Code.SPACING, QueueGates::spacing),
            new QueueGate(Code.TURN, QueueGates::turn));

    private final Seating seating;
    private final Destinations destinations;
    private final OrderedLimits limits;
    private final long nowMillis;
    private final Map<DestinationQueue, Seat.Wait> shortages = new LinkedHashMap<>();
    private final Set<DestinationQueue> fullWindows = new LinkedHashSet<>();

    /// One gate. Its question changes nothing, and is answered whether or not an earlier gate is closed.
    private record QueueGate(Code code, GateQuestion question) {
        @FunctionalInterface
        interface GateQuestion {
            GateReading read(QueueGates facts, Waiting entry);
        }
    }

    /// A message that waits for a destination, with the answers for it that several gates need.
    private final class Waiting {
        final Message message;
        final DestinationQueue queue;
        final EarlierEntries earlier;
        final Seat seat;
        final Optional<LackingLane> lack;

        Waiting(Message message, DestinationQueue queue, EarlierEntries earlier) {
            this.message = message;
            this.queue = queue;
            this.earlier = earlier;
            lack = destinations.windows().lacking(message, queue, nowMillis);
            // With an open window, so that the answer does not depend on the window's gate. But a shard
            // without a lane of the window has not asked for connections yet.
            boolean mayOpen = lack.isEmpty() || destinations.windows().mayOpen(queue);
            Seat.Wait known = shortages.get(queue);
            seat = known == null ? seating.find(message.id(), queue.route(), mayOpen, nowMillis) : known;
            if (seat instanceof Seat.Wait wait && wait.gate() != Code.SHARE) {
                shortages.put(queue, wait);
            }
        }

        Optional<Seat.Wait> refused(Code gate) {
            return seat instanceof Seat.Wait wait && wait.gate() == gate ? Optional.of(wait) : Optional.empty();
        }
    }

    QueueGates(Seating seating, Destinations destinations, OrderedLimits limits, long nowMillis) {
        this.seating = seating;
        this.destinations = destinations;
        this.limits = limits;
        this.nowMillis = nowMillis;
    }

    /// All gates, in order.
    List<GateReading> all(Message message, DestinationQueue queue, EarlierEntries earlier) {
        Waiting entry = new Waiting(message, queue, earlier);
        return ALL.stream().map(gate -> read(gate, entry)).toList();
    }

    /// The first closed one. An entry that may go waits for its turn.
    QueuePhase first(Message message, DestinationQueue queue, EarlierEntries earlier) {
        Waiting entry = new Waiting(message, queue, earlier);
        return ALL.stream().map(gate -> read(gate, entry)).filter(GateReading::closed).findFirst()
                .map(GateReading::phase).orElseGet(() -> QueuePhase.of(Code.TURN, turnTo(queue)));
    }

    private GateReading read(QueueGate gate, Waiting entry) {
        GateReading reading = entry.lack.filter(each -> each.key().gate() == gate.code())
                .map(lack -> lane(lack, entry.queue)).orElseGet(() -> gate.question().read(this, entry));
        QueuePhase phase = ordered(gate.code(), entry.queue)
                .map(order -> reading.phase().adding(" (limit " + order.text() + ")")).orElse(reading.phase());
        OptionalLong since = reading.closed() ? refusedSince(gate.code(), entry.queue) : OptionalLong.empty();
        return new GateReading(reading.closed(), since.isPresent() ? phase.since(since.getAsLong()) : phase);
    }

    /// The time since which the gate has refused; empty when another one did.
    private OptionalLong refusedSince(Code gate, DestinationQueue queue) {
        return destinations.rules().refusal(queue).filter(each -> each.gate() == gate)
                .map(each -> OptionalLong.of(each.sinceMillis())).orElse(OptionalLong.empty());
    }

    /// The limit that an operator has set for this gate.
    private Optional<LimitOrder> ordered(Code gate, DestinationQueue queue) {
        DestinationRules rules = destinations.rules();
        return switch (gate) {
            case SERVER -> limits.of(LimitedThing.SERVER, _ -> true);
            case CONNECTIONS -> limits.of(LimitedThing.TRANSPORT, queue.transport()::equals);
            case RING -> limits.of(LimitedThing.RING, ring -> rules.ring(queue).filter(ring::equals).isPresent());
            case RING_RATE ->
                limits.of(LimitedThing.RING_RATE, ring -> rules.ring(queue).filter(ring::equals).isPresent());
            case PROVIDER -> limits.of(LimitedThing.PROVIDER, name -> isOf(queue, name));
            case PROVIDER_RATE -> limits.of(LimitedThing.PROVIDER_RATE, name -> isOf(queue, name));
            case HOST_LIMIT -> limits.of(LimitedThing.HOST, host -> seating.leadsTo(queue.route(), host));
            case WINDOW -> limits.of(LimitedThing.WINDOW, name -> rules.isNamed(queue, name));
            case RATE -> limits.of(LimitedThing.RATE, name -> rules.isNamed(queue, name));
            default -> Optional.empty();
        };
    }

    private boolean isOf(DestinationQueue queue, String provider) {
        return destinations.groups().provider(queue).filter(provider::equals).isPresent();
    }

    // ---- the questions

    private GateReading lane(LackingLane lack, DestinationQueue queue) {
        String what = switch (lack.key()) {
            case LimitKey.OfServer _,LimitKey.OfTransport _ -> "a connection";
            case LimitKey.OfRate _,LimitKey.OfGroupRate _ -> "a start to " + queue;
            case LimitKey.OfGroup _,LimitKey.OfDestination _,LimitKey.OfHost _ -> "a connection to " + queue;
        };
        QueuePhase phase = QueuePhase.of(lack.key().gate(), "waits for " + what + ": "
                + destinations.windows().lanes().words(lack)).with(Figure.LIMIT, lack.limit());
        return new GateReading(true, switch (lack.key()) {
            case LimitKey.OfGroup group -> phase.about(Groups.subject(group));
            case LimitKey.OfGroupRate rate -> phase.about(Groups.subject(rate.group()));
            default -> phase;
        });
    }

    private GateReading rate(Waiting entry) {
        long next = destinations.rules().nextStartMillis(entry.queue, nowMillis);
        String rate = destinations.rules().rate(entry.queue).map(Object::toString).orElse("no rate");
        return next <= nowMillis
                ? GateReading.open(Code.RATE, rate)
                : new GateReading(true, QueuePhase.of(Code.RATE, "waits: the rate of " + entry.queue + " is " + rate
                        + ", and the next delivery may start in " + DestinationRules.seconds(next - nowMillis))
                        .until(next));
    }

    private GateReading pause(Waiting entry) {
        OptionalLong until = destinations.pausedUntilMillis(entry.queue);
        return until.isEmpty()
                ? GateReading.open(Code.PAUSE, "no pause")
                : new GateReading(true, QueuePhase
                        .of(Code.PAUSE, "waits: " + destinations.rules().pauseWords(entry.queue))
                        .until(until.getAsLong()));
    }

    private GateReading server(Waiting entry) {
        String words = destinations.groups().wordsOfServer();
        return destinations.groups().isServerFull()
                ? GateReading.closed(Code.SERVER, "waits for a connection: " + words)
                : GateReading.open(Code.SERVER, words);
    }

    private GateReading connections(Waiting entry) {
        PlaceSnapshot.PlaceFigures figures = seating.figures(entry.queue.transport());
        return entry.refused(Code.CONNECTIONS)
                .map(wait -> GateReading.closed(Code.CONNECTIONS, "waits for a connection: " + wait.reason()))
                .orElseGet(() -> GateReading.open(Code.CONNECTIONS,
                        figures.open() + " of " + figures.most() + " connections open"));
    }

    private GateReading lanesOf(GroupKind kind, Waiting entry) {
        Optional<LimitKey.OfGroup> group = destinations.groups().group(kind, entry.queue, entry.message);
        if (group.isEmpty()) {
            return GateReading.open(new LimitKey.OfGroup(kind, "").gate(), none(kind));
        }
        LimitKey.OfGroup key = group.get();
        String words = destinations.groups().words(key);
        return destinations.groups().isFull(key)
                ? new GateReading(true, QueuePhase.of(key.gate(), connectionTo(entry.queue) + words)
                        .about(Groups.subject(key)))
                : GateReading.open(key.gate(), words);
    }

    private GateReading rateOf(GroupKind kind, Waiting entry) {
        Groups groups = destinations.groups();
        Optional<LimitKey.OfGroup> group = groups.group(kind, entry.queue, entry.message);
        Optional<Rate> rate = group.map(LimitKey.OfGroup::rate).flatMap(groups::rate);
        if (rate.isEmpty()) {
            return GateReading.open(new LimitKey.OfGroupRate(kind, "").gate(), "");
        }
        LimitKey.OfGroupRate key = group.orElseThrow().rate();
        String words = "the rate of " + Groups.name(key.group()) + " is " + rate.get();
        long next = groups.nextStartMillis(key);
        return next <= nowMillis
                ? GateReading.open(key.gate(), words)
                : new GateReading(true, QueuePhase.of(key.gate(), "waits: " + words
                        + ", and the next delivery may start in " + DestinationRules.seconds(next - nowMillis))
                        .until(next).about(Groups.subject(key.group())));
    }

    private static String none(GroupKind kind) {
        return switch (kind) {
            case RING -> "in no ring";
            case PROVIDER -> "at no known provider";
            case SENDER -> "";
        };
    }

    private GateReading window(Waiting entry) {
        DestinationQueue queue = entry.queue;
        int atWork = destinations.windows().atWork(queue);
        if (queue.allowed() == 0) {
            return GateReading.open(Code.WINDOW, "no delivery is permitted at present");
        }
        return atWork >= queue.allowed() && isShut(entry)
                ? new GateReading(true, atWork(Code.WINDOW, queue, atWork, queue.allowed()))
                : GateReading.open(Code.WINDOW, atWork + " of " + queue.allowed() + " at work");
    }

    // A full window does not concern a delivery that shares a connection.
    private boolean isShut(Waiting entry) {
        boolean shut = !entry.queue.hasRoom() || fullWindows.contains(entry.queue)
                || seating.find(entry.message.id(), entry.queue.route(), false, nowMillis) instanceof Seat.Wait;
        if (shut) {
            fullWindows.add(entry.queue);
        }
        return shut;
    }

    private GateReading share(Waiting entry) {
        return entry.refused(Code.SHARE)
                .map(wait -> GateReading.closed(Code.SHARE, connectionTo(entry.queue) + wait.reason()))
                .orElseGet(() -> GateReading.open(Code.SHARE, "within its share"));
    }

    private GateReading hosts(Code gate, String open, Waiting entry) {
        return entry.refused(gate).map(wait -> new GateReading(true, hosts(gate, entry.queue, wait.reason())))
                .orElseGet(() -> GateReading.open(gate, open));
    }

    private QueuePhase hosts(Code gate, DestinationQueue queue, String reason) {
        int connections = seating.connections(queue.route());
        if (connections == 0) {
            return QueuePhase.of(gate, connectionTo(queue) + reason);
        }
        String refusal = seating.refusesMore(queue.route(), nowMillis).map(reply -> "; " + reply).orElse("");
        return atWork(gate, queue, connections, connections).adding(" (" + reason + refusal + ")");
    }

    private GateReading spacing(Waiting entry) {
        long wait = destinations.spacing().waitMillis(entry.message, entry.queue, nowMillis);
        // A delivery that shares a connection needs no start slot.
        return wait == 0 || entry.seat.isShared()
                ? GateReading.open(Code.SPACING, "no distance")
                : new GateReading(true, QueuePhase.of(Code.SPACING, "its turn is in " + wait + " ms: starts to "
                        + entry.queue + " are spaced, so that the connections do not all come free at once")
                        .until(nowMillis + wait));
    }

    private GateReading turn(Waiting entry) {
        return entry.earlier.isFirst(entry.message.id())
                ? GateReading.open(Code.TURN, "first at " + entry.queue)
                : GateReading.closed(Code.TURN, turnTo(entry.queue) + ", " + entry.earlier.words(entry.message.id())
                        + ", the first of message " + entry.earlier.first());
    }

    private static String turnTo(DestinationQueue queue) {
        return "waits for its turn to " + queue;
    }

    private static String connectionTo(DestinationQueue queue) {
        return "waits for a connection to " + queue + ": ";
    }

    private static QueuePhase atWork(Code code, DestinationQueue queue, int atWork, int limit) {
        return QueuePhase.of(code, connectionTo(queue) + atWork + " of " + limit + " at work")
                .with(Figure.AT_WORK, atWork).with(Figure.LIMIT, limit);
    }
}
