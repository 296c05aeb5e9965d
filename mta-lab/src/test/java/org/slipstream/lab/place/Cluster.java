package org.slipstream.lab.place;

import org.slipstream.core.Address;
import org.slipstream.core.DeliveryResult;
import org.slipstream.core.MessageSummary;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
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

/// The whole brain before a cluster of hosts that take their time: each connection works off its
/// letters one after the other.
///
/// A register that answers at once, DNS that answers at once, time that jumps. All chance is of one
/// seed.
final class Cluster implements QmgrTrace {
    private static final Reply OK = Reply.of(250, "2.0.0", "ok");
    private static final Reply REFUSED = Reply.of(450, "4.4.1", "connection refused");
    private static final Reply RESET = Reply.of(450, "4.4.2", "connection reset");
    private static final long MOST_HAPPENINGS = 5_000_000;

    private record Planned(long atMillis, long number, Runnable deed) implements Comparable<Planned> {
        @Override
        public int compareTo(Planned other) {
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

    private final PriorityQueue<Planned> planned = new PriorityQueue<>();
    private final Random random;
    private final QueueManager brain;
    private final Seating seating;
    private final Map<String, Route.Smtp> routes = new TreeMap<>();
    private final Map<QueueId, Map<Integer, Recipient>> register = new LinkedHashMap<>();
    private final Map<QueueId, List<String>> addressees = new LinkedHashMap<>();
    private final Map<QueueId, Long> created = new LinkedHashMap<>();
    private final Map<Long, Link> links = new LinkedHashMap<>();
    private long numbers;
    private long ids;

    /// The hosts' nature.
    long connectMillis = 50;
    long deliverMillis = 100;
    final Map<String, Boolean> down = new TreeMap<>();
    int hangsUpAfter = Integer.MAX_VALUE;

    /// Letters that one connection bears.
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
        brain = new QueueManager(QmgrConfig.defaults(), seating, random, this);
    }

    // ---- the scene

    /// All hosts of a domain at one preference.
    void domain(String domain, String... hosts) {
        List<Route.Host> all = new ArrayList<>();
        for (String host : hosts) {
            all.add(new Route.Host(host, 25, 10));
        }
        routes.put(domain, new Route.Smtp(domain, all));
    }

    /// A letter to one recipient at each of these domains.
    QueueId message(long atMillis, List<String> domains) {
        QueueId id = new QueueId(++ids);
        addressees.put(id, List.copyOf(domains));
        at(atMillis, () -> {
            Map<Integer, Recipient> recipients = new LinkedHashMap<>();
            domains.forEach(domain -> recipients.put(recipients.size() + 1,
                    new Recipient(recipients.size() + 1, Address.of("r@" + domain))));
            register.put(id, recipients);
            created.put(id, now);
            announce(id);
        });
        return id;
    }

    private void announce(QueueId id) {
        int open = register.get(id).size();
        happens(new QmgrEvent.MessageQueued(new MessageSummary(id, Optional.of(Address.of("s@here.example")),
                created.get(id), 1_000, open, open, 0, 0, false, false)));
    }

    void at(long millis, Runnable deed) {
        planned.add(new Planned(Math.max(now, millis), ++numbers, deed));
    }

    private void after(long millis, Runnable deed) {
        at(now + millis, deed);
    }

    // ---- time

    /// Until all letters are gone.
    Cluster run() {
        for (long i = 0; !planned.isEmpty() || !register.isEmpty(); i++) {
            if (i > MOST_HAPPENINGS) {
                throw new AssertionError("no end at " + now + ": " + brain.snapshot(now));
            }
            step(Long.MAX_VALUE);
        }
        return this;
    }

    Cluster until(long millis) {
        while (Math.min(next(), brain.nextAlarmMillis()) <= millis) {
            step(millis);
        }
        now = millis;
        return this;
    }

    private long next() {
        return planned.isEmpty() ? Long.MAX_VALUE : planned.peek().atMillis();
    }

