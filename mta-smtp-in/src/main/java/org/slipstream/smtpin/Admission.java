package org.slipstream.smtpin;

import org.slipstream.core.Reply;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// Counts who is in: on this port in all, and per client address. Called by all sessions.
final class Admission {
    private final ListenerConfig config;
    private final Map<InetAddress, Integer> perClient = new HashMap<>();
    private int inside;

    Admission(ListenerConfig config) {
        this.config = config;
    }

    /// Takes a place, to be given back by [#leave], or says why there is none.
    synchronized Optional<Reply> enter(InetAddress client) {
        if (inside >= config.connections()) {
            return Optional.of(Reply.of(421, "4.7.0", config.hostname() + " Too many connections, try again later"));
        }
        if (perClient.getOrDefault(client, 0) >= config.connectionsPerClient()) {
            return Optional.of(
                    Reply.of(421, "4.7.0", config.hostname() + " Too many connections from your address"));
        }
        inside++;
        perClient.merge(client, 1, Integer::sum);
        return Optional.empty();
    }

    synchronized void leave(InetAddress client) {
        inside--;
        perClient.computeIfPresent(client, (_, places) -> places == 1 ? null : places - 1);
    }

    /// How long a command is waited for. When nine of ten places are taken the silent ones get a tenth of the time, so that
    /// those who want to send something find a place.
    synchronized long idleMillis() {
        return inside >= Math.max(2, config.connections() - config.connections() / 10)
                ? Math.max(1, config.idleMillis() / 10)
                : config.idleMillis();
    }
}
