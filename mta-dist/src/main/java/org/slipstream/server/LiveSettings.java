package org.slipstream.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.operations.ConfigurationOperations;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigChanges;
import org.slipstream.config.ReadResult;
import org.slipstream.config.SettingsAgain;
import org.slipstream.core.Address;
import org.slipstream.core.LogText;
import org.slipstream.events.account.AccountBook;
import org.slipstream.events.account.AccountFile;
import org.slipstream.events.feedback.SealedText;
import org.slipstream.events.stream.EventStream;
import org.slipstream.events.suppression.SuppressionList;
import org.slipstream.events.webhook.Webhooks;
import org.slipstream.guard.dkim.KeyFolder;
import org.slipstream.guard.login.DovecotParts;
import org.slipstream.guard.policy.PolicyMemory;
import org.slipstream.guard.rspamd.RspamdFilter;
import org.slipstream.local.maildrop.MaildropFolder;
import org.slipstream.server.daily.DailyReports;
import org.slipstream.server.dispatch.Verifications.VerificationVerdict;
import org.slipstream.server.feedback.ReturnedMail;
import org.slipstream.server.feedback.ReturnedMail.ReportEffects;
import org.slipstream.server.feedback.TraceFields;
import org.slipstream.server.feedback.UnsubscribePage;
import org.slipstream.server.intake.EtrnRequests;
import org.slipstream.server.intake.HttpIntake;
import org.slipstream.server.intake.Pickup;
import org.slipstream.server.intake.RecipientVerification;
import org.slipstream.server.intake.Services;
import org.slipstream.server.monitor.CertificateWatch;
import org.slipstream.server.monitor.VerdictCounts;
import org.slipstream.server.operate.AccountControl;
import org.slipstream.server.operate.SuppressionControl;
import org.slipstream.server.shaping.ShapingControl;
import org.slipstream.server.shard.ShardServices;
import org.slipstream.server.shard.ShardSet;
import org.slipstream.server.source.SourceControl;
import org.slipstream.settings.EffectiveSetting;
import org.slipstream.settings.Problem;
import org.slipstream.smtpin.ListenerServices;
import org.slipstream.smtpin.SmtpListener.ListenerFigures;
import org.slipstream.smtpin.auth.GuessGuard;
import org.slipstream.spool.history.History;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import javax.net.ssl.SSLSocketFactory;

/// The settings in force, and everything that is made of them.
///
/// **A reload replaces all of it or nothing.** It reads, checks and opens as a start does
/// ([Preparation]), and only then does the first part change. Settings that need a restart keep the
/// value of the running server, and the operator is told.
///
/// **A session and a connection keep the settings with which they began**; the next ones have the new
/// ones. The queue managers get them as an event, so that a journal can be replayed.
///
/// One reload at a time; none once the server stops. A stop does not wait for one that still reads
/// files: it then changes nothing.
final class LiveSettings implements ConfigurationOperations {
    private static final Logger log = LoggerFactory.getLogger(LiveSettings.class);
    private static final String FILES = "a changed file";
    /// More than users mistype, and less than a guesser needs.
    private static final long LOGIN_ATTACK = 300;
    private static final String STOPS = "the server stops";

    private final ShardSet shards;
    private final History history;
    private final SettingsAgain source;
    private final Ports ports = new Ports();
    private final PolicyMemory memory = new PolicyMemory();
    private final RecipientVerification verification;
    private final List<DovecotParts> dovecots = new ArrayList<>();
    private final ShardServices shardServices;
    private final MailSignatures signatures;
    private final DailyReports dailyReports;
    private final SuppressionControl suppressions;
    private final Webhooks webhooks;
    private final AccountControl accounts;
    private final SourceControl sources;
    private final UnsubscribePage unsubscribePage;
    private final ShapingControl shaping;
    private final VerdictCounts verdicts = new VerdictCounts();
    private final CertificateWatch certificates;
    private volatile Optional<ListenerServices> services = Optional.empty();
    private Optional<EtrnRequests.Queue> etrn = Optional.empty();
    /// Held for the short time in which settings are put into force.
    private final Object change = new Object();
    private volatile Generation now;
    private volatile boolean stopping;

