package org.slipstream.qmgr;

import org.slipstream.core.Address;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Instructions;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostKeys;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.shard.LeaseBroker;
import org.slipstream.qmgr.shard.LeaseBroker.LeaseMessage;
import org.slipstream.qmgr.shard.Leases;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;

/// Several queue managers with one broker, in virtual time. The world outside counts what all of them
/// do together: connections and deliveries in progress per destination, host, transport, ring and
/// server, and the starts of each destination.
final class ShardWorld {
    private static final long OPENING_MILLIS = 20;

    final QmgrConfig config;
    final Function<String, PlaceRules> rules;
    final List<Shard> shards = new ArrayList<>();
    final LeaseBroker broker = new LeaseBroker();
    final Map<String, Route> routes = new TreeMap<>();

    /// Hosts that refuse every connection.
    final Set<String> down = new LinkedHashSet<>();

    /// The most connections that a host accepts; unlimited otherwise.
    final Map<String, Integer> capacity = new TreeMap<>();

    /// How long a delivery takes.
    long serviceMillis = 1_000;

    /// The largest delay of a message between a shard and the broker, and between shards.
    long delayMillis;

    /// The most that were in use at the same time, by what was counted.
    final Map<String, Integer> most = new TreeMap<>();

    /// Starts of deliveries by destination.
    final Map<String, List<Long>> starts = new TreeMap<>();
    final Map<String, Integer> attemptsAt = new TreeMap<>();
    int delivered;
    int deferred;
    long leaseMessages;
    long now;

    private final Random random;
    private final PriorityQueue<Due> due = new PriorityQueue<>(
            Comparator.comparingLong(Due::atMillis).thenComparingLong(Due::number));
    private final List<Link> links = new ArrayList<>();
    private final Map<String, Long> channels = new TreeMap<>();
    private long numbers;
    private final Deque<String> lately = new ArrayDeque<>();
    private Consumer<ShardWorld> check = _ -> {};

    private record Due(long atMillis, long number, Runnable what) {}

    /// A connection.
    static final class Link {
        final Shard shard;
        final long number;
        final Route route;
        final String host;
        final Deque<QmgrOrder.Deliver> queue = new ArrayDeque<>();
        boolean opening = true;
        boolean working;

        Link(Shard shard, QmgrOrder.Open open) {
            this.shard = shard;
            this.number = open.connection();
            this.route = open.route();
            this.host = hostOf(open.route());
        }

        boolean isBusy() {
            return opening || !queue.isEmpty();
        }

        Set<String> destinations() {
            Set<String> all = new LinkedHashSet<>();
            if (opening) {
                all.add(route.transport() + "/" + route.nextHop());
            }
            queue.forEach(each -> all.add(each.route().transport() + "/" + each.route().nextHop()));
            return all;
        }
    }

    /// A message in the spool of a shard.
    static final class Mail {
        final QueueId id;
        final long createdMillis;
        final Map<Integer, Recipient> open = new TreeMap<>();
        final int recipients;
        int attempts;
        long nextMillis;

        Mail(QueueId id, long createdMillis, List<String> to) {
            this.id = id;
            this.createdMillis = createdMillis;
            this.nextMillis = createdMillis;
            this.recipients = to.size();
            to.forEach(each -> open.put(open.size() + 1, new Recipient(open.size() + 1, Address.of(each))));
        }

        MessageSummary summary() {
            return new MessageSummary(id, Optional.of(Address.of("sender@here.example")), createdMillis, 1_000,
                    recipients, open.size(), 0, attempts, false, 0, DeliveryOptions.NONE, Instructions.NONE);
        }
    }

    final class Shard {
        final int number;
        final Leases leases;
        final Map<QueueId, Mail> spool = new TreeMap<>();
        QueueManager manager;
        boolean alive = true;
        final List<QmgrOrder> orders = new ArrayList<>();

        Shard(int number, Leases leases) {
            this.number = number;
            this.leases = leases;
            Seating seating = new Seating(rules, new DestDb(rules.apply("smtp").memory()), HostKeys.BY_NAME,
                    changes -> shards.stream().filter(other -> other != this)
                            .forEach(other -> channel("hosts " + number + " " + other.number,
                                    () -> other.happens(new QmgrEvent.HostsLearned(changes)))),
                    new Random(number), leases);
            manager = new QueueManager(config, seating, new Random(number));
        }

        QueueId queue(String... recipients) {
            Mail mail = new Mail(new QueueId(++numbers), now, List.of(recipients));
            spool.put(mail.id, mail);
            happens(new QmgrEvent.MessageQueued(mail.summary()));
            return mail.id;
        }

        void happens(QmgrEvent event) {
            if (alive) {
                List<QmgrOrder> given = new ArrayList<>();
                manager.step(event, now, given::add);
                given.forEach(this::execute);
                count();
            }
        }

        private void soon(QmgrEvent event) {
            after(0, () -> happens(event));
        }

