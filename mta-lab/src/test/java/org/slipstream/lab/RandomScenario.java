package org.slipstream.lab;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.lab.Scenario.Fault;
import org.slipstream.lab.Scenario.Outage;
import org.slipstream.lab.Scenario.OwnServer;
import org.slipstream.lab.Scenario.ReplyScript;
import org.slipstream.lab.Scenario.SimulatedDomain;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.Scenario.SimulatedRecipient;
import org.slipstream.lab.Scenario.TimedCommand;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.flow.Feedback;
import org.slipstream.qmgr.flow.FeedbackVariant;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.WorkerBudget.Shares;
import org.slipstream.qmgr.sched.OrderPolicy;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.QueueSettings;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.settings.TransportTable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SequencedMap;
import java.util.stream.IntStream;

/// Random worlds, each made from a seed. A world is small, so that it runs quickly, and has tight
/// limits, so that rare combinations of events become frequent.
public final class RandomScenario {
    private static final long SECOND = 1_000;
    private static final long MINUTE = 60 * SECOND;

    private final Random random;

    private RandomScenario(long seed) {
        this.random = new Random(seed);
    }

    public static Scenario of(long seed) {
        return new RandomScenario(seed).make(seed);
    }

    /// A world in which a domain has up to three hosts of two preferences and domains share hosts.
    /// In every other world a connection carries several deliveries. Each host has its own outages,
    /// limits and round-trip time.
    public static Scenario withHosts(long seed) {
        return new RandomScenario(~seed).makeWithHosts(seed);
    }

    private Scenario makeWithHosts(long seed) {
        QmgrConfig config = config().withSpacedStarts(random.nextBoolean());
        SequencedMap<String, ServerProfile> hosts = hosts();
        List<SimulatedDomain> domains = IntStream.rangeClosed(0, between(1, 6))
                .mapToObj(number -> target(number, hosts))
                .toList();
        List<SimulatedMail> mails = new ArrayList<>();
        for (int i = between(1, 12); i > 0; i--) {
            mails.add(mail(mails.size() + 1, domains));
        }
        List<Long> crashes = one(6) ? List.of((long) between(1, (int) (20 * MINUTE))) : List.of();
        return new Scenario(seed, config, random.nextBoolean(), mails, domains, fallibleServer(),
                one(3) ? commands(mails, domains) : List.of(), crashes, rules(config, seed % 2 == 0));
    }

    private SequencedMap<String, ServerProfile> hosts() {
        SequencedMap<String, ServerProfile> hosts = new LinkedHashMap<>();
        for (int i = between(1, 6); i > 0; i--) {
            ServerProfile server = one(2)
                    ? troubledServer()
                    : ServerProfile.of(between(0, 3_000), between(1, 3_000), List.of(), Integer.MAX_VALUE, 0,
                            Long.MAX_VALUE);
            hosts.put("mx" + i + ".example",
                    server.with(new ServerProfile.PathProfile(one(3) ? 0 : between(1, 400), one(3) ? between(1, 5) : 0,
                            !one(10))));
        }
        return hosts;
    }

    private SimulatedDomain target(int number, SequencedMap<String, ServerProfile> hosts) {
        String domain = number == 0 ? "sender.example" : "d" + number + ".example";
        if (one(6)) {
            return new SimulatedDomain(domain, new Route.Local(domain), 0, false,
                    ServerProfile.taking(between(1, 500)));
        }
        List<String> names = new ArrayList<>(hosts.keySet());
        Collections.shuffle(names, random);
        List<Route.Host> chosen = names.stream().limit(between(1, 3))
                .map(name -> new Route.Host(name, 25, one(3) ? 20 : 10))
                .sorted(Comparator.comparingInt(Route.Host::preference)).toList();
        SequencedMap<String, ServerProfile> servers = new LinkedHashMap<>();
        chosen.forEach(host -> servers.put(host.name(), hosts.get(host.name())));
        return new SimulatedDomain(domain, new Route.Smtp(domain, chosen), one(6) ? between(1, 3) : 0,
                number > 0 && one(12),
                servers);
    }

    private PlaceRules rules(QmgrConfig config, boolean deep) {
        PlaceRules rules = QueueManagers.production(config)
                .with(new PlaceRules.Depth(deep ? between(2, 4) : 1, deep ? 50 : 1, one(3) ? 2 : 1));
        rules = one(2) ? rules : rules.with(new Shares(between(1, 3), between(0, 10)), new Shares(1, 0));
        return one(3) ? rules.with(PlaceRules.Unproven.UNLIMITED) : rules;
    }

    private OwnServer fallibleServer() {
        OwnServer ownServer = ownServer();
        return new OwnServer(ownServer.writeMillis(), ownServer.readMillis(), ownServer.dnsMillis(),
                ownServer.reportFailures(),
                ownServer.arrivalsMissed(), ownServer.reportsUnwanted(), ownServer.connectTimeoutMillis(),
                ownServer.greetingTimeoutMillis(), one(4) ? 0.1 : 0);
    }

