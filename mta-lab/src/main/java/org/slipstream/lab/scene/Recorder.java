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
import org.slipstream.lab.scene.Course.Passing;
import org.slipstream.lab.scene.Course.Result;
import org.slipstream.lab.scene.Course.Road;
import org.slipstream.lab.scene.Course.Way;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.sched.Entry;
import org.slipstream.qmgr.sched.Line;
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

/// Writes down the course of a scene.
///
/// Deliveries are numbered in the order in which entries are taken, so the k-th entry is delivery k. An `Open` does not say
/// for whom it is: for the first entry that was taken and has no seat yet.
final class Recorder implements Witness {
    static final String REPORT = "report";

    private static final class Trip {
        final Optional<QueueId> id;
        final String name;
        final String transport;
        final RoadBook road;
        final int recipients;
        final long selectedMillis;
        OptionalLong startMillis = OptionalLong.empty();
        long endMillis;
        long connection;
        int slot;
        Result result = Result.UNFINISHED;

        Trip(Optional<QueueId> id, String name, String transport, RoadBook road, int recipients, long selectedMillis) {
            this.id = id;
            this.name = name;
            this.transport = transport;
            this.road = road;
            this.recipients = recipients;
            this.selectedMillis = selectedMillis;
        }

        Attempt attempt(long now) {
            return new Attempt(id, name, transport, road.name, recipients, selectedMillis, startMillis,
                    result == Result.UNFINISHED ? now : endMillis, slot, result);
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

    private static final class LetterBook {
        int entries;
        int delivered;
        int failed;
        OptionalLong first = OptionalLong.empty();
        OptionalLong last = OptionalLong.empty();
        final List<Integer> reads = new ArrayList<>();
    }

    private final Scene scene;
    private final Consumer<String> events;
    private final List<Trip> trips = new ArrayList<>();
    private final Deque<Trip> unseated = new ArrayDeque<>();
    private final Map<Long, Trip> opening = new TreeMap<>();
    private final Map<Long, Integer> slots = new TreeMap<>();
    private final Slots free = new Slots();
    private final List<Passing> passings = new ArrayList<>();
    private final SequencedMap<String, RoadBook> roads = new LinkedHashMap<>();
    private final SequencedMap<QueueId, LetterBook> letters = new LinkedHashMap<>();
    private long now;

    /// @param events hears a line for each
    Recorder(Scene scene, Consumer<String> events) {
        this.scene = scene;
        this.events = events;
        scene.letters().keySet().forEach(id -> letters.put(id, new LetterBook()));
    }

    Course course() {
        SequencedMap<String, Road> allRoads = new LinkedHashMap<>();
        roads.values().forEach(r -> allRoads.put(r.name,
                new Road(r.name, r.attempts, r.troubled, r.untried, r.connections, r.most, r.windows)));
        SequencedMap<QueueId, Way> ways = new LinkedHashMap<>();
        letters.forEach((id, l) -> ways.put(id, new Way(l.entries, l.delivered, l.failed, l.first, l.last, l.reads)));
        return new Course(trips.stream().map(trip -> trip.attempt(now)).toList(), passings, allRoads, ways, now);
    }

    // ---- what is decided

    @Override
    public void selected(Entry entry) {
        QueueId id = entry.message().id();
        RoadBook road = road(entry.line().route());
        Trip trip = new Trip(isOurs(id) ? Optional.of(id) : Optional.empty(), name(id),
                scene.transports().theirs(entry.line().transport()), road, entry.recipients().size(), now);
        trips.add(trip);
        unseated.add(trip);
        road.attempts++;
        road.most = Math.max(road.most, ++road.running);
        if (isOurs(id)) {
            letters.get(id).entries++;
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
            letters.get(message.id()).reads.add(recipients);
        }
        tell(title(message.id()) + " is read: " + recipients + (recipients == 1 ? " recipient" : " recipients"));
    }

    @Override
    public void feedback(Line line, Feedback event, int running, Destination.Figures figures) {
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
    public void deferredWithoutAttempt(QueueId id, Line line, List<Recipient> recipients) {
        road(line.route()).untried += recipients.size();
        tell(title(id) + " deferred without an attempt, " + recipients.size() + " to " + roadName(line.route()));
    }

    private static String word(Feedback event) {
        return event.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
    }

    // ---- what is ordered

    @Override
    public void ordered(long nowMillis, QmgrOrder order) {
        now = nowMillis;
        switch (order) {
            case QmgrOrder.Open open -> {
                int slot = free.take();
                slots.put(open.connection(), slot);
                road(open.route()).connections++;
                Optional.ofNullable(unseated.poll()).ifPresent(trip -> {
                    opening.put(open.connection(), trip);
                    trip.slot = slot;
                });
            }
            case QmgrOrder.Deliver deliver -> starts(deliver);
            case QmgrOrder.Close close -> leaveSlot(close.connection());
            case QmgrOrder.Defer defer -> tell(title(defer.id()) + " waits until "
                    + Times.seconds(defer.nextAttemptMillis()));
            case QmgrOrder.Remove remove -> tell(title(remove.id()) + " is done: " + remove.reason());
            case QmgrOrder.Notify notify -> tell("report about " + title(notify.id()) + ": "
                    + notify.kind().name().toLowerCase(java.util.Locale.ROOT));
            case QmgrOrder.Scan _,QmgrOrder.ReadRecipients _,QmgrOrder.FindRoute _,QmgrOrder.RecordOutcome _,QmgrOrder.SetHold _,QmgrOrder.MakeDue _,QmgrOrder.Answered _,QmgrOrder.Verified _ -> {
                // Between the queue manager and the disk.
            }
        }
    }

    private void starts(QmgrOrder.Deliver deliver) {
        Trip trip = trips.get((int) deliver.delivery().number() - 1);
        unseated.remove(trip);
        opening.remove(deliver.connection());
        trip.connection = deliver.connection();
        trip.slot = slots.get(deliver.connection());
        trip.startMillis = OptionalLong.of(now);
        tell("slot " + trip.slot + ": " + title(deliver.id()) + " to " + trip.road.name + ", " + trip.recipients
                + (trip.recipients == 1 ? " recipient" : " recipients"));
    }

    // ---- what happens

    @Override
    public void happened(long nowMillis, QmgrEvent event) {
        now = nowMillis;
        switch (event) {
            case QmgrEvent.DeliveryDone(DeliveryResult result) -> done(result);
            case QmgrEvent.ConnectionFailed failed -> {
                Trip trip = opening.remove(failed.connection());
                ends(trip, Result.TROUBLE);
                tell("slot " + trip.slot + ": " + trip.name + " to " + trip.road.name + ": " + failed.reason());
                leaveSlot(failed.connection());
            }
            case QmgrEvent.ConnectionLost lost -> leaveSlot(lost.connection());
            case QmgrEvent.ConnectionDepth _,QmgrEvent.PipelinesBadly _ -> {
                // A slot of a scene carries one delivery at a time.
            }
            case QmgrEvent.MessageQueued queued -> tell(title(queued.message().id()) + " arrives");
            case QmgrEvent.ScanDone _,QmgrEvent.RecipientsRead _,QmgrEvent.MessageDamaged _,QmgrEvent.RouteKnown _,QmgrEvent.RouteFailed _,QmgrEvent.ConnectionReady _,QmgrEvent.OutcomeRecorded _,QmgrEvent.Notified _,QmgrEvent.Filed _,QmgrEvent.Alarm _,QmgrEvent.ArrivalsMissed _,QmgrEvent.Stopping _,QmgrEvent.Operator _ -> {
                // Answers whose consequences are seen.
            }
        }
    }

    private void done(DeliveryResult result) {
        Trip trip = trips.get((int) result.delivery() - 1);
        if (trip.connection != result.connection()) {
            return; // an event of a connection that is gone
        }
        switch (result) {
            case DeliveryResult.Answered answered -> answered(trip, answered);
            case DeliveryResult.Unanswered back -> trouble(trip, back.reason(), false);
            case DeliveryResult.OwnFailure own -> trouble(trip, own.reason(), own.usable());
        }
    }

    private void trouble(Trip trip, Reply reason, boolean usable) {
        ends(trip, Result.TROUBLE);
        tell("slot " + trip.slot + ": " + trip.name + " to " + trip.road.name + ": " + reason);
        if (!usable) {
            leaveSlot(trip.connection);
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
        ends(trip, delivered > 0
                ? Result.DELIVERED
                : failed == answered.outcomes().size() ? Result.REFUSED : Result.DEFERRED);
        if (trip.result != Result.DELIVERED) {
            tell("slot " + trip.slot + ": " + trip.name + " to " + trip.road.name + ": "
                    + answered.outcomes().getFirst().outcome().reply());
        }
        if (!answered.usable()) {
            leaveSlot(answered.connection());
        }
    }

    private void count(Trip trip, int delivered, int failed) {
        trip.id.map(letters::get).ifPresent(letter -> {
            letter.delivered += delivered;
            letter.failed += failed;
            if (delivered > 0) {
                letter.first = letter.first.isPresent() ? letter.first : OptionalLong.of(now);
                letter.last = OptionalLong.of(now);
            }
        });
    }

    private void ends(Trip trip, Result result) {
        trip.result = result;
        trip.endMillis = now;
        trip.road.running--;
        trip.road.troubled += result == Result.TROUBLE ? 1 : 0;
    }

    // A connection that we closed while the server hung up has left already.
    private void leaveSlot(long connection) {
        Optional.ofNullable(slots.remove(connection)).ifPresent(free::leave);
    }

    // ---- names

    private boolean isOurs(QueueId id) {
        return scene.letters().containsKey(id);
    }

    private String name(QueueId id) {
        return isOurs(id) ? scene.letters().get(id).name() : REPORT;
    }

    private String title(QueueId id) {
        return isOurs(id) ? scene.letters().get(id).toString() : REPORT;
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
