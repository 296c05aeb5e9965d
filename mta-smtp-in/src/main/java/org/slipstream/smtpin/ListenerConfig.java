package org.slipstream.smtpin;

import org.slipstream.smtpin.protocol.Limits;
import org.slipstream.smtpin.protocol.ServicePolicy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

/// One port of the listener.
///
/// @param service what the port is for
/// @param hostname the name in the greeting and in Received lines
/// @param tls asked for a context at each handshake, so that a renewed certificate counts from the next one on. Which certificate
/// a client gets by SNI is the business of the context's key manager
/// @param trust who may speak for others, and for whom places are kept
public record ListenerConfig(ServicePolicy service, InetSocketAddress address, String hostname,
        Optional<Supplier<SSLContext>> tls, Limits limits, Trust trust) {

    /// Clients that are more than strangers.
    ///
    /// @param proxies must begin with a PROXY header; nobody else may
    /// @param speakers may say XCLIENT, when the service offers it
    /// @param known a tenth of the places is kept for them, see [ConnectionAdmission]
    public record Trust(Predicate<InetAddress> proxies, Predicate<InetAddress> speakers,
            Predicate<InetAddress> known) {
        public static Trust nobody() {
            return new Trust(_ -> false, _ -> false, _ -> false);
        }
    }

    /// With the limits of limits.md, without TLS.
    public static ListenerConfig of(ServicePolicy service, InetSocketAddress address, String hostname) {
        return new ListenerConfig(service, address, hostname, Optional.empty(), Limits.standard(), Trust.nobody());
    }

    public ListenerConfig withTls(SSLContext context) {
        return withTls(() -> context);
    }

    public ListenerConfig withTls(Supplier<SSLContext> contexts) {
        return new ListenerConfig(service, address, hostname, Optional.of(contexts), limits, trust);
    }

    public ListenerConfig withLimits(Limits other) {
        return new ListenerConfig(service, address, hostname, tls, other, trust);
    }

    public ListenerConfig withService(ServicePolicy other) {
        return new ListenerConfig(other, address, hostname, tls, limits, trust);
    }

    public ListenerConfig withTrust(Trust other) {
        return new ListenerConfig(service, address, hostname, tls, limits, other);
    }
}
