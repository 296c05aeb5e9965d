package org.slipstream.lab.golden;

import org.slipstream.core.Delivery;
import org.slipstream.core.DeliveryResult;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.lab.TransportNames;
import org.slipstream.qmgr.ActivationOrder;
import org.slipstream.qmgr.QmgrConfig;
import org.slipstream.qmgr.QmgrTrace;
import org.slipstream.qmgr.QueueManager;
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

/// The world around the scheduler as the golden files define it: the real queue manager in virtual
/// seconds, with a disk that answers at once, agents, and an outside that behaves by rule.
///
/// Each second has four acts, each finished before the next begins: timers; completions in the
/// order of their selections; arrivals with admission after each; dispatch, entry by entry.
final class GoldenWorld {
    private static final int MOST_SECONDS = 1_000_000;
    private static final Reply OK = Reply.of(250, "2.0.0", "ok");
    private static final Reply FAIL = Reply.of(450, "4.4.1", "connection refused");
    private static final Reply DEFER = Reply.of(450, "4.2.0", "try later");

    /// A delivery agent at work, from its start to its end; one that fails never gets to a
    /// delivery.
    private record Agent(long until, long connection, String key, String result) {}

    private final GoldenFile file;
    private final TransportNames names;
    private final QueueManager brain;
    private final QueueDirectories register = new QueueDirectories();
    private final Map<QueueId, String> ids = new TreeMap<>();
    private final Deque<QueueDirectories.QueueFileRow> arrivals = new ArrayDeque<>();
    private final PriorityQueue<Agent> running = new PriorityQueue<>(
            Comparator.comparingLong(Agent::until).thenComparingLong(Agent::connection));
    private final Map<Long, Delivery> deliveries = new TreeMap<>();
    private final Map<String, Integer> selectedByKey = new TreeMap<>();
    private final Map<String, Integer> runningByKey = new TreeMap<>();
    private final Deque<QmgrOrder> orders = new ArrayDeque<>();
    private final Trace trace = new Trace();
    private Optional<Entry> selected = Optional.empty();
    private long nextHeartbeat;
    private long now;

    private GoldenWorld(GoldenFile file) {
        this.file = file;
        this.names = new TransportNames(file.transports().keySet());
        QmgrConfig config = file.config(names);
        this.brain = new QueueManager(config, seating(config), new Random(0), new Ears(),
                new ActivationOrder(register.incoming, register.deferred));
        List<String> sorted = file.mails().stream().map(GoldenFile.GoldenMail::id).sorted().toList();
        for (GoldenFile.GoldenMail mail : file.mails()) {
            QueueId id = new QueueId(sorted.indexOf(mail.id()) + 1);
            ids.put(id, mail.id());
            arrivals.add(new QueueDirectories.QueueFileRow(id, mail));
        }
    }

    /// The placement as the original knows it: a connection is a delivery agent, which takes one
    /// entry and is gone.
    private static Seating seating(QmgrConfig config) {
        PlaceRules.RecordLifetimes memory = PlaceRules.defaults().memory().withRetry(config.queue().minimalBackoff(),
                Duration.ZERO, Duration.ZERO);
        return new Seating(
                name -> PlaceRules.plain(config.transport(name).processLimit(), 0, Duration.ZERO)
                        .with(new PlaceRules.Idle(0, Duration.ZERO, Duration.ofMillis(Long.MAX_VALUE))),
                new DestDb(memory), HostKeys.BY_NAME, HostMemory.NONE, new Random(0));
    }

    static Trace live(GoldenFile file) {
        GoldenWorld world = new GoldenWorld(file);
        world.run();
        return world.trace;
    }

    private void run() {
        register.incoming.requestScan();
        for (int i = 0; i < MOST_SECONDS; i++) {
            long next = nextTime();
            if (next == Long.MAX_VALUE || file.stopAfter().isPresent() && next > file.stopAfter().getAsLong()) {
                return;
            }
            now = next;
            timers();
            completions();
            arrivals();
            dispatch();
        }
        throw new IllegalStateException("no end after " + MOST_SECONDS + " events, at second " + now);
    }

    private long nextTime() {
        long alarm = brain.nextAlarmMillis();
        long next = alarm >= Long.MAX_VALUE / 4 ? Long.MAX_VALUE : alarm / 1_000;
        if (!running.isEmpty()) {
            next = Math.min(next, running.peek().until());
        }
        if (!arrivals.isEmpty()) {
            next = Math.min(next, arrivals.peek().mail.arrival());
        }
        boolean asleep = !register.isEmpty() || !arrivals.isEmpty();
        return asleep ? Math.min(next, nextHeartbeat) : next;
    }

    private void timers() {
        tell(new QmgrEvent.Alarm());
        // The beats of a time in which nothing was asleep would have found nothing.
        while (nextHeartbeat <= now) {
            if (nextHeartbeat + file.global().queueRunDelay() > now) {
                register.deferred.requestScan();
            }
            nextHeartbeat += file.global().queueRunDelay();
        }
    }

    private void completions() {
        while (!running.isEmpty() && running.peek().until() <= now) {
            Agent done = running.poll();
            runningByKey.merge(done.key(), -1, Integer::sum);
            tell(switch (done.result()) {
                case "ok" -> answered(done, OK);
                case "defer" -> answered(done, DEFER);
                case "fail" -> new QmgrEvent.ConnectionFailed(done.connection(), FAIL, done.key());
                default -> throw new IllegalArgumentException("no result: " + done.result());
            });
        }
    }

