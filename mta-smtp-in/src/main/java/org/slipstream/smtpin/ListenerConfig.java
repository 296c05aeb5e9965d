package org.slipstream.smtpin;

import org.slipstream.smtpin.protocol.Limits;
import org.slipstream.smtpin.protocol.ServicePolicy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

/// The configuration of one port of the listener.
///
/// @param service the service that the port offers
/// @param hostname in the greeting and in Received lines
/// @param tls supplies the context of each handshake, so that a renewed certificate applies from
///     the next one on. The context's key manager chooses the certificate by SNI
/// @param trust clients with special permissions
public record ListenerConfig(ServicePolicy service, InetSocketAddress address, String hostname,
        Optional<Supplier<SSLContext>> tls, Limits limits, ProxyTrust trust) {

    /// Clients with special permissions.
    ///
    /// @param proxies must begin with a PROXY header; no other client may
    /// @param xclientHosts may use XCLIENT when the service offers it (Postfix:
    ///     smtpd_authorized_xclient_hosts)
    /// @param known have a tenth of the places reserved, see [ConnectionAdmission]
    public record ProxyTrust(Predicate<InetAddress> proxies, Predicate<InetAddress> xclientHosts,
            Predicate<InetAddress> known) {
        public static ProxyTrust none() {
            return new ProxyTrust(_ -> false, _ -> false, _ -> false);
        }
    }

    /// With standard limits, without TLS.
    public static ListenerConfig of(ServicePolicy service, InetSocketAddress address, String hostname) {
        return new ListenerConfig(service, address, hostname, Optional.empty(), Limits.standard(), ProxyTrust.none());
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

    public ListenerConfig withTrust(ProxyTrust other) {
        return new ListenerConfig(service, address, hostname, tls, limits, other);
    }
}
