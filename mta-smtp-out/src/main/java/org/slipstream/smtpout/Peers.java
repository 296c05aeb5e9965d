package org.slipstream.smtpout;

import org.slipstream.core.HostKey;
import org.slipstream.core.Route;
import org.slipstream.smtpout.auth.Credentials;
import org.slipstream.smtpout.wire.Sources;

import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import javax.net.ssl.SSLSocketFactory;

/// Policies of particular hosts, and settings of the connections to all hosts.
///
/// @param byNextHop policies by [Route#nextHop], for example of smart hosts: `[relay.example]:587`
/// @param sources local addresses to bind
/// @param staggerMillis delay before a host's next address is tried in parallel (RFC 8305 section
///     5)
/// @param trust the authorities of [org.slipstream.smtpout.dialog.TlsPolicy#VERIFY]; empty for the
///     Java runtime's trust store
public record Peers(Map<String, PeerPolicy> byNextHop, Sources sources, long staggerMillis,
        Optional<SSLSocketFactory> trust) {
    public static final Peers USUAL = new Peers(Map.of(), Sources.ANY, 250, Optional.empty());

    public Peers {
        byNextHop = Map.copyOf(byNextHop);
        Objects.requireNonNull(sources);
        Objects.requireNonNull(trust);
        if (staggerMillis < 1) {
            throw new IllegalArgumentException("delay between addresses must be positive: " + staggerMillis);
        }
    }

    PeerPolicy policy(Route route, PeerPolicy usual) {
        return byNextHop.getOrDefault(route.nextHop(), usual);
    }

    /// The properties besides the address that connections must have in common to be shared.
    HostKey.Terms terms(Route route, PeerPolicy usual) {
        PeerPolicy policy = policy(route, usual);
        String tls = policy.tls().name().toLowerCase(Locale.ROOT) + (policy.implicitTls() ? "+implicit" : "");
        return new HostKey.Terms(tls, sources.toString(),
                policy.login().map(Credentials::user).orElse("").replace('/', '_'));
    }
}