    /// One state of the settings, and all that is made of it.
    private record Generation(Config config, Preparation prepared, Wiring wiring, DovecotParts dovecot,
            Optional<RspamdFilter> rspamd) {}

    LiveSettings(Config config, Preparation prepared, ShardSet shards, History history,
            SuppressionList suppressionList, AccountFile accountFile, AccountBook accountBook, EventStream events,
            Webhooks webhooks, SettingsAgain source, LongSupplier clock) {
        this.shards = shards;
        this.suppressions = new SuppressionControl(suppressionList, this::config, clock);
        this.accounts = new AccountControl(accountBook, accountFile, this::config, events::tell, clock);
        this.sources = new SourceControl(config.home(), this::config, clock);
        this.history = history;
        this.webhooks = webhooks;
        this.source = source;
        this.shaping = new ShapingControl(config.home(), clock);
        shaping.use(config);
        this.now = generation(config, prepared, Optional.empty());
        this.signatures = new MailSignatures(KeyFolder.in(config.home()),
                address -> now.config().relay().contains(address),
                new TraceFields(() -> now.config().feedback(), this::seal));
        this.signatures.use(prepared.keys());
        this.unsubscribePage = new UnsubscribePage(this::seal, entry -> suppressionList.add(List.of(entry)),
                events::tell,
                clock);
        ReportEffects effects = new ReportEffects(events::tell, entry -> suppressionList.add(List.of(entry)),
                suppressions::returned, accounts::complained);
        this.shardServices = now.wiring().shardServices(() -> now.wiring(), history, suppressions, accounts, sources,
                local -> new ReturnedMail(local, this::config, this::seal, effects, clock), signatures::ofShard,
                this::probed, shaping::refused, clock);
        this.verification = new RecipientVerification((address, answer) -> {
            shardServices.traffic().probed();
            shards.probes().verify(address, answer);
        }, System::nanoTime);
        this.dailyReports = new DailyReports(config.home().resolve("reports"), this::reportParts,
                InstantSource.system());
        prepared.client().demands().tellTo(dailyReports::ended);
        this.certificates = new CertificateWatch(() -> now.config().tls(), InstantSource.system());
    }

    private Generation generation(Config config, Preparation prepared, Optional<Generation> before) {
        DovecotParts dovecot = before.filter(each -> haveSameDovecot(each.config(), config))
                .map(Generation::dovecot).orElseGet(() -> new DovecotParts(config.submission().auth(),
                        config.operation().store().mailboxLookup()));
        if (!dovecots.contains(dovecot)) {
            dovecots.add(dovecot);
        }
        Optional<RspamdFilter> rspamd = RspamdFilter.of(config.policy().rspamd(),
                before.flatMap(Generation::rspamd));
        return new Generation(config, prepared,
                new Wiring(config, prepared, shards, history, dovecot), dovecot, rspamd);
    }

    /// True when two configurations need the same connections to Dovecot.
    private static boolean haveSameDovecot(Config one, Config other) {
        return one.submission().auth().equals(other.submission().auth())
                && one.operation().store().mailboxLookup().equals(other.operation().store().mailboxLookup());
    }

    Config config() {
        return now.config();
    }

    private Optional<SealedText> seal() {
        return now.prepared().seal();
    }

    MailSignatures signatures() {
        return signatures;
    }

    SuppressionControl suppressions() {
        return suppressions;
    }

    /// To be served at the path of `feedback.unsubscribe-url`.
    UnsubscribePage unsubscribePage() {
        return unsubscribePage;
    }

    ShapingControl shaping() {
        return shaping;
    }

    AccountControl accounts() {
        return accounts;
    }

    SourceControl sources() {
        return sources;
    }

    ShardServices shardServices() {
        return shardServices;
    }

    /// The parts for daily reports, of the settings in force.
    DailyReports.DailyParts reportParts() {
        return now.wiring().dailyReports();
    }