    private Scenario make(long seed) {
        // Every other world has spaced starts and every third one no second expiry. Both follow from
        // the seed and draw no random number.
        QmgrConfig config = config().withSpacedStarts(seed % 2 == 0)
                .withSecondExpiry(Optional.of(Duration.ofMillis(seed % 3 * 30 * MINUTE)));
        List<SimulatedDomain> domains = IntStream.rangeClosed(0, between(1, 6)).mapToObj(this::target).toList();
        List<SimulatedMail> mails = new ArrayList<>();
        for (int i = between(1, 20); i > 0; i--) {
            mails.add(mail(mails.size() + 1, domains));
        }
        List<Long> crashes = one(4) ? List.of((long) between(1, (int) (20 * MINUTE))) : List.of();
        return new Scenario(seed, config, random.nextBoolean(), mails, domains, ownServer(),
                one(3) ? commands(mails, domains) : List.of(),
                crashes);
    }

    private QmgrConfig config() {
        long minimal = between(10, 60) * SECOND;
        // The order of these draws defines the world of a seed, so unused draws stay.
        int active = between(1, 20);
        long maximal = minimal * between(4, 40);
        long delayNotice = one(3) ? 0 : 20 * MINUTE;
        between(1, 5);
        int batch = between(1, 10);
        between(1, 4);
        int lanes = between(1, 8);
        long idle = between(0, 5) * SECOND;
        int scanLimit = between(1, 10);
        QueueSettings queue = SettingsRecords.with(QueueSettings.defaults(), Map.of("activeMessages", active,
                "minimalBackoff", Duration.ofMillis(minimal), "maximalBackoff", Duration.ofMillis(maximal),
                "lifetime", Duration.ofMinutes(120), "bounceLifetime", Duration.ofMinutes(90),
                "delayNotice", List.of(Duration.ofMillis(delayNotice)), "idleConnection", Duration.ofMillis(idle),
                "scanInterval", Duration.ofMinutes(5), "spacedStarts", false));
        QueueSettings.Memory memory = one(2)
                ? QueueSettings.Memory.defaults()
                : new QueueSettings.Memory(between(1, 30), between(1, 5));
        // Without the latest order, so that the recorded worlds stay the same; SynchronousThreads has tests of its own.
        OrderPolicy order = one(3)
                ? any(new OrderPolicy[]{OrderPolicy.PREEMPTIVE, OrderPolicy.ROUND_ROBIN, OrderPolicy.FIFO})
                : OrderPolicy.PREEMPTIVE;
        FeedbackVariant variant = any(FeedbackVariant.values());
        return QmgrConfig.of(queue, TransportTable.of(transport()).with("local", transport()))
                .withReads(batch, scanLimit)
                .withLanes(lanes).withMemory(memory).withPolicy(order).withFeedback(variant);
    }

    /// Settings with which preemptions, blockers, empty pools and dead destinations are frequent
    /// even for messages of a few recipients.
    private TransportSettings transport() {
        int limit = one(5) ? 0 : between(1, 4);
        return new TransportSettings(one(2) ? between(1, 2) : between(1, 8), between(1, 5), limit, feedback(),
                feedback(),
                between(0, 3), Duration.ofMillis(one(8) ? between(1, 5) * SECOND : 0),
                one(6) ? between(0, 1) : between(2, 4),
                between(0, 3), between(0, 4) * 25, one(4) ? 2 : 0, one(2) ? 1 : between(2, 5),
                one(2) ? 20_000 : between(0, 30), between(0, 10), between(1, 5),
                Duration.ofMillis(between(0, 5) * SECOND));
    }

    private Feedback feedback() {
        return switch (between(0, 3)) {
            case 0 -> new Feedback.Fixed(random.nextDouble());
            case 1 -> new Feedback.PerConcurrency(1);
            case 2 -> new Feedback.PerRootOfConcurrency(1);
            default -> new Feedback.Fixed(1);
        };
    }

    private SimulatedDomain target(int number) {
        // The first domain is that of the senders.
        String domain = number == 0 ? "sender.example" : "d" + number + ".example";
        if (one(4)) {
            return new SimulatedDomain(domain, new Route.Smtp("[relay.example]:25",
                    List.of(new Route.Host("relay.example", 25, 0))), 0, false, RELAY);
        }
        Route route = one(4)
                ? new Route.Local(domain)
                : new Route.Smtp(domain, List.of(new Route.Host("mx." + domain, 25, 10)));
        boolean troubled = one(2);
        return new SimulatedDomain(domain, route, troubled && one(3) ? between(1, 3) : 0,
                troubled && number > 0 && one(8),
                troubled
                        ? troubledServer()
                        : ServerProfile.of(between(0, 3_000), between(1, 3_000), List.of(),
                                Integer.MAX_VALUE, 0, Long.MAX_VALUE));
    }

