package org.slipstream.lab.scene;

import org.slipstream.core.DeliveryResult;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.lab.Witness;
import org.slipstream.lab.scene.Course.Attempt;
import org.slipstream.lab.scene.Course.Mark;
import org.slipstream.lab.scene.Course.MessageResult;
import org.slipstream.lab.scene.Course.Passing;
import org.slipstream.lab.scene.Course.Road;
import org.slipstream.lab.scene.Course.Way;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Entry;
import org.slipstream.qmgr.sched.Message;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/// Records the course of a scene.
///
/// Deliveries are numbered in the order in which entries are taken, so the k-th entry is delivery
/// k. An `Open` names a destination and no entry: it is for the first entry to that destination
/// that was taken and has no seat yet. An entry without an answer ends when its outcome is
/// recorded; until then it may be moved to another connection.
final class Recorder implements Witness {
    static final String REPORT = "report";

    private static final class Trip {
        final QueueId message;
        final Optional<QueueId> id;
        final String name;
        final String transport;
        final RoadBook road;
        final List<Integer> recipients;
        final long selectedMillis;
        OptionalLong startMillis = OptionalLong.empty();
        long endMillis;
        long connection;
        int slot;
        MessageResult result = MessageResult.UNFINISHED;

        Trip(QueueId message, Optional<QueueId> id, String name, String transport, RoadBook road,
                List<Integer> recipients,
                long selectedMillis) {
            this.message = message;
            this.id = id;
            this.name = name;
            this.transport = transport;
            this.road = road;
            this.recipients = recipients;
            this.selectedMillis = selectedMillis;
        }

        Attempt attempt(long now) {
            return new Attempt(id, name, transport, road.name, recipients.size(), selectedMillis, startMillis,
                    result == MessageResult.UNFINISHED ? now : endMillis, slot, result);
        }
    }

    private static final class RoadBook {
        final String name;
        int attempts;
        int troubled;
        int untried;
        int connections;
        int running;
        int most;
        final List<Mark> windows = new ArrayList<>();

        RoadBook(String name) {
            this.name = name;
        }
    }

    private static final class MessageBook {
        int entries;
        int delivered;
        int failed;
        OptionalLong first = OptionalLong.empty();
        OptionalLong last = OptionalLong.empty();
        final List<Integer> reads = new ArrayList<>();
    }

    private final Scene scene;
    private final Consumer<String> events;
    private final LongConsumer reached;
    private final List<Trip> trips = new ArrayList<>();
    private final Deque<Trip> unseated = new ArrayDeque<>();
    private final Map<QueueId, List<Trip>> unfinished = new TreeMap<>();
    private final Map<Long, Trip> opening = new TreeMap<>();
    private final QueueCounts queue = new QueueCounts();
    private final SceneConnections connections = new SceneConnections();
    private final List<Passing> passings = new ArrayList<>();
    private final SequencedMap<String, RoadBook> roads = new LinkedHashMap<>();
    private final SequencedMap<QueueId, MessageBook> messages = new LinkedHashMap<>();
    private long now;

    /// @param events receives a line for each thing that happens
    /// @param reached receives the time of each moment
    Recorder(Scene scene, Consumer<String> events, LongConsumer reached) {
        this.scene = scene;
        this.events = events;
        this.reached = reached;
        scene.messages().forEach((id, message) -> {
            messages.put(id, new MessageBook());
            queue.expect(message.name());
        });
    }

    Course course() {
        SequencedMap<String, Road> allRoads = new LinkedHashMap<>();
        roads.values().forEach(r -> allRoads.put(r.name,
                new Road(r.name, r.attempts, r.troubled, r.untried, r.connections, r.most, r.windows)));
        SequencedMap<QueueId, Way> ways = new LinkedHashMap<>();
        messages.forEach((id, l) -> ways.put(id, new Way(l.entries, l.delivered, l.failed, l.first, l.last, l.reads)));
        return new Course(trips.stream().map(trip -> trip.attempt(now)).toList(), passings, allRoads, ways,
                connections.links(now), connections.hosts(),
                queue.samples(), now);
    }

    // ---- what is decided

    @Override
    public void selected(Entry entry) {
        QueueId id = entry.message().id();
        RoadBook road = road(entry.queue().route());
        Trip trip = new Trip(id, isOurs(id) ? Optional.of(id) : Optional.empty(), name(id),
                scene.transports().theirs(entry.queue().transport()), road,
                entry.recipients().stream().map(Recipient::number).toList(), now);
        trips.add(trip);
        unseated.add(trip);
        unfinished.computeIfAbsent(id, _ -> new ArrayList<>()).add(trip);
        road.attempts++;
        road.most = Math.max(road.most, ++road.running);
        if (isOurs(id)) {
            messages.get(id).entries++;
            queue.takes(id, trip.name, trip.recipients.size(), now);
        }
    }

    @Override
    public void preempted(Message current, Message stepping, String transport, int level, int balance) {
        Passing passing = new Passing(now, trips.size(), scene.transports().theirs(transport), title(current.id()),
                title(stepping.id()), level, balance);
        passings.add(passing);
        tell(passing.stepping() + " preempts " + passing.passed() + ", level " + level + ", which leaves "
                + passing.passed() + " a balance of " + balance);
    }

