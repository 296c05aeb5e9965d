package org.slipstream.lab;

import org.slipstream.core.DeliveryResult;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.lab.Scenario.Fortune;
import org.slipstream.lab.Scenario.OwnServer;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.Scenario.SimulatedPlace;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.PlaceRules;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/// DNS and the connections to the servers of the world, each with its latencies, outages and
/// limits.
///
/// A connection does what a real carrier does. Deliveries are sent when they are ordered and
/// answered in their order, each a round trip and its own time after the server is free for it. A
/// connection that breaks gives back each delivery without an answer; its first one, and those
/// behind it that were sent completely, may have arrived.
final class SimulatedNetwork {
    private static final long HANG_UP_NEWS_MILLIS = 40;
    private static final Reply RESET = Reply.of(450, "4.4.2", "connection reset");
    private static final Reply ABORTED = Reply.of(451, "4.3.2", "aborted");
    private static final Reply NO_SOCKET = Reply.of(451, "4.3.0", "too many open files");
    private static final Reply UNREADABLE = Reply.of(451, "4.3.0", "content cannot be read");

    enum TransferPhase {
        OPENING, IDLE, BUSY
    }

    /// A delivery that was sent and is not answered.
    ///
    /// @param breaks the connection breaks instead of the answer
    /// @param failsHere its content cannot be read
    private record Transfer(QmgrOrder.Deliver deliver, long sentMillis, boolean breaks, boolean failsHere) {}

    static final class SimulatedConnection {
        final long number;
        final Route route;
        final String host;
        final ServerProfile server;
        final SimulatedServer door;
        final PipeEstimate depth;
        final Deque<Transfer> underWay = new ArrayDeque<>();
        TransferPhase phase = TransferPhase.OPENING;
        long idleSinceMillis;
        long serverFreeMillis;
        boolean confused;

        SimulatedConnection(long number, Route route, Site site, PipeEstimate depth) {
            this.number = number;
            this.route = route;
            this.host = site.name();
            this.server = site.server();
            this.door = site.door();
            this.depth = depth;
        }

        /// It opens for this destination, or delivers to it.
        boolean serves(Route other) {
            return phase == TransferPhase.OPENING
                    ? isSame(route, other)
                    : underWay.stream().anyMatch(each -> isSame(each.deliver().route(), other));
        }

        private static boolean isSame(Route one, Route other) {
            return one.transport().equals(other.transport()) && one.nextHop().equals(other.nextHop());
        }
    }

    /// The knowledge of the servers about one message: attempts and copies by recipient.
    private static final class Ledger {
        final SimulatedMail mail;
        final int[] attempts;
        final int[] copies;
        final int[] doubts;

        Ledger(SimulatedMail mail) {
            this.mail = mail;
            this.attempts = new int[mail.recipients().size() + 1];
            this.copies = new int[mail.recipients().size() + 1];
            this.doubts = new int[mail.recipients().size() + 1];
        }
    }

    private record Site(String name, ServerProfile server, SimulatedServer door) {}

    private final Clockwork clock;
    private final RandomGenerator chance;
    private final Map<String, SimulatedPlace> byDomain = new TreeMap<>();
    private final Map<String, Site> sites = new TreeMap<>();
    private final Map<String, Integer> questions = new TreeMap<>();
    private final Map<QueueId, Ledger> ledgers = new TreeMap<>();
    private final OwnServer house;
    private final PlaceRules rules;
    final Map<Long, SimulatedConnection> connections = new TreeMap<>();
    private int life;

    SimulatedNetwork(Scenario scenario, Clockwork clock, RandomGenerator chance) {
        this.clock = clock;
        this.chance = chance;
        this.house = scenario.house();
        this.rules = scenario.placement();
        for (SimulatedPlace place : scenario.places()) {
            byDomain.put(place.domain(), place);
            place.servers().forEach(this::site);
        }
    }

    private void site(String name, ServerProfile server) {
        Site known = sites.computeIfAbsent(name,
                _ -> new Site(name, server, new SimulatedServer(server, house, clock, chance)));
        if (!known.server().equals(server)) {
            throw new IllegalArgumentException(name + " is two servers: " + known.server() + " and " + server);
        }
    }

    void expect(SimulatedMail mail) {
        ledgers.put(mail.id(), new Ledger(mail));
    }

    SimulatedPlace place(String domain) {
        return byDomain.get(domain);
    }

