package org.slipstream.lab;

import org.slipstream.core.Reply;
import org.slipstream.lab.Scenario.Fault;
import org.slipstream.lab.Scenario.OwnServer;
import org.slipstream.sink.script.Reaction;
import org.slipstream.sink.script.ScriptPhase;
import org.slipstream.sink.script.ScriptRun;
import org.slipstream.sink.script.ScriptSession;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// The admission of connections by one [ServerProfile]: which connections get a session, which
/// wait, and which get a 421.
///
/// A connection has three stages.
///
/// 1. *Connected*: the operating system of the server accepts, unless the server is down or its
///    connection queue is full. Then the client times out.
/// 2. *Admitted*: a session is free. Otherwise the connection waits in the queue, if there is one,
///    and no greeting comes.
/// 3. *Greeted*: the greeting was sent.
final class SimulatedServer {
    private static final Reply REFUSED = Reply.of(450, "4.4.1", "connection refused");
    private static final Reply TIMED_OUT = Reply.of(450, "4.4.1", "connection timed out");
    private static final Reply NO_GREETING = Reply.of(450, "4.4.2", "no greeting");
    private static final Reply TOO_MANY = Reply.of(421, "4.7.0", "too many connections");
    private static final Reply RESET = Reply.of(450, "4.4.1", "connection reset");
    private static final Reply CLOSED = Reply.of(450, "4.4.2", "closed instead of a greeting");
    private static final long MINUTE = 60_000;

    /// A client that waits for its greeting.
    interface SimulatedClient {
        /// Whether the client has not closed yet.
        boolean isOpen();

        void greeted();

        /// The server follows a script in this session. Called before [#greeted].
        default void scripted(ScriptSession session) {}

        void failed(Reply reason);
    }

    private final ServerProfile server;
    private final OwnServer ownServer;
    private final RandomGenerator chance;
    private final EventList clock;
    private final Deque<SimulatedClient> waiting = new ArrayDeque<>();
    private final Deque<Long> recent = new ArrayDeque<>();
    private final Optional<ScriptRun> script;
    private int sessions;

    SimulatedServer(ServerProfile server, OwnServer ownServer, EventList clock, RandomGenerator chance) {
        this.server = server;
        this.ownServer = ownServer;
        this.clock = clock;
        this.chance = chance;
        this.script = server.script().map(each -> new ScriptRun(each, clock.now()));
    }

    boolean hasFault(Fault fault) {
        return server.outages().stream()
                .anyMatch(o -> o.fault() == fault && o.fromMillis() <= clock.now() && clock.now() < o.toMillis());
    }

    /// Whether sessions break now.
    boolean isDown() {
        return !server.outages().isEmpty() && (hasFault(Fault.REFUSES) || hasFault(Fault.SILENT));
    }

    void arrive(SimulatedClient client) {
        after(server.connect().millis(chance) + server.path().roundTripMillis(), client, () -> connect(client));
    }

    private void connect(SimulatedClient client) {
        boolean full = sessions >= server.sessions();
        Optional<Reply> recorded = server.recorded().flatMap(each -> each.connection(clock.now()));
        if (recorded.isPresent()) {
            after(greetingMillis(), client, () -> client.failed(recorded.get()));
        } else if (hasFault(Fault.REFUSES)) {
            client.failed(REFUSED);
        } else if (hasFault(Fault.SILENT) || full && server.queue() > 0 && waiting.size() >= server.queue()) {
            after(ownServer.connectTimeoutMillis(), client, () -> client.failed(TIMED_OUT));
        } else if (hasFault(Fault.NO_GREETING)) {
            after(ownServer.greetingTimeoutMillis(), client, () -> client.failed(NO_GREETING));
        } else if (server.resets() && (exceedsRate() || full && server.queue() == 0)) {
            client.failed(RESET);
        } else if (hasFault(Fault.TURNS_AWAY) || exceedsRate() || full && server.queue() == 0) {
            after(greetingMillis(), client, () -> client.failed(TOO_MANY));
        } else if (full) {
            queue(client);
        } else if (script.isPresent()) {
            followScript(client, script.get());
        } else {
            admit(client);
        }
    }

