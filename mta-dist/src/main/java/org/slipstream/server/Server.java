package org.slipstream.server;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.AdminServer;
import org.slipstream.admin.AdminSocket;
import org.slipstream.admin.ApiAccess;
import org.slipstream.admin.ApiParts;
import org.slipstream.admin.operations.ConfigurationOperations;
import org.slipstream.admin.operations.ConsoleOperations;
import org.slipstream.admin.operations.ServerLog;
import org.slipstream.config.Config;
import org.slipstream.config.ProgramVersion;
import org.slipstream.config.SettingsAgain;
import org.slipstream.config.StoredShard;
import org.slipstream.console.ConsoleServer;
import org.slipstream.core.FailureWords;
import org.slipstream.core.Reply;
import org.slipstream.events.account.AccountBook;
import org.slipstream.events.account.AccountFile;
import org.slipstream.events.bounce.BounceClass;
import org.slipstream.events.stream.EventStream;
import org.slipstream.events.suppression.SuppressionList;
import org.slipstream.events.webhook.Webhooks;
import org.slipstream.guard.login.TokenFile;
import org.slipstream.http.HttpListener;
import org.slipstream.http.HttpPage;
import org.slipstream.inject.InjectionPage;
import org.slipstream.inject.RequestKeys;
import org.slipstream.local.maildir.UnfinishedFiles;
import org.slipstream.local.maildrop.MaildropFolder;
import org.slipstream.local.program.ProgramDelivery;
import org.slipstream.monitor.MonitorServer;
import org.slipstream.server.events.EventReading;
import org.slipstream.server.events.LogEvents;
import org.slipstream.server.events.WebhookControl;
import org.slipstream.server.film.Films;
import org.slipstream.server.film.PresentQueue;
import org.slipstream.server.film.PresentQueue.QueueReader;
import org.slipstream.server.film.QueueWorlds;
import org.slipstream.server.intake.HttpIntake;
import org.slipstream.server.intake.MaildropWatch;
import org.slipstream.server.intake.Pickup;
import org.slipstream.server.intake.Services;
import org.slipstream.server.monitor.ServerFacts;
import org.slipstream.server.monitor.ServerMonitor;
import org.slipstream.server.operate.AccountControl;
import org.slipstream.server.shard.ShardControl;
import org.slipstream.server.shard.ShardServices;
import org.slipstream.server.shard.ShardSet;
import org.slipstream.server.shard.ShardViews;
import org.slipstream.settings.NamedFile;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.follow.ChangeSink;
import org.slipstream.spool.history.History;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

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
    private static final LongSupplier CLOCK = System::currentTimeMillis;

    private final Config config;
    private final Shutdown undo = new Shutdown(System::nanoTime, STOP);
    private final SettingsAgain source;
    private final QueueWorlds worlds;
    private @Nullable LiveSettings live;
    private final ServerLog recent;
    private Optional<ConsoleServer> console = Optional.empty();
    private Optional<InetSocketAddress> metrics = Optional.empty();
    private Optional<HttpListener> http = Optional.empty();

    private Server(Config config, SettingsAgain source, QueueWorlds worlds, ServerLog recent) {
        this.recent = recent;
        this.config = config;
        this.source = source;
        this.worlds = worlds;
    }

    /// Opens the spool, recovers it, starts the queue manager, opens the ports. Returns when mail
    /// is accepted.
    public static Server start(Config config) throws StartFailure {
        return start(config, SettingsAgain.of(config));
    }

    /// @param source read again by [#reload]
    public static Server start(Config config, SettingsAgain source) throws StartFailure {
        return start(config, source, (_, _, _, _) -> {
            throw new IllegalArgumentException("this server makes no forecast");
        }, ServerLog.NONE);
    }

    /// @param source read again by [#reload]
    /// @param worlds for forecasts of the queue
    /// @param recent events of the log, for operators
    static Server start(Config config, SettingsAgain source, QueueWorlds worlds, ServerLog recent) throws StartFailure {
        Server server = new Server(config, source, worlds, recent);
        try {
            server.open();
            return server;
        } catch (StartFailure | RuntimeException failure) {
            server.close();
            throw failure;
        }
    }

    public Optional<InetSocketAddress> smtp() {
        return Optional.ofNullable(live().addresses().get("smtp"));
    }

    public Optional<InetSocketAddress> submission() {
        return Optional.ofNullable(live().addresses().get("submission"));
    }

    /// The other open ports by service.
    public Map<String, InetSocketAddress> furtherPorts() {
        Map<String, InetSocketAddress> further = new LinkedHashMap<>(live().addresses());
        further.keySet().removeAll(Set.of("smtp", "submission"));
        console.ifPresent(each -> further.put("console", each.address()));
        metrics.ifPresent(address -> further.put("metrics", address));
        http.ifPresent(each -> further.put("http", each.address()));
        return further;
    }

    /// Reads the settings again and puts them into force; a mistake changes nothing.
    ///
    /// @param author for the log
    public ConfigurationOperations.ReloadView reload(String author) {
        return live().reload(author);
    }

    LiveSettings live() {
        return Objects.requireNonNull(live, "the server has not started");
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
        prepared.remarks()
                .forEach(remark -> log.warn("event=configuration-warning reason=\"{}\"", remark.replace('"', '\'')));
        EventStream events = events();
        ShardSet shards = openSpools(events);
        undo.push("spool", Duration.ZERO, _ -> shards.closeSpools());
        History history = History.open(config.historyFolder(), config.history(), CLOCK);
        undo.push("history", Duration.ZERO, _ -> history.close());
        SuppressionList suppressions = openSuppressions();
        undo.push("suppressions", Duration.ZERO, _ -> suppressions.close());
        Webhooks webhooks = new Webhooks(events, config.spool().directory(), CLOCK);
        AccountFile accounts = new AccountFile(config.home());
        LiveSettings settings = new LiveSettings(config, prepared, shards, history, suppressions, accounts,
                accountBook(accounts), events, webhooks, source, CLOCK);
        live = settings;
        AccountControl counts = settings.accounts().start();
        undo.push("accounts", Duration.ZERO, _ -> counts.close());
        undo.push("sources", Duration.ZERO, _ -> settings.sources().close());
        undo.push("daily reports", Duration.ZERO, _ -> settings.dailyReports().close());
        undo.push("dovecot", Duration.ZERO, _ -> settings.closeDovecot());
        undo.push("journal", KEPT_FOR_SPOOL, shards::closeJournals);
        undo.push("dispatcher", KEPT_FOR_SPOOL, _ -> shards.closeDispatchers());
        undo.push("queue manager", KEPT_FOR_SPOOL, shards::stopQueueManagers);
        undo.push("connections", KEPT_FOR_OUTCOMES, shards::closeConnections);
        Optional<MaildropFolder> maildrop = maildrop(shards);
        Optional<RequestKeys> requests = injectionKeys(shards);
        start(shards, settings.shardServices());
        AdminServer api = bindAdmin();
        bindConsole();
        bindHttp(settings);
        ServerMonitor monitor = new ServerMonitor(() -> settings.config().alarm(), InstantSource.system());
        ShardViews views = ShardViews.of(shards, settings::config,
                () -> Stream.of(settings.troubles(), monitor.troubles(), shards.clusterTroubles(),
                        EventReading.trouble(events).stream().toList(),
                        WebhookControl.trouble(webhooks).stream().toList()).flatMap(List::stream).toList(),
                CLOCK);
        settings.shaping().start(views.suspensions());
        undo.push("shaping", Duration.ZERO, _ -> settings.shaping().close());
        webhooks.use(config.webhooks());
        undo.push("webhooks", Duration.ZERO, _ -> webhooks.close());
        undo.push("ports", KEPT_FOR_OUTBOUND, limit -> closePorts(shards, limit));
        settings.open(views.queue());
        monitor.start(config.hostname(), new ServerFacts(views.here(), shards::all, settings.shardServices().traffic(),
                settings.verdicts(), settings::listeners, settings::failedLogins, settings.sources(),
                settings::isStopping, settings.shaping(), shards::clusterFigures));
        undo.push("monitor", Duration.ZERO, _ -> monitor.close());
        NamedFileWatch files = new NamedFileWatch(
                () -> settings.config().files().stream().map(NamedFile::path).toList(),
                settings::filesChanged).start();
        settings.dailyReports().start();
        undo.push("file watch", Duration.ZERO, _ -> files.close());
        MailSignatures signatures = settings.signatures();
        NamedFileWatch keys = new NamedFileWatch(signatures::files, signatures::filesChanged).start();
        undo.push("key watch", Duration.ZERO, _ -> keys.close());
        ApiAccess access = api.serve(views.queue(), views.hosts(), views.suspensions(),
                new ApiParts(Optional.of(new ShardControl(shards)), Optional.of(settings),
                        console.map(each -> (ConsoleOperations) each), Optional.of(settings.suppressions()),
                        Optional.of(counts), Optional.of(settings.sources()),
                        events.isOn() ? Optional.of(new EventReading(events)) : Optional.empty(),
                        events.isOn()
                                ? Optional.of(new WebhookControl(webhooks, events, InstantSource.system()))
                                : Optional.empty(),
                        Optional.of(settings.shaping()),
                        Optional.of(new Films(shards::journal,
                                new PresentQueue(QueueReader.of(views.here()), worlds, source::read), CLOCK)),
                        recent,
                        () -> monitor.metrics().text()),
                TokenFile.in(config.home()));
        console.ifPresent(each -> each.serve(access, TokenFile.in(config.home())));
        openMetrics(monitor);
        http.ifPresent(listener -> listener.serve(httpPages(settings, requests.orElseThrow())));
        maildrop.ifPresent(folder -> watch(folder, () -> settings.pickup(folder)));
        UnfinishedFiles.sweep(config.local().maildir(), Instant.now());
        ProgramDelivery.sweep(Wiring.programFolder(config));
        if (System.getProperty("user.name", "").equals("root")) {
            log.warn("event=running-as-root next=\"run it as another user; docs/reload.md has ways for port 25\"");
        }
        log.info("event=server-started version={} hostname={} home={}", ProgramVersion.version(), config.hostname(),
                home);
    }

    private void openMetrics(ServerMonitor monitor) throws StartFailure {
        if (config.listen().metrics().isEmpty()) {
            return;
        }
        InetSocketAddress where = config.listen().metrics().get();
        try {
            MonitorServer http = MonitorServer.start(where, monitor);
            undo.push("metrics", Duration.ZERO, _ -> http.close());
            metrics = Optional.of(http.address());
            log.info("event=listening listener=metrics address={}:{}", where.getHostString(), http.address().getPort());
        } catch (IOException taken) {
            throw new StartFailure(config.written().sentence("listen.metrics", FailureWords.of(taken)
                    + "; stop what uses it, or choose another address or port"), taken);
        }
    }

    /// Requests that a killed server was answering are compared with the spool before any delivery.
    private Optional<RequestKeys> injectionKeys(ShardSet shards) throws StartFailure {
        if (config.listen().http().isEmpty()) {
            return Optional.empty();
        }
        Path file = config.home().resolve(RequestKeys.FILE);
        try {
            RequestKeys keys = RequestKeys.open(file, shards::contains, CLOCK);
            undo.push("injection keys", Duration.ZERO, _ -> keys.close());
            return Optional.of(keys);
        } catch (IOException refused) {
            throw new StartFailure("cannot use the file of idempotency keys " + file + ": "
                    + FailureWords.of(refused) + "; correct its permissions", refused);
        }
    }

    private void bindHttp(LiveSettings settings) throws StartFailure {
        if (config.listen().http().isEmpty()) {
            return;
        }
        InetSocketAddress where = config.listen().http().get();
        try {
            HttpListener listener = HttpListener.bind(where, settings::httpTls);
            undo.push("http", KEPT_FOR_OUTBOUND, _ -> listener.close());
            http = Optional.of(listener);
            log.info("event=listening listener=http address={}:{}", where.getHostString(),
                    listener.address().getPort());
        } catch (IOException taken) {
            throw new StartFailure(config.written().sentence("listen.http", FailureWords.of(taken)
                    + "; stop what uses it, or choose another address or port"), taken);
        }
    }

    /// The pages of the port for HTTP, by path.
    private Map<String, HttpPage> httpPages(LiveSettings settings, RequestKeys keys) {
        Map<String, HttpPage> pages = new LinkedHashMap<>();
        pages.put(InjectionPage.ROOT, new InjectionPage(
                new HttpIntake(TokenFile.in(config.home()), settings::intakeParts), keys,
                Services.encryptsHttp(config), Runtime.getRuntime().maxMemory()));
        config.feedback().unsubscribePath().ifPresent(path -> pages.put(path, settings.unsubscribePage()));
        return pages;
    }

    /// Files that a killed server was storing are compared with the spool before any delivery.
    private Optional<MaildropFolder> maildrop(ShardSet shards) throws StartFailure {
        if (!config.operation().maildrop().accepts()) {
            return Optional.empty();
        }
        MaildropFolder folder = MaildropFolder.in(config.home());
        try {
            folder.prepare(Instant.now());
            Pickup.recover(folder, shards::contains);
            return Optional.of(folder);
        } catch (IOException refused) {
            throw new StartFailure("cannot use the maildrop: " + FailureWords.of(refused)
                    + "; correct its permissions or set maildrop.accept = false", refused);
        }
    }

    private void watch(MaildropFolder folder, Supplier<Pickup> pickup) {
        MaildropWatch watch = MaildropWatch.start(folder, pickup, config.operation().maildrop());
        undo.push("maildrop", KEPT_FOR_OUTBOUND, watch::close);
    }

    private static void start(ShardSet shards, ShardServices services) throws StartFailure {
        try {
            shards.start(services);
        } catch (IOException refused) {
            throw new StartFailure(String.valueOf(refused.getMessage()), refused);
        }
    }

    /// From here on no more deliveries are chosen, so that connections finish while clients do.
    private void closePorts(ShardSet shards, Duration limit) throws InterruptedException {
        shards.stopChoosing();
        live().closePorts(limit);
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

    private void bindConsole() throws StartFailure {
        if (config.listen().console().isEmpty()) {
            return;
        }
        try {
            ConsoleServer server = ConsoleServer.bind(config.listen().console().get(), config.hostname());
            undo.push("console", Duration.ZERO, _ -> server.close());
            console = Optional.of(server);
        } catch (IOException taken) {
            throw new StartFailure(config.written().sentence("listen.console", FailureWords.of(taken)
                    + "; stop what uses it, or choose another address or port"), taken);
        }
    }

    private SuppressionList openSuppressions() throws StartFailure {
        Path file = config.home().resolve("suppressions.mv.db");
        try {
            return SuppressionList.open(file);
        } catch (IOException refused) {
            throw new StartFailure("cannot open the list of suppressions " + file + ": " + FailureWords.of(refused),
                    refused);
        }
    }

    private static AccountBook accountBook(AccountFile file) throws StartFailure {
        try {
            return file.read(CLOCK.getAsLong());
        } catch (IOException refused) {
            throw new StartFailure("cannot read the counts of accounts: " + FailureWords.of(refused)
                    + "; correct the file, or move it away", refused);
        }
    }

    private EventStream events() throws StartFailure {
        try {
            return new EventStream(config.events(), config.spool().directory(), CLOCK);
        } catch (IOException refused) {
            throw new StartFailure("cannot read the subscribers of events: " + FailureWords.of(refused), refused);
        }
    }

    private ShardSet openSpools(EventStream events) throws StartFailure {
        try {
            return ShardSet.open(config, CLOCK, stored -> changes(events, stored));
        } catch (SpoolException | IOException refused) {
            throw new StartFailure(String.valueOf(refused.getMessage()), refused);
        }
    }

    private BounceClass bounceClass(Reply reply) {
        LiveSettings settings = live;
        return (settings == null ? config : settings.config()).bounceClasses().of(reply);
    }

    private Optional<ChangeSink> changes(EventStream events, StoredShard stored) {
        if (!events.isOn()) {
            EventStream.delete(stored.folder());
            return Optional.empty();
        }
        return Optional.of(new LogEvents(events.shard(stored.number(), stored.folder()),
                events.settings().size().bytes(), this::bounceClass, CLOCK));
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
