package org.slipstream.qmgr.place;

import org.slipstream.core.Address;
import org.slipstream.core.HostKey;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.Effects.Ended;
import org.slipstream.qmgr.shard.Leases;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/// The connections of one transport with a manual clock and a simulated network. After each event
/// the fixture acts as the queue manager does: it gives feedback first, and then other seats to
/// displaced deliveries.
final class Yard implements OrderSink {
    static final Reply OK = Reply.of(250, "2.0.0", "ok");
    static final Reply REFUSED = Reply.of(450, "4.4.1", "connection refused");
    static final Reply RESET = Reply.of(450, "4.4.2", "connection reset");

    final PlaceRules rules;
    final DestDb hosts;
    final Connections connections;
    long now = 1_000_000;

    /// A destination dies with its first negative feedback.
    boolean fragile;

    /// Connections in order of opening, with their host's address, as long as they are open.
    final Map<Long, String> open = new LinkedHashMap<>();
    final Map<Long, Long> deliveredOn = new LinkedHashMap<>();
    final List<QmgrOrder.Deliver> delivered = new ArrayList<>();
    final List<String> log = new ArrayList<>();
    final List<Ended> ended = new ArrayList<>();
    final List<Effects.Refusal> refusals = new ArrayList<>();
    private final Map<Long, Candidates> destinations = new LinkedHashMap<>();
    boolean seats;
    Optional<Duration> idle = Optional.empty();
    long deliveries;
    private long numbers;

    Yard(PlaceRules rules) {
        this(rules, 1);
    }

    Yard(PlaceRules rules, long seed) {
        this.rules = rules;
        hosts = new DestDb(rules.memory());
        connections = new Connections(rules, hosts, new Random(seed), () -> ++numbers,
                new TransportLeases("", rules, Leases.whole()));
    }

    static Candidate host(String name) {
        return host(name, "mx." + name);
    }

    static Candidate host(String address, String name) {
        return new Candidate(HostKey.of(address, 25), name, route(name));
    }

    static Route route(String name) {
        return new Route.Smtp("d.example", List.of(new Route.Host(name, 25, 0)));
    }

    static Candidates to(String... names) {
        return Candidates.of("d.example", Stream.of(names).map(Yard::host).toArray(Candidate[]::new));
    }

    static Owner message(long id) {
        return new Owner.Message(new QueueId(id + 1));
    }

    // ---- what the queue manager does

    Seat ask(Owner owner, Candidates where) {
        return connections.ask(owner, where, true, now);
    }

    /// Seats one delivery of this message and returns its seat.
    Seat seat(long message, Candidates where) {
        return seat(message(message), where, true);
    }

    Seat seat(Owner owner, Candidates where, boolean mayOpen) {
        Seat seat = connections.ask(owner, where, mayOpen, now);
        if (!(seat instanceof Seat.Wait)) {
            List<Recipient> recipients = List.of(new Recipient(1, Address.of("r@d.example")));
            destinations.put(++deliveries, where);
            connections.seat(seat, new Assignment(deliveries, new QueueId(deliveries), owner, where, recipients,
                    idle, List.of()), now, this);
        }
        return seat;
    }

    /// Seats a delivery that needs a new connection, which becomes ready. Returns the connection.
    long opened(long message, Candidates where) {
        Seat seat = seat(message, where);
        if (!(seat instanceof Seat.Open)) {
            throw new AssertionError("no new connection, but " + seat);
        }
        long connection = last();
        ready(connection);
        return connection;
    }

    /// A connection that had one delivery and is idle now.
    long idle(long message, Candidates where) {
        long connection = opened(message, where);
        answer(connection, deliveries);
        return connection;
    }

    /// The only host of a destination fails, and the destination dies.
    void breaks(String name) {
        seat(1, to(name));
        refuse(last());
        dead(to(name));
    }

    void dead(Candidates where) {
        connections.dead(where, REFUSED, now + rules.memory().retry().toMillis(), now);
    }

    // ---- the network

    long last() {
        return List.copyOf(open.keySet()).getLast();
    }

    void ready(long connection) {
        news(new QmgrEvent.ConnectionReady(connection));
    }

