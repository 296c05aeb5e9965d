package org.slipstream.server;

import org.slipstream.core.Address;
import org.slipstream.core.MessageSummary;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.QmgrConfig;
import org.slipstream.qmgr.TransportSettings;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.WorkerBudget.Shares;
import org.slipstream.server.config.Config;
import org.slipstream.server.dispatch.OrderDispatcher;
import org.slipstream.server.intake.AddressBook;
import org.slipstream.server.intake.EtrnRequests;
import org.slipstream.server.intake.InFlowDelay;
import org.slipstream.server.intake.Ingest;
import org.slipstream.server.intake.RecipientPolicy;
import org.slipstream.server.intake.Services;
import org.slipstream.server.intake.ThisMachine;
import org.slipstream.server.local.LocalDelivery;
import org.slipstream.server.local.MaildirDelivery;
import org.slipstream.server.policy.NameQuestions;
import org.slipstream.server.policy.Policies;
import org.slipstream.server.report.Contact;
import org.slipstream.server.report.Reporter;
import org.slipstream.server.route.OwnAddresses;
import org.slipstream.server.route.RouteTable;
import org.slipstream.server.route.SmartHosts;
import org.slipstream.server.tls.TlsFailure;
import org.slipstream.server.users.Users;
import org.slipstream.smtpin.ListenerServices;
import org.slipstream.smtpin.MemoryBudget;
import org.slipstream.smtpin.MessageHandler;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.ClientNetwork;
import org.slipstream.smtpin.policy.Policy;
import org.slipstream.smtpin.policy.SenderBelongs;
import org.slipstream.smtpout.ClientConfig;
import org.slipstream.smtpout.Peers;
import org.slipstream.smtpout.RouteFinder;
import org.slipstream.smtpout.dns.DnsRouteFinder;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/// Creates the objects of this module from the configuration, and translates the settings in `mta.toml`
/// into the settings of the other modules.
final class Wiring {
    private static final int SCAN_LIMIT = 1_000;
    private static final int RECIPIENT_BATCH = 1_000;
    private static final long RESET_MILLIS = 20_000;
    private static final long QUIT_MILLIS = 5_000;
    private static final Shares PROBES = new Shares(5, 0);

    private final AddressBook book;
    private final Ingest ingest;
    private final LocalDelivery local;
    private final Reporter reporter;
    private final RouteTable routes;
    private final Config config;
    private final NameQuestions names;

    /// @param client from [#client]
    /// @param arrived called for each committed message
    Wiring(Config config, ClientConfig client, Spool spool, Consumer<MessageSummary> arrived) {
        this.config = config;
        this.book = new AddressBook(config, new ThisMachine());
        this.ingest = new Ingest(spool, book, arrived);
        this.local = new LocalDelivery(new MaildirDelivery(config.local().maildir(), config.hostname()), book::mailbox);
        this.reporter = new Reporter(spool, ingest::submit, config.hostname(),
                contact(config),
                config.queue().lifetimeMillis(), Clock.systemDefaultZone());
        RouteFinder mx = new DnsRouteFinder(client, new OwnAddresses(config.listen().smtp())::contains,
                config.outbound().mxRollUp());
        this.routes = new RouteTable(config.routes(), config.local().domains(), mx);
        this.names = new DnsNames(config, client, mx);
    }

    /// The contact address in reports.
    static Contact contact(Config config) {
        return new Contact(config.local().postmaster(), config.local().domains(), config.hostname());
    }

    /// The services that all ports share.
    ///
    /// @param behind whether mail arrives faster than the queue manager takes it up
    /// @param users who may log in
    ListenerServices services(BooleanSupplier behind, Users users) {
        MessageHandler handler = new RecipientPolicy(ingest, book, config.relay(),
                new InFlowDelay(behind, config.queue().inFlowDelayMillis()),
                config.tls().off());
        List<Check> checks = new ArrayList<>(Policies.checks(config, book::knows, names));
        if (config.submission().senderMustBelong()) {
            checks.add(1, new SenderBelongs(users::owns));
        }
        return ListenerServices.of(handler).withPolicy(new Policy(checks)).withCredentials(users,
                Services.guard(config.submission())).withMemory(
                        new MemoryBudget(config.limits().transactionMemoryBytes()));
    }

    /// ETRN. Without deliveries there is none, and the listener replies 458.
    EtrnRequests wake(EtrnRequests.Queue queue) {
        Config.Policy policy = config.policy();
        return new EtrnRequests(config.routes().keySet(), queue,
                client -> client.user().isPresent() || config.relay().contains(client.address()),
                new EtrnRequests.Limits(config.queue().minimalBackoffMillis(),
                        new ClientNetwork(policy.clientPrefixV4(), policy.clientPrefixV6()), policy.remembered()),
                System::nanoTime);
    }

