package org.slipstream.qmgr;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostKeys;
import org.slipstream.qmgr.place.HostMemory;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.PlacementSettings;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.shard.Leases;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Random;

/// The costs of an event when there is much of everything: recipients of one mailing, destinations, hosts
/// in the destination database. Not a test.
///
/// The queue manager of the server with its default settings runs in virtual time: a delivery takes
/// 50 ms, all else a millisecond. Each figure is a difference of two runs or of two moments, so what the
/// program itself takes is in it and stays the same.
///
/// ```
/// mvn -q -Pbytes -pl mta-core,mta-testkit,mta-qmgr test -DskipTests
/// ```
public final class CostsAtScale {
    private static final Outcome TAKEN = Outcome.of(Reply.of(250, "2.0.0", "taken"), "mx.example");
    private static final com.sun.management.ThreadMXBean THREAD = (com.sun.management.ThreadMXBean) ManagementFactory
            .getThreadMXBean();

    private record Timed(long atMillis, long number, QmgrEvent event) {}

    private final QueueManager manager;
    private final PriorityQueue<Timed> coming = new PriorityQueue<>(
            (a, b) -> a.atMillis() != b.atMillis()
                    ? Long.compare(a.atMillis(), b.atMillis())
                    : Long.compare(a.number(), b.number()));
    private final int recipients;
    private final int destinations;
    private final List<Route> routes = new ArrayList<>();
    private long now = 1_000_000;
    private long number;
    private long events;
    private long delivered;

    private CostsAtScale(int recipients, int destinations) {
        this.recipients = recipients;
        this.destinations = destinations;
        QmgrConfig config = Settings.of(s -> s);
        PlaceRules rules = config.smtpRules(PlacementSettings.defaults());
        Seating seating = new Seating(_ -> rules, new DestDb(rules.memory()), HostKeys.BY_NAME, HostMemory.NONE,
                new Random(1), Leases.whole());
        manager = new QueueManager(config, seating, new Random(1));
        for (int i = 0; i < destinations; i++) {
            routes.add(new Route.Smtp(domain(i), List.of(new Route.Host("mx." + domain(i), 25, 10))));
        }
    }

    private static String domain(int i) {
        return "domain" + i + ".example";
    }

    private void at(long delayMillis, QmgrEvent event) {
        coming.add(new Timed(now + delayMillis, number++, event));
    }

    private void order(QmgrOrder order) {
        switch (order) {
            case QmgrOrder.Scan _ -> at(1, new QmgrEvent.ScanDone(List.of(), false, OptionalLong.empty()));
            case QmgrOrder.ReadRecipients(QueueId id, var _, int after, int limit, boolean _) -> {
                List<Recipient> read = new ArrayList<>();
                for (int n = after + 1; n <= Math.min(recipients, after + limit); n++) {
                    read.add(new Recipient(n, new Address("user" + n, domain(n % destinations))));
                }
                at(1, new QmgrEvent.RecipientsRead(id, read, after + limit >= recipients));
            }
            case QmgrOrder.FindRoute(String domain, QueueId _) -> at(1, new QmgrEvent.RouteKnown(domain,
                    routes.get(Integer.parseInt(domain.substring(6, domain.indexOf('.'))))));
            case QmgrOrder.Open(long connection, Route _) -> at(1, new QmgrEvent.ConnectionReady(connection));
            case QmgrOrder.Deliver(long connection, var delivery) -> at(50, new QmgrEvent.DeliveryDone(
                    new DeliveryResult.Answered(delivery.number(), connection, delivery.all(TAKEN), true)));
            case QmgrOrder.RecordOutcome record -> {
                delivered += record.recipients().size();
                at(1, new QmgrEvent.OutcomeRecorded(record.id(), record.record()));
            }
            case QmgrOrder.Notify notify -> at(1, new QmgrEvent.Notified(notify, true));
            case QmgrOrder.Remove(QueueId id, String _) -> at(1, new QmgrEvent.Filed(Optional.of(id)));
            case QmgrOrder.Close _ -> {
                // It has no answer.
            }
            default -> throw new IllegalStateException("not in this run: " + order);
        }
    }

    private void mailing() {
        at(0, new QmgrEvent.MessageQueued(
                new MessageSummary(new QueueId(++number), Optional.of(Address.of("a@b.example")),
                        now, 1_000, recipients, recipients, 0, 0, false, false)));
    }

    /// @param until so many recipients were delivered to
    private void run(long until) {
        while (delivered < until) {
            if (!coming.isEmpty() && coming.peek().atMillis() <= manager.nextAlarmMillis()) {
                Timed next = coming.remove();
                now = next.atMillis();
                manager.step(next.event(), now, this::order);
            } else {
                now = Math.max(now, manager.nextAlarmMillis());
                manager.step(new QmgrEvent.Alarm(), now, this::order);
            }
            events++;
        }
    }

    private static long used() {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            used = Math.min(used, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return used;
    }

    private static void measure(String name, int recipients, int destinations) {
        CostsAtScale run = new CostsAtScale(recipients, destinations);
        run.mailing();
        long empty = used();
        run.run(recipients / 4);
        long events = run.events;
        long time = THREAD.getCurrentThreadCpuTime();
        long bytes = THREAD.getThreadAllocatedBytes(Thread.currentThread().threadId());
        run.run(recipients / 2);
        time = THREAD.getCurrentThreadCpuTime() - time;
        bytes = THREAD.getThreadAllocatedBytes(Thread.currentThread().threadId()) - bytes;
        events = run.events - events;
        long full = used();
        run.run(recipients);
        System.out.printf(Locale.ROOT,
                "%-8s %,9d recipients, %,7d destinations and hosts: %6.0f ns and %,6d bytes an event,"
                        + " %5.2f events a recipient, %,6d KiB in use half-way%n",
                name, recipients, destinations, time / (double) events, bytes / events,
                events / (double) (recipients / 4), (full - empty) / 1024);
    }

    public static void main(String[] arguments) {
        for (int i = 0; i < 4; i++) {
            measure("warm-up", 40_000, 400);
        }
        for (int round = 0; round < 3; round++) {
            measure("mailing", 10_000, 100);
            measure("mailing", 100_000, 1_000);
            measure("mailing", 1_000_000, 10_000);
            measure("hosts", 4_000, 1_000);
            measure("hosts", 40_000, 10_000);
            measure("hosts", 400_000, 100_000);
        }
    }
}
