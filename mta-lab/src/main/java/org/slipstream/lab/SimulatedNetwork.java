package org.slipstream.lab;

import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.lab.Scenario.Fortune;
import org.slipstream.lab.Scenario.Place;
import org.slipstream.qmgr.QmgrEvent;
import org.slipstream.qmgr.QmgrOrder;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/// DNS and the servers of the world, each with its latencies, outages, limits and whims.
final class SimulatedNetwork {
    private static final long HANG_UP_NEWS_MILLIS = 40;

    enum Phase {
        OPENING, IDLE, BUSY
    }

    static final class Connection {
        final long number;
        final Place place;
        Phase phase = Phase.OPENING;
        long idleSinceMillis;

        Connection(long number, Place place) {
            this.number = number;
            this.place = place;
        }
    }

    private final Clockwork clock;
    private final RandomGenerator chance;
    private final Map<String, Place> byDomain = new TreeMap<>();
    private final Map<String, Place> byHop = new TreeMap<>();
    private final Map<String, Integer> questions = new TreeMap<>();
    private final Map<String, Fortune> fortunes = new TreeMap<>();
    private final Map<String, Integer> attempts = new TreeMap<>();
    private final long dnsMillis;
    final Map<Long, Connection> connections = new TreeMap<>();

    /// Copies that arrived, by message and recipient number.
    final Map<String, Integer> copies = new TreeMap<>();
    private int life;

    SimulatedNetwork(Scenario scenario, Clockwork clock, RandomGenerator chance) {
        this.clock = clock;
        this.chance = chance;
        this.dnsMillis = scenario.house().dnsMillis();
        for (Place place : scenario.places()) {
            byDomain.put(place.domain(), place);
            byHop.put(place.route().transport() + "/" + place.route().nextHop(), place);
        }
    }

    static String key(QueueId id, int number) {
        return id + "#" + number;
    }

    void expect(Scenario.Mail mail) {
        for (int i = 0; i < mail.recipients().size(); i++) {
            fortunes.put(key(mail.id(), i + 1), mail.recipients().get(i).fortune());
        }
    }

    Place place(String domain) {
        return byDomain.get(domain);
    }

    void crash() {
        life++;
        connections.clear();
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
        Place place = byHop.get(open.route().transport() + "/" + open.route().nextHop());
        Connection connection = new Connection(open.connection(), place);
        connections.put(connection.number, connection);
        later(place.connectMillis(), () -> {
            long up = connections.values().stream().filter(c -> c.place == place && c.phase != Phase.OPENING).count();
            if (place.isUp(clock.now()) && up < place.connectionLimit()) {
                becomeIdle(connection, answer);
                answer.accept(new QmgrEvent.ConnectionReady(connection.number));
            } else {
                connections.remove(connection.number);
                answer.accept(new QmgrEvent.ConnectionFailed(connection.number,
                        Reply.of(450, "4.4.1", "connection refused"), place.domain()));
            }
        });
    }

    void deliver(QmgrOrder.Deliver deliver, Consumer<QmgrEvent> answer) {
        Connection connection = connections.get(deliver.connection());
        if (connection == null) {
            // The server hung up while the order was on its way. Carriers may or may not say more than that.
            if (chance.nextBoolean()) {
                later(1, () -> answer.accept(broken(deliver)));
            }
            return;
        }
        connection.phase = Phase.BUSY;
        boolean breaks = chance.nextDouble() < connection.place.breaks();
        later(connection.place.deliverMillis(), () -> {
            if (breaks || !connection.place.isUp(clock.now())) {
                connections.remove(connection.number);
                answer.accept(broken(deliver));
            } else {
                List<RecipientOutcome> outcomes = outcomes(deliver);
                becomeIdle(connection, answer);
                answer.accept(new QmgrEvent.DeliveryDone(deliver.delivery(), connection.number, outcomes, true, false));
            }
        });
    }

    void close(QmgrOrder.Close close) {
        connections.remove(close.connection());
    }

    private List<RecipientOutcome> outcomes(QmgrOrder.Deliver deliver) {
        List<RecipientOutcome> outcomes = new ArrayList<>();
        for (Recipient recipient : deliver.recipients()) {
            String key = key(deliver.id(), recipient.number());
            int attempt = attempts.merge(key, 1, Integer::sum);
            Outcome outcome = Outcome.of(reply(fortunes.get(key), attempt), deliver.route().nextHop());
            if (outcome instanceof Outcome.Delivered) {
                copies.merge(key, 1, Integer::sum);
            }
            outcomes.add(new RecipientOutcome(recipient.number(), outcome));
        }
        if (chance.nextInt(8) == 0) {
            Collections.reverse(outcomes); // nobody promised an order
        }
        return outcomes;
    }

    private static Reply reply(Fortune fortune, int attempt) {
        Reply later = Reply.of(450, "4.2.0", "try later");
        return switch (fortune) {
            case Fortune.Welcome _ -> Reply.of(250, "2.0.0", "ok");
            case Fortune.Refused _ -> Reply.of(550, "5.1.1", "no such user");
            case Fortune.Late late -> attempt <= late.times() ? later : Reply.of(250, "2.0.0", "ok");
            case Fortune.Never _ -> later;
        };
    }

    private static QmgrEvent broken(QmgrOrder.Deliver deliver) {
        Outcome outcome = new Outcome.Deferred(Reply.of(450, "4.4.2", "connection reset"), deliver.route().nextHop());
        return new QmgrEvent.DeliveryDone(deliver.delivery(), deliver.connection(),
                deliver.recipients().stream().map(r -> new RecipientOutcome(r.number(), outcome)).toList(), false,
                true);
    }

    private void becomeIdle(Connection connection, Consumer<QmgrEvent> answer) {
        connection.phase = Phase.IDLE;
        connection.idleSinceMillis = clock.now();
        if (connection.place.patienceMillis() < Long.MAX_VALUE) {
            later(connection.place.patienceMillis(), () -> hangUp(connection, answer));
        }
    }

    private void hangUp(Connection connection, Consumer<QmgrEvent> answer) {
        boolean stillIdle = connections.get(connection.number) == connection && connection.phase == Phase.IDLE
                && connection.idleSinceMillis + connection.place.patienceMillis() <= clock.now();
        if (stillIdle) {
            connections.remove(connection.number);
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