    /// Copies that arrived.
    int copies(QueueId id, int number) {
        return ledgers.containsKey(id) ? ledgers.get(id).copies[number] : 0;
    }

    /// How often the content was sent to this recipient's server completely and no answer came.
    int doubts(QueueId id, int number) {
        return ledgers.containsKey(id) ? ledgers.get(id).doubts[number] : 0;
    }

    void crash() {
        life++;
        connections.clear();
        sites.values().forEach(site -> site.door().crash());
    }

    void find(QmgrOrder.FindRoute find, Consumer<QmgrEvent> answer) {
        SimulatedPlace place = byDomain.get(find.domain());
        int asked = questions.merge(find.domain(), 1, Integer::sum);
        later(house.dnsMillis(), () -> answer.accept(place.nowhere()
                ? new QmgrEvent.RouteFailed(find.domain(), Reply.of(550, "5.1.2", "no such domain"))
                : asked <= place.dnsFailures()
                        ? new QmgrEvent.RouteFailed(find.domain(), Reply.of(451, "4.4.3", "DNS timeout"))
                        : new QmgrEvent.RouteKnown(find.domain(), place.route())));
    }

    // ---- connections

    void open(QmgrOrder.Open open, Consumer<QmgrEvent> answer) {
        CarrierReports reports = new CarrierReports(answer);
        Site site = sites.get(SimulatedPlace.names(open.route()).getFirst());
        SimulatedConnection connection = new SimulatedConnection(open.connection(), open.route(), site,
                new PipeEstimate(site.server().wire().roundTripMillis(), rules.depth().first(), rules.depth().most()));
        connections.put(connection.number, connection);
        if (isOurFault()) {
            later(1, () -> {
                if (connections.remove(connection.number, connection)) {
                    reports.failedHere(connection.number, NO_SOCKET);
                }
            });
            return;
        }
        // Answers come after the order, however quick the server is.
        later(0, () -> site.door().call(new SimulatedServer.SimulatedCaller() {
            @Override
            public boolean isThere() {
                return connections.get(connection.number) == connection;
            }

            @Override
            public void greeted() {
                becomeIdle(connection, reports);
                reports.ready(connection.number);
                if (connection.server.wire().depth() > 0) {
                    reports.depth(connection.number, connection.server.wire().depth());
                }
            }

            @Override
            public void failed(Reply reason) {
                connections.remove(connection.number);
                reports.failed(connection.number, reason, connection.host);
            }
        }));
    }

    private boolean isOurFault() {
        return house.ownFailures() > 0 && chance.nextDouble() < house.ownFailures();
    }

    void close(QmgrOrder.Close close, Consumer<QmgrEvent> answer) {
        SimulatedConnection connection = connections.get(close.connection());
        if (connection == null) {
            return;
        }
        if (connection.phase == TransferPhase.OPENING) {
            connections.remove(connection.number);
            // A carrier that is cut while it opens says so.
            later(1, () -> new CarrierReports(answer).failedHere(connection.number, ABORTED));
        } else {
            leave(connection);
        }
    }

    private void leave(SimulatedConnection connection) {
        connections.remove(connection.number);
        connection.door.left();
    }

    // ---- deliveries

    void deliver(QmgrOrder.Deliver deliver, Consumer<QmgrEvent> answer) {
        CarrierReports reports = new CarrierReports(answer);
        SimulatedConnection connection = connections.get(deliver.connection());
        if (connection == null) {
            // The server hung up while the order was on its way. A carrier answers each order all
            // the same.
            later(1, () -> reports.unanswered(deliver, RESET, SimulatedPlace.names(deliver.route()).getFirst(), false));
            return;
        }
        ServerProfile server = connection.server;
        connection.phase = TransferPhase.BUSY;
        boolean breaks = server.drops() > 0 && chance.nextDouble() < server.drops();
        long millis = server.delivery().millis(chance)
                + server.perRecipient().millis(chance) * deliver.recipients().size();
        connection.confused |= !server.wire().pipelines() && !connection.underWay.isEmpty();
        connection.underWay.add(new Transfer(deliver, clock.now(), breaks, isOurFault()));
        long way = server.wire().roundTripMillis() / 2;
        connection.serverFreeMillis = Math.max(clock.now() + way, connection.serverFreeMillis) + millis;
        later(connection.serverFreeMillis - way + server.wire().roundTripMillis() - clock.now(),
                () -> replies(connection, reports));
    }

