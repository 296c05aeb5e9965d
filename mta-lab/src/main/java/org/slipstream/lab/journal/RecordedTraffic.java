package org.slipstream.lab.journal;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.lab.RecordedReplies;
import org.slipstream.lab.Scenario;
import org.slipstream.lab.Scenario.OwnServer;
import org.slipstream.lab.Scenario.ReplyScript;
import org.slipstream.lab.Scenario.SimulatedDomain;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.Scenario.SimulatedRecipient;
import org.slipstream.lab.ServerProfile;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.journal.JournalRecord;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.settings.QmgrConfig;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/// The mail of a journal and the replies of the hosts, as a world in which another course of the same
/// hours can be simulated. [RecordedReplies] has the model of a host.
///
/// All hosts of a route are in the world. A host accepts as long as its deliveries took. A recipient
/// that a host refused with an addressing status (5.1.x) is refused again; each other refusal belongs
/// to its time.
///
/// The journal is read once and record by record. At most [#MOST_MESSAGES] messages and
/// [#MOST_REPLIES] replies are kept; the rest of a longer journal is left out, and a remark says so.
public final class RecordedTraffic {
    static final int MOST_MESSAGES = 200_000;
    static final int MOST_REPLIES = 1_000_000;
    private static final int ADDRESSING = 1;
    private static final long USUAL_DELIVERY = 300;
    private static final OwnServer THIS_SERVER = new OwnServer(1, 1, 20, 0, 0, 0, 30_000, 300_000);

    private final SequencedMap<QueueId, RecordedMail> mails = new LinkedHashMap<>();
    private final Map<String, Route> routes = new TreeMap<>();
    private final Map<String, HostRecord> hosts = new TreeMap<>();
    private final Map<Long, Long> readyMillis = new LinkedHashMap<>();
    private final Map<Long, StartedDelivery> started = new LinkedHashMap<>();
    private final List<String> remarks = new ArrayList<>();
    private Optional<JournalRecord.Beginning> beginning = Optional.empty();
    private long latestMillis;
    private int replies;

    private record StartedDelivery(QueueId queue, long atMillis) {}

    private static final class RecordedMail {
        final long seenMillis;
        final Optional<Address> sender;
        final Map<Integer, Address> recipients = new TreeMap<>();
        final Map<Integer, Reply> refused = new LinkedHashMap<>();
        OptionalLong removedMillis = OptionalLong.empty();

        RecordedMail(long seenMillis, Optional<Address> sender) {
            this.seenMillis = seenMillis;
            this.sender = sender;
        }
    }

    private static final class HostRecord {
        final List<TimedReply> connections = new ArrayList<>();
        final List<TimedReply> deliveries = new ArrayList<>();
        long sumMillis;
        int measured;
    }

    private record TimedReply(long atMillis, Optional<Reply> refusal) {}

    private RecordedTraffic() {}

    /// @param file the first file of a journal
    /// @throws IOException there is no journal that this program can read
    public static RecordedTraffic read(Path file, LongConsumer progress) throws IOException {
        RecordedTraffic traffic = new RecordedTraffic();
        JournalReplay.read(file, traffic::take, progress).ifPresent(traffic.remarks::add);
        return traffic;
    }

    /// When the run of the journal began.
    public long beganMillis() {
        return beginning.map(JournalRecord.Beginning::at).orElse(0L);
    }

    public long latestMillis() {
        return Math.max(latestMillis, beganMillis());
    }

    /// Reasons for which a part of the journal is not in this traffic.
    public List<String> remarks() {
        return List.copyOf(remarks);
    }

    /// The settings of the recorded server.
    public QmgrConfig config() {
        return beginning.orElseThrow().config();
    }

    /// The rules of its placement.
    public PlaceRules placement() {
        return beginning.orElseThrow().smtp();
    }

    // ---- reading

    private boolean take(JournalRecord record) {
        switch (record) {
            case JournalRecord.Beginning first -> beginning = Optional.of(first);
            case JournalRecord.QueueEvent(long at, QmgrEvent event) -> {
                latestMillis = Math.max(latestMillis, at);
                take(at, event);
            }
            case JournalRecord.PlacementStep step when !step.step().equals("defer") ->
                started.put(step.delivery(), new StartedDelivery(step.queue(), step.at()));
            case JournalRecord.OrderGiven(long at, String order, Optional<QueueId> queue, OptionalLong _, String _) -> {
                if (order.equals("remove")) {
                    queue.map(mails::get).ifPresent(mail -> mail.removedMillis = OptionalLong.of(at));
                }
            }
            default -> {
                // Other decisions are made again.
            }
        }
        boolean full = mails.size() >= MOST_MESSAGES || replies >= MOST_REPLIES;
        if (full) {
            remarks.add("the journal has more than " + MOST_MESSAGES + " messages or " + MOST_REPLIES
                    + " replies; the part after those is left out");
        }
        return !full;
    }

