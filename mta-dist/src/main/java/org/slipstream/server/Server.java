package org.slipstream.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.AdminServer;
import org.slipstream.admin.AdminSocket;
import org.slipstream.core.FailureWords;
import org.slipstream.core.MessageSummary;
import org.slipstream.qmgr.QmgrConfig;
import org.slipstream.qmgr.QmgrObserver;
import org.slipstream.qmgr.QmgrTrace;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.SeededChance;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.journal.JournalObserver;
import org.slipstream.qmgr.journal.JournalRecord;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.run.FeedbackLog;
import org.slipstream.qmgr.run.Inbox;
import org.slipstream.qmgr.run.QmgrLoop;
import org.slipstream.server.config.Config;
import org.slipstream.server.config.ProgramVersion;
import org.slipstream.server.dispatch.MessageOrders;
import org.slipstream.server.dispatch.OrderDispatcher;
import org.slipstream.server.dispatch.Probing;
import org.slipstream.server.dispatch.QmgrCarrierEvents;
import org.slipstream.server.dispatch.QueueOperations;
import org.slipstream.server.dispatch.QueueViewSources;
import org.slipstream.server.dispatch.RestingDispatcher;
import org.slipstream.server.dispatch.SuspensionControl;
import org.slipstream.server.dispatch.Traces;
import org.slipstream.server.history.History;
import org.slipstream.server.history.HistorySearch;
import org.slipstream.server.hosts.HostControl;
import org.slipstream.server.hosts.HostStore;
import org.slipstream.server.hosts.ServerPlacement;
import org.slipstream.server.intake.Services;
import org.slipstream.server.journal.JournalWriter;
import org.slipstream.server.local.UnfinishedFiles;
import org.slipstream.server.users.TokenFile;
import org.slipstream.server.view.MailCounters;
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

import javax.net.ssl.SSLContext;

