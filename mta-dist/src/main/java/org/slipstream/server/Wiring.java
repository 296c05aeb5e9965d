package org.slipstream.server;

import org.slipstream.auth.aggregate.JudgedMessage;
import org.slipstream.config.Config;
import org.slipstream.config.RouteTable;
import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.guard.login.DovecotParts;
import org.slipstream.guard.login.Users;
import org.slipstream.guard.policy.Policies;
import org.slipstream.guard.policy.PolicyMemory;
import org.slipstream.guard.policy.PolicySettings;
import org.slipstream.guard.rspamd.RspamdFilter;
import org.slipstream.guard.sender.SenderVerdicts;
import org.slipstream.guard.tls.TlsFailure;
import org.slipstream.local.address.AddressBook;
import org.slipstream.local.address.ThisMachine;
import org.slipstream.local.address.UserAddresses;
import org.slipstream.local.maildir.LocalDelivery;
import org.slipstream.local.maildir.MaildirDelivery;
import org.slipstream.local.maildrop.MaildropFolder;
import org.slipstream.local.program.PipeSettings;
import org.slipstream.local.program.ProgramArguments.PipedMail;
import org.slipstream.local.program.ProgramDelivery;
import org.slipstream.local.program.ProgramDelivery.PipeResult;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.PlacementSettings;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.QueueSettings;
import org.slipstream.qmgr.trace.RefusalObserver;
import org.slipstream.server.daily.DailyReports;
import org.slipstream.server.daily.ReportPost;
import org.slipstream.server.dispatch.DeliverySources;
import org.slipstream.server.dispatch.OrderDispatcher;
import org.slipstream.server.dispatch.OrderDispatcher.LocalMailboxes;
import org.slipstream.server.dispatch.Verifications.VerificationVerdict;
import org.slipstream.server.intake.EtrnRequests;
import org.slipstream.server.intake.InFlowDelay;
import org.slipstream.server.intake.Ingest;
import org.slipstream.server.intake.Pickup;
import org.slipstream.server.intake.RecipientPolicy;
import org.slipstream.server.intake.RecipientVerification;
import org.slipstream.server.intake.Services;
import org.slipstream.server.operate.AccountControl;
import org.slipstream.server.operate.SuppressionControl;
import org.slipstream.server.operate.Traces;
import org.slipstream.server.report.Contact;
import org.slipstream.server.report.ReportTemplates;
import org.slipstream.server.report.Reporter;
import org.slipstream.server.route.OwnAddresses;
import org.slipstream.server.route.SmartHosts;
import org.slipstream.server.shard.ShardServices;
import org.slipstream.server.shard.ShardSet;
import org.slipstream.server.view.MailCounters;
import org.slipstream.smtpin.ListenerServices;
import org.slipstream.smtpin.LocalSubmission;
import org.slipstream.smtpin.MemoryBudget;
import org.slipstream.smtpin.MessageHandler;
import org.slipstream.smtpin.auth.LoginService;
import org.slipstream.smtpin.auth.Mechanisms;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.ClientNetwork;
import org.slipstream.smtpin.policy.Policy;
import org.slipstream.smtpin.policy.SenderBelongs;
import org.slipstream.smtpout.ClientConfig;
import org.slipstream.smtpout.ClientSettings;
import org.slipstream.smtpout.ContentSigner;
import org.slipstream.smtpout.Peers;
import org.slipstream.smtpout.RouteFinder;
import org.slipstream.smtpout.demand.TlsDemands;
import org.slipstream.smtpout.dns.DemandingRouteFinder;
import org.slipstream.smtpout.dns.DnsRouteFinder;
import org.slipstream.spool.Spool;
import org.slipstream.spool.history.History;
import org.slipstream.spool.history.HistorySearch;

import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/// Creates the objects of this module from the configuration, and translates the settings in
/// `mta.toml` into the settings of the other modules.
final class Wiring {
    private final AddressBook book;
    private final Ingest ingest;
    private final LocalDelivery local;
    private final ClientConfig client;
    private final RouteTable routes;
    private final Config config;
    private final DnsNames names;
    private final DovecotParts dovecot;
    private final ReportTemplates templates;
    private final Map<Spool, Reporter> reporters = new ConcurrentHashMap<>();

    Wiring(Config config, Preparation prepared, ShardSet shards, History history, DovecotParts dovecot) {
        this.dovecot = dovecot;
        this.templates = prepared.templates();
        this.config = config;
        this.client = prepared.client();
        this.book = config.addressBook(new ThisMachine(), prepared.srs());
        this.ingest = new Ingest(shards::draft, book, shards::arrived, history);
        this.local = new LocalDelivery(new MaildirDelivery(config.local().maildir(), config.hostname()), book::mailbox,
                config.local().junkFolder());
        RouteFinder mx = new DemandingRouteFinder(new DnsRouteFinder(client,
                new OwnAddresses(config.listen().smtp())::contains, config.smtpClient().mxRollUp()),
                client.demands());
        this.routes = RouteTable.of(config, config.routes(), mx);
        this.names = new DnsNames(config, client, mx);
    }

