package org.slipstream.lab.place;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
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
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The queue manager with a cluster of simulated hosts. Each connection processes its deliveries one
/// after the other, and each delivery takes time.
///
/// The queue index and DNS answer at once, and time jumps to the next event. All random numbers come
/// from one seed.
final class Cluster implements QmgrTrace {
    private static final Reply OK = Reply.of(250, "2.0.0", "ok");
    private static final Reply REFUSED = Reply.of(450, "4.4.1", "connection refused");
    private static final Reply RESET = Reply.of(450, "4.4.2", "connection reset");
    private static final long MAX_EVENTS = 5_000_000;

    private record Scheduled(long atMillis, long number, Runnable action) implements Comparable<Scheduled> {
        @Override
        public int compareTo(Scheduled other) {
            return atMillis != other.atMillis
                    ? Long.compare(atMillis, other.atMillis)
                    : Long.compare(number, other.number);
        }
    }

    private static final class Link {
        final long number;
        final String host;
        int worked;
        final Deque<QmgrOrder.Deliver> queue = new ArrayDeque<>();

        Link(long number, String host) {
            this.number = number;
            this.host = host;
        }
    }

    private final PriorityQueue<Scheduled> scheduled = new PriorityQueue<>();
    private final Random random;
    private final QueueManager queueManager;
    private final Seating seating;
    private final Map<String, Route.Smtp> routes = new TreeMap<>();
    private final Map<QueueId, Map<Integer, Recipient>> queueIndex = new LinkedHashMap<>();
    private final Map<QueueId, List<String>> addressees = new LinkedHashMap<>();
    private final Map<QueueId, Long> created = new LinkedHashMap<>();
    private final Map<Long, Link> links = new LinkedHashMap<>();
    private long numbers;
    private long ids;

    /// The behaviour of the hosts.
    long connectMillis = 50;
    long deliverMillis = 100;
    final Map<String, Boolean> down = new TreeMap<>();
    int closesAfter = Integer.MAX_VALUE;

    /// The depth that each connection reports.
    int depth = 2;

    long now;
    long opened;
    long delivered;
    int mostConnections;
    int failures;
    final Map<String, Integer> deliveredAt = new TreeMap<>();
    final Map<QueueId, Long> finishedMillis = new LinkedHashMap<>();

    Cluster(PlaceRules rules, long seed) {
        random = new Random(seed);
        seating = new Seating(_ -> rules, new DestDb(rules.memory()), HostKeys.BY_NAME, HostMemory.NONE, random);
        queueManager = new QueueManager(QmgrConfig.defaults(), seating, random, this);
    }

    // ---- the mail

    /// All hosts of a domain at one preference.
    void domain(String domain, String... hosts) {
        List<Route.Host> all = new ArrayList<>();
        for (String host : hosts) {
            all.add(new Route.Host(host, 25, 10));
        }
        routes.put(domain, new Route.Smtp(domain, all));
    }

    /// A message to one recipient at each of these domains.
    QueueId message(long atMillis, List<String> domains) {
        QueueId id = new QueueId(++ids);
        addressees.put(id, List.copyOf(domains));
        at(atMillis, () -> {
            Map<Integer, Recipient> recipients = new LinkedHashMap<>();
            domains.forEach(domain -> recipients.put(recipients.size() + 1,
                    new Recipient(recipients.size() + 1, Address.of("r@" + domain))));
            queueIndex.put(id, recipients);
            created.put(id, now);
            announce(id);
        });
        return id;
    }

    private void announce(QueueId id) {
        int open = queueIndex.get(id).size();
        happened(new QmgrEvent.MessageQueued(new MessageSummary(id, Optional.of(Address.of("s@here.example")),
                created.get(id), 1_000, open, open, 0, 0, false, false)));
    }

    void at(long millis, Runnable action) {
        scheduled.add(new Scheduled(Math.max(now, millis), ++numbers, action));
    }

    private void after(long millis, Runnable action) {
        at(now + millis, action);
    }

    // ---- time

    /// Runs until all messages are removed.
    Cluster run() {
        for (long i = 0; !scheduled.isEmpty() || !queueIndex.isEmpty(); i++) {
            if (i > MAX_EVENTS) {
                throw new AssertionError("no end at " + now + ": " + queueManager.queries().snapshot(now));
            }
            step(Long.MAX_VALUE);
        }
        return this;
    }

    Cluster until(long millis) {
        while (Math.min(next(), queueManager.nextAlarmMillis()) <= millis) {
            step(millis);
        }
        now = millis;
        return this;
    }

    private long next() {
        return scheduled.isEmpty() ? Long.MAX_VALUE : scheduled.peek().atMillis();
    }

    private void step(long mostMillis) {
        long alarm = Math.max(now, queueManager.nextAlarmMillis());
        if (next() <= alarm) {
            Scheduled next = scheduled.remove();
            now = next.atMillis();
            next.action().run();
        } else if (alarm <= mostMillis && alarm < Long.MAX_VALUE) {
            now = alarm;
            happened(new QmgrEvent.Alarm());
        } else {
            throw new AssertionError("mail waits and no event is scheduled: " + queueManager.queries().snapshot(now));
        }
    }

    private void happened(QmgrEvent event) {
        queueManager.step(event, now, this::order);
    }

    // ---- the world