    private void step(long mostMillis) {
        long alarm = Math.max(now, brain.nextAlarmMillis());
        if (next() <= alarm) {
            Planned happening = planned.remove();
            now = happening.atMillis();
            happening.deed().run();
        } else if (alarm <= mostMillis && alarm < Long.MAX_VALUE) {
            now = alarm;
            happens(new QmgrEvent.Alarm());
        } else {
            throw new AssertionError("mail waits and nothing is planned: " + brain.snapshot(now));
        }
    }

    private void happens(QmgrEvent event) {
        brain.step(event, now, this::order);
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
                    // The loss of the connection is on its way. What was ordered for it comes back
                    // all the same.
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
                        .forEach(each -> register.get(record.id()).remove(each.number()));
                soon(new QmgrEvent.OutcomeRecorded(record.id(), record.record()));
            }
            case QmgrOrder.Notify notify -> soon(new QmgrEvent.Notified(notify.id(), notify.kind(), true));
            case QmgrOrder.Defer defer -> {
                soon(new QmgrEvent.Filed(Optional.of(defer.id())));
                at(defer.nextAttemptMillis(), () -> announce(defer.id()));
            }
            case QmgrOrder.Remove remove -> {
                register.remove(remove.id());
                finishedMillis.put(remove.id(), now);
                soon(new QmgrEvent.Filed(Optional.of(remove.id())));
            }
            case QmgrOrder.SetHold _,QmgrOrder.MakeDue _,QmgrOrder.Answered _,QmgrOrder.Verified _ ->
                throw new AssertionError(order);
        }
    }

    private void soon(QmgrEvent event) {
        after(0, () -> happens(event));
    }

    private void read(QmgrOrder.ReadRecipients read) {
        List<Recipient> rest = register.get(read.id()).values().stream().filter(r -> r.number() > read.after())
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
                happens(new QmgrEvent.ConnectionFailed(link.number, REFUSED, host));
            } else {
                happens(new QmgrEvent.ConnectionReady(link.number));
                happens(new QmgrEvent.ConnectionDepth(link.number, depth));
            }
        });
    }

    // Somewhat uneven, so that nothing marches in step.
    private void work(Link link) {
        QmgrOrder.Deliver deliver = link.queue.getFirst();
        after(deliverMillis / 2 + random.nextLong(deliverMillis), () -> {
            link.queue.remove();
            delivered++;
            deliveredAt.merge(link.host, 1, Integer::sum);
            boolean over = ++link.worked >= hangsUpAfter;
            if (over) {
                links.remove(link.number);
            } else if (!link.queue.isEmpty()) {
                work(link);
            }
            happens(new QmgrEvent.DeliveryDone(new DeliveryResult.Answered(deliver.delivery().number(), link.number,
                    deliver.delivery().all(new Outcome.Delivered(OK, link.host)), true)));
            if (over) {
                hangUp(link);
            }
        });
    }

    // The news of each letter in turn. What was ordered for this connection in the meantime is
    // among them, or late.
    private void hangUp(Link link) {
        while (!link.queue.isEmpty()) {
            long delivery = link.queue.remove().delivery().number();
            happens(new QmgrEvent.DeliveryDone(
                    new DeliveryResult.Unanswered(delivery, link.number, RESET, link.host, false)));
        }
        happens(new QmgrEvent.ConnectionLost(link.number, "hung up"));
    }

    int connections() {
        return links.size();
    }

    /// Connections at work for a message that is the only one for its destinations.
    int busyFor(QueueId id) {
        Set<String> destinations = addressees.get(id).stream().map(domain -> "smtp/" + domain)
                .collect(Collectors.toSet());
        return (int) seating.snapshot("smtp", now).connections().stream()
                .filter(line -> line.destinations().stream().anyMatch(destinations::contains)).count();
    }

    @Override
    public void feedback(DestinationQueue line, FeedbackEvent event, int running, Destination.FlowFigures figures) {
        if (event == FeedbackEvent.FAIL || event == FeedbackEvent.FAIL_DEAD) {
            failures++;
        }
    }
}