    private void probed(Address recipient, VerificationVerdict answer) {
        verification.renew(recipient, answer);
    }

    DailyReports dailyReports() {
        return dailyReports;
    }

    /// The parts for mail that comes by HTTP, of the settings in force.
    HttpIntake.IntakeParts intakeParts() {
        Generation generation = now;
        return new HttpIntake.IntakeParts(generation.config(), services.orElseThrow(),
                Optional.of(generation.prepared().users()).filter(_ -> generation.dovecot().logins().isEmpty()));
    }

    /// Certificates in force; empty where the port for HTTP speaks no TLS.
    Optional<SSLSocketFactory> httpTls() {
        Generation generation = now;
        return generation.prepared().tls().filter(_ -> Services.encryptsHttp(generation.config()))
                .map(contexts -> contexts.get().getSocketFactory());
    }

    /// Stores the mail of local programs, by the settings of this moment.
    Pickup pickup(MaildropFolder folder) {
        return now.wiring().pickup(folder, shards::isBehindArrivals);
    }

    Map<String, InetSocketAddress> addresses() {
        return ports.addresses();
    }

    /// Opens the ports.
    ///
    /// @param queue for ETRN
    synchronized void open(EtrnRequests.Queue queue) throws StartFailure {
        etrn = Optional.of(queue);
        ListenerServices first = services(now);
        ports.prepare(portSettings(now, first)).apply();
        services = Optional.of(first);
    }

    private ListenerServices services(Generation generation) {
        ListenerServices fresh = generation.wiring().services(shards::isBehindArrivals, generation.prepared().users(),
                memory, generation.rspamd(), verification, dailyReports::judged, verdicts, suppressions, accounts);
        ListenerServices shared = services.map(fresh::sharing).orElse(fresh);
        return generation.config().operation().delivers()
                ? shared.withEtrn(generation.wiring().wake(Objects.requireNonNull(etrn.orElseThrow())))
                : shared;
    }

    private static Ports.PortSettings portSettings(Generation generation, ListenerServices services) {
        return new Ports.PortSettings(generation.config(), generation.prepared().tls(), services);
    }

    // ---- reload

    @Override
    public synchronized ReloadView reload(String author) {
        if (stopping || services.isEmpty()) {
            return refused(author, List.of(stopping ? STOPS : "the server is starting"));
        }
        return switch (source.read()) {
            case ReadResult.Rejected(List<Problem> problems) ->
                refused(author, problems.stream().map(Problem::toString).toList());
            case ReadResult.Accepted(Config read) -> reload(author, read);
        };
    }

    /// Reads the files again that settings name. Other changes of the settings wait for the
    /// operator's reload, because the file may be half edited.
    synchronized void filesChanged() {
        if (stopping || services.isEmpty()) {
            return;
        }
        switch (source.read()) {
            case ReadResult.Rejected(List<Problem> problems) ->
                refused(FILES, problems.stream().map(Problem::toString).toList());
            case ReadResult.Accepted(Config read) when ConfigChanges.between(now.config(), read).onlyFiles() ->
                reload(FILES, read);
            case ReadResult.Accepted _ -> refused(FILES, List.of("the settings have other changes as well; run"
                    + " \"mta reload\""));
        }
    }

    private ReloadView reload(String author, Config read) {
        // An editor or a full disk left it so: all defaults together are no change that a person orders.
        if (now.config().written().isFromFile() && !read.written().isFromFile()) {
            return refused(author, List.of("mta.toml has no setting any more; restart the server if every default is"
                    + " meant"));
        }
        ConfigChanges changes = ConfigChanges.between(now.config(), read);
        Config next = read.keeping(now.config());
        Preparation prepared = Preparation.toRun(next);
        // A file with which the next start would fail is a mistake now, not on the night of the start.
        List<String> mistakes = prepared.mistakes().isEmpty() && !changes.restart().isEmpty()
                ? Preparation.toCheck(read).mistakes()
                : prepared.mistakes();
        if (!mistakes.isEmpty()) {
            return refused(author, mistakes);
        }
        synchronized (change) {
            if (stopping) {
                return refused(author, List.of(STOPS));
            }
            Generation generation = generation(next, prepared, Optional.of(now));
            ListenerServices listeners = services(generation);
            try {
                apply(generation, listeners, ports.prepare(portSettings(generation, listeners)));
            } catch (StartFailure taken) {
                return refused(author, List.of(String.valueOf(taken.getMessage())));
            }
        }
        return told(author, changes, prepared.remarks());
    }

