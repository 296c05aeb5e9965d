package org.slipstream.server.intake;

import org.slipstream.config.Config;
import org.slipstream.core.Network;
import org.slipstream.core.Origin;
import org.slipstream.guard.login.SubmissionSettings;
import org.slipstream.guard.policy.PolicySettings;
import org.slipstream.smtpin.ListenerConfig;
import org.slipstream.smtpin.auth.GuessGuard;
import org.slipstream.smtpin.command.Extension;
import org.slipstream.smtpin.protocol.ServicePolicy;
import org.slipstream.smtpin.protocol.ServicePolicy.Authentication;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

/// The ports of this server, and the extensions that each offers.
///
/// An extension is offered only when it is supported all the way, from the listener through the
/// spool to the next host or into the mailbox:
///
/// | Extension | Supported by |
/// |---|---|
/// | SMTPUTF8, BINARYMIME, DSN | the envelope in the spool; the client, which passes it on, converts the message for a peer without it, or returns it; the reports |
/// | CHUNKING, LIMITS | the listener alone |
/// | XCLIENT | the listener, for listed clients |
/// | FUTURERELEASE | the spool, where the message is not due earlier; offered on submission ports (RFC 4865 section 3) |
/// | DELIVERBY | the queue manager, which returns or reports late mail; the client, which passes on the remaining time |
/// | MT-PRIORITY | the queue manager, as a tie-break; the client, which passes it on. Priorities from other clients count as 0 |
/// | REQUIRETLS | the client, which sends over authenticated TLS to hosts that offer it, or returns the message |
/// | ETRN | the queue manager, which tries waiting mail again; on the port for other servers, see [EtrnRequests] |
///
/// Except on the LMTP port: its client has no mail to relay there.
public final class Services {
    /// The port on which a server in front of this one hands over the mail that it has received.
    public static final String LMTP = "lmtp";

    private Services() {}

    /// One port.
    public record Service(ServicePolicy policy, InetSocketAddress address) {
        public String name() {
            return policy.name();
        }
    }

    /// The services that the settings open.
    public static List<Service> of(Config config) {
        Config.Listen listen = config.listen();
        PolicySettings policy = config.policy();
        ServicePolicy mx = ServicePolicy.mx().with(Extension.ETRN).withTurns(policy.strictTurns(),
                policy.greetingDelay().toMillis());
        return List.of(service(listen.smtp(), relaying(mx), config),
                service(listen.submission(), holding(submission(config.submission()), config), config),
                service(listen.submissions(), holding(ServicePolicy.submissions(), config), config),
                service(listen.lmtp(), ServicePolicy.lmtp(), config)).stream().flatMap(Optional::stream).toList();
    }

    /// The settings of a service's listener.
    ///
    /// @param tls for services that [#offerTls]
    public static ListenerConfig listener(Config config, Service service, Optional<Supplier<SSLContext>> tls) {
        ListenerConfig plain = ListenerConfig.of(service.policy(), service.address(), config.hostname());
        return tls.filter(_ -> offersTls(config, service)).map(plain::withTls).orElse(plain)
                .withTrust(
                        new ListenerConfig.ProxyTrust(in(config.trust().proxies()), in(config.trust().xclientHosts()),
                                in(config.relay().networks()).or(in(config.policy().exempt()))))
                .withLimits(config.limits());
    }

    /// False when no port offers TLS, so that no certificate is needed.
    public static boolean offerTls(Config config) {
        return of(config).stream().anyMatch(service -> offersTls(config, service)) || encryptsHttp(config);
    }

    /// True when the port for HTTP speaks TLS: unless it is on loopback, or something else encrypts.
    public static boolean encryptsHttp(Config config) {
        return config.listen().http().filter(address -> !address.getAddress().isLoopbackAddress()).isPresent()
                && !config.tls().off().contains(Origin.HTTP);
    }

    private static boolean offersTls(Config config, Service service) {
        return !config.tls().off().contains(service.name());
    }

    /// One guard for all ports, so that a ban applies to each.
    public static GuessGuard guard(GuessGuard.GuessSettings rules) {
        return new GuessGuard(rules, System::nanoTime);
    }

    private static Optional<Service> service(Optional<InetSocketAddress> address, ServicePolicy basic, Config config) {
        ServicePolicy policy = basic.with(Extension.SMTPUTF8, Extension.CHUNKING, Extension.BINARY_MIME, Extension.DSN,
                Extension.LIMITS).withSenderMustBelong(config.submission().senderMustBelong());
        boolean xclient = !config.trust().xclientHosts().isEmpty();
        return address.map(where -> new Service(xclient ? policy.with(Extension.XCLIENT) : policy, where));
    }

    private static ServicePolicy relaying(ServicePolicy basic) {
        return basic.with(Extension.MT_PRIORITY, Extension.REQUIRETLS).withDeliverBy(0);
    }

    private static ServicePolicy holding(ServicePolicy basic, Config config) {
        long seconds = config.submission().longestHold().toSeconds();
        return seconds > 0 ? relaying(basic).withFutureRelease(seconds) : relaying(basic);
    }

    // The policy requires authentication from other clients where the listener does not.
    private static ServicePolicy submission(SubmissionSettings rules) {
        ServicePolicy strict = ServicePolicy.submission();
        return rules.networksWithoutLogin()
                ? strict.withTls(false, false).withAuthentication(Authentication.OFFERED, false)
                : strict;
    }

    private static Predicate<InetAddress> in(List<Network> networks) {
        return address -> networks.stream().anyMatch(network -> network.contains(address));
    }
}