    void refuse(long connection) {
        fail(connection, REFUSED);
    }

    void fail(long connection, Reply reason) {
        open.remove(connection);
        news(new QmgrEvent.ConnectionFailed(connection, reason, "mx"));
    }

    void answer(long connection, long delivery) {
        answer(connection, delivery, OK, true);
    }

    void answer(long connection, long delivery, Reply reply, boolean usable) {
        if (!usable) {
            open.remove(connection);
        }
        done(new DeliveryResult.Answered(delivery, connection,
                List.of(new RecipientOutcome(1, Outcome.of(reply, "mx"))), usable));
    }

    void hangUp(long connection, long delivery, boolean mayHaveArrived) {
        open.remove(connection);
        comesBack(connection, delivery, mayHaveArrived);
    }

    /// The deliveries of this connection return, none of them sent completely.
    void lose(long connection) {
        open.remove(connection);
        news(new QmgrEvent.ConnectionLost(connection, "peer hung up"));
        unanswered(connection).forEach(delivery -> comesBack(connection, delivery, false));
    }

    void comesBack(long connection, long delivery, boolean mayHaveArrived) {
        deliveredOn.remove(delivery, connection);
        done(new DeliveryResult.Unanswered(delivery, connection, RESET, "mx", mayHaveArrived));
    }

    private List<Long> unanswered(long connection) {
        return deliveredOn.entrySet().stream().filter(each -> each.getValue() == connection).map(Map.Entry::getKey)
                .filter(delivery -> ended.stream().noneMatch(how -> how.delivery() == delivery)).toList();
    }

    void done(DeliveryResult result) {
        news(new QmgrEvent.DeliveryDone(result));
    }

    void news(QmgrEvent.OfConnection event) {
        learn(connections.handle(event, now, this));
        learn(connections.reseat(now, this));
    }

    void after(long millis) {
        now += millis;
        if (connections.nextAlarmMillis() <= now) {
            learn(connections.alarm(now, this));
            learn(connections.reseat(now, this));
        }
    }

    private void learn(Effects effects) {
        ended.addAll(effects.ended());
        refusals.addAll(effects.refusals());
        seats |= effects.seatsElsewhere();
        for (Ended how : effects.ended()) {
            if (fragile && how instanceof Ended.Failed) {
                dead(destinations.get(how.delivery()));
            }
        }
    }

    // ---- what is ordered

    @Override
    public void order(QmgrOrder order) {
        switch (order) {
            case QmgrOrder.Open(long connection, Route route) -> {
                String name = nameIn(route).replaceFirst("^mx\\.", "");
                open.put(connection, name);
                log.add("open " + connection + " " + name);
            }
            case QmgrOrder.Deliver deliver -> {
                if (!open.containsKey(deliver.connection())) {
                    throw new AssertionError("delivered on a closed connection: " + deliver);
                }
                delivered.add(deliver);
                deliveredOn.put(deliver.delivery().number(), deliver.connection());
                log.add("deliver " + deliver.delivery().number() + " on " + deliver.connection());
            }
            case QmgrOrder.Close(long connection) -> {
                open.remove(connection);
                log.add("close " + connection);
            }
            default -> throw new AssertionError("no order of the placement: " + order);
        }
    }

    // ---- what is seen

    /// The name of the one host of a route.
    static String nameIn(Route route) {
        List<Route.Host> hosts = ((Route.Smtp) route).hosts();
        if (hosts.size() != 1) {
            throw new AssertionError("not one host: " + route);
        }
        return hosts.getFirst().name();
    }

    List<Long> endedDeliveries() {
        return ended.stream().map(Ended::delivery).toList();
    }

    Reply lastReply() {
        return ended.getLast().outcomes().getFirst().outcome().reply();
    }

    HostState mark(String name) {
        return hosts.mark(HostKey.of(name, 25), now);
    }

    static String hostOf(Seat seat) {
        return switch (seat) {
            case Seat.Open open -> open.host().host().address();
            case Seat.Reuse reuse -> reuse.host().host().address();
            case Seat.Queue queue -> queue.host().host().address();
            case Seat.Wait _,Seat.Defer _ -> throw new AssertionError("no host: " + seat);
        };
    }
}