    static Reporter reporter(Config config, Spool spool, Ingest ingest, ReportTemplates templates) {
        Optional<Address> doubleBounces = Optional.of(config.local().postmaster())
                .filter(_ -> config.queue().reports().doubleBounce() == QueueSettings.DoubleBounce.POSTMASTER);
        return new Reporter(spool, ingest::submit, new Reporter.ReporterSettings(config.hostname(), contact(config),
                config.queue().lifetime().toMillis(), config.queueManager().delayTimes(), doubleBounces,
                templates), Clock.systemDefaultZone());
    }

    /// The contact address in reports.
    static Contact contact(Config config) {
        return new Contact(config.local().postmaster(), config.local().domains(), config.hostname());
    }

    /// Stores the mail of local programs.
    ///
    /// @param behind whether mail arrives faster than the queue manager takes it up
    Pickup pickup(MaildropFolder folder, BooleanSupplier behind) {
        return new Pickup(folder, new LocalSubmission(config.limits(), config.hostname(), Clock.systemUTC(),
                book.rewriting()::header), ingest, brake(behind), config.operation().maildrop().domain(),
                Clock.systemDefaultZone());
    }

    private InFlowDelay brake(BooleanSupplier behind) {
        return new InFlowDelay(behind, config.operation().inFlowDelay().toMillis());
    }

    /// The services that all ports share.
    ///
    /// @param behind whether mail arrives faster than the queue manager takes it up
    /// @param users who may log in, unless Dovecot decides
    /// @param memory of the policy's checks
    /// @param verification used if the settings ask for it
    /// @param judged counts messages for the daily reports
    /// @param verdicts counts all verdicts about senders
    /// @param suppressions a check of its own
    /// @param accounts the last check: only mail that no other refuses counts
    ListenerServices services(BooleanSupplier behind, Users users, PolicyMemory memory,
            Optional<RspamdFilter> rspamd, RecipientVerification verification, Consumer<JudgedMessage> judged,
            Consumer<SenderVerdicts> verdicts, SuppressionControl suppressions, AccountControl accounts) {
        MessageHandler handler = new RecipientPolicy(ingest, book, config.relay(),
                brake(behind),
                Set.copyOf(config.tls().off()), dovecot.mailboxes(),
                Optional.of(verification).filter(_ -> config.relay().verify() && config.operation().delivers()),
                config.operation().store().delivery().isPresent());
        List<Check> checks = new ArrayList<>(Policies.checks(config.policy(), config.headerRules(),
                new Policies.Surroundings(config.hostname(),
                        address -> book.knows(address) || config.relay().domains().contains(address.domainKey()),
                        config.relay()::contains, names, names.records(), judged, verdicts),
                memory, rspamd));
        if (config.submission().senderMustBelong()) {
            checks.add(1, new SenderBelongs(dovecot.logins().isPresent()
                    ? new UserAddresses(book, config.local().domains())::owns
                    : users::owns));
        }
        checks.replaceAll(each -> each.name().equals(RspamdFilter.NAME) ? accounts.watching(each) : each);
        checks.add(suppressions);
        checks.add(accounts);
        LoginService logins = dovecot.logins().orElseGet(() -> new Mechanisms(Optional.of(users),
                config.submission().channelBinding()));
        return ListenerServices.of(handler).withPolicy(new Policy(checks))
                .withLogins(logins, Services.guard(config.submission().guesses()))
                .withMemory(new MemoryBudget(config.operation().transactionMemory().bytes()));
    }

    /// The parts that daily reports need.
    DailyReports.DailyParts dailyReports() {
        return new DailyReports.DailyParts(config.hostname(), config.dailyReports(), contact(config), names.records(),
                ingest::submit, new ReportPost());
    }

    /// ETRN. Without deliveries there is none, and the listener replies 458.
    EtrnRequests wake(EtrnRequests.Queue queue) {
        PolicySettings policy = config.policy();
        Set<String> served = new TreeSet<>(config.routes().keySet());
        served.addAll(config.destinations().queueOnlyDomains());
        served.addAll(config.relay().domains());
        return new EtrnRequests(served, queue,
                client -> client.user().isPresent() || config.relay().contains(client.address()),
                new EtrnRequests.EtrnLimits(config.queue().minimalBackoff().toMillis(),
                        new ClientNetwork(policy.clientPrefixV4(), policy.clientPrefixV6()), policy.ratesRemembered()),
                System::nanoTime);
    }