    private void take(long at, QmgrEvent event) {
        switch (event) {
            case QmgrEvent.MessageQueued(MessageSummary message) -> seen(at, message);
            case QmgrEvent.ScanDone scan -> scan.found().forEach(message -> seen(at, message));
            case QmgrEvent.MovedIn moved -> seen(at, moved.message());
            case QmgrEvent.RecipientsRead read -> Optional.ofNullable(mails.get(read.id()))
                    .ifPresent(mail -> read.recipients().forEach(each -> recipient(mail, each)));
            case QmgrEvent.RouteKnown(String question, Route route) -> routes.put(domain(question), anySource(route));
            case QmgrEvent.ConnectionReady(long connection) -> readyMillis.put(connection, at);
            case QmgrEvent.ConnectionFailed failed -> {
                if (!failed.ours()) {
                    host(failed.remote()).connections.add(new TimedReply(at, Optional.of(failed.reason().shortened())));
                    replies++;
                }
            }
            case QmgrEvent.DeliveryDone(DeliveryResult result) -> done(at, result);
            default -> {
                // Not about mail or replies.
            }
        }
    }

    private void seen(long at, MessageSummary message) {
        if (message.sender().isPresent()) {
            mails.computeIfAbsent(message.id(), _ -> new RecordedMail(at, message.sender()));
        }
    }

    private static void recipient(RecordedMail mail, Recipient recipient) {
        mail.recipients.put(recipient.number(), recipient.address());
    }

    private void done(long at, DeliveryResult result) {
        Optional<StartedDelivery> start = Optional.ofNullable(started.remove(result.delivery()));
        switch (result) {
            case DeliveryResult.Answered answered -> {
                HostRecord host = host(answered.outcomes().getFirst().outcome().remote());
                host.deliveries.add(new TimedReply(at, refusal(start, answered.outcomes())));
                replies++;
                long begun = Math.max(start.map(StartedDelivery::atMillis).orElse(at),
                        opened(host, result.connection()).orElse(0));
                host.sumMillis += Math.max(0, at - begun);
                host.measured++;
            }
            case DeliveryResult.Unanswered lost -> {
                HostRecord host = host(lost.remote());
                opened(host, result.connection());
                host.deliveries.add(new TimedReply(at, Optional.of(lost.reason().shortened())));
                replies++;
            }
            case DeliveryResult.OwnFailure _ -> readyMillis.remove(result.connection());
        }
    }

    /// The first delivery tells the host of a connection.
    private OptionalLong opened(HostRecord host, long connection) {
        Long ready = readyMillis.remove(connection);
        if (ready == null) {
            return OptionalLong.empty();
        }
        host.connections.add(new TimedReply(ready, Optional.empty()));
        replies++;
        return OptionalLong.of(ready);
    }

    /// The refusal of the host, apart from recipients that do not exist.
    private Optional<Reply> refusal(Optional<StartedDelivery> start, List<RecipientOutcome> outcomes) {
        Optional<Reply> refusal = Optional.empty();
        for (RecipientOutcome each : outcomes) {
            Reply reply = each.outcome().reply();
            if (each.outcome() instanceof Outcome.Failed && reply.statusOrGeneral().subject() == ADDRESSING) {
                start.map(StartedDelivery::queue).map(mails::get)
                        .ifPresent(mail -> mail.refused.put(each.number(), reply));
            } else if (!reply.isPositive()) {
                refusal = Optional.of(reply);
            }
        }
        return refusal;
    }

    private HostRecord host(String remote) {
        return hosts.computeIfAbsent(name(remote), _ -> new HostRecord());
    }

    /// `mx1.example.org` of `mx1.example.org[192.0.2.1]:25`.
    private static String name(String remote) {
        int open = remote.indexOf('[');
        return open > 0 ? remote.substring(0, open) : remote;
    }

    // ---- the world

