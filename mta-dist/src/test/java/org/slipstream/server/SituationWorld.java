package org.slipstream.server;

import org.slipstream.admin.operations.ExplainOperations.MessageExplanation;
import org.slipstream.admin.operations.ExplainOperations.Subject;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.ReadResult;
import org.slipstream.config.RouteTable;
import org.slipstream.core.Address;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.Envelope;
import org.slipstream.core.ProviderTable;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.SenderTls;
import org.slipstream.core.TransportKind;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import org.slipstream.local.maildir.LocalDelivery;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.run.Inbox;
import org.slipstream.qmgr.run.QmgrLoop;
import org.slipstream.qmgr.trace.QmgrTrace;
import org.slipstream.server.dispatch.OrderDispatcher;
import org.slipstream.server.dispatch.QmgrCarrierEvents;
import org.slipstream.server.dispatch.RestingDispatcher;
import org.slipstream.server.hosts.HostStore;
import org.slipstream.server.hosts.ServerPlacement;
import org.slipstream.server.operate.QueueOperations;
import org.slipstream.server.operate.QueueViewSources;
import org.slipstream.server.operate.StandingOrderControl;
import org.slipstream.server.operate.Traces;
import org.slipstream.server.view.MailCounters;
import org.slipstream.settings.SettingsSource;
import org.slipstream.smtpout.Carriers;
import org.slipstream.smtpout.ClientConfig;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.history.History;
import org.slipstream.spool.history.HistorySearch;
import org.slipstream.spool.index.IndexException;
import org.slipstream.spool.tools.Spools;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/// A server without network: its spool, queue manager, placement and operator's view are those of
/// production, and its time is virtual. The test gives the answers of DNS and of the hosts.
final class SituationWorld implements AutoCloseable {
    private final AtomicLong clock = new AtomicLong(Instant.parse("2026-11-21T10:00:00Z").toEpochMilli());
    private final AtomicInteger awaited = new AtomicInteger();
    private final AtomicInteger orders = new AtomicInteger();
    private final Inbox inbox = new Inbox(1_000);
    private final Spool spool;
    private final Carriers carriers;
    private final OrderDispatcher dispatcher;
    private final ServerPlacement places;
    private final QmgrLoop loop;
    private final QueueOperations operations;
    private final boolean delivers;

    /// Only on the queue manager's thread, or while it is idle.
    private final Map<Long, Route> connections = new HashMap<>();
    private final List<Long> opening = new ArrayList<>();
    private final List<QmgrOrder.Deliver> underWay = new ArrayList<>();
    private final Set<String> unanswered = new LinkedHashSet<>();
    final Map<String, QmgrEvent> routes = new HashMap<>();

    /// Hosts of these next hops do not greet before the test says so.
    final Set<String> slowToOpen = new LinkedHashSet<>();
    volatile boolean indexIsDown;
    volatile boolean reportsFail;

    SituationWorld(Path home, String toml) throws Exception {
        Files.writeString(home.resolve("mta.toml"), "hostname = \"mta.example\"\n" + toml);
        Config config = ((ReadResult.Accepted) ConfigReader.read(SettingsSource.in(home), List.of())).config();
        spool = sometimesDown(Spools.open(SpoolConfig.at(Files.createDirectory(home.resolve("mail"))), clock::get));
        ClientConfig client = ClientConfig.of("mta.example");
        carriers = new Carriers(client, new QmgrCarrierEvents(inbox::answer));
        dispatcher = new OrderDispatcher(spool, new NoDns(), carriers, _ -> false,
                (_, _, _, _) -> new LocalDelivery.LocalResult.Decided(List.of()), (_, _) -> !reportsFail,
                this::answer, clock::get);
        places = new ServerPlacement(Wiring.placement(config, config.queueManager()), client,
                new HostStore(spool), clock::get,
                new ServerPlacement.PlacementStart(List.of(), clock.get(), 1, Optional.empty()));
        QueueManager manager = new QueueManager(config.queueManager(), places.seating(), new Random(1),
                QmgrTrace.SILENT);
        delivers = config.operation().delivers();
        var sink = delivers ? dispatcher : new RestingDispatcher(dispatcher, this::answer);
        loop = new QmgrLoop(manager, inbox, order -> order(order, () -> sink.order(order)), clock::get, _ -> {});
        RouteTable tls = RouteTable.of(config, config.routes(), _ -> {
            throw new AssertionError("the test answers");
        });
        operations = new QueueOperations(spool, inbox, dispatcher.commands(), clock::get, "0.1", "mta.example",
                new QueueViewSources(delivers, _ -> Optional.empty(), places::suspended, places::connections,
                        places::explain, new QueueViewSources.Stuck(loop::stuckMessages, loop::stuckNow),
                        new Traces(History.OFF, () -> new HistorySearch(home.resolve("history"), Instant.EPOCH)),
                        new MailCounters(clock.get()), tls::tlsLine, tls::transport, Optional.empty()),
                List.of());
        loop.start();
        settle();
    }

