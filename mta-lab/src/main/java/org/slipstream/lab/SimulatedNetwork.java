package org.slipstream.lab;

import org.slipstream.core.DeliveryResult;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.lab.Scenario.Fortune;
import org.slipstream.lab.Scenario.Mail;
import org.slipstream.lab.Scenario.Place;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/// DNS and the connections to the servers of the world, each with its latencies, outages, limits and whims.
final class SimulatedNetwork {
    private static final long HANG_UP_NEWS_MILLIS = 40;

    enum Phase {
        OPENING, IDLE, BUSY
    }

    static final class Connection {
        final long number;
        final Route route;
        final Server server;
        final SimulatedServer door;
        Phase phase = Phase.OPENING;
        long idleSinceMillis;

        Connection(long number, Route route, Server server, SimulatedServer door) {
            this.number = number;
            this.route = route;
            this.server = server;
            this.door = door;
        }
    }

    /// What the servers know of one message: attempts and copies by recipient.
    private static final class Ledger {
        final Mail mail;
        final int[] attempts;
        final int[] copies;

        Ledger(Mail mail) {
            this.mail = mail;
            this.attempts = new int[mail.recipients().size() + 1];
            this.copies = new int[mail.recipients().size() + 1];
        }
    }

    private record Site(Place place, SimulatedServer door) {}

    private final Clockwork clock;
    private final RandomGenerator chance;
    private final Map<String, Place> byDomain = new TreeMap<>();
    private final Map<String, Site> byHop = new TreeMap<>();
    private final Map<String, Integer> questions = new TreeMap<>();
    private final Map<QueueId, Ledger> ledgers = new TreeMap<>();
    private final long dnsMillis;
    final Map<Long, Connection> connections = new TreeMap<>();
    private int life;

    SimulatedNetwork(Scenario scenario, Clockwork clock, RandomGenerator chance) {
        this.clock = clock;
        this.chance = chance;
        this.dnsMillis = scenario.house().dnsMillis();
        for (Place place : scenario.places()) {
            byDomain.put(place.domain(), place);
            byHop.put(hop(place.route()),
                    new Site(place, new SimulatedServer(place.server(), scenario.house(), clock, chance)));
        }
    }

    private static String hop(Route route) {
        return route.transport() + "/" + route.nextHop();
    }

    void expect(Mail mail) {
        ledgers.put(mail.id(), new Ledger(mail));
    }

    Place place(String domain) {
        return byDomain.get(domain);
    }

    /// Copies that arrived.
    int copies(QueueId id, int number) {
        return ledgers.containsKey(id) ? ledgers.get(id).copies[number] : 0;
    }

    void crash() {
        life++;
        connections.clear();
        byHop.values().forEach(site -> site.door().crash());
    }

    void find(QmgrOrder.FindRoute find, Consumer<QmgrEvent> answer) {
        Place place = byDomain.get(find.domain());
        int asked = questions.merge(find.domain(), 1, Integer::sum);
        later(dnsMillis, () -> answer.accept(place.nowhere()
                ? new QmgrEvent.RouteFailed(find.domain(), Reply.of(550, "5.1.2", "no such domain"))
                : asked <= place.dnsFailures()
                        ? new QmgrEvent.RouteFailed(find.domain(), Reply.of(451, "4.4.3", "DNS timeout"))
                        : new QmgrEvent.RouteKnown(find.domain(), place.route())));
    }

    void open(QmgrOrder.Open open, Consumer<QmgrEvent> answer) {
        Site site = byHop.get(hop(open.route()));
        Connection connection = new Connection(open.connection(), site.place().route(), site.place().server(),
                site.door());
        connections.put(connection.number, connection);
        // Answers come after the order, however quick the server is.
        later(0, () -> site.door().call(new SimulatedServer.Caller() {
            @Override
            public boolean isThere() {
                return connections.get(connection.number) == connection;
            }

            @Override
            public void greeted() {
                becomeIdle(connection, answer);
                answer.accept(new QmgrEvent.ConnectionReady(connection.number));
            }

            @Override
            public void failed(Reply reason) {
                connections.remove(connection.number);
                answer.accept(new QmgrEvent.ConnectionFailed(connection.number, reason, connection.route.nextHop()));
            }
        }));
    }

