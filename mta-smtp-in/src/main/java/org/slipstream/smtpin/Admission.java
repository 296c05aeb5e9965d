package org.slipstream.smtpin;

import org.slipstream.core.Reply;
import org.slipstream.smtpin.protocol.Limits;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// Counts who is in: on this port in all, and per client address. Called by all sessions.
final class Admission {
    private final String hostname;
    private final Limits limits;
    private final Map<InetAddress, Integer> perClient = new HashMap<>();
    private int inside;

    Admission(ListenerConfig config) {
        this.hostname = config.hostname();
        this.limits = config.limits();
    }

    /// Takes a place, to be given back by [#leave], or says why there is none.
    synchronized Optional<Reply> enter() {
        if (inside >= limits.connections()) {
            return Optional.of(Reply.of(421, "4.7.0", hostname + " Too many connections, try again later"));
        }
        inside++;
        return Optional.empty();
    }

    synchronized void leave() {
        inside--;
    }

    /// Counts a client that is inside, to be given back by [#forget]. Apart from [#enter], because whom a proxy speaks for is known later.
    synchronized Optional<Reply> count(InetAddress client) {
        if (perClient.getOrDefault(client, 0) >= limits.connectionsPerClient()) {
            return Optional.of(
                    Reply.of(421, "4.7.0", hostname + " Too many connections from your address"));
        }
        perClient.merge(client, 1, Integer::sum);
        return Optional.empty();
    }

    synchronized void forget(InetAddress client) {
        perClient.computeIfPresent(client, (_, places) -> places == 1 ? null : places - 1);
    }

    /// How long a command is waited for. When nine of ten places are taken the silent ones get a tenth of the time, so that
    /// those who want to send something find a place.
    synchronized long idleMillis() {
        return inside >= Math.max(2, limits.connections() - limits.connections() / 10)
                ? Math.max(1, limits.idleMillis() / 10)
                : limits.idleMillis();
    }
}