    private void order(QmgrOrder order) {
        switch (order) {
            case QmgrOrder.Scan _ -> soon(new QmgrEvent.ScanDone(List.of(), false, OptionalLong.empty()));
            case QmgrOrder.ReadRecipients read -> read(read);
            case QmgrOrder.FindRoute find -> soon(new QmgrEvent.RouteKnown(find.domain(), routes.get(find.domain())));
            case QmgrOrder.Open open -> open(open);
            case QmgrOrder.Deliver deliver -> {
                Link link = links.get(deliver.connection());
                if (link == null) {
                    // The event about the loss of the connection comes later. A delivery that was
                    // ordered before it is returned.
                    soon(new QmgrEvent.DeliveryDone(new DeliveryResult.Unanswered(deliver.delivery().number(),
                            deliver.connection(), RESET, "gone", false)));
                    return;
                }
                link.queue.add(deliver);
                if (link.queue.size() == 1) {
                    work(link);
                }
            }
            case QmgrOrder.Close close -> links.remove(close.connection());
            case QmgrOrder.RecordOutcome record -> {
                record.outcomes().stream().filter(each -> !(each.outcome() instanceof Outcome.Deferred))
                        .forEach(each -> queueIndex.get(record.id()).remove(each.number()));
                soon(new QmgrEvent.OutcomeRecorded(record.id(), record.record()));
            }
            case QmgrOrder.Notify notify -> soon(new QmgrEvent.Notified(notify, true));
            case QmgrOrder.Defer defer -> {
                soon(new QmgrEvent.Filed(Optional.of(defer.id())));
                at(defer.nextAttemptMillis(), () -> announce(defer.id()));
            }
            case QmgrOrder.Remove remove -> {
                queueIndex.remove(remove.id());
                finishedMillis.put(remove.id(), now);
                soon(new QmgrEvent.Filed(Optional.of(remove.id())));
            }
            case QmgrOrder.SetHold _,QmgrOrder.MakeDue _,QmgrOrder.TakeUp _,QmgrOrder.Instruct _,QmgrOrder.Answered _,QmgrOrder.Verified _,QmgrOrder.LeaseOrder _,QmgrOrder.MoveOut _ ->
                throw new AssertionError(order);
        }
    }

    private void soon(QmgrEvent event) {
        after(0, () -> happened(event));
    }

    private void read(QmgrOrder.ReadRecipients read) {
        List<Recipient> rest = queueIndex.get(read.id()).values().stream().filter(r -> r.number() > read.after())
                .toList();
        List<Recipient> batch = rest.subList(0, Math.min(read.limit(), rest.size()));
        soon(new QmgrEvent.RecipientsRead(read.id(), List.copyOf(batch), batch.size() == rest.size()));
    }

    private void open(QmgrOrder.Open open) {
        opened++;
        String host = ((Route.Smtp) open.route()).hosts().getFirst().name();
        Link link = new Link(open.connection(), host);
        links.put(link.number, link);
        mostConnections = Math.max(mostConnections, links.size());
        after(connectMillis, () -> {
            if (down.getOrDefault(host, false)) {
                links.remove(link.number);
                happened(new QmgrEvent.ConnectionFailed(link.number, REFUSED, host));
            } else {
                happened(new QmgrEvent.ConnectionReady(link.number));
                happened(new QmgrEvent.ConnectionDepth(link.number, depth));
            }
        });
    }

    // Delivery times vary, so that deliveries do not end together.
    private void work(Link link) {
        QmgrOrder.Deliver deliver = link.queue.getFirst();
        after(deliverMillis / 2 + random.nextLong(deliverMillis), () -> {
            link.queue.remove();
            delivered++;
            deliveredAt.merge(link.host, 1, Integer::sum);
            boolean over = ++link.worked >= closesAfter;
            if (over) {
                links.remove(link.number);
            } else if (!link.queue.isEmpty()) {
                work(link);
            }
            happened(new QmgrEvent.DeliveryDone(new DeliveryResult.Answered(deliver.delivery().number(), link.number,
                    deliver.delivery().all(new Outcome.Delivered(OK, link.host)), true)));
            if (over) {
                closeByServer(link);
            }
        });
    }

    // Returns each delivery, also those ordered after the server closed the connection.
    private void closeByServer(Link link) {
        while (!link.queue.isEmpty()) {
            long delivery = link.queue.remove().delivery().number();
            happened(new QmgrEvent.DeliveryDone(
                    new DeliveryResult.Unanswered(delivery, link.number, RESET, link.host, false)));
        }
        happened(new QmgrEvent.ConnectionLost(link.number, "closed by the server"));
    }

    int connections() {
        return links.size();
    }

    /// The number of connections that work for a message, which must be the only one for its
    /// destinations.
    int busyFor(QueueId id) {
        Set<String> destinations = addressees.get(id).stream().map(domain -> "smtp/" + domain)
                .collect(Collectors.toSet());
        return (int) seating.snapshot(now).connections().stream()
                .filter(line -> line.destinations().stream().anyMatch(destinations::contains)).count();
    }

    @Override
    public void feedback(DestinationQueue destination, FeedbackEvent event, int running,
            Destination.FlowFigures figures) {
        if (event == FeedbackEvent.FAIL || event == FeedbackEvent.FAIL_DEAD) {
            failures++;
        }
    }
}
