package org.slipstream.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.AdminServer;
import org.slipstream.admin.AdminSocket;
import org.slipstream.core.FailureWords;
import org.slipstream.core.MessageSummary;
import org.slipstream.qmgr.QmgrConfig;
import org.slipstream.qmgr.QmgrTrace;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.place.HostRow;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.run.FeedbackLog;
import org.slipstream.qmgr.run.Inbox;
import org.slipstream.qmgr.run.QmgrLoop;
import org.slipstream.server.config.Config;
import org.slipstream.server.config.ProgramVersion;
import org.slipstream.server.dispatch.OrderDispatcher;
import org.slipstream.server.dispatch.Probing;
import org.slipstream.server.dispatch.QmgrCarrierEvents;
import org.slipstream.server.dispatch.QueueOperations;
import org.slipstream.server.dispatch.RestingDispatcher;
import org.slipstream.server.dispatch.Surroundings;
import org.slipstream.server.hosts.HostControl;
import org.slipstream.server.hosts.HostStore;
import org.slipstream.server.hosts.ServerPlacement;
import org.slipstream.server.intake.Services;
import org.slipstream.server.local.Leftovers;
import org.slipstream.smtpin.ListenerServices;
import org.slipstream.smtpin.SmtpListener;
import org.slipstream.smtpout.Carriers;
import org.slipstream.smtpout.ClientConfig;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.Spools;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

import javax.net.ssl.SSLContext;