    /// The mail that waited at `fromMillis` or came before `toMillis`, and the hosts, as a world that begins at
    /// `fromMillis`.
    public Scenario between(long fromMillis, long toMillis, QmgrConfig settings, PlaceRules smtp) {
        List<SimulatedMail> chosen = new ArrayList<>();
        TreeSet<String> domains = new TreeSet<>();
        mails.forEach((id, mail) -> {
            List<SimulatedRecipient> recipients = recipients(mail);
            if (mail.seenMillis < toMillis && mail.removedMillis.orElse(Long.MAX_VALUE) >= fromMillis
                    && !recipients.isEmpty()) {
                chosen.add(new SimulatedMail(id, Math.max(0, mail.seenMillis - fromMillis), mail.sender, recipients));
                recipients.forEach(each -> domains.add(each.address().domainKey()));
                // Reports of a delay go to the sender.
                mail.sender.ifPresent(sender -> domains.add(sender.domainKey()));
            }
        });
        Map<String, ServerProfile> servers = new LinkedHashMap<>();
        ServerProfile usual = ServerProfile.taking(USUAL_DELIVERY);
        List<SimulatedDomain> world = domains.stream().map(domain -> domain(domain,
                routes.getOrDefault(domain, new Route.Discard(domain)), servers, fromMillis, toMillis, usual)).toList();
        return new Scenario(1, settings, true, chosen, world, THIS_SERVER, List.of(), List.of(), smtp);
    }

    /// The domain of a question: a sender with routes of its own, demands of TLS and the message do not count here.
    private static String domain(String question) {
        int bar = question.indexOf('|');
        String domain = bar < 0 ? question : question.substring(0, bar);
        return domain.endsWith(Route.UNDEMANDING)
                ? domain.substring(0, domain.length() - Route.UNDEMANDING.length())
                : domain;
    }

    /// Sources of one pool are one way here.
    private static Route anySource(Route route) {
        return route instanceof Route.Smtp smtp ? smtp.at(Route.anySource(smtp.nextHop())) : route;
    }

    /// The route of a domain; empty when no mail went there.
    public Optional<Route> route(String domain) {
        return Optional.ofNullable(routes.get(domain));
    }

    /// A domain whose hosts reply from the start of a world as they did from `fromMillis` on.
    ///
    /// @param servers by name, because domains share them
    /// @param usual a host that was not asked
    public SimulatedDomain domain(String domain, Route route, Map<String, ServerProfile> servers, long fromMillis,
            long toMillis, ServerProfile usual) {
        SequencedMap<String, ServerProfile> ofRoute = new LinkedHashMap<>();
        SimulatedDomain.names(route).forEach(name -> ofRoute.put(name,
                servers.computeIfAbsent(name, each -> server(each, fromMillis, toMillis, usual))));
        return new SimulatedDomain(domain, route, 0, false, ofRoute);
    }

    /// Without recipients whose route is not known: DNS did not know their domain.
    private List<SimulatedRecipient> recipients(RecordedMail mail) {
        List<SimulatedRecipient> recipients = new ArrayList<>();
        mail.recipients.forEach((number, address) -> {
            if (routes.containsKey(address.domainKey())) {
                Reply refused = mail.refused.get(number);
                recipients.add(new SimulatedRecipient(address, refused == null
                        ? new ReplyScript.Welcome()
                        : new ReplyScript.Until(Long.MAX_VALUE, refused)));
            }
        });
        return recipients;
    }

    private ServerProfile server(String name, long fromMillis, long toMillis, ServerProfile usual) {
        HostRecord host = hosts.getOrDefault(name, new HostRecord());
        RecordedReplies given = new RecordedReplies();
        host.connections.stream().filter(each -> each.atMillis() >= fromMillis && each.atMillis() <= toMillis)
                .forEach(each -> given.connected(each.atMillis() - fromMillis, each.refusal()));
        host.deliveries.stream().filter(each -> each.atMillis() >= fromMillis && each.atMillis() <= toMillis)
                .forEach(each -> given.delivered(each.atMillis() - fromMillis, each.refusal()));
        return (host.measured == 0 ? usual : ServerProfile.taking(host.sumMillis / host.measured)).with(given);
    }

    /// The replies of the interval.
    public int replies(long fromMillis, long toMillis) {
        return hosts.values().stream().flatMap(host -> Stream.concat(host.connections.stream(),
                host.deliveries.stream())).mapToInt(
                        each -> each.atMillis() >= fromMillis && each.atMillis() <= toMillis ? 1 : 0)
                .sum();
    }

    /// The sentences about the world that no journal proves.
    public List<String> assumptions(long fromMillis, long toMillis) {
        return List.of(
                hosts.size() + (hosts.size() == 1 ? " host" : " hosts") + " with " + replies(fromMillis, toMillis)
                        + " recorded replies: an attempt gets the reply that the recorded attempt nearest at or after"
                        + " its time got, behind the last one that of the last one",
                "a host does not react to a client that asks less; a host that was not asked accepts",
                "a recipient that was refused with status 5.1.x is refused again",
                "a delivery takes as long as those to its host took, and 300 ms where none was recorded",
                "mail without a sender, such as reports, is left out",
                "mail that waited at the beginning is due at once; windows and the state of hosts begin at their"
                        + " defaults");
    }
}