/// A running server: the only class that knows all modules and connects them.
///
/// **Start**, from the inside out, so that nothing is accepted before it can be stored: spool (with
/// its recovery), carriers, queue manager, dispatcher, then the ports. **Stop**, from the outside
/// in and within [#STOP] in total: no more deliveries are chosen, the ports refuse clients and
/// transfers in progress finish, then the connections to other servers finish, their outcomes are
/// recorded, and the spool is closed last. Interrupted deliveries are deferred; where the peer may
/// have the message already, the log says so. A kill at any moment is safe too; the orderly stop
/// only avoids second copies.
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
    private final MailCounters traffic = new MailCounters();
    private final Shutdown undo = new Shutdown(System::nanoTime, STOP);
    private final List<SmtpListener> listeners = new ArrayList<>();
    private final Map<String, InetSocketAddress> ports = new LinkedHashMap<>();

    private Server(Config config) {
        this.config = config;
    }

    /// Opens the spool, recovers it, starts the queue manager, opens the ports. Returns when mail
    /// is accepted.
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

    /// The socket for operators' commands.
    public Path admin() {
        return AdminSocket.in(config.home());
    }

    /// Refuses new work, lets transfers in progress finish, closes everything, within [#STOP]. May
    /// be called twice.
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
        prepared.remarks()
                .forEach(remark -> log.warn("event=configuration-warning reason=\"{}\"", remark.replace('"', '\'')));
        Spool spool = openSpool();
        undo.push("spool", Duration.ZERO, _ -> spool.close());
        History history = History.open(config.historyFolder(), config.history(), CLOCK);
        undo.push("history", Duration.ZERO, _ -> history.close());
        ClientConfig client = prepared.client();
        Wiring wiring = new Wiring(config, client, spool, this::arrived, history);
        Carriers carriers = new Carriers(client, new QmgrCarrierEvents(inbox::answer));
        QmgrConfig settings = config.queueManager();
        long seed = SeededChance.seed();
        ServerPlacement.PlacementStart start = start(settings, rememberedHosts(spool), seed);
        ServerPlacement places = new ServerPlacement(Wiring.placement(config, settings), client, new HostStore(spool),
                CLOCK, start);
        OrderDispatcher dispatcher = new OrderDispatcher(spool, wiring.routes(), carriers,
                places::breaksUnderPipelining,
                wiring.mailboxes(),
                wiring.reports(), inbox::answer, CLOCK, history);
        undo.push("dispatcher", KEPT_FOR_SPOOL, _ -> dispatcher.close());
        restoreSuspensions(spool);
        QmgrLoop loop = startQueueManager(settings, places.seating(), start,
                traffic.counting(config.operation().delivers()
                        ? dispatcher
                        : new RestingDispatcher(dispatcher, inbox::answer), CLOCK));
        QueueOperations operations = new QueueOperations(spool, inbox, dispatcher.commands(), CLOCK,
                ProgramVersion.version(),
                config.hostname(),
                new QueueViewSources(config.operation().delivers(), carriers::phase, places::suspended,
                        places::connections, places::explain, loop::stuckMessages,
                        new Traces(history, this::historySearch), traffic,
                        config.operation().delivers()
                                ? Optional.of(new Probing(dispatcher.commands(), wiring::knowsLocally))
                                : Optional.empty()),
                new MessageOrders(config.listen().open().values()));
        undo.push("connections", KEPT_FOR_OUTCOMES, carriers::close);
        AdminServer api = bindAdmin();
        ListenerServices services = wiring.services(loop::isBehindArrivals, prepared.users());
        ListenerServices withEtrn = config.operation().delivers()
                ? services.withEtrn(wiring.wake(operations))
                : services;
        undo.push("ports", KEPT_FOR_OUTBOUND, this::closePorts);
        for (Services.Service service : Services.of(config)) {
            ports.put(service.name(), listen(service, prepared.tls(), withEtrn));
        }
        api.serve(operations, new HostControl(inbox, places),
                new SuspensionControl(spool, inbox, dispatcher.commands()), TokenFile.in(config.home()));
        UnfinishedFiles.sweep(config.local().maildir(), Instant.now());
        log.info("event=server-started version={} hostname={} home={}", ProgramVersion.version(), config.hostname(),
                home);
    }

    private static List<HostRow> rememberedHosts(Spool spool) throws StartFailure {
        try {
            return HostStore.read(spool);
        } catch (IOException trouble) {
            throw new StartFailure("cannot read the host records: " + trouble.getMessage(), trouble);
        }
    }

    private HistorySearch historySearch() {
        return HistorySearch.in(config.historyFolder(), config.history(), CLOCK.getAsLong());
    }

    private void restoreSuspensions(Spool spool) throws StartFailure {
        try {
            SuspensionControl.restore(spool, inbox, CLOCK.getAsLong());
        } catch (IOException trouble) {
            throw new StartFailure("cannot read the suspensions: " + trouble.getMessage(), trouble);
        }
    }

    private void arrived(MessageSummary message) {
        traffic.received(message);
        if (config.operation().delivers()) {
            inbox.offerArrival(message);
        }
    }

    /// With the journal, if one is set.
    private ServerPlacement.PlacementStart start(QmgrConfig settings, List<HostRow> known, long seed)
            throws StartFailure {
        long now = CLOCK.getAsLong();
        Optional<Path> file = config.operation().journal().file();
        if (file.isEmpty()) {
            return new ServerPlacement.PlacementStart(known, now, seed, Optional.empty());
        }
        try {
            JournalWriter journal = JournalWriter.open(file.get(), config.operation().journal().size().bytes(),
                    new JournalRecord.Beginning(JournalRecord.FORMAT, ProgramVersion.version(), now, seed, settings,
                            config.smtpPlacement(), known));
            undo.push("journal", KEPT_FOR_SPOOL, limit -> journal.close(CLOCK.getAsLong(), limit));
            return new ServerPlacement.PlacementStart(known, now, seed,
                    Optional.of(new JournalObserver(journal::add, feedbackLog())));
        } catch (IOException refused) {
            throw new StartFailure("journal.file " + file.get() + " cannot be written: " + FailureWords.of(refused),
                    refused);
        }
    }

    private QmgrTrace feedbackLog() {
        return config.operation().feedbackDebug() ? new FeedbackLog() : QmgrTrace.SILENT;
    }

    private QmgrLoop startQueueManager(QmgrConfig settings, Seating seating, ServerPlacement.PlacementStart start,
            OrderSink dispatcher) {
        QueueManager manager = new QueueManager(settings, seating, SeededChance.ofOrder(start.seed()),
                start.journal().<QmgrTrace>map(each -> each).orElseGet(this::feedbackLog));
        QmgrLoop loop = new QmgrLoop(manager, inbox, dispatcher, CLOCK, Server::managerFailed,
                start.journal().<QmgrObserver>map(each -> each).orElse(QmgrObserver.NOTHING));
        loop.start();
        undo.push("queue manager", KEPT_FOR_SPOOL, limit -> {
            if (!loop.stop(limit)) {
                log.warn("event=deliveries-unfinished next=\"they will be tried again\"");
            }
        });
        return loop;
    }

    /// From here on no more deliveries are chosen, so that connections finish while clients do. All
    /// ports together have one time limit.
    private void closePorts(Duration limit) throws InterruptedException {
        inbox.answer(new QmgrEvent.Stopping());
        List<Thread> closing = listeners.stream()
                .map(listener -> Thread.ofPlatform().daemon().start(() -> listener.stop(limit))).toList();
        for (Thread each : closing) {
            each.join();
        }
    }

    // Nothing is lost: the log has every message. A supervisor restarts the server.
    private static void managerFailed(Throwable trouble) {
        log.error("event=queue-manager-failed next=\"the process ends\"", trouble);
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
            if (config.operation().groupSocket().isPresent()) {
                api.openToGroup(config.operation().groupSocket().get());
            }
            return api;
        } catch (IOException refused) {
            throw new StartFailure("cannot open the socket " + admin()
                    + config.operation().groupSocket().map(socket -> " or " + socket).orElse("") + ": "
                    + FailureWords.of(refused), refused);
        }
    }

    private Spool openSpool() throws StartFailure {
        try {
            return Spools.open(config.spool(), CLOCK);
        } catch (SpoolException refused) {
            throw new StartFailure(String.valueOf(refused.getMessage()), refused);
        }
    }

    private static Path folder(Path folder) throws StartFailure {
        try {
            return Files.createDirectories(folder);
        } catch (IOException trouble) {
            throw new StartFailure("cannot create the folder " + folder + ": "
                    + FailureWords.of(trouble) + "; choose another with --home or correct its permissions", trouble);
        }
    }
}