    /// The greeting and EHLO as the script decides about them.
    private void followScript(SimulatedClient client, ScriptRun run) {
        ScriptSession session = run.connect(ScriptedDelivery.CLIENT, clock.now());
        Reaction greeting = session.at(ScriptPhase.CONNECT, "", clock.now());
        Reaction hello = greeting.equals(Reaction.USUAL)
                ? session.at(ScriptPhase.HELO, ScriptedDelivery.CLIENT, clock.now())
                : Reaction.USUAL;
        Reaction decisive = greeting.equals(Reaction.USUAL) ? hello : greeting;
        long millis = greetingMillis() + greeting.delay().toMillis() + hello.delay().toMillis();
        if (decisive.after() == Reaction.After.STALL) {
            after(ownServer.greetingTimeoutMillis(), client, () -> client.failed(NO_GREETING));
        } else if (millis >= ownServer.greetingTimeoutMillis()) {
            session.end();
            after(ownServer.greetingTimeoutMillis(), client, () -> client.failed(NO_GREETING));
        } else if (!decisive.goesOn() || decisive.refuses()) {
            session.end();
            Reply reason = decisive.refuses() ? temporary(ScriptedDelivery.reply(decisive)) : CLOSED;
            after(millis, client, () -> client.failed(reason));
        } else {
            client.scripted(session);
            admit(client, millis, session::end);
        }
    }

    /// A refusal before a transaction counts as temporary, as in the real client: overloaded servers
    /// send 5xx, too.
    private static Reply temporary(Reply refusal) {
        return refusal.isPermanent() ? new Reply(450, Optional.empty(), refusal.lines()) : refusal;
    }

    private boolean exceedsRate() {
        if (server.connectionsPerMinute() == Integer.MAX_VALUE) {
            return false;
        }
        while (!recent.isEmpty() && recent.peek() <= clock.now() - MINUTE) {
            recent.remove();
        }
        if (recent.size() >= server.connectionsPerMinute()) {
            return true;
        }
        recent.add(clock.now());
        return false;
    }

    private void queue(SimulatedClient client) {
        waiting.add(client);
        after(ownServer.greetingTimeoutMillis(), client, () -> {
            if (waiting.remove(client)) {
                client.failed(NO_GREETING);
            }
        });
    }

    // EHLO and its reply take a round trip.
    private long greetingMillis() {
        return server.greeting().millis(chance) + server.path().roundTripMillis();
    }

    private void admit(SimulatedClient client) {
        admit(client, greetingMillis(), () -> {});
    }

    private void admit(SimulatedClient client, long millis, Runnable gone) {
        sessions++;
        if (millis == 0) {
            client.greeted();
            return;
        }
        clock.after(millis, () -> {
            if (client.isOpen()) {
                client.greeted();
            } else {
                gone.run();
                sessionEnded();
            }
        });
    }

    /// Ends a session. A waiting client is admitted by a later event at the same time, because orders
    /// are being executed now and answers come after all orders.
    void sessionEnded() {
        sessions--;
        if (!waiting.isEmpty()) {
            clock.after(0, this::admitWaiting);
        }
    }

    private void admitWaiting() {
        while (!waiting.isEmpty() && sessions < server.sessions()) {
            SimulatedClient next = waiting.remove();
            if (next.isOpen()) {
                admit(next);
            }
        }
    }

    // A step without latency runs at once and needs no entry in the event list.
    private void after(long millis, SimulatedClient client, Runnable action) {
        if (millis == 0) {
            action.run();
        } else {
            clock.after(millis, () -> {
                if (client.isOpen()) {
                    action.run();
                }
            });
        }
    }
}