    /// The first delivery without an answer is answered now, unless the connection has ended or
    /// does so.
    private void replies(SimulatedConnection connection, CarrierReports reports) {
        if (connections.get(connection.number) != connection) {
            return;
        }
        if (connection.confused) {
            reports.pipelinesBadly(connection.number, "replies are mixed up");
        }
        if (connection.confused || connection.underWay.element().breaks() || connection.door.isDown()) {
            breaks(connection, reports);
            return;
        }
        Transfer first = connection.underWay.remove();
        if (connection.underWay.isEmpty()) {
            becomeIdle(connection, reports);
        }
        if (first.failsHere()) {
            reports.failedHere(first.deliver(), UNREADABLE,
                    chance.nextInt(4) == 0 ? DeliveryResult.Scope.TRANSPORT : DeliveryResult.Scope.MESSAGE);
        } else {
            reports.answered(first.deliver(), outcomes(connection, first.deliver()));
        }
        if (connection.server.wire().depth() == 0 && connection.depth.answered(clock.now() - first.sentMillis())) {
            reports.depth(connection.number, connection.depth.depth());
        }
    }

    private void breaks(SimulatedConnection connection, CarrierReports reports) {
        leave(connection);
        boolean first = true;
        for (Transfer each : connection.underWay) {
            boolean sent = !each.failsHere() && chance.nextInt(first ? 2 : 4) == 0;
            if (sent) {
                doubt(connection, each.deliver(), first && chance.nextBoolean());
            }
            reports.unanswered(each.deliver(), RESET, connection.host, sent);
            first = false;
        }
    }

    /// @param arrives the server has it and the answer is lost
    private void doubt(SimulatedConnection connection, QmgrOrder.Deliver deliver, boolean arrives) {
        Ledger ledger = ledgers.get(deliver.id());
        deliver.recipients().forEach(each -> ledger.doubts[each.number()]++);
        if (arrives) {
            outcomes(connection, deliver);
        }
    }

    private List<RecipientOutcome> outcomes(SimulatedConnection connection, QmgrOrder.Deliver deliver) {
        Ledger ledger = ledgers.get(deliver.id());
        List<RecipientOutcome> outcomes = new ArrayList<>(deliver.recipients().size());
        for (Recipient recipient : deliver.recipients()) {
            int number = recipient.number();
            Reply reply = reply(connection.server, ledger.mail.recipients().get(number - 1).fortune(),
                    ++ledger.attempts[number]);
            Outcome outcome = Outcome.of(reply, connection.host);
            if (outcome instanceof Outcome.Delivered) {
                ledger.copies[number]++;
            }
            outcomes.add(new RecipientOutcome(number, outcome));
        }
        if (chance.nextInt(8) == 0) {
            Collections.reverse(outcomes); // the order of outcomes is not defined
        }
        return outcomes;
    }

    private Reply reply(ServerProfile server, Fortune fortune, int attempt) {
        Reply later = Reply.of(450, "4.2.0", "try later");
        if (server.deferrals() > 0 && chance.nextDouble() < server.deferrals()) {
            return later;
        }
        if (server.refusals() > 0 && chance.nextDouble() < server.refusals()) {
            return Reply.of(550, "5.7.1", "not here");
        }
        return switch (fortune) {
            case Fortune.Welcome _ -> Reply.of(250, "2.0.0", "ok");
            case Fortune.Refused _ -> Reply.of(550, "5.1.1", "no such user");
            case Fortune.Late late -> attempt <= late.times() ? later : Reply.of(250, "2.0.0", "ok");
            case Fortune.Never _ -> later;
        };
    }

    // ---- idle connections

    private void becomeIdle(SimulatedConnection connection, CarrierReports reports) {
        connection.phase = TransferPhase.IDLE;
        connection.idleSinceMillis = clock.now();
        if (connection.server.patienceMillis() < Long.MAX_VALUE) {
            later(connection.server.patienceMillis(), () -> hangUp(connection, reports));
        }
    }

    private void hangUp(SimulatedConnection connection, CarrierReports reports) {
        boolean stillIdle = connections.get(connection.number) == connection && connection.phase == TransferPhase.IDLE
                && connection.idleSinceMillis + connection.server.patienceMillis() <= clock.now();
        if (stillIdle) {
            leave(connection);
            later(HANG_UP_NEWS_MILLIS, () -> reports.lost(connection.number, "peer hung up"));
        }
    }

    private void later(long millis, Runnable deed) {
        int livesNow = life;
        clock.after(millis, () -> {
            if (life == livesNow) {
                deed.run();
            }
        });
    }
}