    /// Whether an address of a local domain exists; empty for an address of another domain.
    Optional<Boolean> knowsLocally(Address address) {
        return switch (book.decide(address)) {
            case AddressBook.Decision.Mailbox _,AddressBook.Decision.Alias _ -> Optional.of(true);
            case AddressBook.Decision.Unknown _ -> Optional.of(false);
            case AddressBook.Decision.Remote _ -> Optional.empty();
        };
    }

    OrderDispatcher.Mailboxes mailboxes() {
        return local::deliver;
    }

    OrderDispatcher.Reports reports() {
        return new OrderDispatcher.Reports() {
            @Override
            public boolean report(QueueId id, QmgrOrder.NoticeKind kind) {
                return reporter.report(id, kind);
            }

            @Override
            public boolean confirm(QueueId id) {
                return reporter.confirm(id);
            }
        };
    }

    OrderDispatcher.Routes routes() {
        return new OrderDispatcher.Routes() {
            @Override
            public boolean isQuick(String domain) {
                return routes.isQuick(domain);
            }

            @Override
            public QmgrEvent find(String domain) {
                return switch (routes.find(domain)) {
                    case RouteTable.Answer.Found found -> new QmgrEvent.RouteKnown(domain, found.route());
                    case RouteTable.Answer.NoRoute none -> new QmgrEvent.RouteFailed(domain, none.reason());
                };
            }
        };
    }

    static QmgrConfig queue(Config.Queue queue, Config.Delivery delivery) {
        return new QmgrConfig(queue.activeMessages(), queue.minimalBackoffMillis(), queue.maximalBackoffMillis(),
                queue.lifetimeMillis(), queue.bounceLifetimeMillis(), queue.secondExpiryMillis(),
                queue.delayNoticeMillis(),
                queue.recipientsPerDelivery(), RECIPIENT_BATCH, queue.lanesPerDestination(), queue.lanes(),
                queue.idleConnectionMillis(), SCAN_LIMIT, queue.scanIntervalMillis(), delivery.memory(),
                delivery.order(), delivery.variant(), delivery.transportRetryMillis(), delivery.transports(),
                queue.spacedStarts(), delivery.recipientDelimiter());
    }

    static ClientConfig client(Config config) throws StartFailure {
        Config.SmtpClient client = config.smtpClient();
        Config.Placement place = config.placement();
        return new ClientConfig(config.hostname(), client.startTls(), client.dnsServers(), client.connectMillis(),
                client.greetingMillis(), client.commandMillis(), client.tlsMillis(), client.dataReplyMillis(),
                client.dataBlockMillis(), client.finalReplyMillis(), RESET_MILLIS, QUIT_MILLIS, client.longLines(),
                new ClientConfig.Ahead(place.depth(), place.mostDepth(), place.bytesAhead()), peers(config));
    }

    /// The placement's rules of each transport. A failed host is avoided as long as a destination:
    /// `queue.minimal-backoff`. Only SMTP has several hosts and connections for several deliveries; the
    /// others are destinations with one host.
    static Function<String, PlaceRules> placement(Config config, QmgrConfig queue) {
        PlaceRules smtp = smtpPlacement(config);
        return transport -> transport.equals("smtp") ? smtp : queue.plainRules(transport);
    }

    static PlaceRules smtpPlacement(Config config) {
        TransportSettings smtp = config.delivery().transports().of("smtp");
        int workers = smtp.processLimit();
        int perHost = smtp.concurrencyLimit() == 0 ? workers : Math.min(workers, smtp.concurrencyLimit());
        Config.Placement place = config.placement();
        long retryMillis = config.queue().minimalBackoffMillis();
        return new PlaceRules(workers, perHost, new Shares(place.messageConcurrency(), place.messageScale()), PROBES,
                new PlaceRules.Depth(place.depth(), place.mostDepth(), place.overflow()),
                new PlaceRules.Idle(place.idlePerHost(), config.queue().idleConnectionMillis(), place.ageMillis()),
                new PlaceRules.Memory(retryMillis, Math.max(retryMillis, config.queue().maximalBackoffMillis()),
                        place.crowdedMillis(), place.closedMillis(), place.habitMillis(), place.trackClosed(),
                        place.retryLast()),
                new PlaceRules.Unproven(place.unprovenPercent(), place.failedPercent(), place.yieldMillis()),
                place.returns());
    }

    private static Peers peers(Config config) throws StartFailure {
        try {
            return SmartHosts.peers(config);
        } catch (SmartHosts.Unusable | TlsFailure unusable) {
            throw new StartFailure(unusable.getMessage(), unusable);
        }
    }

    static SpoolConfig spool(Config.SpoolSettings spool) {
        return new SpoolConfig(spool.directory(), spool.segmentBytes(), spool.inlineBytes(), spool.minimumFreeBytes(),
                spool.database());
    }
}
