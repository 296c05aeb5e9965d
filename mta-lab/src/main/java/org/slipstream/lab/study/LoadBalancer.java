package org.slipstream.lab.study;

import org.slipstream.lab.EventList;

import java.util.random.RandomGenerator;

/// A load balancer that assigns connections to its servers in turn.
///
/// The last server is faulty, so each K-th connection ends before the greeting.
final class LoadBalancer implements SimulatedListener {
    private final ServerModel.Balanced server;
    private final AssumedLatencies latencies;
    private final EventList clock;
    private final RandomGenerator random;
    private long connections;

    LoadBalancer(ServerModel.Balanced server, AssumedLatencies latencies, EventList clock, RandomGenerator random) {
        this.server = server;
        this.latencies = latencies;
        this.clock = clock;
        this.random = random;
    }

    @Override
    public void connect(ConnectionAttempt attempt) {
        boolean faulty = ++connections % server.servers() == 0;
        clock.after(latencies.greeting().millis(random),
                faulty ? () -> attempt.failed(CONNECTION_LOST) : attempt::greeted);
    }

    @Override
    public void sessionEnded() {
        // The good servers have no limit of sessions.
    }
}
