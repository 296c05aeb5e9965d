package org.slipstream.lab;

import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.lab.Scenario.OwnServer;
import org.slipstream.lab.Scenario.ReplyScript;
import org.slipstream.lab.Scenario.SimulatedDomain;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.sink.script.ScriptSession;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/// DNS and the connections of one shard to the servers of the world, each with its latencies,
/// outages and limits.
///
/// A connection behaves as a carrier of the server does. Deliveries are sent when they are ordered
/// and answered in that order. A reply takes a round trip and the delivery time, counted from the
/// end of the delivery before. A connection that breaks returns its deliveries without a reply. The
/// content of each of them may have arrived if it was sent completely.
final class SimulatedNetwork {
    private static final long CLOSE_NOTICE_MILLIS = 40;
    private static final Reply RESET = Reply.of(450, "4.4.2", "connection reset");
    private static final Reply ABORTED = Reply.of(451, "4.3.2", "aborted");
    private static final Reply NO_SOCKET = Reply.of(451, "4.3.0", "too many open files");
    private static final Reply UNREADABLE = Reply.of(451, "4.3.0", "content cannot be read");

    enum TransferPhase {
        OPENING, IDLE, BUSY
    }

    /// A delivery that was sent and has no reply yet.
    ///
    /// @param breaks whether the connection breaks instead of the reply
    /// @param failsHere whether its content cannot be read
    private record Transfer(QmgrOrder.Deliver deliver, long sentMillis, boolean breaks, boolean failsHere,
            Optional<ScriptedDelivery> scripted) {}

    static final class SimulatedConnection {
        final long number;
        final Route route;
        final String host;
        final ServerProfile server;
        final SimulatedServer admission;
        final DepthEstimate depth;
        final Deque<Transfer> underWay = new ArrayDeque<>();
        TransferPhase phase = TransferPhase.OPENING;
        long idleSinceMillis;
        long serverFreeMillis;
        boolean desynchronized;
        Optional<ScriptSession> script = Optional.empty();

        SimulatedConnection(long number, Route route, ReceivingSide.NetworkHost networkHost, DepthEstimate depth) {
            this.number = number;
            this.route = route;
            this.host = networkHost.name();
            this.server = networkHost.server();
            this.admission = networkHost.admission();
            this.depth = depth;
        }

        /// Whether the connection opens for this destination or delivers to it.
        boolean serves(Route other) {
            return phase == TransferPhase.OPENING
                    ? isSame(route, other)
                    : underWay.stream().anyMatch(each -> isSame(each.deliver().route(), other));
        }

        private static boolean isSame(Route one, Route other) {
            return one.transport().equals(other.transport()) && one.nextHop().equals(other.nextHop());
        }
    }

    private final EventList clock;
    private final RandomGenerator chance;
    private final ReceivingSide receivers;
    private final OwnServer ownServer;
    private final PlaceRules rules;
    final Map<Long, SimulatedConnection> connections = new TreeMap<>();
    private int generation;

    /// @param receivers the servers, which all shards of a world share
    SimulatedNetwork(Scenario scenario, ReceivingSide receivers, EventList clock, RandomGenerator chance) {
        this.receivers = receivers;
        this.clock = clock;
        this.chance = chance;
        this.ownServer = scenario.ownServer();
        this.rules = scenario.placement();
    }

    ReceivingSide receivers() {
        return receivers;
    }

    /// Cuts all connections of this shard.
    void crash() {
        generation++;
        List.copyOf(connections.values()).forEach(connection -> {
            if (connection.phase == TransferPhase.OPENING) {
                remove(connection);
            } else {
                disconnect(connection);
            }
        });
    }

    void find(QmgrOrder.FindRoute find, Consumer<QmgrEvent> answer) {
        SimulatedDomain target = receivers.target(find.domain());
        int asked = receivers.asked(find.domain());
        later(ownServer.dnsMillis(), () -> answer.accept(target.missing()
                ? new QmgrEvent.RouteFailed(find.domain(), Reply.of(550, "5.1.2", "no such domain"))
                : asked <= target.dnsFailures()
                        ? new QmgrEvent.RouteFailed(find.domain(), Reply.of(451, "4.4.3", "DNS timeout"))
                        : new QmgrEvent.RouteKnown(find.domain(), target.route())));
    }

    // ---- connections

