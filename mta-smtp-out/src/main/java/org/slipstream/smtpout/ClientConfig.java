package org.slipstream.smtpout;

import org.slipstream.core.DataSize;
import org.slipstream.core.HostKey;
import org.slipstream.core.Route;
import org.slipstream.core.SettingsRecords;
import org.slipstream.smtpout.demand.TlsDemands;
import org.slipstream.smtpout.dialog.DialogPhase;
import org.slipstream.smtpout.dialog.TlsPolicy;
import org.slipstream.smtpout.wire.LongLines;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/// Everything that the client is told at its start: its settings, its name, and which peers are
/// treated differently.
///
/// @param hostname our name in EHLO
/// @param ahead bounds of pipelining
/// @param demands what the owners of domains demand
public record ClientConfig(String hostname, ClientSettings settings, Duration resetTimeout, Duration quitTimeout,
        Ahead ahead,
        Peers peers, TlsDemands demands) {
    private static final Duration RESET = Duration.ofSeconds(20);
    private static final Duration QUIT = Duration.ofSeconds(5);

    /// How far to go ahead of the replies on one connection.
    ///
    /// @param first unanswered messages on a new connection, until it is known how many are worth
    ///     it
    /// @param messages unanswered ones, at the most
    /// @param bytes of unanswered messages, together; a larger message is sent alone. It bounds
    ///     what is sent twice when the connection is lost
    /// @param pause after which the peer may have closed the connection, so it answers before a
    ///     message is sent to its end
    public record Ahead(int first, int messages, DataSize bytes, Duration pause) {
        public static final Ahead DEFAULT = new Ahead(2, 50, ClientSettings.defaults().bytesAhead());

        public Ahead(int first, int messages, DataSize bytes) {
            this(first, messages, bytes, Duration.ofSeconds(1));
        }

        public Ahead {
            if (first < 1 || messages < first || bytes.bytes() < 1) {
                throw new IllegalArgumentException("at least one message: " + first + ", " + messages + ", " + bytes);
            }
        }
    }

    /// All peers are treated alike.
    public static ClientConfig of(String hostname, ClientSettings settings) {
        return new ClientConfig(hostname, settings, RESET, QUIT, Ahead.DEFAULT, Peers.USUAL,
                TlsDemands.none());
    }

    public static ClientConfig of(String hostname) {
        return of(hostname, ClientSettings.defaults());
    }

    public ClientConfig with(Ahead bounds) {
        return new ClientConfig(hostname, settings, resetTimeout, quitTimeout, bounds, peers, demands);
    }

    ClientConfig with(ClientSettings others) {
        return new ClientConfig(hostname, others, resetTimeout, quitTimeout, ahead, peers, demands);
    }

    ClientConfig with(LongLines treatment) {
        return with(SettingsRecords.with(settings, "longLines", treatment));
    }

    public ClientConfig withPeers(Peers others) {
        return new ClientConfig(hostname, settings, resetTimeout, quitTimeout, ahead, others, demands);
    }

    public ClientConfig withDemands(TlsDemands others) {
        return new ClientConfig(hostname, settings, resetTimeout, quitTimeout, ahead, peers, others);
    }

    public List<InetSocketAddress> dnsServers() {
        return settings.dnsServers();
    }

    boolean startTls() {
        return settings.startTls();
    }

    LongLines longLines() {
        return settings.longLines();
    }

    long connectMillis() {
        return settings.connectTimeout().toMillis();
    }

    long commandMillis() {
        return settings.commandTimeout().toMillis();
    }

    long tlsMillis() {
        return settings.tlsTimeout().toMillis();
    }

    long dataBlockMillis() {
        return settings.dataBlockTimeout().toMillis();
    }

    long quitMillis() {
        return quitTimeout.toMillis();
    }

    PeerPolicy policy(Route route) {
        return peers.policy(route, PeerPolicy.usual(settings.startTls()));
    }

    /// Under which key a host of a route is known to the placement: what its connections may be
    /// shared by. Where the certificate is checked for the host's name, connections to one address
    /// under two names are two things.
    public HostKey hostKey(Route.Smtp route, Route.Host host) {
        Route.Smtp one = route.with(List.of(host));
        TlsPolicy tls = policy(one).tls();
        boolean byName = tls == TlsPolicy.VERIFY || tls == TlsPolicy.STS;
        return HostKey.of(host.name(), byName ? List.of() : host.addresses(), host.port(),
                peers.terms(one, PeerPolicy.usual(settings.startTls())));
    }

    /// How long to wait for what is awaited (RFC 5321 section 4.5.3.2).
    long timeoutMillis(DialogPhase awaited) {
        Duration timeout = switch (awaited) {
            case GREETING -> settings.greetingTimeout();
            case HELLO, AUTH, MAIL, RECIPIENT -> settings.commandTimeout();
            case STARTTLS -> settings.tlsTimeout();
            case DATA -> settings.dataReplyTimeout();
            case CHUNK, FINAL -> settings.finalReplyTimeout();
            case RESET -> resetTimeout;
            case QUIT -> quitTimeout;
        };
        return timeout.toMillis();
    }
}
