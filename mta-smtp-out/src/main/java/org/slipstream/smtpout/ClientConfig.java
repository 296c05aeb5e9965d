package org.slipstream.smtpout;

import org.slipstream.core.HostKey;
import org.slipstream.core.Route;
import org.slipstream.smtpout.dialog.DialogPhase;
import org.slipstream.smtpout.dialog.TlsPolicy;
import org.slipstream.smtpout.wire.LongLines;

import java.net.InetSocketAddress;
import java.util.List;

/// The settings of the SMTP client.
///
/// @param hostname in EHLO
/// @param startTls use STARTTLS when offered (opportunistic: certificates are not checked, RFC 7435)
/// @param dnsServers empty for those of the system
/// @param longLines treatment of lines of more than 998 octets
/// @param ahead limits of pipelining
/// @param peers hosts with settings of their own
public record ClientConfig(String hostname, boolean startTls, List<InetSocketAddress> dnsServers,
        long connectMillis, long greetingMillis, long commandMillis, long tlsMillis, long dataReplyMillis,
        long dataBlockMillis, long finalReplyMillis, long resetMillis, long quitMillis, LongLines longLines,
        Ahead ahead, Peers peers) {
    /// The limits of sending ahead of the replies on one connection.
    ///
    /// @param first unanswered messages on a new connection, until [PipeDepth] has measured
    /// @param messages maximum of unanswered messages
    /// @param bytes maximum of their total size; a larger message goes alone. It limits what is sent
    /// twice when the connection is lost
    /// @param pauseMillis after such a pause the peer may have closed the connection, so a reply must
    /// arrive before a message is sent to its end
    public record Ahead(int first, int messages, long bytes, long pauseMillis) {
        public static final Ahead DEFAULT = new Ahead(2, 50, 4 << 20);

        public Ahead(int first, int messages, long bytes) {
            this(first, messages, bytes, 1_000);
        }

        public Ahead {
            if (first < 1 || messages < first || bytes < 1) {
                throw new IllegalArgumentException("at least one message: " + first + ", " + messages + ", " + bytes);
            }
        }
    }

    /// Without settings for particular hosts.
    public ClientConfig(String hostname, boolean startTls, List<InetSocketAddress> dnsServers, long connectMillis,
            long greetingMillis, long commandMillis, long tlsMillis, long dataReplyMillis, long dataBlockMillis,
            long finalReplyMillis, long resetMillis, long quitMillis) {
        this(hostname, startTls, dnsServers, connectMillis, greetingMillis, commandMillis, tlsMillis, dataReplyMillis,
                dataBlockMillis, finalReplyMillis, resetMillis, quitMillis, LongLines.CONVERT, Ahead.DEFAULT,
                Peers.USUAL);
    }

    public static ClientConfig of(String hostname) {
        return new ClientConfig(hostname, true, List.of(), 30_000, 300_000, 300_000, 300_000, 120_000, 180_000, 600_000,
                20_000, 5_000);
    }

    ClientConfig with(Ahead bounds) {
        return new ClientConfig(hostname, startTls, dnsServers, connectMillis, greetingMillis, commandMillis, tlsMillis,
                dataReplyMillis, dataBlockMillis, finalReplyMillis, resetMillis, quitMillis, longLines, bounds, peers);
    }

    ClientConfig with(LongLines treatment) {
        return new ClientConfig(hostname, startTls, dnsServers, connectMillis, greetingMillis, commandMillis, tlsMillis,
                dataReplyMillis, dataBlockMillis, finalReplyMillis, resetMillis, quitMillis, treatment, ahead, peers);
    }

    public ClientConfig withPeers(Peers others) {
        return new ClientConfig(hostname, startTls, dnsServers, connectMillis, greetingMillis, commandMillis, tlsMillis,
                dataReplyMillis, dataBlockMillis, finalReplyMillis, resetMillis, quitMillis, longLines, ahead, others);
    }

    PeerPolicy policy(Route route) {
        return peers.policy(route, PeerPolicy.usual(startTls));
    }

    /// The key of a route's host for placement: connections with equal keys may be shared. Where the
    /// certificate is checked against the host's name, connections to one address under two names differ.
    public HostKey hostKey(Route.Smtp route, Route.Host host) {
        boolean byName = policy(route).tls() == TlsPolicy.VERIFY;
        return HostKey.of(host.name(), byName ? List.of() : host.addresses(), host.port(),
                peers.terms(route, PeerPolicy.usual(startTls)));
    }

    /// The timeout of a reply (RFC 5321 section 4.5.3.2).
    long timeoutMillis(DialogPhase awaited) {
        return switch (awaited) {
            case GREETING -> greetingMillis;
            case HELLO, AUTH, MAIL, RECIPIENT -> commandMillis;
            case STARTTLS -> tlsMillis;
            case DATA -> dataReplyMillis;
            case CHUNK, FINAL -> finalReplyMillis;
            case RESET -> resetMillis;
            case QUIT -> quitMillis;
        };
    }
}
