package org.slipstream.lab;

import org.slipstream.core.Reply;
import org.slipstream.lab.Scenario.Fault;
import org.slipstream.lab.Scenario.OwnServer;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.random.RandomGenerator;

/// The admission of connections by one [ServerProfile]: which connections get a session, which
/// wait, and which get a 421.
///
/// A connection passes three stages. *Made*: the operating system of the server answers, unless the
/// server is down or its connection queue is full; then the client's patience decides. *Let in*: a
/// session is free; otherwise the connection waits in the queue, if there is one, and the client
/// knows nothing but that no greeting comes. *Greeted*.
final class SimulatedServer {
    private static final Reply REFUSED = Reply.of(450, "4.4.1", "connection refused");
    private static final Reply TIMED_OUT = Reply.of(450, "4.4.1", "connection timed out");
    private static final Reply NO_GREETING = Reply.of(450, "4.4.2", "no greeting");
    private static final Reply TOO_MANY = Reply.of(421, "4.7.0", "too many connections");
    private static final long MINUTE = 60_000;

    /// A client that wants to be greeted.
    interface SimulatedCaller {
        /// False when the client has closed in the meantime.
        boolean isThere();

        void greeted();

        void failed(Reply reason);
    }

    private final ServerProfile server;
    private final OwnServer house;
    private final RandomGenerator chance;
    private final Clockwork clock;
    private final Deque<SimulatedCaller> waiting = new ArrayDeque<>();
    private final Deque<Long> recent = new ArrayDeque<>();
    private int sessions;
    private int life;

    SimulatedServer(ServerProfile server, OwnServer house, Clockwork clock, RandomGenerator chance) {
        this.server = server;
        this.house = house;
        this.clock = clock;
        this.chance = chance;
    }

    void crash() {
        waiting.clear();
        sessions = 0;
        life++;
    }

    boolean suffers(Fault fault) {
        return server.outages().stream()
                .anyMatch(o -> o.fault() == fault && o.fromMillis() <= clock.now() && clock.now() < o.toMillis());
    }

    /// Sessions break while it is so.
    boolean isDown() {
        return !server.outages().isEmpty() && (suffers(Fault.REFUSES) || suffers(Fault.SILENT));
    }

    void call(SimulatedCaller caller) {
        after(server.connect().millis(chance) + server.wire().roundTripMillis(), caller, () -> connect(caller));
    }

    private void connect(SimulatedCaller caller) {
        boolean full = sessions >= server.sessions();
        if (suffers(Fault.REFUSES)) {
            caller.failed(REFUSED);
        } else if (suffers(Fault.SILENT) || full && server.queue() > 0 && waiting.size() >= server.queue()) {
            after(house.connectTimeoutMillis(), caller, () -> caller.failed(TIMED_OUT));
        } else if (suffers(Fault.NO_GREETING)) {
            after(house.greetingTimeoutMillis(), caller, () -> caller.failed(NO_GREETING));
        } else if (suffers(Fault.TURNS_AWAY) || isTooOften() || full && server.queue() == 0) {
            after(greetingMillis(), caller, () -> caller.failed(TOO_MANY));
        } else if (full) {
            queue(caller);
        } else {
            letIn(caller);
        }
    }

    private boolean isTooOften() {
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

    private void queue(SimulatedCaller caller) {
        waiting.add(caller);
        after(house.greetingTimeoutMillis(), caller, () -> {
            if (waiting.remove(caller)) {
                caller.failed(NO_GREETING);
            }
        });
    }

    // EHLO and its answer take a round trip.
    private long greetingMillis() {
        return server.greeting().millis(chance) + server.wire().roundTripMillis();
    }

    private void letIn(SimulatedCaller caller) {
        sessions++;
        long millis = greetingMillis();
        if (millis == 0) {
            caller.greeted();
            return;
        }
        int livesNow = life;
        clock.after(millis, () -> {
            if (caller.isThere()) {
                caller.greeted();
            } else if (life == livesNow) {
                left();
            }
        });
    }

    /// A session is over. A waiting client is admitted a moment later: this is called while orders
    /// are carried out, and answers come after orders.
    void left() {
        sessions--;
        if (!waiting.isEmpty()) {
            clock.after(0, this::letWaitingIn);
        }
    }

    private void letWaitingIn() {
        while (!waiting.isEmpty() && sessions < server.sessions()) {
            SimulatedCaller next = waiting.remove();
            if (next.isThere()) {
                letIn(next);
            }
        }
    }

    // A step that takes no time happens at once: one thing less in the clockwork.
    private void after(long millis, SimulatedCaller caller, Runnable deed) {
        if (millis == 0) {
            deed.run();
        } else {
            clock.after(millis, () -> {
                if (caller.isThere()) {
                    deed.run();
                }
            });
        }
    }
}
