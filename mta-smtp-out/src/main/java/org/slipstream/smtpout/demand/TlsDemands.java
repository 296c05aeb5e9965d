package org.slipstream.smtpout.demand;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.auth.sts.StsPolicy;
import org.slipstream.auth.tlsreport.ReportedTlsPolicy;
import org.slipstream.auth.tlsreport.ReportedTlsPolicy.PolicyKind;
import org.slipstream.auth.tlsreport.TlsOutcome;
import org.slipstream.auth.tlsreport.TlsResult;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.TlsDemand;
import org.slipstream.core.dns.DomainName;
import org.slipstream.smtpout.host.RecordTexts;
import org.slipstream.smtpout.host.SecureDns;
import org.slipstream.smtpout.wire.CertificateCheck;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// Decides for each domain which TLS its owner demands of its hosts, and tells how sessions ended.
///
/// The decision precedes the grouping of mail by host and stands in the route, because one host serves
/// many domains: a domain without a policy must not lower the TLS of another one, and mail of a domain
/// with a policy must not use a connection that was opened without the check.
public final class TlsDemands {
    private static final Logger log = LoggerFactory.getLogger(TlsDemands.class);
    /// Those that were looked up last; each has some 30 KiB at most.
    private static final int MOST_DOMAINS = 1_000;

    private final Optional<StsPolicies> sts;
    private final Optional<DaneDemands> dane;
    private final Supplier<CertificateCheck> authorities;
    private final OutcomeListener outcomes;

    // Guarded by itself. For reports only; a demand stands in its route.
    private final Map<String, List<ReportedTlsPolicy>> policies = new LinkedHashMap<>();

    /// Passes outcomes on, to a listener that is made later than the settings.
    static final class OutcomeListener implements Consumer<TlsOutcome> {
        private volatile Consumer<TlsOutcome> listener;

        OutcomeListener(Consumer<TlsOutcome> first) {
            listener = first;
        }

        @Override
        public void accept(TlsOutcome outcome) {
            listener.accept(outcome);
        }
    }

    /// The decision about the hosts of a domain.
    public sealed interface HostDecision {
        /// @param hosts those that the policy permits, with its demand; at least one
        record Permitted(List<Route.Host> hosts) implements HostDecision {}

        /// Mail waits.
        record NoHost(Reply reason) implements HostDecision {}
    }

    TlsDemands(Optional<StsPolicies> sts, Optional<DaneDemands> dane, Supplier<CertificateCheck> authorities,
            Consumer<TlsOutcome> outcomes) {
        this(sts, dane, authorities, new OutcomeListener(outcomes));
    }

    TlsDemands(Optional<StsPolicies> sts, Optional<DaneDemands> dane, Supplier<CertificateCheck> authorities,
            OutcomeListener outcomes) {
        this.sts = sts;
        this.dane = dane;
        this.authorities = authorities;
        this.outcomes = outcomes;
    }

    /// The listener learns how each session ended from now on.
    public void tellTo(Consumer<TlsOutcome> listener) {
        outcomes.listener = listener;
    }

    /// No policy is looked up, and nothing is told.
    public static TlsDemands none() {
        return new TlsDemands(Optional.empty(), Optional.empty(), () -> PublicAuthorities.KNOWN, _ -> {});
    }

    /// @param servers of DNS; empty for those of the system
    /// @param folder of the known policies; empty to keep them in memory
    public static TlsDemands of(DemandSettings settings, List<InetSocketAddress> servers,
            Optional<Path> folder, InstantSource clock) {
        OutcomeListener outcomes = new OutcomeListener(_ -> {});
        Optional<StsPolicies> policies = settings.mtaSts()
                ? Optional.of(new StsPolicies(new RecordTexts(servers), new StsDownload(),
                        new StsStore(folder, StsStore.MOST_DOMAINS), clock::millis, outcomes))
                : Optional.empty();
        return new TlsDemands(policies, settings.dane() ? dane(new SecureDns(servers)) : Optional.empty(),
                () -> PublicAuthorities.KNOWN, outcomes);
    }

    /// The policies that are looked up.
    public record DemandSettings(boolean mtaSts, boolean dane) {}

    private static Optional<DaneDemands> dane(SecureDns dns) {
        if (!dns.isTrusted()) {
            log.warn("event=dane-off reason=\"the DNS server is not on this machine, so its word about DNSSEC can be"
                    + " forged on the way\"");
            return Optional.empty();
        }
        return Optional.of(new DaneDemands(dns::ask));
    }

    // The trust store of the Java runtime. Loading it takes a moment, so it is loaded on demand.
    private static final class PublicAuthorities {
        private static final CertificateCheck KNOWN = known();

        private static CertificateCheck known() {
            try {
                return CertificateCheck.trusting(Optional.empty());
            } catch (GeneralSecurityException impossible) {
                throw new IllegalStateException("this Java runtime has no authorities", impossible);
            }
        }
    }

