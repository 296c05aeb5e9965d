package org.slipstream.lab;

import org.slipstream.lab.Scenario.Outage;

import java.util.List;

/// A mail server as its clients meet it.
///
/// @param connect until the connection is made or refused
/// @param greeting from the connection to the greeting, or to the 421 instead of it
/// @param delivery of one message, whatever the number of recipients
/// @param perRecipient on top of that for each recipient
/// @param sessions served at once
/// @param queue connections that wait for their greeting when all sessions are taken; what comes
///     after them gets no answer at all. Without a queue, a connection that finds all sessions
///     taken gets a 421
/// @param connectionsPerMinute more than so many within any minute get a 421
/// @param drops share of deliveries in which the connection breaks
/// @param deferrals share of recipients answered with 450
/// @param refusals share of recipients answered with 550
/// @param patienceMillis the server hangs up on a connection that has been idle for this long
/// @param outages when it is not itself
/// @param wire the way to it
public record ServerProfile(Latency connect, Latency greeting, Latency delivery, Latency perRecipient, int sessions,
        int queue,
        int connectionsPerMinute, double drops, double deferrals, double refusals, long patienceMillis,
        List<Outage> outages, PathProfile wire) {
    private static final Latency NONE = Latency.of(0);

    /// The way to a server, and how many deliveries a connection carries at once.
    ///
    /// @param roundTripMillis added to the connection, to the greeting and to each delivery
    /// @param depth reported by each connection when it is ready; 0 for what round trip and
    ///     delivery time ask for ([PipeEstimate])
    /// @param pipelines false: the server breaks a connection on which several deliveries are under
    ///     way
    public record PathProfile(long roundTripMillis, int depth, boolean pipelines) {
        public static final PathProfile NEAR = new PathProfile(0, 0, true);
    }

    public ServerProfile(Latency connect, Latency greeting, Latency delivery, Latency perRecipient, int sessions,
            int queue,
            int connectionsPerMinute, double drops, double deferrals, double refusals, long patienceMillis,
            List<Outage> outages) {
        this(connect, greeting, delivery, perRecipient, sessions, queue, connectionsPerMinute, drops, deferrals,
                refusals, patienceMillis, outages, PathProfile.NEAR);
    }

    public ServerProfile {
        outages = List.copyOf(outages);
    }

    /// Takes everything, each delivery in this time.
    public static ServerProfile taking(long deliverMillis) {
        return of(0, deliverMillis, List.of(), Integer.MAX_VALUE, 0, Long.MAX_VALUE);
    }

    static ServerProfile of(long connectMillis, long deliverMillis, List<Outage> outages, int sessions, double drops,
            long patienceMillis) {
        return new ServerProfile(Latency.of(connectMillis), NONE, Latency.of(deliverMillis), NONE, sessions, 0,
                Integer.MAX_VALUE, drops, 0, 0, patienceMillis, outages);
    }

    public ServerProfile with(PathProfile other) {
        return new ServerProfile(connect, greeting, delivery, perRecipient, sessions, queue, connectionsPerMinute,
                drops,
                deferrals, refusals, patienceMillis, outages, other);
    }

    /// A recipient that is accepted at all is delivered at the first attempt.
    boolean isReliable() {
        return outages.isEmpty() && sessions == Integer.MAX_VALUE && connectionsPerMinute == Integer.MAX_VALUE
                && drops == 0 && deferrals == 0 && refusals == 0 && patienceMillis == Long.MAX_VALUE
                && wire.pipelines();
    }
}