    void deliver(QmgrOrder.Deliver deliver, Consumer<QmgrEvent> answer) {
        Connection connection = connections.get(deliver.connection());
        if (connection == null) {
            // The server hung up while the order was on its way. A carrier answers each order all the same.
            later(1, () -> answer.accept(broken(deliver)));
            return;
        }
        Server server = connection.server;
        connection.phase = Phase.BUSY;
        boolean breaks = server.drops() > 0 && chance.nextDouble() < server.drops();
        long millis = server.delivery().millis(chance)
                + server.perRecipient().millis(chance) * deliver.recipients().size();
        later(millis, () -> {
            if (breaks || connection.door.isDown()) {
                leave(connection);
                answer.accept(broken(deliver));
            } else {
                List<RecipientOutcome> outcomes = outcomes(server, deliver);
                becomeIdle(connection, answer);
                answer.accept(new QmgrEvent.DeliveryDone(new DeliveryResult.Answered(deliver.delivery().number(),
                        connection.number, outcomes, true)));
            }
        });
    }

    void close(QmgrOrder.Close close, Consumer<QmgrEvent> answer) {
        Connection connection = connections.get(close.connection());
        if (connection == null) {
            return;
        }
        if (connection.phase == Phase.OPENING) {
            connections.remove(connection.number);
            // A carrier that is cut while it opens says so.
            later(1, () -> answer.accept(new QmgrEvent.ConnectionFailed(connection.number,
                    Reply.of(451, "4.3.2", "aborted"), "local")));
        } else {
            leave(connection);
        }
    }

    private void leave(Connection connection) {
        connections.remove(connection.number);
        connection.door.left();
    }

    private List<RecipientOutcome> outcomes(Server server, QmgrOrder.Deliver deliver) {
        Ledger ledger = ledgers.get(deliver.id());
        List<RecipientOutcome> outcomes = new ArrayList<>(deliver.recipients().size());
        for (Recipient recipient : deliver.recipients()) {
            int number = recipient.number();
            Reply reply = reply(server, ledger.mail.recipients().get(number - 1).fortune(), ++ledger.attempts[number]);
            Outcome outcome = Outcome.of(reply, deliver.route().nextHop());
            if (outcome instanceof Outcome.Delivered) {
                ledger.copies[number]++;
            }
            outcomes.add(new RecipientOutcome(number, outcome));
        }
        if (chance.nextInt(8) == 0) {
            Collections.reverse(outcomes); // nobody promised an order
        }
        return outcomes;
    }

    private Reply reply(Server server, Fortune fortune, int attempt) {
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

    private static QmgrEvent broken(QmgrOrder.Deliver deliver) {
        return new QmgrEvent.DeliveryDone(new DeliveryResult.Unanswered(deliver.delivery().number(),
                deliver.connection(), Reply.of(450, "4.4.2", "connection reset"), deliver.route().nextHop(),
                false));
    }

    private void becomeIdle(Connection connection, Consumer<QmgrEvent> answer) {
        connection.phase = Phase.IDLE;
        connection.idleSinceMillis = clock.now();
        if (connection.server.patienceMillis() < Long.MAX_VALUE) {
            later(connection.server.patienceMillis(), () -> hangUp(connection, answer));
        }
    }

    private void hangUp(Connection connection, Consumer<QmgrEvent> answer) {
        boolean stillIdle = connections.get(connection.number) == connection && connection.phase == Phase.IDLE
                && connection.idleSinceMillis + connection.server.patienceMillis() <= clock.now();
        if (stillIdle) {
            leave(connection);
            later(HANG_UP_NEWS_MILLIS,
                    () -> answer.accept(new QmgrEvent.ConnectionLost(connection.number, "peer hung up")));
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
