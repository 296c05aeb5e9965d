package org.slipstream.lab;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
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
import org.slipstream.qmgr.settings.QmgrConfig;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SequencedMap;
import java.util.TreeMap;

/// The mail of one day of an office, from midnight to midnight, to 300 destinations of which some
/// have an outage. The settings are the defaults of the server.
final class DayScenario {
    static final long SECOND = 1_000;
    static final long MINUTE = 60 * SECOND;
    static final long HOUR = 60 * MINUTE;
    static final String OFFICE = "office.example";
    static final String FULL = "full.example";
    static final String DEAD = "dead.example";
    static final String UNKNOWN = "unknown.example";
    static final String LIMITED = "limited.example";

    private static final long SEED = 16;
    private static final int DESTINATIONS = 300;
    private static final int PROVIDERS = 4;
    private static final int HOSTED = 40;
    private static final int GREYLISTING = 30;
    private static final int SLOW = 10;
    private static final int SHORT_OUTAGES = 12;
    private static final int NEWSLETTER = 500;
    private static final int RUSH = 12;
    private static final long GREYLIST = 5 * MINUTE;
    // Share of the day's mail in each hour.
    private static final int[] HOURS = {4, 3, 3, 2, 3, 6, 14, 40, 78, 96, 100, 92, 64, 74, 90, 88, 76, 58, 32, 24, 20,
            16, 11, 6};

    /// A destination that has trouble, or several whose names begin alike.
    record TroubledDestination(String name, String trouble, String at) {
        boolean includes(String domain) {
            return domain.equals(name) || name.contains("…") && domain.startsWith(name.substring(0, 4));
        }

        boolean defers() {
            return !name.equals(UNKNOWN) && !name.equals(LIMITED) && !name.startsWith("slow")
                    && !name.startsWith("provider2");
        }

        boolean includesHost(String host) {
            return includes(host.substring(host.indexOf('.') + 1));
        }
    }

    private final Random random = new Random(SEED);
    private final int count;
    private final Map<String, SimulatedDomain> domains = new TreeMap<>();
    private final List<String> names = new ArrayList<>();
    private final List<TroubledDestination> troubles = new ArrayList<>();
    private final Map<String, Long> firstFailures = new TreeMap<>();

    private DayScenario(int count) {
        this.count = count;
    }

    /// @param messages of the day
    static DayScenario of(int messages) {
        DayScenario day = new DayScenario(messages);
        day.destinations();
        return day;
    }

    List<TroubledDestination> troubles() {
        return troubles;
    }

    /// Times at which the server is killed: during a delivery in the morning, while the newsletter
    /// is sent, and during a delivery in the evening.
    static List<Long> kills() {
        return List.of(time(9, 17) + 2_300, time(11, 0) + 4_120, time(20, 30) + 2_950);
    }

    static long time(int hour, int minute) {
        return hour * HOUR + minute * MINUTE;
    }

    static String clock(long millis) {
        return "%02d:%02d".formatted(millis / HOUR, millis % HOUR / MINUTE);
    }

    Scenario scenario() {
        List<SimulatedMail> mails = mails();
        QmgrConfig config = QmgrConfig.defaults().withSpacedStarts(true);
        return new Scenario(SEED, config, true, mails, List.copyOf(domains.values()),
                new OwnServer(4, 1, 30, 0, 0.01, 0, 30 * SECOND, 5 * MINUTE), commands(mails), kills(),
                QueueManagers.production(config));
    }

    // ---- destinations

    private void destinations() {
        add(OFFICE, new Route.Local(OFFICE), ServerProfile.taking(8));
        providers();
        hosted();
        for (int i = 1; i <= GREYLISTING; i++) {
            ordinary("grey%02d.example".formatted(i), List.of());
        }
        for (int i = 1; i <= SLOW; i++) {
            add("slow%02d.example".formatted(i), 20 * SECOND, List.of());
        }
        add(DEAD, 0, List.of(new Outage(0, Long.MAX_VALUE, Fault.SILENT)));
        names.remove(DEAD);
        domains.put(UNKNOWN, new SimulatedDomain(UNKNOWN, route(UNKNOWN, UNKNOWN), 0, true, ServerProfile.taking(1)));
        ordinary(FULL, List.of());
        domains.put(LIMITED, new SimulatedDomain(LIMITED, route(LIMITED, "mx." + LIMITED), 0, false,
                new ServerProfile(Latency.of(40), Latency.of(100), Latency.of(2_000), Latency.of(20), 2, 0, 6, 0, 0, 0,
                        Long.MAX_VALUE, List.of())));
        names.add(LIMITED);
        trouble("grey01…%02d.example".formatted(GREYLISTING),
                "450 to the first attempts of a message, for five minutes",
                "all day");
        trouble("slow01…%02d.example".formatted(SLOW), "20 s for each message", "all day");
        trouble(FULL, "452 4.2.2 mailbox full, for one recipient", "08:30–19:40");
        trouble(DEAD, "the only MX does not answer", "all days");
        trouble(UNKNOWN, "no such domain in DNS", "all days");
        trouble(LIMITED, "421 beyond two connections, or six in a minute", "all day");
        int before = domains.size();
        for (int i = before; i < DESTINATIONS; i++) {
            String name = "d%03d.example".formatted(i);
            ordinary(name, i < before + SHORT_OUTAGES ? shortOutage(name) : List.of());
        }
    }