        private void execute(QmgrOrder order) {
            orders.add(order);
            switch (order) {
                case QmgrOrder.Scan scan -> {
                    List<MessageSummary> found = spool.values().stream()
                            .filter(mail -> mail.nextMillis <= scan.nowMillis() && mail.attempts > 0)
                            .limit(scan.limit()).map(Mail::summary).toList();
                    found.forEach(each -> spool.get(each.id()).nextMillis = scan.leaseUntilMillis());
                    OptionalLong next = spool.values().stream().filter(mail -> mail.attempts > 0)
                            .mapToLong(mail -> mail.nextMillis).min();
                    soon(new QmgrEvent.ScanDone(found, false, next));
                }
                case QmgrOrder.ReadRecipients read -> {
                    List<Recipient> rest = spool.get(read.id()).open.values().stream()
                            .filter(each -> each.number() > read.after()).toList();
                    soon(new QmgrEvent.RecipientsRead(read.id(), rest, true));
                }
                case QmgrOrder.FindRoute find -> soon(new QmgrEvent.RouteKnown(find.domain(),
                        routes.getOrDefault(find.domain(), Story.smtp(find.domain()))));
                case QmgrOrder.Open open -> open(new Link(this, open));
                case QmgrOrder.Deliver deliver -> deliver(this, deliver);
                case QmgrOrder.Close close -> links.removeIf(link -> link.shard == this
                        && link.number == close.connection());
                case QmgrOrder.RecordOutcome record -> {
                    Mail mail = spool.get(record.id());
                    mail.attempts += record.attempt() ? 1 : 0;
                    record.outcomes().forEach(each -> {
                        if (each.outcome() instanceof Outcome.Deferred) {
                            deferred++;
                        } else {
                            mail.open.remove(each.number());
                        }
                    });
                    soon(new QmgrEvent.OutcomeRecorded(record.id(), record.record()));
                }
                case QmgrOrder.Notify notify -> soon(new QmgrEvent.Notified(notify, true));
                case QmgrOrder.Defer defer -> {
                    spool.get(defer.id()).nextMillis = defer.nextAttemptMillis();
                    spool.get(defer.id()).attempts = Math.max(1, spool.get(defer.id()).attempts);
                    soon(new QmgrEvent.Filed(Optional.of(defer.id())));
                }
                case QmgrOrder.Remove remove -> {
                    spool.remove(remove.id());
                    soon(new QmgrEvent.Filed(Optional.of(remove.id())));
                }
                case QmgrOrder.LeaseOrder lease -> {
                    leaseMessages++;
                    remember(number + " " + lease);
                    channel("to broker " + number, () -> {
                        if (alive) {
                            answer(broker.handle(number, lease));
                        }
                        if (lease instanceof QmgrOrder.HoldLeases) {
                            add();
                        }
                    });
                }
                case QmgrOrder.MakeDue makeDue -> soon(new QmgrEvent.Filed(makeDue.id()));
                case QmgrOrder.SetHold hold -> soon(new QmgrEvent.Filed(Optional.of(hold.id())));
                case QmgrOrder.TakeUp takeUp -> soon(new QmgrEvent.Filed(Optional.of(takeUp.id())));
                case QmgrOrder.Instruct instruct -> soon(
                        new QmgrEvent.Instructed(instruct.id(), instruct.ticket()));
                case QmgrOrder.Answered _,QmgrOrder.Verified _,QmgrOrder.MoveOut _ -> {
                    // Nothing waits for it.
                }
            }
        }

        <T extends QmgrOrder> List<T> ordered(Class<T> kind) {
            return orders.stream().filter(kind::isInstance).map(kind::cast).toList();
        }

        String why(QueueId id) {
            return manager.queries().about(id, now).orElseThrow().why();
        }

        /// The shard ends without a return of its lanes; its connections are lost.
        void dies() {
            alive = false;
            links.removeIf(link -> link.shard == this);
            answer(broker.gone(number));
        }
    }

    ShardWorld(int count, QmgrConfig config, Function<String, PlaceRules> rules, long seed) {
        this.config = config;
        this.rules = rules;
        this.random = new Random(seed);
        for (int i = 1; i <= count; i++) {
            shards.add(new Shard(i, count == 1 ? Leases.whole() : Leases.shared()));
            answer(broker.join(i));
        }
    }

    private void add() {
        shards.add(new Shard(shards.size() + 1, Leases.shared()));
        answer(broker.join(shards.size()));
    }

    /// Checked after every step of a shard.
    void always(Consumer<ShardWorld> invariant) {
        check = invariant;
    }

    Shard shard(int number) {
        return shards.get(number - 1);
    }

    // For the words of a test that fails.
    private void remember(String message) {
        lately.add(message);
        if (lately.size() > 40) {
            lately.remove();
        }
    }

    private void answer(List<LeaseMessage> messages) {
        for (LeaseMessage message : messages) {
            leaseMessages++;
            remember(message.toString());
            Shard to = shard(message.shard());
            channel("from broker " + to.number, () -> to.happens(message.event()));
        }
    }

    // ---- time

    private void after(long millis, Runnable what) {
        due.add(new Due(now + millis, ++numbers, what));
    }

