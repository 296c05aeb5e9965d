package org.slipstream.lab.golden;

import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Delivery;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.event.ActivationOrder;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostKeys;
import org.slipstream.qmgr.place.HostMemory;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Entry;
import org.slipstream.qmgr.sched.Message;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/// A simulation by the rules of the golden files: the production queue manager in simulated
/// seconds, a disk without latency, delivery agents, and results by rule.
///
/// Each second has four steps in a fixed order: timers; completions in the order of their
/// selections; arrivals with admission after each; dispatch, entry by entry. Each step ends before
/// the next one starts.
final class GoldenSimulation {
    private static final int MOST_STEPS = 1_000_000;
    private static final Reply OK = Reply.of(250, "2.0.0", "ok");
    private static final Reply FAIL = Reply.of(450, "4.4.1", "connection refused");
    private static final Reply DEFER = Reply.of(450, "4.2.0", "try later");

    /// A running delivery agent. An agent whose connection fails has no delivery.
    private record DeliveryAgent(long until, long connection, String key, String result) {}

    private final GoldenFile file;
    private final QueueManager manager;
    private final QueueDirectories directories = new QueueDirectories();
    private final Map<QueueId, String> ids = new TreeMap<>();
    private final Deque<QueueDirectories.QueueFile> arrivals = new ArrayDeque<>();
    private final PriorityQueue<DeliveryAgent> running = new PriorityQueue<>(
            Comparator.comparingLong(DeliveryAgent::until).thenComparingLong(DeliveryAgent::connection));
    private final Map<Long, Delivery> deliveries = new TreeMap<>();
    private final Map<String, Integer> selectedByKey = new TreeMap<>();
    private final Map<String, Integer> runningByKey = new TreeMap<>();
    private final Deque<QmgrOrder> orders = new ArrayDeque<>();
    private final GoldenTrace trace = new GoldenTrace();
    private Optional<Entry> selected = Optional.empty();
    private long nextQueueRun;
    private long now;

    private GoldenSimulation(GoldenFile file) {
        this.file = file;
        QmgrConfig config = file.config();
        this.manager = new QueueManager(config, seating(config), new Random(0), new DecisionRecorder(),
                Optional.of(new ActivationOrder(directories.incoming, directories.deferred)));
        List<String> sorted = file.messages().stream().map(GoldenFile.GoldenMessage::id).sorted().toList();
        for (GoldenFile.GoldenMessage message : file.messages()) {
            QueueId id = new QueueId(sorted.indexOf(message.id()) + 1);
            ids.put(id, message.id());
            arrivals.add(new QueueDirectories.QueueFile(id, message));
        }
    }

    /// The placement of Postfix: a connection is a delivery agent that takes one entry and ends.
    private static Seating seating(QmgrConfig config) {
        PlaceRules.RecordLifetimes memory = PlaceRules.defaults().memory().withRetry(config.queue().minimalBackoff(),
                Duration.ZERO, Duration.ZERO);
        return new Seating(
                name -> PlaceRules.plain(config.transport(name).processLimit(), 0, Duration.ZERO)
                        .with(new PlaceRules.Idle(0, Duration.ZERO, Duration.ofMillis(Long.MAX_VALUE))),
                new DestDb(memory), HostKeys.BY_NAME, HostMemory.NONE, new Random(0));
    }

    /// @param reachedSeconds receives each simulated second in which an event happens
    static GoldenTrace run(GoldenFile file, LongConsumer reachedSeconds) {
        GoldenSimulation simulation = new GoldenSimulation(file);
        simulation.run(reachedSeconds);
        return simulation.trace;
    }

    private void run(LongConsumer reachedSeconds) {
        directories.incoming.requestScan();
        for (int i = 0; i < MOST_STEPS; i++) {
            long next = nextTime();
            if (next == Long.MAX_VALUE || file.stopAfter().isPresent() && next > file.stopAfter().getAsLong()) {
                return;
            }
            now = next;
            reachedSeconds.accept(now);
            timers();
            completions();
            arrivals();
            dispatch();
        }
        throw new IllegalStateException("no end after " + MOST_STEPS + " steps, at second " + now);
    }

    private long nextTime() {
        long alarm = manager.nextAlarmMillis();
        long next = alarm >= Long.MAX_VALUE / 4 ? Long.MAX_VALUE : alarm / 1_000;
        if (!running.isEmpty()) {
            next = Math.min(next, running.peek().until());
        }
        if (!arrivals.isEmpty()) {
            next = Math.min(next, arrivals.peek().message.arrival());
        }
        boolean unfinished = !directories.isEmpty() || !arrivals.isEmpty();
        return unfinished ? Math.min(next, nextQueueRun) : next;
    }

    private void timers() {
        send(new QmgrEvent.Alarm());
        // Queue runs that were skipped found empty directories; only the last one requests a scan.
        while (nextQueueRun <= now) {
            if (nextQueueRun + file.global().queueRunDelay() > now) {
                directories.deferred.requestScan();
            }
            nextQueueRun += file.global().queueRunDelay();
        }
    }

    private void completions() {
        while (!running.isEmpty() && running.peek().until() <= now) {
            DeliveryAgent done = running.poll();
            runningByKey.merge(done.key(), -1, Integer::sum);
            send(switch (done.result()) {
                case "ok" -> answered(done, OK);
                case "defer" -> answered(done, DEFER);
                case "fail" -> new QmgrEvent.ConnectionFailed(done.connection(), FAIL, done.key());
                default -> throw new IllegalArgumentException("no result: " + done.result());
            });
        }
    }