    @Override
    public void read(Message message, int recipients) {
        if (isOurs(message.id())) {
            messages.get(message.id()).reads.add(recipients);
            queue.isRead(message.id(), name(message.id()), recipients, now);
        }
        tell(title(message.id()) + " is read: " + recipients + (recipients == 1 ? " recipient" : " recipients"));
    }

    @Override
    public void feedback(DestinationQueue line, FeedbackEvent event, int running, Destination.FlowFigures figures) {
        boolean shared = !line.key().contains("@");
        if (shared) {
            Mark mark = new Mark(now, event, figures.window());
            List<Mark> windows = road(line.route()).windows;
            boolean moved = windows.isEmpty() || windows.getLast().size() != mark.size();
            windows.add(mark);
            if (mark.isReport() && moved) {
                tell("window of " + roadName(line.route()) + " after " + word(event) + ": " + mark);
            }
        }
    }

    @Override
    public void deferredWithoutAttempt(QueueId id, DestinationQueue line, List<Recipient> recipients) {
        road(line.route()).untried += recipients.size();
        tell(title(id) + " deferred without an attempt, " + recipients.size() + " to " + roadName(line.route()));
    }

    private static String word(FeedbackEvent event) {
        return event.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
    }

    // ---- what is ordered

    @Override
    public void ordered(long nowMillis, QmgrOrder order) {
        now = nowMillis;
        switch (order) {
            case QmgrOrder.Open open -> opens(open);
            case QmgrOrder.Deliver deliver -> starts(deliver);
            case QmgrOrder.Close close -> connections.ends(close.connection(), "closed", now);
            case QmgrOrder.RecordOutcome record -> records(record);
            case QmgrOrder.Defer defer -> defers(defer);
            case QmgrOrder.Remove remove -> removes(remove);
            case QmgrOrder.Notify notify -> tell("report about " + title(notify.id()) + ": "
                    + notify.kind().name().toLowerCase(java.util.Locale.ROOT));
            case QmgrOrder.Scan _,QmgrOrder.ReadRecipients _,QmgrOrder.FindRoute _,QmgrOrder.SetHold _,QmgrOrder.MakeDue _,QmgrOrder.Answered _,QmgrOrder.Verified _ -> {
                // Between the queue manager and the disk.
            }
        }
    }

    private void defers(QmgrOrder.Defer defer) {
        if (isOurs(defer.id())) {
            queue.defers(defer.id(), name(defer.id()), now);
        }
        tell(title(defer.id()) + " waits until " + Times.seconds(defer.nextAttemptMillis()));
    }

    private void removes(QmgrOrder.Remove remove) {
        if (isOurs(remove.id())) {
            queue.leaves(remove.id(), name(remove.id()), now);
        }
        tell(title(remove.id()) + " is done: " + remove.reason());
    }

    private void opens(QmgrOrder.Open open) {
        RoadBook road = road(open.route());
        road.connections++;
        int slot = connections.opens(open.connection(), host(open.route()), now);
        unseated.stream().filter(trip -> trip.road == road).findFirst().ifPresent(trip -> {
            unseated.remove(trip);
            opening.put(open.connection(), trip);
            trip.slot = slot;
        });
    }

    private static String host(Route route) {
        return route instanceof Route.Smtp smtp
                ? smtp.hosts().getFirst().name()
                : route.transport() + "/" + route.nextHop();
    }

    private void starts(QmgrOrder.Deliver deliver) {
        Trip trip = trips.get((int) deliver.delivery().number() - 1);
        unseated.remove(trip);
        opening.remove(deliver.connection());
        trip.connection = deliver.connection();
        trip.slot = connections.slot(deliver.connection()).orElse(trip.slot);
        trip.startMillis = OptionalLong.of(now);
        connections.takes(deliver.connection(), now);
        tell("slot " + trip.slot + ": " + title(deliver.id()) + " to " + trip.road.name + ", "
                + trip.recipients.size() + (trip.recipients.size() == 1 ? " recipient" : " recipients"));
    }

    // An outcome without an answer: its last connection failed or broke, or no host was left to
    // try.
    private void records(QmgrOrder.RecordOutcome record) {
        int first = record.recipients().getFirst().number();
        unfinished.getOrDefault(record.id(), List.of()).stream().filter(trip -> trip.recipients.contains(first))
                .findFirst().ifPresent(trip -> {
                    unseated.remove(trip);
                    ends(trip, MessageResult.TROUBLE, 0);
                });
    }

    // ---- what happens