/// A running server: all rooms, joined. The only class that knows every one of them.
///
/// **Start**, from the inside out, so that nothing is accepted before it can be kept: spool (with its replay), carriers,
/// queue manager, desk; then the ports. **Stop**, from the outside in and within [#STOP] altogether: nothing new is chosen for
/// delivery, the ports refuse and let transfers in progress finish, then the connections to other servers do, their
/// outcomes are recorded, the spool is closed last. What is cut is deferred; where the peer may have the message already, the log says so.
/// A kill at any moment is safe as well; the orderly stop only spares the peers a second copy.
public final class Server implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Server.class);
    /// `run --help` promises ten seconds for the whole process.
    static final Duration STOP = Duration.ofSeconds(9);
    private static final Duration KEPT_FOR_OUTBOUND = Duration.ofMillis(2_500);
    private static final Duration KEPT_FOR_OUTCOMES = Duration.ofMillis(1_500);
    private static final Duration KEPT_FOR_SPOOL = Duration.ofMillis(750);
    private static final int ARRIVALS_WAITING = 10_000;
    private static final LongSupplier CLOCK = System::currentTimeMillis;

    private final Config config;
    private final Inbox inbox = new Inbox(ARRIVALS_WAITING);
    private final Shutdown undo = new Shutdown(System::nanoTime, STOP);
    private final List<SmtpListener> listeners = new ArrayList<>();
    private final Map<String, InetSocketAddress> ports = new LinkedHashMap<>();

    private Server(Config config) {
        this.config = config;
    }

    /// Opens the spool, replays, starts the queue manager, opens the ports. Returns when mail is accepted.
    public static Server start(Config config) throws StartFailure {
        Server server = new Server(config);
        try {
            server.open();
            return server;
        } catch (StartFailure | RuntimeException failure) {
            server.close();
            throw failure;
        }
    }

    public Optional<InetSocketAddress> smtp() {
        return Optional.ofNullable(ports.get("smtp"));
    }

    public Optional<InetSocketAddress> submission() {
        return Optional.ofNullable(ports.get("submission"));
    }

    /// The other open ports by service.
    public Map<String, InetSocketAddress> furtherPorts() {
        Map<String, InetSocketAddress> further = new LinkedHashMap<>(ports);
        further.keySet().removeAll(Set.of("smtp", "submission"));
        return further;
    }

    /// Where operators' commands ask.
    public Path admin() {
        return AdminSocket.in(config.home());
    }

    /// Refuses new work, lets transfers in progress finish, closes everything, within [#STOP]. May be called twice.
    @Override
    public synchronized void close() {
        undo.close();
    }

    private void open() throws StartFailure {
        OpenFiles.warning(config).ifPresent(log::warn);
        Path home = folder(config.home());
        Preparation prepared = Preparation.toRun(config);
        prepared.requireNoMistakes();
        config.hints().forEach(hint -> log.warn("event=setting-hint reason=\"{}\"", hint.replace('"', '\'')));
        prepared.remarks().forEach(remark -> log.warn("event=remark reason=\"{}\"", remark.replace('"', '\'')));
        Spool spool = openSpool();
        undo.push("spool", Duration.ZERO, _ -> spool.close());
        ClientConfig client = prepared.client();
        Wiring rooms = new Wiring(config, client, spool, this::arrived);
        Carriers carriers = new Carriers(client, new QmgrCarrierEvents(inbox::answer));
        QmgrConfig settings = config.queueManager();
        ServerPlacement places = new ServerPlacement(Wiring.placement(config, settings), client, rememberedHosts(spool),
                new HostStore(spool), CLOCK);
        OrderDispatcher dispatcher = new OrderDispatcher(spool, rooms.routes(), carriers, places::breaksUnderPipelining,
                rooms.mailboxes(),
                rooms.reports(), inbox::answer, CLOCK);
        undo.push("desk", KEPT_FOR_SPOOL, _ -> dispatcher.close());
        QmgrLoop loop = startQueueManager(settings, places.seating(),
                config.operation().delivers() ? dispatcher : new RestingDispatcher(dispatcher, inbox::answer));
        QueueOperations operations = new QueueOperations(spool, inbox, dispatcher.commands(), CLOCK,
                ProgramVersion.version(),
                config.hostname(),
                new Surroundings(config.operation().delivers(), carriers::phase, places::suspended,
                        places::connections, places::explain,
                        config.operation().delivers()
                                ? Optional.of(new Probing(dispatcher.commands(), rooms::knowsLocally))
                                : Optional.empty()));
        undo.push("connections", KEPT_FOR_OUTCOMES, carriers::close);
        AdminServer api = bindAdmin();
        ListenerServices services = rooms.services(loop::isBehindArrivals, prepared.users());
        ListenerServices waking = config.operation().delivers() ? services.withEtrn(rooms.wake(operations)) : services;
        undo.push("ports", KEPT_FOR_OUTBOUND, this::closePorts);
        for (Services.Service service : Services.of(config)) {
            ports.put(service.name(), listen(service, prepared.tls(), waking));
        }
        api.serve(operations, new HostControl(inbox, places));
        Leftovers.sweep(config.local().maildir(), Instant.now());
        log.info("msg=\"server started\" version={} hostname={} home={}", ProgramVersion.version(), config.hostname(),
                home);
    }

    private static List<HostRow> rememberedHosts(Spool spool) throws StartFailure {
        try {
            return HostStore.read(spool);
        } catch (IOException trouble) {
            throw new StartFailure("cannot read what is known of other hosts: " + trouble.getMessage(), trouble);
        }
    }

    private void arrived(MessageSummary message) {
        if (config.operation().delivers()) {
            inbox.offerArrival(message);
        }
    }

    private QmgrLoop startQueueManager(QmgrConfig settings, Seating seating, OrderSink dispatcher) {
        QueueManager brain = new QueueManager(settings, seating, RandomGenerator.getDefault(),
                config.operation().feedbackDebug() ? new FeedbackLog() : QmgrTrace.SILENT);
        QmgrLoop loop = new QmgrLoop(brain, inbox, dispatcher, CLOCK, Server::brainIsBroken);
        loop.start();
        undo.push("queue manager", KEPT_FOR_SPOOL, patience -> {
            if (!loop.stop(patience)) {
                log.warn("msg=\"deliveries in progress did not finish in time; they will be tried again\"");
            }
        });
        return loop;
    }

    /// From here on nothing new is chosen for delivery, so that the connections run dry while clients finish. All ports together
    /// have one time.
    private void closePorts(Duration patience) throws InterruptedException {
        inbox.answer(new QmgrEvent.Stopping());
        List<Thread> closing = listeners.stream()
                .map(listener -> Thread.ofPlatform().daemon().start(() -> listener.stop(patience))).toList();
        for (Thread each : closing) {
            each.join();
        }
    }

    // Nothing is lost: the log has every message. A supervisor starts us again.
    private static void brainIsBroken(Throwable trouble) {
        log.error("msg=\"stopping because the queue manager is broken\"", trouble);
        Runtime.getRuntime().halt(70);
    }

    private InetSocketAddress listen(Services.Service service, Optional<Supplier<SSLContext>> tls,
            ListenerServices services)
            throws StartFailure {
        SmtpListener listener = new SmtpListener(Services.listener(config, service, tls), services);
        try {
            listener.start();
        } catch (IOException taken) {
            throw new StartFailure(taken.getMessage() + "; stop what uses it or set listen." + service.name(), taken);
        }
        listeners.add(listener);
        return new InetSocketAddress(service.address().getAddress(), listener.port());
    }

    private AdminServer bindAdmin() throws StartFailure {
        try {
            AdminServer api = AdminServer.bind(admin());
            undo.push("admin", KEPT_FOR_OUTCOMES, _ -> api.close());
            return api;
        } catch (IOException refused) {
            throw new StartFailure("cannot open the socket " + admin() + ": " + FailureWords.of(refused), refused);
        }
    }

    private Spool openSpool() throws StartFailure {
        try {
            return Spools.open(config.spool(), CLOCK);
        } catch (SpoolException refused) {
            throw new StartFailure(refused.getMessage(), refused);
        }
    }

    private static Path folder(Path folder) throws StartFailure {
        try {
            return Files.createDirectories(folder);
        } catch (IOException trouble) {
            throw new StartFailure("cannot make the folder " + folder + ": "
                    + FailureWords.of(trouble) + "; choose another with --home or mend its permissions", trouble);
        }
    }
}