    private QmgrEvent answered(DeliveryAgent done, Reply reply) {
        Delivery delivery = deliveries.remove(done.connection());
        return new QmgrEvent.DeliveryDone(new DeliveryResult.Answered(delivery.number(), done.connection(),
                delivery.all(Outcome.of(reply, done.key())), true));
    }

    private void arrivals() {
        while (!arrivals.isEmpty() && arrivals.peek().message.arrival() <= now) {
            directories.arrives(arrivals.poll());
            admit();
        }
        admit();
    }

    private void admit() {
        boolean more = true;
        while (more) {
            more = manager.admitNext(now * 1_000, orders::add);
            execute();
        }
    }

    private void dispatch() {
        boolean more = true;
        while (more) {
            more = manager.choose(now * 1_000, orders::add);
            execute();
        }
    }

    private void send(QmgrEvent event) {
        manager.absorb(event, now * 1_000, orders::add);
        execute();
    }

    private void execute() {
        while (!orders.isEmpty()) {
            execute(orders.poll());
        }
    }

    private void respond(QmgrEvent event) {
        manager.absorb(event, now * 1_000, orders::add);
    }

    private void execute(QmgrOrder order) {
        switch (order) {
            case QmgrOrder.ReadRecipients read -> {
                List<Recipient> batch = directories.read(read);
                // The reader of Postfix learns at the next read that no recipient is left.
                respond(new QmgrEvent.RecipientsRead(read.id(), batch, batch.size() < read.limit()));
            }
            case QmgrOrder.FindRoute find -> respond(new QmgrEvent.RouteKnown(find.domain(),
                    new Route.Discard(file.routes().getOrDefault(find.domain(), "smtp"), find.domain())));
            case QmgrOrder.Open open -> open(open);
            case QmgrOrder.Deliver(long connection, Delivery delivery) -> deliveries.put(connection, delivery);
            case QmgrOrder.Close _ -> {
                // The delivery agent has ended already.
            }
            case QmgrOrder.RecordOutcome record -> {
                directories.record(record);
                respond(new QmgrEvent.OutcomeRecorded(record.id(), record.record()));
            }
            case QmgrOrder.Notify notify -> respond(new QmgrEvent.Notified(notify, true));
            case QmgrOrder.Defer defer -> {
                long next = defer.nextAttemptMillis() / 1_000;
                directories.defer(defer.id(), next);
                trace.messages.add(List.of(now, ids.get(defer.id()), "deferred", next));
                respond(new QmgrEvent.Filed(Optional.of(defer.id())));
            }
            case QmgrOrder.Remove remove -> {
                directories.remove(remove.id());
                trace.messages.add(
                        List.of(now, ids.get(remove.id()), remove.reason().equals("sent") ? "done" : "expired"));
                respond(new QmgrEvent.Filed(Optional.of(remove.id())));
            }
            case QmgrOrder.Scan _,QmgrOrder.SetHold _,QmgrOrder.MakeDue _,QmgrOrder.TakeUp _,QmgrOrder.Instruct _,QmgrOrder.Answered _,QmgrOrder.Verified _,QmgrOrder.LeaseOrder _,QmgrOrder.MoveOut _ ->
                throw new IllegalStateException("unexpected order " + order);
        }
    }

    private void open(QmgrOrder.Open open) {
        Entry entry = selected.orElseThrow();
        String key = entry.queue().key();
        String message = ids.get(entry.message().id());
        int delivery = selectedByKey.merge(key, 1, Integer::sum) - 1;
        int concurrency = runningByKey.merge(key, 1, Integer::sum);
        String result = file.deliveries().result(key, message, delivery, now, concurrency);
        long duration = file.deliveries().duration(key, message, delivery);
        running.add(new DeliveryAgent(now + duration, open.connection(), key, result));
        trace.selections.add(List.of(now, open.route().transport(), message, key,
                GoldenTrace.ofEntry(entry.recipients()), result));
        if (!result.equals("fail")) {
            respond(new QmgrEvent.ConnectionReady(open.connection()));
        }
    }

    /// Records the decisions of the queue manager.
    private final class DecisionRecorder implements QmgrTrace {
        @Override
        public void selected(Entry entry) {
            selected = Optional.of(entry);
        }

        @Override
        public void preempted(Message current, Message preempting, String transport, int level, int slots) {
            trace.preemptions.add(List.of((long) trace.selections.size(), now, transport,
                    ids.get(current.id()), ids.get(preempting.id()), (long) level, (long) slots));
        }

        @Override
        public void read(Message message, int recipients) {
            trace.reads.add(List.of((long) trace.selections.size(), now, ids.get(message.id()), (long) recipients));
        }

        @Override
        public void deferredWithoutAttempt(QueueId id, DestinationQueue queue, List<Recipient> recipients) {
            trace.deferred(now, ids.get(id), queue.key(), recipients);
        }

        @Override
        public void feedback(DestinationQueue queue, FeedbackEvent event, int inFlight,
                Destination.FlowFigures figures) {
            boolean forgotten = event == FeedbackEvent.TIMER_REVIVE_FORGET || event == FeedbackEvent.RESUME_FORGET;
            List<Object> row = new ArrayList<>(List.of(now, queue.transport(), queue.key(),
                    event.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-')));
            row.addAll(forgotten
                    ? List.of(0L, 0L, 0L, 0L, 0L)
                    : List.of((long) figures.window(), (long) inFlight, figures.success(), figures.failure(),
                            figures.failedCohorts()));
            trace.feedback.add(row);
        }
    }
}