    /// Whether an address of a local domain exists; empty where another server knows.
    private Optional<Boolean> knowsLocally(Address address) {
        return switch (book.decide(address)) {
            case AddressBook.Decision.Alias _ -> Optional.of(true);
            // Behind LMTP the mail store is asked by RCPT, as another server would be.
            case AddressBook.Decision.Mailbox _ -> config.operation().store().delivery().isPresent()
                    ? Optional.empty()
                    : Optional.of(true);
            case AddressBook.Decision.Unknown _ -> Optional.of(false);
            case AddressBook.Decision.Remote _ -> Optional.empty();
        };
    }

    /// The parts that all shards use. Those that depend on settings ask the wiring that is in force.
    ///
    /// @param now the wiring in force
    /// @param mailboxes takes reports out of the mail for mailboxes
    /// @param signer of the connections of a shard
    /// @param probed told the answers to probes of operators
    /// @param refusals told of the refusals of other servers
    ShardServices shardServices(Supplier<Wiring> now, History history, SuppressionControl suppressions,
            AccountControl accounts, DeliverySources sources, UnaryOperator<LocalMailboxes> mailboxes,
            IntFunction<ContentSigner> signer,
            BiConsumer<Address, VerificationVerdict> probed, RefusalObserver.HostRefusals refusals,
            LongSupplier clock) {
        return new ShardServices(config, client, placement(config, config.queueManager()), routes(now),
                mailboxes.apply((id, envelope, recipients, content) -> now.get().local.deliver(id, envelope,
                        recipients, content)),
                (route, id, envelope, recipients, content, stops) -> now.get().program(route, new PipedMail(id,
                        envelope, recipients, route.nextHop(), content.sizeBytes(), delimiter()), content, stops),
                address -> now.get().knowsLocally(address), probed, spool -> reports(now, spool), history, suppressions,
                accounts, sources,
                new Traces(history,
                        () -> HistorySearch.in(config.historyFolder(), config.history(), clock.getAsLong())),
                new MailCounters(clock.getAsLong()), domain -> now.get().routes.tlsLine(domain),
                question -> now.get().routes.transport(question), signer, refusals, clock);
    }

    /// The same parts with the settings of this wiring.
    ShardServices changed(ShardServices parts) {
        return parts.with(config, client, placement(config, config.queueManager()));
    }

    private PipeResult program(Route.Pipe route, PipedMail mail, Content content, BooleanSupplier stops) {
        PipeSettings settings = config.programs().get(route.transport());
        return settings == null
                ? new PipeResult.NotStarted(
                        Reply.of(451, "4.3.5", "there is no transport " + route.transport() + " any more"))
                : new ProgramDelivery(programFolder(config), stops).deliver(route.transport(), settings, mail, content);
    }

    /// The messages that programs are reading.
    static Path programFolder(Config config) {
        return config.spool().directory().resolve("programs");
    }

    private Optional<Character> delimiter() {
        return config.local().subaddressDelimiter().map(each -> each.charAt(0));
    }

    private Reporter reporter(Spool spool) {
        return reporters.computeIfAbsent(spool, each -> reporter(config, each, ingest, templates));
    }

    private static OrderDispatcher.Reports reports(Supplier<Wiring> now, Spool spool) {
        return (id, kind) -> now.get().reporter(spool).report(id, kind);
    }

    private static OrderDispatcher.Routes routes(Supplier<Wiring> now) {
        return new OrderDispatcher.Routes() {
            @Override
            public boolean isQuick(String domain) {
                return now.get().routes.isQuick(domain);
            }

            @Override
            public QmgrEvent find(String domain) {
                return switch (now.get().routes.find(domain)) {
                    case RouteTable.RouteAnswer.Found found -> new QmgrEvent.RouteKnown(domain, found.route());
                    case RouteTable.RouteAnswer.NoRoute none -> new QmgrEvent.RouteFailed(domain, none.reason());
                };
            }
        };
    }

    static ClientConfig client(Config config) throws StartFailure {
        PlacementSettings place = config.placement();
        return ClientConfig.of(config.hostname(), config.smtpClient()).withPeers(peers(config))
                .with(new ClientConfig.Ahead(place.connectionDepth(), place.mostConnectionDepth(),
                        config.smtpClient().bytesAhead()))
                .withDemands(demands(config));
    }

    private static TlsDemands demands(Config config) {
        ClientSettings settings = config.smtpClient();
        return settings.startTls()
                ? TlsDemands.of(new TlsDemands.DemandSettings(settings.mtaSts(), settings.dane()),
                        settings.dnsServers(), Optional.of(config.home().resolve("mta-sts")), Clock.systemUTC())
                : TlsDemands.none();
    }

    /// The placement's rules of each transport. A failed host is avoided as long as a destination:
    /// `queue.minimal-backoff`.
    static Function<String, PlaceRules> placement(Config config, QmgrConfig queue) {
        return queue.placement(config.smtpPlacement());
    }

    private static Peers peers(Config config) throws StartFailure {
        try {
            return SmartHosts.peers(config);
        } catch (SmartHosts.Unusable | TlsFailure unusable) {
            throw new StartFailure(String.valueOf(unusable.getMessage()), unusable);
        }
    }
}
