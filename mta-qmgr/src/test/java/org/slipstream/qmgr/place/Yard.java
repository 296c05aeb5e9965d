package org.slipstream.qmgr.place;

import org.slipstream.core.Address;
import org.slipstream.core.HostKey;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.qmgr.place.Aftermath.Fate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Stream;

/// A yard full of workers, a clock to turn by hand, and a wire that does what the test says.
final class Yard implements PlaceOrders {
    static final Reply OK = Reply.of(250, "2.0.0", "ok");
    static final Reply REFUSED = Reply.of(450, "4.4.1", "connection refused");

    final DestDb hosts;
    final Workers workers;
    long now = 1_000_000;

    /// Connections in order of opening, with their host's address, as long as they are open.
    final Map<Long, String> open = new LinkedHashMap<>();
    final Map<Long, Long> deliveredOn = new LinkedHashMap<>();
    final List<String> log = new ArrayList<>();
    final List<Fate> fates = new ArrayList<>();
    final List<Aftermath.Trouble> troubles = new ArrayList<>();
    boolean seats;
    long deliveries;

    Yard(PlaceRules rules) {
        this(rules, 1);
    }

    Yard(PlaceRules rules, long seed) {
        hosts = new DestDb(rules);
        workers = new Workers(rules, hosts, new Random(seed));
    }

    static Candidate host(String name) {
        return new Candidate(HostKey.of(name, 25), "mx." + name);
    }

    static Candidates to(String... names) {
        return Candidates.of("d.example", Stream.of(names).map(Yard::host).toArray(Candidate[]::new));
    }

    static Payer message(long id) {
        return new Payer.Message(new QueueId(id + 1));
    }

    // ---- what the queue manager does

    Seat ask(Payer payer, Candidates where) {
        return workers.ask(payer, where, true, now);
    }

    /// One load of this message; where it went.
    Seat seat(long message, Candidates where) {
        return seat(message(message), where, true);
    }

    Seat seat(Payer payer, Candidates where, boolean mayOpen) {
        Seat seat = workers.ask(payer, where, mayOpen, now);
        if (!(seat instanceof Seat.Wait)) {
            List<Recipient> recipients = List.of(new Recipient(1, Address.of("r@d.example")));
            workers.seat(new Load(++deliveries, payer, where, recipients), now, this);
        }
        return seat;
    }

    /// Seats a load that needs a new connection, and greets it. The connection.
    long opened(long message, Candidates where) {
        Seat seat = seat(message, where);
        if (!(seat instanceof Seat.Open)) {
            throw new AssertionError("no new connection, but " + seat);
        }
        long connection = last();
        ready(connection);
        return connection;
    }

    /// A connection that has had one load and is idle now.
    long idle(long message, Candidates where) {
        long connection = opened(message, where);
        answer(connection, deliveries);
        return connection;
    }

    // ---- what the wire does

    long last() {
        return List.copyOf(open.keySet()).getLast();
    }

    void ready(long connection) {
        news(new ConnectionNews.Ready(connection));
    }

    void refuse(long connection) {
        open.remove(connection);
        news(new ConnectionNews.Failed(connection, REFUSED, "mx", false, OptionalLong.empty()));
    }

    void answer(long connection, long delivery) {
        answer(connection, delivery, OK, true, false);
    }

    void answer(long connection, long delivery, Reply reply, boolean usable, boolean siteTrouble) {
        if (!usable) {
            open.remove(connection);
        }
        news(new ConnectionNews.Answered(connection, delivery,
                List.of(new RecipientOutcome(1, Outcome.of(reply, "mx"))), usable, siteTrouble));
    }

    void hangUp(long connection, long delivery, boolean mayHaveArrived) {
        open.remove(connection);
        comesBack(connection, delivery, mayHaveArrived);
    }

    /// What was handed to this connection comes back, nothing of it sent to its end.
    void lose(long connection) {
        open.remove(connection);
        news(new ConnectionNews.Lost(connection, "peer hung up"));
        unanswered(connection).forEach(delivery -> comesBack(connection, delivery, false));
    }

    void comesBack(long connection, long delivery, boolean mayHaveArrived) {
        deliveredOn.remove(delivery, connection);
        news(new ConnectionNews.Returned(connection, delivery, Reply.of(450, "4.4.2", "connection reset"), "mx",
                mayHaveArrived));
    }

    private List<Long> unanswered(long connection) {
        return deliveredOn.entrySet().stream().filter(each -> each.getValue() == connection).map(Map.Entry::getKey)
                .filter(delivery -> fates.stream().noneMatch(fate -> fate.delivery() == delivery)).toList();
    }

    void news(ConnectionNews news) {
        learn(workers.happened(news, now, this));
    }

    void after(long millis) {
        now += millis;
        if (workers.nextAlarmMillis() <= now) {
            learn(workers.alarm(now, this));
        }
    }

    private void learn(Aftermath aftermath) {
        fates.addAll(aftermath.fates());
        troubles.addAll(aftermath.troubles());
        seats |= aftermath.seats();
    }

    // ---- what is ordered

    @Override
    public void open(long connection, Candidate host, Load first) {
        open.put(connection, host.host().address());
        log.add("open " + connection + " " + host.host().address());
    }

    @Override
    public void deliver(long connection, Load load) {
        if (!open.containsKey(connection)) {
            throw new AssertionError("delivered on a closed connection " + connection);
        }
        deliveredOn.put(load.delivery(), connection);
        log.add("deliver " + load.delivery() + " on " + connection);
    }

    @Override
    public void close(long connection) {
        open.remove(connection);
        log.add("close " + connection);
    }

    // ---- what is seen

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
