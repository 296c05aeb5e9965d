package org.slipstream.smtpin;

import org.slipstream.core.Reply;
import org.slipstream.smtpin.auth.GuessGuard;
import org.slipstream.smtpin.policy.ClientNetwork;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// The connection limits of one port. There are never more connections than places and lingering
/// connections together. Thread-safe.
///
/// | | at most |
/// |---|---|
/// | places | `limits.connections`, and `limits.connections-per-client` of one client network |
/// | places of unknown clients | nine tenths; one tenth is reserved for known clients |
/// | lingering connections | a tenth of the places, and a tenth of those of one client network, at least one |
///
/// **Known** are the clients of [ListenerConfig.ProxyTrust#known], clients of a network from which a
/// user has logged in since the start ([GuessGuard] bounds how many networks are remembered), and
/// authenticated users. A proxy counts as known until its header names the client.
///
/// A session that is about to end needs no place: its last reply is sent, and only the client's
/// read remains. It **lingers**, so that a client that is refused again and again does not take the
/// places of others. When too many connections linger, the session keeps its place while the last
/// reply is sent and then closes.
final class ConnectionAdmission {
    private static final ClientNetwork NETWORK = ClientNetwork.standard();
    private static final int SHARE = 10;

    private final GuessGuard guesses;
    private ListenerConfig config;
    private int places;
    private int reserved;
    private int lingeringPerNetwork;
    private final Map<String, Integer> perNetwork = new HashMap<>();
    private final Map<String, Integer> lingering = new HashMap<>();
    private int taken;
    private int unknownClients;
    private int lingeringInAll;

    ConnectionAdmission(ListenerConfig config, GuessGuard guesses) {
        this.guesses = guesses;
        change(config);
    }

    /// Other limits, from the next connection on. Places that are taken stay taken.
    synchronized void change(ListenerConfig settings) {
        this.config = settings;
        this.places = config.limits().connections();
        this.reserved = places / SHARE;
        this.lingeringPerNetwork = Math.max(1, config.limits().connectionsPerClient() / SHARE);
    }

    /// How many connections of a port may linger.
    static int lingering(ListenerConfig config) {
        return Math.max(1, config.limits().connections() / SHARE);
    }

    /// True when nine of ten places are taken.
    synchronized boolean isCrowded() {
        return taken >= Math.max(2, places - reserved);
    }

    /// Takes a place for a connection from `peer`; empty when all are taken.
    synchronized Optional<Place> enter(InetAddress peer) {
        boolean known = config.trust().proxies().test(peer) || isKnown(peer);
        if (taken >= places || !known && unknownClients >= places - reserved) {
            return Optional.empty();
        }
        taken++;
        unknownClients += known ? 0 : 1;
        return Optional.of(new Place(known));
    }

    synchronized Reply full() {
        return Reply.of(421, "4.7.0", config.hostname() + " Too many connections, try again later");
    }

    private boolean isKnown(InetAddress client) {
        return config.trust().known().test(client) || guesses.hasLoggedIn(NETWORK.key(client));
    }

    /// The place of one connection, which may become a lingering connection at its end.
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

        /// Assigns the place to the client, which a proxy names only later. @return the refusal
        /// when a limit is reached
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

        // A client behind a proxy may turn out to be unknown, and all places for unknown clients
        // may be taken.
        private boolean become(boolean nowKnown) {
            boolean admitted = nowKnown || !known || unknownClients < places - reserved;
            if (admitted && known != nowKnown) {
                unknownClients += nowKnown ? -1 : 1;
                known = nowKnown;
            }
            return admitted;
        }

        /// The client has authenticated and counts as known.
        void loggedIn() {
            synchronized (ConnectionAdmission.this) {
                network.ifPresent(guesses::loggedIn);
                become(true);
            }
        }

        /// Gives the place back when this connection may linger. @return true when it lingers
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

        /// Releases the place or the lingering slot when the connection closes.
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
            unknownClients -= known ? 0 : 1;
            if (counted) {
                decrement(perNetwork, network.orElseThrow());
            }
        }

        private static void decrement(Map<String, Integer> counts, String key) {
            counts.computeIfPresent(key, (_, count) -> count == 1 ? null : count - 1);
        }
    }
}