    // Several domains share the relay, so they all have the same profile of it.
    private static final ServerProfile RELAY = ServerProfile.of(100, 500, List.of(), Integer.MAX_VALUE, 0,
            Long.MAX_VALUE);

    private ServerProfile troubledServer() {
        int sessions = one(3) ? between(1, 2) : Integer.MAX_VALUE;
        return new ServerProfile(latency(), latency(), latency(), Latency.of(between(0, 20)), sessions,
                sessions < Integer.MAX_VALUE && one(2) ? between(1, 3) : 0, one(6) ? between(1, 5) : Integer.MAX_VALUE,
                one(3) ? 0.2 : 0, one(6) ? 0.2 : 0, one(8) ? 0.1 : 0,
                one(3) ? between(100, 4_000) : Long.MAX_VALUE, one(2) ? outages() : List.of());
    }

    private Latency latency() {
        return switch (between(0, 2)) {
            case 0 -> new Latency.Uniform(between(0, 500), between(500, 3_000));
            case 1 -> new Latency.Exponential(between(1, 1_000));
            default -> Latency.of(between(0, 3_000));
        };
    }

    private List<Outage> outages() {
        long from = between(0, (int) (10 * MINUTE));
        long to = from + between(1, (int) (one(5) ? 200 * MINUTE : 20 * MINUTE));
        return List.of(new Outage(from, to, one(2) ? Fault.REFUSES : any(Fault.values())));
    }

    private SimulatedMail mail(long id, List<SimulatedDomain> domains) {
        List<SimulatedRecipient> recipients = new ArrayList<>();
        int most = one(5) ? 30 : one(3) ? 8 : 3;
        for (int i = between(1, most); i > 0; i--) {
            SimulatedDomain target = domains.get(random.nextInt(domains.size()));
            recipients.add(new SimulatedRecipient(Address.of("u" + i + "@" + target.domain()), script()));
        }
        Optional<Address> sender = one(6) ? Optional.empty() : Optional.of(Address.of("s" + id + "@sender.example"));
        return new SimulatedMail(new QueueId(id), one(3) ? 0 : between(0, (int) (15 * MINUTE)), sender, recipients);
    }

    private ReplyScript script() {
        return switch (between(0, 9)) {
            case 0 -> new ReplyScript.Refused();
            case 1 -> new ReplyScript.Late(between(1, 4));
            case 2 -> one(3) ? new ReplyScript.Never() : new ReplyScript.Welcome();
            default -> new ReplyScript.Welcome();
        };
    }

    private OwnServer ownServer() {
        return new OwnServer(between(0, 20), between(0, 50), between(0, 500), one(4) ? 0.3 : 0, one(4) ? 0.3 : 0, 0.25,
                between(5, 30) * SECOND, between(10, 60) * SECOND);
    }

    /// The order of an operator, without a reason. No rule reads its time.
    static OperatorCommand hold(QueueId id) {
        return new OperatorCommand.OfMessage(id, new MessageOrder.Hold("", "operator"));
    }

    private List<TimedCommand> commands(List<SimulatedMail> mails, List<SimulatedDomain> domains) {
        List<TimedCommand> commands = new ArrayList<>();
        for (int i = between(1, 20); i > 0; i--) {
            // Sometimes a message that does not exist.
            QueueId id = new QueueId(between(1, mails.size() + 1));
            OperatorCommand command = switch (between(0, 10)) {
                case 7 -> new OperatorCommand.OfMessage(id, new MessageOrder.Requeue());
                case 8 -> new OperatorCommand.OfMessage(id,
                        one(2) ? new MessageOrder.Bounce("by hand") : new MessageOrder.Expire());
                case 9 -> new OperatorCommand.OfMessage(id, new MessageOrder.Priority(between(-9, 9)));
                case 10 -> new OperatorCommand.OfMessage(id, new MessageOrder.Reroute(Optional.empty()));
                case 0 -> new OperatorCommand.OfMessage(id, new MessageOrder.Delete());
                case 1, 2 -> hold(id);
                case 3, 4 -> new OperatorCommand.OfMessage(id, new MessageOrder.Release());
                case 5 -> new OperatorCommand.OfMessage(id, new MessageOrder.Flush());
                default -> new OperatorCommand.FlushAll(
                        one(2) ? Optional.empty() : Optional.of(domains.get(random.nextInt(domains.size())).domain()));
            };
            // Most commands come soon after the arrival, while the message is being delivered.
            long at = one(3) || id.value() > mails.size()
                    ? between(0, (int) (20 * MINUTE))
                    : mails.get((int) id.value() - 1).arrivalMillis() + between(0, (int) (20 * SECOND));
            commands.add(new TimedCommand(at, command));
        }
        return commands;
    }

    private <E> E any(E[] all) {
        return all[random.nextInt(all.length)];
    }

    private int between(int least, int most) {
        return least + random.nextInt(most - least + 1);
    }

    private boolean one(int in) {
        return random.nextInt(in) == 0;
    }
}
