package org.slipstream.lab;

import org.slipstream.lab.Scenario.Outage;
import org.slipstream.sink.script.ServerScript;

import java.util.List;
import java.util.Optional;

/// The behaviour of a simulated mail server: latencies, limits and faults.
///
/// @param connect time until the connection is made or refused
/// @param greeting time from the connection to the greeting, or to the 421 instead of it
/// @param delivery time for a message, independent of the number of recipients
/// @param perRecipient additional time for each recipient
/// @param sessions greatest number of sessions at once
/// @param queue greatest number of connections that wait for their greeting while all sessions are
///     taken; further connections get no answer. With 0, a connection gets a 421 instead
/// @param connectionsPerMinute greatest number within any minute; further connections get a 421
/// @param drops share of deliveries in which the connection breaks
/// @param deferrals share of recipients answered with 450
/// @param refusals share of recipients answered with 550
/// @param idleTimeoutMillis the server closes a connection that has been idle for this long
/// @param outages times with a fault
/// @param path the network path to the server
/// @param script decides about connections and replies, as it does in `./mta sink`
/// @param recorded decides about them as a host did in a recorded run
/// @param resets further connections get a TCP reset instead of a 421
public record ServerProfile(Latency connect, Latency greeting, Latency delivery, Latency perRecipient, int sessions,
        int queue,
        int connectionsPerMinute, double drops, double deferrals, double refusals, long idleTimeoutMillis,
        List<Outage> outages, PathProfile path, Optional<ServerScript> script,
        Optional<RecordedReplies> recorded, boolean resets) {
    private static final Latency NONE = Latency.of(0);

    /// The network path to a server, and the number of deliveries that a connection carries at once.
    ///
    /// @param roundTripMillis added to the connection, to the greeting and to each delivery
    /// @param depth that each connection reports when it is ready; with 0, [DepthEstimate] computes
    ///     the depth from round trip and delivery time
    /// @param pipelines if false, the server breaks a connection with several deliveries under way
    public record PathProfile(long roundTripMillis, int depth, boolean pipelines) {
        public static final PathProfile NEAR = new PathProfile(0, 0, true);
    }

    public ServerProfile(Latency connect, Latency greeting, Latency delivery, Latency perRecipient, int sessions,
            int queue,
            int connectionsPerMinute, double drops, double deferrals, double refusals, long idleTimeoutMillis,
            List<Outage> outages) {
        this(connect, greeting, delivery, perRecipient, sessions, queue, connectionsPerMinute, drops, deferrals,
                refusals, idleTimeoutMillis, outages, PathProfile.NEAR, Optional.empty(), Optional.empty(), false);
    }

    public ServerProfile {
        outages = List.copyOf(outages);
    }

    /// A server without limits and faults.
    public static ServerProfile taking(long deliverMillis) {
        return of(0, deliverMillis, List.of(), Integer.MAX_VALUE, 0, Long.MAX_VALUE);
    }

    static ServerProfile of(long connectMillis, long deliverMillis, List<Outage> outages, int sessions, double drops,
            long idleTimeoutMillis) {
        return new ServerProfile(Latency.of(connectMillis), NONE, Latency.of(deliverMillis), NONE, sessions, 0,
                Integer.MAX_VALUE, drops, 0, 0, idleTimeoutMillis, outages);
    }

    public ServerProfile with(PathProfile other) {
        return new ServerProfile(connect, greeting, delivery, perRecipient, sessions, queue, connectionsPerMinute,
                drops,
                deferrals, refusals, idleTimeoutMillis, outages, other, script, recorded, resets);
    }

    public ServerProfile with(ServerScript followed) {
        return new ServerProfile(connect, greeting, delivery, perRecipient, sessions, queue, connectionsPerMinute,
                drops, deferrals, refusals, idleTimeoutMillis, outages, path, Optional.of(followed), recorded,
                resets);
    }

    public ServerProfile with(RecordedReplies given) {
        return new ServerProfile(connect, greeting, delivery, perRecipient, sessions, queue, connectionsPerMinute,
                drops, deferrals, refusals, idleTimeoutMillis, outages, path, script, Optional.of(given),
                resets);
    }

    /// Whether every recipient that the script accepts is delivered at the first attempt.
    boolean isReliable() {
        return outages.isEmpty() && sessions == Integer.MAX_VALUE && connectionsPerMinute == Integer.MAX_VALUE
                && drops == 0 && deferrals == 0 && refusals == 0 && idleTimeoutMillis == Long.MAX_VALUE
                && path.pipelines() && script.isEmpty() && recorded.isEmpty();
    }
}
