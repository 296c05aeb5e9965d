package org.slipstream.smtpout;

import org.slipstream.core.HostKey;
import org.slipstream.core.Route;
import org.slipstream.core.TlsDemand;
import org.slipstream.smtpout.auth.Credentials;
import org.slipstream.smtpout.dialog.TlsPolicy;
import org.slipstream.smtpout.wire.Sources;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

import javax.net.ssl.SSLSocketFactory;

/// Policies of particular hosts, and settings of the connections to all hosts.
///
/// @param byNextHop policies by [Route#nextHop], for example of smart hosts: `[relay.example]:587`
/// @param sources local addresses to bind
/// @param staggerMillis delay before a host's next address is tried in parallel (RFC 8305 section
///     5)
/// @param trust the authorities of [org.slipstream.smtpout.dialog.TlsPolicy#VERIFY]; empty for the
///     Java runtime's trust store
/// @param overrides what differs for the one host of a route; it replaces the rest
public record Peers(Map<String, PeerPolicy> byNextHop, Sources sources, long staggerMillis,
        Optional<SSLSocketFactory> trust, Function<Route, PeerOverride> overrides) {
    private static final int MARK_OCTETS = 16;
    public static final Peers USUAL = new Peers(Map.of(), Sources.ANY, 250, Optional.empty());

    public Peers(Map<String, PeerPolicy> byNextHop, Sources sources, long staggerMillis,
            Optional<SSLSocketFactory> trust) {
        this(byNextHop, sources, staggerMillis, trust, _ -> PeerOverride.NONE);
    }

    public Peers {
        byNextHop = Map.copyOf(byNextHop);
        Objects.requireNonNull(sources);
        Objects.requireNonNull(trust);
        Objects.requireNonNull(overrides);
        if (staggerMillis < 1) {
            throw new IllegalArgumentException("delay between addresses must be positive: " + staggerMillis);
        }
    }

    public Peers withOverrides(Function<Route, PeerOverride> others) {
        return new Peers(byNextHop, sources, staggerMillis, trust, others);
    }

    /// @param route to one host
    PeerPolicy policy(Route route, PeerPolicy usual) {
        PeerPolicy set = overrides.apply(route).policy(byNextHop.getOrDefault(Route.anySource(route.nextHop()), usual));
        TlsPolicy demanded = switch (demand(route).kind()) {
            case NONE -> TlsPolicy.NONE;
            case ENCRYPT -> TlsPolicy.ENCRYPT;
            case STS -> TlsPolicy.STS;
            case DANE -> TlsPolicy.DANE;
        };
        return demanded.compareTo(set.tls()) > 0 ? set.with(demanded) : set;
    }

    /// The demand of the recipients' domain on the one host of this route.
    static TlsDemand demand(Route route) {
        return route instanceof Route.Smtp smtp ? smtp.hosts().getFirst().demand() : TlsDemand.NONE;
    }

    /// The local addresses of connections to the one host of this route.
    Sources sources(Route route) {
        return overrides.apply(route).sources(sources);
    }

    /// The properties besides the address that connections must have in common to be shared.
    HostKey.Terms terms(Route route, PeerPolicy usual) {
        PeerPolicy policy = policy(route, usual);
        String tls = (policy.tls() == TlsPolicy.DANE
                ? daneMark(demand(route))
                : policy.tls().name().toLowerCase(Locale.ROOT)) + (policy.implicitTls() ? "+implicit" : "");
        return new HostKey.Terms(tls, sources(route).toString(),
                policy.login().map(Credentials::user).orElse("").replace('/', '_'));
    }

    // The records themselves are too long for a key. An owner who made two demands with one mark would share
    // connections between domains, so the mark is as long as a collision is hard.
    private static String daneMark(TlsDemand demand) {
        try {
            byte[] all = MessageDigest.getInstance("SHA-256")
                    .digest((demand.names() + "\n" + demand.associations()).getBytes(StandardCharsets.US_ASCII));
            return "dane-" + HexFormat.of().formatHex(all, 0, MARK_OCTETS);
        } catch (NoSuchAlgorithmException impossible) {
            throw new LinkageError("every Java runtime has SHA-256", impossible);
        }
    }
}