    void open(QmgrOrder.Open open, Consumer<QmgrEvent> answer) {
        CarrierReports reports = new CarrierReports(answer);
        ReceivingSide.NetworkHost host = receivers.host(open.route());
        SimulatedConnection connection = new SimulatedConnection(open.connection(), open.route(), host,
                new DepthEstimate(host.server().path().roundTripMillis(), rules.depth().first(), rules.depth().most()));
        connections.put(connection.number, connection);
        receivers.opened(connection);
        if (isOurFault()) {
            later(1, () -> {
                if (remove(connection)) {
                    reports.failedHere(connection.number, NO_SOCKET);
                }
            });
            return;
        }
        // Answers come after the order, even without latency.
        later(0, () -> host.admission().arrive(new SimulatedServer.SimulatedClient() {
            @Override
            public boolean isOpen() {
                return connections.get(connection.number) == connection;
            }

            @Override
            public void scripted(ScriptSession session) {
                connection.script = Optional.of(session);
            }

            @Override
            public void greeted() {
                becomeIdle(connection, reports);
                reports.ready(connection.number);
                if (connection.server.path().depth() > 0) {
                    reports.depth(connection.number, connection.server.path().depth());
                }
            }

            @Override
            public void failed(Reply reason) {
                remove(connection);
                reports.failed(connection.number, reason, connection.host);
            }
        }));
    }

    private boolean isOurFault() {
        return ownServer.ownFailures() > 0 && chance.nextDouble() < ownServer.ownFailures();
    }

    void close(QmgrOrder.Close close, Consumer<QmgrEvent> answer) {
        SimulatedConnection connection = connections.get(close.connection());
        if (connection == null) {
            return;
        }
        if (connection.phase == TransferPhase.OPENING) {
            remove(connection);
            // A carrier that is aborted while it opens reports a failure.
            later(1, () -> new CarrierReports(answer).failedHere(connection.number, ABORTED));
        } else {
            disconnect(connection);
        }
    }

    private void disconnect(SimulatedConnection connection) {
        remove(connection);
        connection.script.ifPresent(ScriptSession::end);
        connection.admission.sessionEnded();
    }

    private boolean remove(SimulatedConnection connection) {
        receivers.closed(connection);
        return connections.remove(connection.number, connection);
    }

    // ---- deliveries

    void deliver(QmgrOrder.Deliver deliver, Consumer<QmgrEvent> answer) {
        CarrierReports reports = new CarrierReports(answer);
        SimulatedConnection connection = connections.get(deliver.connection());
        if (connection == null) {
            // The server has closed the connection. A carrier reports a result for each order in
            // this case too.
            later(1, () -> reports.unanswered(deliver, RESET, SimulatedDomain.names(deliver.route()).getFirst(),
                    false));
            return;
        }
        ServerProfile server = connection.server;
        connection.phase = TransferPhase.BUSY;
        Optional<ScriptedDelivery> scripted = connection.script.map(session -> scripted(session, deliver));
        boolean breaks = server.drops() > 0 && chance.nextDouble() < server.drops()
                || scripted.map(ScriptedDelivery::breaks).orElse(false);
        long millis = scripted.map(ScriptedDelivery::delayMillis).orElse(0L) + server.delivery().millis(chance)
                + server.perRecipient().millis(chance) * deliver.recipients().size();
        connection.desynchronized |= !server.path().pipelines() && !connection.underWay.isEmpty();
        connection.underWay.add(new Transfer(deliver, clock.now(), breaks, isOurFault(), scripted));
        long way = server.path().roundTripMillis() / 2;
        connection.serverFreeMillis = Math.max(clock.now() + way, connection.serverFreeMillis) + millis;
        later(connection.serverFreeMillis - way + server.path().roundTripMillis() - clock.now(),
                () -> replies(connection, reports));
    }

    private ScriptedDelivery scripted(ScriptSession session, QmgrOrder.Deliver deliver) {
        String sender = receivers.counts(deliver.id()).mail.sender().map(Object::toString).orElse("");
        return ScriptedDelivery.of(session, sender, deliver.recipients().stream()
                .map(each -> each.address().toString()).toList(), clock.now());
    }

    /// The server replies to the first delivery, unless the connection has ended or breaks now.
    private void replies(SimulatedConnection connection, CarrierReports reports) {
        if (connections.get(connection.number) != connection) {
            return;
        }
        if (connection.desynchronized) {
            reports.pipelinesBadly(connection.number, "replies are mixed up");
        }
        if (connection.desynchronized || connection.underWay.element().breaks() || connection.admission.isDown()) {
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
            reports.answered(first.deliver(), outcomes(connection, first));
        }
        if (connection.server.path().depth() == 0 && connection.depth.answered(clock.now() - first.sentMillis())) {
            reports.depth(connection.number, connection.depth.depth());
        }
        if (first.scripted().map(ScriptedDelivery::closes).orElse(false)) {
            closes(connection, reports);
        }
    }