    private void trouble(String name, String what, String when) {
        troubles.add(new TroubledDestination(name, what, when));
    }

    private List<Outage> shortOutage(String name) {
        long from = time(7, 0) + random.nextInt(11 * 60) * MINUTE;
        long to = from + (20 + random.nextInt(100)) * MINUTE;
        firstFailures.put(name, from + 2 * MINUTE);
        trouble(name, "connections are refused", clock(from) + "–" + clock(to));
        return List.of(new Outage(from, to));
    }

    private void providers() {
        for (int i = 1; i <= PROVIDERS; i++) {
            String name = "provider%d.example".formatted(i);
            List<Outage> both = i == 1
                    ? List.of(new Outage(time(10, 5), time(10, 45), Fault.TURNS_AWAY))
                    : List.of();
            List<Outage> first = i == 2 ? List.of(new Outage(time(9, 0), time(12, 0))) : both;
            SequencedMap<String, ServerProfile> servers = new LinkedHashMap<>();
            servers.put("mx1." + name, server(300, first));
            servers.put("mx2." + name, server(300, both));
            add(name, new Route.Smtp(name,
                    List.of(new Route.Host("mx1." + name, 25, 10), new Route.Host("mx2." + name, 25, 20))), servers);
        }
        trouble("provider1.example", "421 to every connection", "10:05–10:45");
        trouble("provider2.example", "the first of two MX refuses", "09:00–12:00");
    }

    private void hosted() {
        ServerProfile server = server(200, List.of(new Outage(time(13, 0), time(15, 30), Fault.SILENT)));
        for (int i = 1; i <= HOSTED; i++) {
            String name = "hosted%02d.example".formatted(i);
            add(name, route(name, "mx.hoster.example"), servers("mx.hoster.example", server));
        }
        trouble("hosted01…%d.example".formatted(HOSTED), "one host for all does not answer", "13:00–15:30");
    }

    private void ordinary(String name, List<Outage> outages) {
        add(name, 100 + random.nextInt(900), outages);
    }

    private void add(String name, long deliverMillis, List<Outage> outages) {
        add(name, route(name, "mx." + name), servers("mx." + name, server(deliverMillis, outages)));
    }

    private void add(String name, Route route, ServerProfile server) {
        add(name, route, servers(SimulatedDomain.names(route).getFirst(), server));
    }

    private void add(String name, Route route, SequencedMap<String, ServerProfile> servers) {
        domains.put(name, new SimulatedDomain(name, route, 0, false, servers));
        names.add(name);
    }

    private static Route route(String name, String host) {
        return new Route.Smtp(name, List.of(new Route.Host(host, 25, 10)));
    }

    private static SequencedMap<String, ServerProfile> servers(String host, ServerProfile server) {
        SequencedMap<String, ServerProfile> servers = new LinkedHashMap<>();
        servers.put(host, server);
        return servers;
    }

    private static ServerProfile server(long deliverMillis, List<Outage> outages) {
        return new ServerProfile(Latency.of(40), Latency.of(80), new Latency.Exponential(Math.max(1, deliverMillis)),
                Latency.of(15), 50, 0, Integer.MAX_VALUE, 0.0005, 0, 0, 5 * MINUTE, outages)
                .with(new ServerProfile.PathProfile(25, 0, true));
    }

    // ---- mail

