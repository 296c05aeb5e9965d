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

/// Which hosts are treated differently from the usual, and what holds for the connections to all of them.
///
/// @param byNextHop policies by [Route#nextHop], for example of smart hosts: `[relay.example]:587`
/// @param sources our own addresses
/// @param staggerMillis a host's next address is tried when the last one has not answered for so long (RFC 8305 section 5)
/// @param trust whose certificates [org.slipstream.smtpout.dialog.TlsPolicy#VERIFY] believes; empty for the authorities that
/// this Java knows
public record Peers(Map<String, PeerPolicy> byNextHop, Sources sources, long staggerMillis,
        Optional<SSLSocketFactory> trust) {
    public static final Peers USUAL = new Peers(Map.of(), Sources.ANY, 250, Optional.empty());

    public Peers {
        byNextHop = Map.copyOf(byNextHop);
        Objects.requireNonNull(sources);
        Objects.requireNonNull(trust);
        if (staggerMillis < 1) {
            throw new IllegalArgumentException("addresses are tried one after the other: " + staggerMillis);
        }
    }

    PeerPolicy policy(Route route, PeerPolicy usual) {
        return byNextHop.getOrDefault(route.nextHop(), usual);
    }

    /// What connections of this route must have in common besides the address to be shared.
    HostKey.Terms terms(Route route, PeerPolicy usual) {
        PeerPolicy policy = policy(route, usual);
        String tls = policy.tls().name().toLowerCase(Locale.ROOT) + (policy.implicitTls() ? "+implicit" : "");
        return new HostKey.Terms(tls, sources.toString(),
                policy.login().map(Credentials::user).orElse("").replace('/', '_'));
    }
}