    private QmgrEvent answered(Agent done, Reply reply) {
        Delivery delivery = deliveries.remove(done.connection());
        return new QmgrEvent.DeliveryDone(new DeliveryResult.Answered(delivery.number(), done.connection(),
                delivery.all(Outcome.of(reply, done.key())), true));
    }

    private void arrivals() {
        while (!arrivals.isEmpty() && arrivals.peek().mail.arrival() <= now) {
            register.arrives(arrivals.poll());
            admit();
        }
        admit();
    }

    private void admit() {
        boolean more = true;
        while (more) {
            more = brain.admitNext(now * 1_000, orders::add);
            carryOut();
        }
    }

    private void dispatch() {
        boolean more = true;
        while (more) {
            more = brain.choose(now * 1_000, orders::add);
            carryOut();
        }
    }

    private void tell(QmgrEvent event) {
        brain.absorb(event, now * 1_000, orders::add);
        carryOut();
    }

    private void carryOut() {
        while (!orders.isEmpty()) {
            carryOut(orders.poll());
        }
    }

    private void answer(QmgrEvent event) {
        brain.absorb(event, now * 1_000, orders::add);
    }

    private void carryOut(QmgrOrder order) {
        switch (order) {
            case QmgrOrder.ReadRecipients read -> {
                List<Recipient> batch = register.read(read);
                // As the original's reader: it learns of the end when it meets it.
                answer(new QmgrEvent.RecipientsRead(read.id(), batch, batch.size() < read.limit()));
            }
            case QmgrOrder.FindRoute find -> answer(new QmgrEvent.RouteKnown(find.domain(),
                    names.route(file.routes().getOrDefault(find.domain(), "smtp"), find.domain())));
            case QmgrOrder.Open open -> open(open);
            case QmgrOrder.Deliver(long connection, Delivery delivery) -> deliveries.put(connection, delivery);
            case QmgrOrder.Close _ -> {
                // The agent is gone already.
            }
            case QmgrOrder.RecordOutcome record -> {
                register.record(record);
                answer(new QmgrEvent.OutcomeRecorded(record.id(), record.record()));
            }
            case QmgrOrder.Notify notify -> answer(new QmgrEvent.Notified(notify.id(), notify.kind(), true));
            case QmgrOrder.Defer defer -> {
                long next = defer.nextAttemptMillis() / 1_000;
                register.defer(defer.id(), next);
                trace.messages.add(List.of(now, ids.get(defer.id()), "deferred", next));
                answer(new QmgrEvent.Filed(Optional.of(defer.id())));
            }
            case QmgrOrder.Remove remove -> {
                register.remove(remove.id());
                trace.messages.add(
                        List.of(now, ids.get(remove.id()), remove.reason().equals("sent") ? "done" : "expired"));
                answer(new QmgrEvent.Filed(Optional.of(remove.id())));
            }
            case QmgrOrder.Scan _,QmgrOrder.SetHold _,QmgrOrder.MakeDue _,QmgrOrder.Answered _,QmgrOrder.Verified _ ->
                throw new IllegalStateException("not in this world: " + order);
        }
    }

    private void open(QmgrOrder.Open open) {
        Entry entry = selected.orElseThrow();
        String key = entry.queue().key();
        String message = ids.get(entry.message().id());
        int delivery = selectedByKey.merge(key, 1, Integer::sum) - 1;
        int atOnce = runningByKey.merge(key, 1, Integer::sum);
        String result = file.deliveries().result(key, message, delivery, now, atOnce);
        long duration = file.deliveries().duration(key, message, delivery);
        running.add(new Agent(now + duration, open.connection(), key, result));
        trace.selections.add(List.of(now, names.inFile(open.route().transport()), message, key,
                Trace.ofEntry(entry.recipients()), result));
        if (!result.equals("fail")) {
            answer(new QmgrEvent.ConnectionReady(open.connection()));
        }
    }

    /// Writes down what the queue manager decides.
    private final class Ears implements QmgrTrace {
        @Override
        public void selected(Entry entry) {
            selected = Optional.of(entry);
        }

        @Override
        public void preempted(Message current, Message stepping, String transport, int level, int slots) {
            trace.preemptions.add(List.of((long) trace.selections.size(), now, names.inFile(transport),
                    ids.get(current.id()), ids.get(stepping.id()), (long) level, (long) slots));
        }

        @Override
        public void read(Message message, int recipients) {
            trace.reads.add(List.of((long) trace.selections.size(), now, ids.get(message.id()), (long) recipients));
        }

        @Override
        public void deferredWithoutAttempt(QueueId id, DestinationQueue line, List<Recipient> recipients) {
            trace.deferred(now, ids.get(id), line.key(), recipients);
        }

        @Override
        public void feedback(DestinationQueue line, FeedbackEvent event, int inFlight,
                Destination.FlowFigures figures) {
            boolean gone = event == FeedbackEvent.TIMER_REVIVE_FORGET || event == FeedbackEvent.RESUME_FORGET;
            List<Object> row = new ArrayList<>(List.of(now, names.inFile(line.transport()), line.key(),
                    event.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-')));
            row.addAll(gone
                    ? List.of(0L, 0L, 0L, 0L, 0L)
                    : List.of((long) figures.window(), (long) inFlight, figures.success(), figures.failure(),
                            figures.failedCohorts()));
            trace.feedback.add(row);
        }
    }
}