    private static final class NoDns implements OrderDispatcher.Routes {
        @Override
        public boolean isQuick(String domain) {
            return true;
        }

        @Override
        public QmgrEvent find(String domain) {
            throw new AssertionError("the test answers");
        }
    }

    private Spool sometimesDown(Spool real) {
        return (Spool) Proxy.newProxyInstance(Spool.class.getClassLoader(), new Class<?>[]{Spool.class},
                (_, method, arguments) -> {
                    if (indexIsDown && method.getName().equals("details")) {
                        throw new IndexException("cannot read the index",
                                new SQLException("Connection to localhost:5432 refused", "08001"));
                    }
                    if (indexIsDown && method.getName().equals("troubles")) {
                        return List.of(new Spool.Trouble(Spool.What.INDEX, clock.get() - 90_000, "refused", false));
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    // ---- orders and answers

    private void order(QmgrOrder order, Runnable dispatch) {
        orders.incrementAndGet();
        switch (order) {
            case QmgrOrder.FindRoute find -> {
                if (!unanswered.contains(find.domain())) {
                    inbox.answer(routes.getOrDefault(find.domain(),
                            new QmgrEvent.RouteKnown(find.domain(), route(find.domain(), "mx." + find.domain()))));
                }
            }
            case QmgrOrder.Open open -> {
                connections.put(open.connection(), open.route());
                if (slowToOpen.contains(open.route().nextHop())) {
                    opening.add(open.connection());
                } else {
                    inbox.answer(new QmgrEvent.ConnectionReady(open.connection()));
                }
            }
            case QmgrOrder.Deliver deliver -> underWay.add(deliver);
            case QmgrOrder.Close _ -> {
                // No answer.
            }
            case QmgrOrder.Answered _,QmgrOrder.Verified _ -> dispatch.run();
            default -> {
                awaited.incrementAndGet();
                dispatch.run();
            }
        }
    }

    private void answer(QmgrEvent event) {
        inbox.answer(event);
        if (!(event instanceof QmgrEvent.Operator)) {
            awaited.decrementAndGet();
        }
    }

    static Route.Smtp route(String nextHop, String... hosts) {
        return new Route.Smtp(nextHop,
                Stream.of(hosts).map(host -> new Route.Host(host, 25, 0, List.of(address(host)))).toList());
    }

    /// Waits until the queue manager has done all that it can do at this time.
    private void settle() throws Exception {
        int quiet = 0;
        int before = -1;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (quiet < 3) {
            loop.inspect(_ -> true).get(30, TimeUnit.SECONDS);
            boolean idle = awaited.get() <= 0 && orders.get() == before;
            quiet = idle ? quiet + 1 : 0;
            before = orders.get();
            if (System.nanoTime() > end) {
                throw new AssertionError(awaited + " answers are missing");
            }
        }
    }

    // ---- the story

    QueueId send(String sender, String... recipients) throws Exception {
        return send(Envelope.of(Address.parse(sender), Stream.of(recipients).map(Address::of).toList()));
    }

    QueueId sendLater(String sender, String recipient, Duration time) throws Exception {
        return send(Envelope.of(Address.parse(sender), List.of(Address.of(recipient)))
                .withOptions(new DeliveryOptions(
                        OptionalLong.of(clock.get() + time.toMillis()), Optional.empty(), 0, SenderTls.USUAL)));
    }

    QueueId send(Envelope envelope) throws Exception {
        QueueId id;
        try (Draft draft = spool.draft()) {
            id = draft.commit(envelope).id();
        }
        if (delivers) {
            inbox.offerArrival(spool.details(id).orElseThrow().summary());
        }
        settle();
        return id;
    }

    void after(Duration time) throws Exception {
        clock.addAndGet(time.toMillis());
        settle();
    }

    long now() {
        return clock.get();
    }

    void dnsIsSilentFor(String domain) {
        unanswered.add(domain);
    }

    /// All connections to this next hop that are being opened fail.
    void refuse(String nextHop, Reply reply, Code phase) throws Exception {
        for (long connection : List.copyOf(opening)) {
            if (connections.get(connection).nextHop().equals(nextHop)) {
                opening.remove(connection);
                inbox.answer(new QmgrEvent.ConnectionFailed(connection, reply,
                        phase == Code.LOOKUP ? "relay.example:25" : remote(nextHop), false,
                        OptionalLong.empty(), Optional.of(phase)));
            }
        }
        settle();
    }

    /// The host gives this reply to the oldest delivery under way to this next hop.
    void reply(String nextHop, Reply reply, Code phase) throws Exception {
        QmgrOrder.Deliver deliver = underWay.stream().filter(each -> each.route().nextHop().equals(nextHop))
                .findFirst().orElseThrow();
        underWay.remove(deliver);
        List<RecipientOutcome> outcomes = RecipientOutcome.endedIn(
                deliver.delivery().all(Outcome.of(reply, remote(nextHop))), Optional.of(phase));
        inbox.answer(new QmgrEvent.DeliveryDone(new DeliveryResult.Answered(deliver.delivery().number(),
                deliver.connection(), outcomes, true)));
        settle();
    }

    /// The next hop of the oldest delivery under way.
    String oldest() {
        return underWay.getFirst().route().nextHop();
    }

    private static String address(String host) {
        return "192.0.2." + (10 + Math.floorMod(host.hashCode(), 200));
    }

    private static String remote(String nextHop) {
        return "mx." + nextHop + "[" + address("mx." + nextHop) + "]:25";
    }

    void suspend(Route.Smtp route, String why, String author, Duration time) throws Exception {
        loop.inspect(_ -> {
            places.seating().suspend(ClientConfig.of("mta.example").hostKey(route, route.hosts().getFirst()), why,
                    author,
                    clock.get() + time.toMillis(), clock.get());
            return true;
        }).get(30, TimeUnit.SECONDS);
        settle();
    }

    void suspend(SuspensionScope scope, String name, String why, Duration time) throws Exception {
        new StandingOrderControl(spool, inbox, dispatcher.commands(), TransportKind::usual, ProviderTable::shipped)
                .begin(new Suspension(scope, name, why, "ann", clock.get(), clock.get() + time.toMillis()));
        settle();
    }

    void stops() throws Exception {
        inbox.answer(new QmgrEvent.Stopping());
        settle();
    }

    void hold(QueueId id) throws Exception {
        operations.order(new MessageOrder.Hold("they check the address", "ann"), id);
        settle();
    }

    MessageExplanation explain(QueueId id) throws IOException {
        return operations.explain(id).orElseThrow();
    }

    String explain(Subject subject, String name) throws IOException {
        return operations.explain(subject, name, 5_000).text();
    }

    @Override
    public void close() {
        try {
            loop.stop(Duration.ofMillis(1));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        dispatcher.close();
        carriers.close();
        spool.close();
    }
}