    private List<SimulatedMail> mails() {
        List<Long> times = new ArrayList<>();
        int sum = Arrays.stream(HOURS).sum();
        for (int hour = 0; hour < HOURS.length; hour++) {
            for (int i = count * HOURS[hour] / sum; i > 0; i--) {
                times.add(hour * HOUR + random.nextInt((int) HOUR));
            }
        }
        while (times.size() < count) {
            times.add(time(10, 0) + random.nextInt((int) HOUR));
        }
        times.sort(null);
        List<SimulatedMail> mails = new ArrayList<>();
        for (long time : times) {
            mails.add(mail(mails.size() + 1, time));
        }
        replace(mails, time(11, 0), this::newsletter);
        for (int hour = 8; hour < 20; hour++) {
            replace(mails, time(hour, 35), (id, time) -> single(id, time, "box@" + FULL,
                    new ReplyScript.Until(time(19, 40), Reply.of(452, "4.2.2", "mailbox full"))));
            replace(mails, time(hour, 20), (id, time) -> single(id, time, "ann@" + DEAD, new ReplyScript.Welcome()));
            replace(mails, time(hour, 50), (id, time) -> single(id, time, "ben@" + UNKNOWN, new ReplyScript.Welcome()));
        }
        for (int i = 0; i < RUSH; i++) {
            replace(mails, time(14, 0) + i * 5 * SECOND,
                    (id, _) -> single(id, time(14, 0) + id.value() % 100, "c" + id.value() + "@" + LIMITED,
                            new ReplyScript.Welcome()));
        }
        firstFailures.forEach((name, at) -> replace(mails, at,
                (id, time) -> single(id, time, "dan@" + name, new ReplyScript.Welcome())));
        for (long kill : List.of(kills().getFirst(), kills().getLast())) {
            replace(mails, kill - 20 * MINUTE, (id, _) -> single(id, kill - 2 * SECOND, "eve@slow01.example",
                    new ReplyScript.Welcome()));
        }
        return mails;
    }

    @FunctionalInterface
    private interface MailMaker {
        SimulatedMail make(QueueId id, long arrivalMillis);
    }

    /// Another message instead of the first one at or after a time.
    private static void replace(List<SimulatedMail> mails, long from, MailMaker maker) {
        for (int i = 0; i < mails.size(); i++) {
            if (mails.get(i).arrivalMillis() >= from) {
                mails.set(i, maker.make(mails.get(i).id(), mails.get(i).arrivalMillis()));
                return;
            }
        }
    }

    private static SimulatedMail single(QueueId id, long time, String to, ReplyScript script) {
        return new SimulatedMail(id, time, sender(id.value()),
                List.of(new SimulatedRecipient(Address.of(to), script)));
    }

    private static Optional<Address> sender(long id) {
        return Optional.of(Address.of("s" + id % 40 + "@" + OFFICE));
    }

    private SimulatedMail mail(long id, long time) {
        List<SimulatedRecipient> recipients = new ArrayList<>();
        int most = random.nextInt(30) == 0 ? 2 + random.nextInt(4) : 1;
        for (int i = 1; i <= most; i++) {
            recipients.add(recipient("r" + i, destination(), time));
        }
        return new SimulatedMail(new QueueId(id), time, sender(id), recipients);
    }

    private SimulatedMail newsletter(QueueId id, long time) {
        List<SimulatedRecipient> recipients = new ArrayList<>();
        for (int i = 1; i <= Math.min(NEWSLETTER, count); i++) {
            recipients.add(recipient("n" + i, names.get(1 + random.nextInt(names.size() - 1)), time));
        }
        return new SimulatedMail(id, time, sender(0), recipients);
    }

    private SimulatedRecipient recipient(String user, String domain, long time) {
        ReplyScript script = random.nextInt(50) == 0
                ? new ReplyScript.Refused()
                : domain.startsWith("grey")
                        ? new ReplyScript.Until(time + GREYLIST, Reply.of(450, "4.7.1", "greylisted"))
                        : new ReplyScript.Welcome();
        return new SimulatedRecipient(Address.of(user + "@" + domain), script);
    }

    // A third of the mail goes to the providers, a tenth stays in the office.
    private String destination() {
        int part = random.nextInt(30);
        return part < 10
                ? "provider" + (1 + random.nextInt(PROVIDERS)) + ".example"
                : part < 13 ? OFFICE : names.get(random.nextInt(names.size()));
    }

    // ---- the operator

    /// The operator holds the first message to the full mailbox and that to the dead host in the
    /// morning, releases the first one in the afternoon, and flushes a hosted domain after the
    /// outage.
    private static List<TimedCommand> commands(List<SimulatedMail> mails) {
        QueueId full = first(mails, FULL);
        return List.of(new TimedCommand(time(9, 40), RandomScenario.hold(full)),
                new TimedCommand(time(9, 41), RandomScenario.hold(first(mails, DEAD))),
                new TimedCommand(time(15, 40),
                        new OperatorCommand.FlushAll(Optional.of("hosted07.example"))),
                new TimedCommand(time(20, 0), new OperatorCommand.OfMessage(full, new MessageOrder.Release())));
    }

    private static QueueId first(List<SimulatedMail> mails, String domain) {
        return mails.stream().filter(mail -> mail.recipients().getFirst().address().domainKey().equals(domain))
                .filter(mail -> mail.recipients().size() == 1).findFirst().orElseThrow().id();
    }
}
