package org.slipstream.smtpin;

import org.slipstream.core.Reply;
import org.slipstream.smtpin.auth.GuessGuard;
import org.slipstream.smtpin.policy.ClientNetwork;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// Counts the connections of a port. Called by all sessions.
///
/// | | at most |
/// |---|---|
/// | places | `limits.connections`, and `limits.connections-per-client` of one client network |
/// | places of strangers | nine of ten; the tenth is kept for known clients |
/// | connections that linger | a tenth of the places, and a tenth of those of one client network, at least one |
///
/// **Known** are clients of [ListenerConfig.Trust#known], clients of a network from which a user has logged in since the start (the
/// server remembers so many networks as [GuessGuard] does), and users who have logged in. A proxy counts as known until it has said
/// whom it speaks for.
///
/// A session that is about to end has no need for its place: its last reply is on the way, and what remains is to wait until the client
/// has read it. It **lingers**, so that clients who are refused again and again do not take the places of others. When too many
/// linger it keeps its place while the last reply is sent and is closed then. So there are never more connections than places
/// and lingering ones together.
final class ConnectionAdmission {
    private static final ClientNetwork NETWORK = ClientNetwork.standard();
    private static final int SHARE = 10;

    private final ListenerConfig config;
    private final GuessGuard guesses;
    private final int places;
    private final int reserved;
    private final int lingeringPerNetwork;
    private final Map<String, Integer> perNetwork = new HashMap<>();
    private final Map<String, Integer> lingering = new HashMap<>();
    private int taken;
    private int strangers;
    private int lingeringInAll;

    ConnectionAdmission(ListenerConfig config, GuessGuard guesses) {
        this.config = config;
        this.guesses = guesses;
        this.places = config.limits().connections();
        this.reserved = places / SHARE;
        this.lingeringPerNetwork = Math.max(1, config.limits().connectionsPerClient() / SHARE);
    }

    /// How many connections may linger.
    static int lingering(ListenerConfig config) {
        return Math.max(1, config.limits().connections() / SHARE);
    }

    /// True when nine of ten places are taken.
    synchronized boolean isCrowded() {
        return taken >= Math.max(2, places - reserved);
    }

    /// Takes a place for the other end of a connection; empty when there is none.
    synchronized Optional<Place> enter(InetAddress peer) {
        boolean known = config.trust().proxies().test(peer) || isKnown(peer);
        if (taken >= places || !known && strangers >= places - reserved) {
            return Optional.empty();
        }
        taken++;
        strangers += known ? 0 : 1;
        return Optional.of(new Place(known));
    }

    Reply full() {
        return Reply.of(421, "4.7.0", config.hostname() + " Too many connections, try again later");
    }

    private boolean isKnown(InetAddress client) {
        return config.trust().known().test(client) || guesses.hasLoggedIn(NETWORK.key(client));
    }

    /// What one connection has: a place, and later perhaps leave to linger.
    final class Place {
        private enum Stage {
            TAKEN, LINGERING, LEFT
        }

        private Stage stage = Stage.TAKEN;
        private boolean known;
        private Optional<String> network = Optional.empty();
        private boolean counted;

        private Place(boolean known) {
            this.known = known;
        }

        /// Says who the client is, which a proxy tells later than at the beginning. @return why it may not stay
        Optional<Reply> claim(InetAddress client) {
            synchronized (ConnectionAdmission.this) {
                String key = NETWORK.key(client);
                network = Optional.of(key);
                if (!become(isKnown(client))) {
                    return Optional.of(full());
                }
                if (perNetwork.getOrDefault(key, 0) >= config.limits().connectionsPerClient()) {
                    return Optional.of(Reply.of(421, "4.7.0",
                            config.hostname() + " Too many connections from your address"));
                }
                counted = true;
                perNetwork.merge(key, 1, Integer::sum);
                return Optional.empty();
            }
        }

        // A client behind a proxy may turn out to be a stranger for whom there is no place.
        private boolean become(boolean nowKnown) {
            boolean room = nowKnown || !known || strangers < places - reserved;
            if (room && known != nowKnown) {
                strangers += nowKnown ? -1 : 1;
                known = nowKnown;
            }
            return room;
        }

        /// The client is a user from here on.
        void loggedIn() {
            synchronized (ConnectionAdmission.this) {
                network.ifPresent(guesses::loggedIn);
                become(true);
            }
        }

        /// Gives the place back, when so few linger that this connection may. @return true when it lingers
        boolean linger() {
            synchronized (ConnectionAdmission.this) {
                String key = network.orElse("");
                if (stage == Stage.TAKEN && lingeringInAll < ConnectionAdmission.lingering(config)
                        && lingering.getOrDefault(key, 0) < lingeringPerNetwork) {
                    giveBack();
                    stage = Stage.LINGERING;
                    lingeringInAll++;
                    lingering.merge(key, 1, Integer::sum);
                }
                return stage == Stage.LINGERING;
            }
        }

        /// The connection is closed.
        void leave() {
            synchronized (ConnectionAdmission.this) {
                if (stage == Stage.TAKEN) {
                    giveBack();
                } else if (stage == Stage.LINGERING) {
                    lingeringInAll--;
                    decrement(lingering, network.orElse(""));
                }
                stage = Stage.LEFT;
            }
        }

        private void giveBack() {
            taken--;
            strangers -= known ? 0 : 1;
            if (counted) {
                decrement(perNetwork, network.orElseThrow());
            }
        }

        private static void decrement(Map<String, Integer> counts, String key) {
            counts.computeIfPresent(key, (_, count) -> count == 1 ? null : count - 1);
        }
    }
}
