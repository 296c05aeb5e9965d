package org.slipstream.cli.lab;

import org.slipstream.cli.lab.LiveQueue.LiveMessage;
import org.slipstream.config.Config;
import org.slipstream.config.RouteTable;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.lab.Scenario;
import org.slipstream.lab.Scenario.OwnServer;
import org.slipstream.lab.Scenario.ReplyScript;
import org.slipstream.lab.Scenario.SimulatedDomain;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.Scenario.SimulatedRecipient;
import org.slipstream.lab.ServerProfile;
import org.slipstream.lab.journal.RecordedTraffic;
import org.slipstream.smtpout.RouteFinder;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Makes a simulated world of a queue: the messages that are not on hold, and a host for each next
/// hop, whose deliveries take as long as they were measured.
public final class QueueScenario {
    private static final int SMTP = 25;
    private static final long DAY_MILLIS = 86_400_000;
    private static final OwnServer THIS_SERVER = new OwnServer(1, 1, 20, 0, 0, 0, 30_000, 300_000);

    private final LiveQueue queue;
    private final RouteTable routes;
    private final Map<String, Long> measured;
    private final long otherMillis;
    private final Optional<RecordedTraffic> recorded;
    private final List<SimulatedMail> mails = new ArrayList<>();
    private final SequencedMap<String, Route> routeOf = new TreeMap<>();

    /// A world of hosts that accept everything.
    ///
    /// @param otherMillis duration of a delivery where none was measured
    public QueueScenario(LiveQueue queue, Config config, long otherMillis) {
        this(queue, config, otherMillis, Optional.empty());
    }

    /// @param otherMillis duration of a delivery where none was measured
    /// @param recorded the hosts of each next hop, and the replies that they gave lately
    QueueScenario(LiveQueue queue, Config config, long otherMillis, Optional<RecordedTraffic> recorded) {
        this.queue = queue;
        this.recorded = recorded;
        this.otherMillis = otherMillis;
        // DNS is not asked: the hosts of a domain are those of the recording, or one.
        this.routes = new RouteTable(config.routes(), config.local().domains(),
                domain -> new RouteFinder.Answer.Found(recorded.flatMap(each -> each.route(domain))
                        .filter(Route.Smtp.class::isInstance).map(Route.Smtp.class::cast)
                        .orElseGet(() -> new Route.Smtp(domain, List.of(new Route.Host(domain, SMTP, 0))))));
        this.measured = queue.destinations().stream().filter(each -> each.meanMillis().isPresent())
                .collect(Collectors.toMap(each -> each.transport() + "/" + each.nextHop(),
                        each -> each.meanMillis().orElseThrow(), Math::max, TreeMap::new));
        long taken = Instant.parse(queue.taken()).toEpochMilli();
        queue.messages().stream().filter(QueueScenario::isUnderWay).forEach(each -> add(each, taken));
    }

    // Held mail, and mail whose destination is suspended without an end, has no next attempt.
    private static boolean isUnderWay(LiveMessage message) {
        return message.state().equals("active") || message.state().equals("deferred")
                && !message.nextAttempt().isEmpty();
    }

    private void add(LiveMessage message, long takenMillis) {
        List<SimulatedRecipient> recipients = message.recipients().stream().map(Address::parse)
                .flatMap(Optional::stream)
                .map(address -> new SimulatedRecipient(address, new ReplyScript.Welcome())).toList();
        Optional<QueueId> id = QueueId.parse(message.id());
        if (recipients.isEmpty() || id.isEmpty()) {
            return;
        }
        Optional<Address> sender = Address.parse(message.sender());
        long next = message.nextAttempt().isEmpty() ? takenMillis : Instant.parse(message.nextAttempt()).toEpochMilli();
        mails.add(new SimulatedMail(id.get(), Math.max(0, next - takenMillis), sender, recipients));
        recipients.forEach(each -> route(each.address()));
        // Reports of a delay go to the sender.
        sender.ifPresent(this::route);
    }

    private void route(Address address) {
        routeOf.computeIfAbsent(address.domainKey(),
                domain -> ((RouteTable.RouteAnswer.Found) routes.find(domain)).route());
    }

    /// The world under these settings.
    public Scenario under(Config config) {
        List<SimulatedDomain> domains = new ArrayList<>();
        long latest = recorded.map(RecordedTraffic::latestMillis).orElse(0L);
        Map<String, ServerProfile> servers = new TreeMap<>();
        routeOf.forEach((domain, route) -> {
            ServerProfile usual = ServerProfile.taking(measured.getOrDefault(destination(route), otherMillis));
            domains.add(recorded.isEmpty()
                    ? new SimulatedDomain(domain, route, 0, false, usual)
                    : recorded.get().domain(domain, route, servers, Math.max(0, latest - DAY_MILLIS), latest, usual));
        });
        return new Scenario(1, config.queueManager(), true, mails, domains, THIS_SERVER, List.of(), List.of(),
                config.smtpPlacement());
    }

    List<SimulatedMail> mails() {
        return mails;
    }

    /// Transport and next hop of a recipient.
    String destination(Address recipient) {
        return destination(Optional.ofNullable(routeOf.get(recipient.domainKey())).orElseThrow());
    }

    private static String destination(Route route) {
        return route.transport() + "/" + route.nextHop();
    }

    /// The statements about the world that nothing has measured, and those that were.
    public List<String> assumptions() {
        List<String> lines = new ArrayList<>();
        long held = queue.messages().stream().filter(each -> !isUnderWay(each)).count();
        lines.add(mails.size() + (mails.size() == 1 ? " message" : " messages") + " of the queue at " + queue.taken()
                + ", without " + held + " on hold or suspended");
        lines.add("each message is due at its next attempt; windows and the state of hosts begin at their defaults");
        recorded.ifPresentOrElse(each -> {
            long latest = each.latestMillis();
            lines.add("each next hop has the hosts of the journal; their next day is like their last one: "
                    + each.replies(Math.max(0, latest - DAY_MILLIS), latest) + " recorded replies");
            lines.add("a host does not react to a client that asks less; a host that was not asked accepts");
        }, () -> lines.add("each next hop has one host, which accepts every message at the first attempt"));
        lines.add("no further mail arrives");
        Set<String> assumed = new TreeSet<>();
        Set<String> used = new TreeSet<>();
        mails.forEach(mail -> mail.recipients().forEach(each -> used.add(destination(each.address()))));
        used.forEach(name -> {
            if (measured.containsKey(name)) {
                lines.add("a delivery to " + name + " takes " + measured.get(name) + " ms, as measured");
            } else {
                assumed.add(name);
            }
        });
        if (!assumed.isEmpty()) {
            lines.add("a delivery to " + (used.size() == assumed.size() ? "any" : "any other") + " destination takes "
                    + otherMillis + " ms (--delivery)");
        }
        return lines;
    }
}