    /// Messages of a channel stay in order.
    private void channel(String name, Runnable what) {
        long delay = delayMillis == 0 ? 0 : random.nextLong(delayMillis + 1);
        long at = Math.max(now + delay, channels.getOrDefault(name, 0L));
        channels.put(name, at);
        due.add(new Due(at, ++numbers, what));
    }

    void until(long millis) {
        int atOneTime = 0;
        while (true) {
            long next = due.isEmpty() ? Long.MAX_VALUE : due.peek().atMillis();
            Shard first = null;
            for (Shard shard : shards) {
                long alarm = shard.alive ? Math.max(now, shard.manager.nextAlarmMillis()) : Long.MAX_VALUE;
                if (alarm < next || alarm == next && due.isEmpty() && alarm < Long.MAX_VALUE && first == null) {
                    next = alarm;
                    first = shard;
                }
            }
            if (next > millis) {
                break;
            }
            atOneTime = next > now ? 0 : atOneTime + 1;
            if (atOneTime > 5_000) {
                throw new AssertionError("no end at " + now + ": " + lately);
            }
            now = Math.max(now, next);
            if (first != null) {
                first.happens(new QmgrEvent.Alarm());
            } else {
                due.remove().what().run();
            }
        }
        now = millis;
    }

    void after(long millis) {
        until(now + millis);
    }

    // ---- the hosts

    private static String hostOf(Route route) {
        return route instanceof Route.Smtp smtp ? smtp.hosts().getFirst().name() : route.nextHop();
    }

    private void open(Link link) {
        links.add(link);
        attemptsAt.merge(link.host, 1, Integer::sum);
        after(OPENING_MILLIS, () -> {
            if (!links.contains(link)) {
                return;
            }
            boolean full = links.stream().filter(each -> each.host.equals(link.host) && !each.opening)
                    .count() >= capacity
                            .getOrDefault(link.host, Integer.MAX_VALUE);
            if (down.contains(link.host) || full) {
                links.remove(link);
                link.shard.happens(new QmgrEvent.ConnectionFailed(link.number, full
                        ? Reply.of(421, "4.7.0", "too many connections")
                        : Story.REFUSED, link.host));
            } else {
                link.opening = false;
                link.shard.happens(new QmgrEvent.ConnectionReady(link.number));
            }
        });
    }

    private void deliver(Shard shard, QmgrOrder.Deliver deliver) {
        Link link = links.stream().filter(each -> each.shard == shard && each.number == deliver.connection())
                .findFirst().orElseThrow(() -> new AssertionError("no such connection: " + deliver));
        starts.computeIfAbsent(deliver.route().transport() + "/" + deliver.route().nextHop(), _ -> new ArrayList<>())
                .add(now);
        link.queue.add(deliver);
        work(link);
    }

    private void work(Link link) {
        if (link.working || link.queue.isEmpty()) {
            return;
        }
        link.working = true;
        after(serviceMillis, () -> {
            link.working = false;
            if (links.contains(link)) {
                QmgrOrder.Deliver done = link.queue.remove();
                delivered += done.recipients().size();
                link.shard.happens(new QmgrEvent.DeliveryDone(new DeliveryResult.Answered(done.delivery().number(),
                        done.connection(), done.recipients().stream().map(each -> new RecipientOutcome(each.number(),
                                Outcome.of(Story.OK, link.host))).toList(),
                        true)));
                work(link);
            }
        });
    }

    // ---- counting

    private void count() {
        Map<String, Integer> counts = new TreeMap<>();
        for (Link link : links) {
            counts.merge("transport " + link.route.transport(), 1, Integer::sum);
            counts.merge("host " + link.host, 1, Integer::sum);
            if (link.isBusy()) {
                counts.merge("server", 1, Integer::sum);
                counts.merge("shard " + link.shard.number, 1, Integer::sum);
            }
            link.destinations().forEach(each -> counts.merge("destination " + each, 1, Integer::sum));
            link.queue.stream().flatMap(each -> each.recipients().stream())
                    .forEach(each -> counts.merge("mailbox " + each.address().key(), 1, Integer::sum));
        }
        counts.forEach((what, number) -> most.merge(what, number, Math::max));
        check.accept(this);
    }

    int most(String what) {
        return most.getOrDefault(what, 0);
    }

    /// Connections in use now by destinations whose name ends so.
    int atWork(String ending) {
        return (int) links.stream()
                .filter(link -> link.destinations().stream().anyMatch(each -> each.endsWith(ending))).count();
    }

    /// The most starts of a destination in any period of this length.
    int mostStarts(String destination, long periodMillis) {
        List<Long> all = starts.getOrDefault(destination, List.of());
        int largest = 0;
        for (int from = 0, to = 0; to < all.size(); to++) {
            while (all.get(to) - all.get(from) >= periodMillis) {
                from++;
            }
            largest = Math.max(largest, to - from + 1);
        }
        return largest;
    }

    int waiting() {
        return shards.stream().filter(shard -> shard.alive).mapToInt(shard -> shard.spool.size()).sum();
    }
}