    @Override
    public void happened(long nowMillis, QmgrEvent event) {
        now = nowMillis;
        switch (event) {
            case QmgrEvent.DeliveryDone(DeliveryResult result) -> done(result);
            case QmgrEvent.ConnectionReady ready -> connections.isReady(ready.connection(), now);
            case QmgrEvent.ConnectionFailed failed -> failed(failed);
            case QmgrEvent.ConnectionLost lost -> connections.ends(lost.connection(), "closed by the server", now);
            case QmgrEvent.ConnectionDepth _,QmgrEvent.PipelinesBadly _ -> {
                // Seen in what is under way.
            }
            case QmgrEvent.MessageQueued queued -> arrives(queued.message().id());
            case QmgrEvent.ScanDone _,QmgrEvent.RecipientsRead _,QmgrEvent.MessageDamaged _,QmgrEvent.RouteKnown _,QmgrEvent.RouteFailed _,QmgrEvent.OutcomeRecorded _,QmgrEvent.Notified _,QmgrEvent.Filed _,QmgrEvent.Alarm _,QmgrEvent.ArrivalsMissed _,QmgrEvent.Stopping _,QmgrEvent.Operator _ -> {
                // Answers whose consequences are seen.
            }
        }
    }

    private void arrives(QueueId id) {
        if (isOurs(id)) {
            queue.arrives(id, name(id), scene.scenario().mails().get((int) id.value() - 1).recipients().size(), now);
        }
        tell(title(id) + " arrives");
    }

    private void failed(QmgrEvent.ConnectionFailed failed) {
        Optional<Trip> trip = Optional.ofNullable(opening.remove(failed.connection()));
        connections.slot(failed.connection()).ifPresent(slot -> tell("slot " + slot + ": "
                + trip.map(each -> each.name + " to " + each.road.name).orElse("to " + failed.remote()) + ": "
                + failed.reason()));
        connections.ends(failed.connection(), failed.reason().toString(), now);
    }

    private void done(DeliveryResult result) {
        Trip trip = trips.get((int) result.delivery() - 1);
        if (trip.connection != result.connection()) {
            return; // an event of a connection that is gone
        }
        switch (result) {
            case DeliveryResult.Answered answered -> answered(trip, answered);
            case DeliveryResult.Unanswered back -> unanswered(trip, back.reason(), false);
            case DeliveryResult.OwnFailure own -> unanswered(trip, own.reason(), own.usable());
        }
    }

    private void unanswered(Trip trip, Reply reason, boolean usable) {
        tell("slot " + trip.slot + ": " + trip.name + " to " + trip.road.name + ": " + reason);
        connections.answers(trip.connection, now, now);
        if (!usable) {
            connections.ends(trip.connection, reason.toString(), now);
        }
    }

    private void answered(Trip trip, DeliveryResult.Answered answered) {
        int delivered = 0;
        int failed = 0;
        for (RecipientOutcome each : answered.outcomes()) {
            delivered += each.outcome() instanceof Outcome.Delivered ? 1 : 0;
            failed += each.outcome() instanceof Outcome.Failed ? 1 : 0;
        }
        count(trip, delivered, failed);
        trip.startMillis = OptionalLong.of(connections.answers(trip.connection, trip.startMillis.orElse(now), now));
        ends(trip, delivered > 0
                ? MessageResult.DELIVERED
                : failed == answered.outcomes().size() ? MessageResult.REFUSED : MessageResult.DEFERRED,
                delivered + failed);
        if (trip.result != MessageResult.DELIVERED) {
            tell("slot " + trip.slot + ": " + trip.name + " to " + trip.road.name + ": "
                    + answered.outcomes().getFirst().outcome().reply());
        }
        if (!answered.usable()) {
            connections.ends(trip.connection, "broken", now);
        }
    }

    private void count(Trip trip, int delivered, int failed) {
        trip.id.map(messages::get).ifPresent(message -> {
            message.delivered += delivered;
            message.failed += failed;
            if (delivered > 0) {
                message.first = message.first.isPresent() ? message.first : OptionalLong.of(now);
                message.last = OptionalLong.of(now);
            }
        });
    }

    /// @param settled recipients that are delivered or have failed
    private void ends(Trip trip, MessageResult result, int settled) {
        trip.id.ifPresent(id -> queue.ends(id, trip.name, trip.recipients.size(), settled, now));
        unfinished.get(trip.message).remove(trip);
        trip.result = result;
        trip.endMillis = now;
        trip.road.running--;
        trip.road.troubled += result == MessageResult.TROUBLE ? 1 : 0;
    }

    @Override
    public void settled(long nowMillis, DestDb hosts) {
        connections.looks(hosts, nowMillis);
        reached.accept(nowMillis);
    }

    // ---- names

    private boolean isOurs(QueueId id) {
        return scene.messages().containsKey(id);
    }

    private String name(QueueId id) {
        return isOurs(id) ? scene.messages().get(id).name() : REPORT;
    }

    private String title(QueueId id) {
        return isOurs(id) ? scene.messages().get(id).toString() : REPORT;
    }

    private String roadName(Route route) {
        return scene.transports().theirs(route.transport()) + "/" + route.nextHop();
    }

    private RoadBook road(Route route) {
        return roads.computeIfAbsent(roadName(route), RoadBook::new);
    }

    private void tell(String what) {
        events.accept("%10s  %s".formatted(Times.seconds(now), what));
    }
}
