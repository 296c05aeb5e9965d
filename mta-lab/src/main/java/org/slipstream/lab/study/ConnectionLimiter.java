package org.slipstream.lab.study;

import org.slipstream.lab.EventList;

import java.util.random.RandomGenerator;

/// A server that counts sessions and refuses those beyond its limit.
///
/// The server's process limit of 10 is not modelled. Five sessions and the connections that receive
/// 421 stay below it, and a test of the widest window confirms that.
final class ConnectionLimiter implements SimulatedListener {
    private final ServerModel.Limited server;
    private final AssumedLatencies latencies;
    private final EventList clock;
    private final RandomGenerator random;
    private int sessions;

    ConnectionLimiter(ServerModel.Limited server, AssumedLatencies latencies, EventList clock, RandomGenerator random) {
        this.server = server;
        this.latencies = latencies;
        this.clock = clock;
        this.random = random;
    }

    // The count is taken at the connection, because smtpd(8) asks anvil(8) before the greeting.
    @Override
    public void connect(ConnectionAttempt attempt) {
        long millis = latencies.greeting().millis(random);
        if (sessions < server.connections()) {
            sessions++;
            clock.after(millis, attempt::greeted);
        } else {
            clock.after(millis, () -> attempt.failed(TOO_MANY_CONNECTIONS));
        }
    }

    @Override
    public void sessionEnded() {
        sessions--;
    }
}