    /// Checks the certificates of hosts by the public authorities, as MTA-STS demands.
    public CertificateCheck authorities() {
        return authorities.get();
    }

    /// Blocking.
    ///
    /// @param hosts found for the domain, at least one
    public HostDecision decide(String name, List<Route.Host> hosts) {
        Optional<String> domain = DomainName.ascii(name);
        if (domain.isEmpty()) {
            return new HostDecision.Permitted(hosts);
        }
        Optional<StsPolicy> policy = sts.flatMap(each -> each.find(domain.get()))
                .filter(each -> each.mode() != StsPolicy.StsMode.NONE);
        DaneDemands.Demanded demanded = dane.map(each -> each.of(domain.get(), hosts))
                .orElseGet(() -> new DaneDemands.Demanded(hosts, List.of()));
        remember(domain.get(), policy, demanded.hosts());
        if (demanded.hosts().isEmpty()) {
            String words = "DNSSEC: no secure answer about " + String.join(", ", demanded.failed());
            tell(domain.get(), hosts.getFirst().name(), Optional.empty(), Optional.empty(),
                    TlsResult.DNSSEC_INVALID, words);
            return new HostDecision.NoHost(Reply.of(451, "4.7.5", words));
        }
        return policy.filter(each -> each.mode() == StsPolicy.StsMode.ENFORCE)
                .map(each -> enforced(domain.get(), each, demanded.hosts()))
                .orElseGet(() -> new HostDecision.Permitted(demanded.hosts()));
    }

    // DANE is the stronger promise, so a host with a demand keeps it (RFC 8461 section 2).
    private HostDecision enforced(String domain, StsPolicy policy, List<Route.Host> hosts) {
        List<Route.Host> permitted = hosts.stream()
                .filter(host -> !host.demand().isNone() || policy.permits(host.name()))
                .map(host -> host.demand().isNone() ? host.demanding(TlsDemand.STS) : host).toList();
        if (!permitted.isEmpty()) {
            return new HostDecision.Permitted(permitted);
        }
        String words = "the MTA-STS policy of " + domain + " permits none of its mail exchangers: "
                + hosts.stream().map(Route.Host::name).collect(Collectors.joining(", "));
        tell(domain, hosts.getFirst().name(), Optional.empty(), Optional.empty(), TlsResult.VALIDATION_FAILURE, words);
        return new HostDecision.NoHost(Reply.of(450, "4.7.5", words));
    }

    private void remember(String domain, Optional<StsPolicy> policy, List<Route.Host> hosts) {
        List<ReportedTlsPolicy> found = new ArrayList<>();
        policy.ifPresent(each -> found.add(new ReportedTlsPolicy(PolicyKind.STS, domain, each.lines(), each.mx())));
        List<String> associations = hosts.stream().flatMap(host -> host.demand().associations().stream()).distinct()
                .toList();
        if (!associations.isEmpty()) {
            found.add(new ReportedTlsPolicy(PolicyKind.TLSA, domain, associations, List.of()));
        }
        synchronized (policies) {
            policies.remove(domain);
            if (!found.isEmpty()) {
                policies.put(domain, List.copyOf(found));
            }
            if (policies.size() > MOST_DOMAINS) {
                policies.remove(policies.keySet().iterator().next());
            }
        }
    }

    /// The policy of MTA-STS that a session for this next hop only tries: its failures are told, and the
    /// mail goes all the same.
    public Optional<StsPolicy> tried(String nextHop) {
        return DomainName.ascii(nextHop)
                .filter(domain -> of(domain).stream().anyMatch(each -> each.kind() == PolicyKind.STS))
                .flatMap(domain -> sts.flatMap(each -> each.known(domain)))
                .filter(each -> each.mode() == StsPolicy.StsMode.TESTING);
    }

    /// Tells how a session that was opened for a domain ended. The next hops of configured hosts and of
    /// domains that are one destination are no domains, and have no reports.
    ///
    /// @param words about a failure; empty for none
    public void tell(String nextHop, String host, Optional<InetAddress> from, Optional<InetAddress> to,
            TlsResult result, String words) {
        DomainName.ascii(nextHop).filter(StsStore::isDomain).ifPresent(domain -> {
            List<ReportedTlsPolicy> known = of(domain);
            (known.isEmpty() ? List.of(ReportedTlsPolicy.none(domain)) : known).forEach(policy -> outcomes
                    .accept(new TlsOutcome(policy, result, Optional.of(host), from, to, words)));
        });
    }

    /// The policies of a domain as the last decision found them.
    ///
    /// @param domain in ASCII and lower case
    public List<ReportedTlsPolicy> of(String domain) {
        synchronized (policies) {
            return policies.getOrDefault(domain, List.of());
        }
    }
}