    private void apply(Generation next, ListenerServices listeners, Ports.PortChange opened) {
        now = next;
        listeners.guesses().change(next.config().submission().guesses());
        listeners.memory().change(next.config().operation().transactionMemory().bytes());
        signatures.use(next.prepared().keys());
        next.prepared().client().demands().tellTo(dailyReports::ended);
        opened.apply();
        services = Optional.of(listeners);
        shards.reload(next.wiring().changed(shardServices), next.config());
        webhooks.use(next.config().webhooks());
        shaping.use(next.config());
        source.inForce(next.config());
    }

    private static ReloadView told(String author, ConfigChanges changes, List<String> remarks) {
        log.info("event=configuration-reloaded author=\"{}\" changed=\"{}\" restart=\"{}\"", LogText.text(author),
                String.join(" ", changes.live()), String.join(" ", changes.restart().keySet()));
        remarks.forEach(remark -> log.warn("event=configuration-warning reason=\"{}\"", LogText.text(remark)));
        return new ReloadView(true, changes.live(), changes.restart().entrySet().stream()
                .map(each -> new RestartView(each.getKey(), each.getValue())).toList(), List.of(), remarks);
    }

    private static ReloadView refused(String author, List<String> problems) {
        problems.forEach(problem -> log.warn(
                "event=configuration-refused author=\"{}\" reason=\"{}\" next=\"the settings in force stay\"",
                LogText.text(author), LogText.text(problem)));
        return new ReloadView(false, List.of(), List.of(), problems, List.of());
    }

    @Override
    public ConfigurationView settings() {
        return new ConfigurationView(now.config().written().settings().stream().map(LiveSettings::view).toList());
    }

    private static SettingView view(EffectiveSetting setting) {
        return new SettingView(setting.key(), setting.value(), setting.standard(), setting.differs(), setting.place(),
                setting.doc(), setting.restart());
    }

    /// The failures of programs and files that the settings name.
    List<TroubleView> troubles() {
        Stream<TroubleView> logins = now.prepared().users().trouble().stream().map(reason -> new TroubleView("logins",
                "", "users cannot log in, or changes of the file have no effect", reason));
        return Stream.of(now.rspamd().flatMap(RspamdFilter::trouble).stream(), logins,
                dailyReports.trouble().stream(), certificates.trouble().stream(), loginAttack().stream(),
                accounts.troubles().stream(), sources.trouble().stream())
                .flatMap(each -> each).toList();
    }

    private Optional<TroubleView> loginAttack() {
        long failures = services.map(each -> each.guesses().recentFailures()).orElse(0L);
        return failures < LOGIN_ATTACK
                ? Optional.empty()
                : Optional.of(new TroubleView("login-attack", "", "none for mail; addresses that guess are banned"
                        + " (submission.ban)",
                        failures + " logins failed within " + GuessGuard.RECENT_MINUTES
                                + " minutes"));
    }

    /// Logins that failed since the start.
    long failedLogins() {
        return services.map(each -> each.guesses().failures()).orElse(0L);
    }

    VerdictCounts verdicts() {
        return verdicts;
    }

    /// The open ports by name, with their sessions.
    Map<String, ListenerFigures> listeners() {
        return ports.figures();
    }

    boolean isStopping() {
        return stopping;
    }

    // ---- stop

    /// Refuses clients; transfers in progress finish. No reload begins from now on.
    void closePorts(Duration limit) throws InterruptedException {
        synchronized (change) {
            stopping = true;
        }
        ports.stop(limit);
    }

    void closeDovecot() {
        synchronized (change) {
            dovecots.forEach(DovecotParts::close);
        }
    }
}