    /// The server closes after a reply with 421 (RFC 5321 section 3.8).
    private void closes(SimulatedConnection connection, CarrierReports reports) {
        if (connection.underWay.isEmpty()) {
            disconnect(connection);
            later(CLOSE_NOTICE_MILLIS, () -> reports.lost(connection.number, "closed by the server"));
        } else {
            breaks(connection, reports);
        }
    }

    private void breaks(SimulatedConnection connection, CarrierReports reports) {
        disconnect(connection);
        boolean first = true;
        for (Transfer each : connection.underWay) {
            // A script ends the session before the content is complete.
            boolean planned = each.scripted().map(ScriptedDelivery::breaks).orElse(false);
            boolean sent = !each.failsHere() && !planned && chance.nextInt(first ? 2 : 4) == 0;
            if (sent) {
                countUnconfirmed(connection, each, first && chance.nextBoolean());
            }
            reports.unanswered(each.deliver(), RESET, connection.host, sent);
            first = false;
        }
    }

    /// @param arrives whether the server has the content and its reply is lost
    private void countUnconfirmed(SimulatedConnection connection, Transfer sent, boolean arrives) {
        ReceivingSide.RecipientCounts counts = receivers.counts(sent.deliver().id());
        sent.deliver().recipients().forEach(each -> counts.unconfirmed[each.number()]++);
        if (arrives) {
            outcomes(connection, sent);
        }
    }

    private List<RecipientOutcome> outcomes(SimulatedConnection connection, Transfer transfer) {
        QmgrOrder.Deliver deliver = transfer.deliver();
        ReceivingSide.RecipientCounts counts = receivers.counts(deliver.id());
        List<RecipientOutcome> outcomes = new ArrayList<>(deliver.recipients().size());
        for (Recipient recipient : deliver.recipients()) {
            int number = recipient.number();
            Reply own = reply(connection.server, counts.mail.recipients().get(number - 1).script(),
                    ++counts.attempts[number]);
            int place = outcomes.size();
            Reply reply = transfer.scripted().map(each -> each.replies().get(place)).filter(_ -> own.isPositive())
                    .orElse(own);
            Outcome outcome = Outcome.of(reply, connection.host);
            if (outcome instanceof Outcome.Delivered) {
                counts.copies[number]++;
            }
            outcomes.add(new RecipientOutcome(number, outcome));
        }
        if (chance.nextInt(8) == 0) {
            Collections.reverse(outcomes); // the order of outcomes is not defined
        }
        return outcomes;
    }

    private Reply reply(ServerProfile server, ReplyScript fortune, int attempt) {
        Reply later = Reply.of(450, "4.2.0", "try later");
        Optional<Reply> recorded = server.recorded().flatMap(each -> each.delivery(clock.now()));
        if (recorded.isPresent()) {
            return recorded.get();
        }
        if (server.deferrals() > 0 && chance.nextDouble() < server.deferrals()) {
            return later;
        }
        if (server.refusals() > 0 && chance.nextDouble() < server.refusals()) {
            return Reply.of(550, "5.7.1", "not here");
        }
        return switch (fortune) {
            case ReplyScript.Welcome _ -> Reply.of(250, "2.0.0", "ok");
            case ReplyScript.Refused _ -> Reply.of(550, "5.1.1", "no such user");
            case ReplyScript.Late late -> attempt <= late.times() ? later : Reply.of(250, "2.0.0", "ok");
            case ReplyScript.Never _ -> later;
            case ReplyScript.Until until -> clock.now() < until.millis() ? until.reply() : Reply.of(250, "2.0.0", "ok");
        };
    }

    // ---- idle connections

    private void becomeIdle(SimulatedConnection connection, CarrierReports reports) {
        connection.phase = TransferPhase.IDLE;
        connection.idleSinceMillis = clock.now();
        if (connection.server.idleTimeoutMillis() < Long.MAX_VALUE) {
            later(connection.server.idleTimeoutMillis(), () -> closeIdle(connection, reports));
        }
    }

    private void closeIdle(SimulatedConnection connection, CarrierReports reports) {
        boolean stillIdle = connections.get(connection.number) == connection && connection.phase == TransferPhase.IDLE
                && connection.idleSinceMillis + connection.server.idleTimeoutMillis() <= clock.now();
        if (stillIdle) {
            disconnect(connection);
            later(CLOSE_NOTICE_MILLIS, () -> reports.lost(connection.number, "closed by the server"));
        }
    }

    private void later(long millis, Runnable action) {
        int thisGeneration = generation;
        clock.after(millis, () -> {
            if (generation == thisGeneration) {
                action.run();
            }
        });
    }
}
