package org.slipstream.lab;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.SettingsRecords;
import org.slipstream.lab.Scenario.Fault;
import org.slipstream.lab.Scenario.Outage;
import org.slipstream.lab.Scenario.OwnServer;
import org.slipstream.lab.Scenario.ReplyScript;
import org.slipstream.lab.Scenario.SimulatedDomain;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.Scenario.SimulatedRecipient;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.QueueSettings;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.settings.TransportTable;
import org.slipstream.qmgr.wake.DestinationPattern;
import org.slipstream.qmgr.wake.DestinationSettings;
import org.slipstream.qmgr.wake.DestinationTable;
import org.slipstream.qmgr.wake.DestinationTable.Clause;
import org.slipstream.qmgr.wake.Rate;
import org.slipstream.qmgr.wake.RingSettings;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/// An hour of mixed mail, made from a seed: letters, mailings to a ring, mail to slow, dead, limiting
/// and rated destinations, and to local mailboxes. The limits are tight, so that shards compete for
/// each of them.
final class ShardSoakScenario {
    static final long SECOND = 1_000;
    static final long MINUTE = 60 * SECOND;
    static final String HOME = "home.example";
    static final Rate RATE = new Rate(6, Duration.ofMinutes(1));
    static final int RING = 5;
    static final int NARROW = 2;
    static final int LANES = 14;
    static final int PER_DESTINATION = 4;
    static final int SERVER = 10;

    private static final int LETTERS = 500;
    private static final int MAILINGS = 6;
    private static final int MAILING = 120;
    private static final int PLAIN = 12;
    private static final int RUSH = 40;

    private final Random random;
    private final List<SimulatedDomain> domains = new ArrayList<>();
    private final List<String> letters = new ArrayList<>();

    private ShardSoakScenario(long seed) {
        this.random = new Random(seed);
    }

    static Scenario of(long seed) {
        return new ShardSoakScenario(seed).scenario(seed);
    }

    static QmgrConfig config() {
        QueueSettings queue = SettingsRecords.with(QueueSettings.defaults(),
                Map.of("minimalBackoff", Duration.ofSeconds(60), "maximalBackoff", Duration.ofMinutes(15),
                        "lifetime", Duration.ofHours(2), "bounceLifetime", Duration.ofHours(1)));
        TransportSettings smtp = TransportSettings.defaults().withRecipientsPerDelivery(2).withConcurrency(LANES, 3,
                PER_DESTINATION);
        TransportSettings local = TransportSettings.defaults().withConcurrency(4, 2, 2);
        return QmgrConfig.of(queue, TransportTable.of(smtp).with("local", local)).withLanesOfServer(SERVER)
                .withDestinations(new DestinationTable(
                        List.of(clause("bulk1.example", "ring", "bulk"), clause("bulk2.example", "ring", "bulk"),
                                clause("bulk3.example", "ring", "bulk"), clause("narrow.example", "lanes", NARROW),
                                clause("rated.example", "rate", RATE)),
                        Map.of("bulk", new RingSettings(RING))));
    }

    private static Clause clause(String domain, String setting, Object value) {
        return new Clause(DestinationPattern.parse(domain).orElseThrow(),
                SettingsRecords.with(DestinationSettings.NONE, setting, Optional.of(value)));
    }

    private Scenario scenario(long seed) {
        domain(HOME, new Route.Local(HOME), ServerProfile.taking(20));
        for (int i = 1; i <= PLAIN; i++) {
            plain("d%02d.example".formatted(i), server(100 + random.nextInt(900), List.of()));
        }
        for (int i = 1; i <= 3; i++) {
            plain("bulk" + i + ".example", server(800, List.of()));
        }
        for (int i = 1; i <= 3; i++) {
            domain("hosted" + i + ".example", new Route.Smtp("hosted" + i + ".example",
                    List.of(new Route.Host("mx.hoster.example", 25, 10))), server(400, List.of()));
        }
        plain("slow.example", server(15_000, List.of()));
        plain("narrow.example", server(2_000, List.of()));
        plain("rated.example", server(200, List.of()));
        plain("dead.example", server(1, List.of(new Outage(0, Long.MAX_VALUE / 4, Fault.SILENT))));
        plain("down.example", server(300, List.of(new Outage(4 * MINUTE, 14 * MINUTE, Fault.REFUSES))));
        plain("busy.example", new ServerProfile(Latency.of(20), Latency.of(20), Latency.of(1_500), Latency.of(5), 2, 0,
                Integer.MAX_VALUE, 0, 0, 0, Long.MAX_VALUE, List.of()));
        QmgrConfig config = config();
        return new Scenario(seed, config, true, mails(), domains,
                new OwnServer(3, 1, 25, 0, 0.02, 0, 20 * SECOND, MINUTE), List.of(), List.of(),
                QueueManagers.production(config));
    }

    private ServerProfile server(long millis, List<Outage> outages) {
        return new ServerProfile(Latency.of(30), Latency.of(30), new Latency.Uniform(millis / 2, millis * 3 / 2),
                Latency.of(5), Integer.MAX_VALUE, 0, Integer.MAX_VALUE, 0.002, 0, 0, 5 * MINUTE, outages)
                .with(new ServerProfile.PathProfile(20, 0, true));
    }

    private void plain(String name, ServerProfile server) {
        domain(name, new Route.Smtp(name, List.of(new Route.Host("mx." + name, 25, 10))), server);
    }

    private void domain(String name, Route route, ServerProfile server) {
        domains.add(new SimulatedDomain(name, route, 0, false, server));
        letters.add(name);
    }

    private List<SimulatedMail> mails() {
        List<SimulatedMail> mails = new ArrayList<>();
        for (int i = 0; i < LETTERS; i++) {
            mails.add(mail(mails.size() + 1, random.nextInt((int) (20 * MINUTE)),
                    List.of(recipient("u" + i, letters.get(random.nextInt(letters.size()))))));
        }
        for (String busy : List.of("narrow.example", "rated.example", "hosted1.example", "hosted2.example", "here")) {
            for (int i = 0; i < RUSH; i++) {
                String to = busy.equals("here") ? letters.get(i % letters.size()) : busy;
                long within = busy.startsWith("hosted") ? 6 * SECOND : MINUTE;
                mails.add(mail(mails.size() + 1, 2 * MINUTE + random.nextInt((int) within),
                        List.of(recipient("x" + i, to))));
            }
        }
        for (int i = 0; i < MAILINGS; i++) {
            List<SimulatedRecipient> list = new ArrayList<>();
            for (int j = 0; j < MAILING; j++) {
                list.add(recipient("r" + j, "bulk" + (1 + j % 3) + ".example"));
            }
            mails.add(mail(mails.size() + 1, 2 * MINUTE + i * 20 * SECOND, list));
        }
        return mails;
    }

    private static SimulatedMail mail(long id, long at, List<SimulatedRecipient> recipients) {
        return new SimulatedMail(new QueueId(id), at, Optional.of(Address.of("s" + id % 20 + "@" + HOME)), recipients);
    }

    private SimulatedRecipient recipient(String user, String domain) {
        ReplyScript script = switch (random.nextInt(40)) {
            case 0 -> new ReplyScript.Refused();
            case 1, 2 -> new ReplyScript.Late(1);
            default -> new ReplyScript.Welcome();
        };
        return new SimulatedRecipient(Address.of(user + "@" + domain), script);
    }
}
