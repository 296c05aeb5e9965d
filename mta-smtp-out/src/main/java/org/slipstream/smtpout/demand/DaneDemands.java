package org.slipstream.smtpout.demand;

import org.slipstream.auth.dane.TlsaRecord;
import org.slipstream.core.Route;
import org.slipstream.core.TlsDemand;
import org.slipstream.core.text.Ascii;
import org.slipstream.smtpout.host.SecureDns.DnsTrust;
import org.slipstream.smtpout.host.SecureDns.SecureAnswer;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/// The demands of DANE on the hosts of a domain (RFC 7672), in the order in which DNS must be secure:
/// the mail exchangers, then the addresses of a host, then its TLSA records.
///
/// A lookup that fails is neither: the host is left out, and never used with less. TLSA is not asked for
/// behind insecure addresses, because the servers of such zones often never answer that question. A
/// host that is an alias has its records at the target, or else at its own name.
final class DaneDemands {
    /// Of a host. A change of keys needs four.
    private static final int MOST_RECORDS = 16;

    private final BiFunction<String, String, SecureAnswer> dns;

    /// @param hosts those that may be used; none when every lookup failed
    /// @param failed names of the hosts whose lookup failed
    record Demanded(List<Route.Host> hosts, List<String> failed) {}

    /// @param dns answers a name and a type
    DaneDemands(BiFunction<String, String, SecureAnswer> dns) {
        this.dns = dns;
    }

    /// @param domain in ASCII and lower case
    Demanded of(String domain, List<Route.Host> hosts) {
        SecureAnswer exchangers = dns.apply(domain, "MX");
        if (exchangers.trust() == DnsTrust.FAILED) {
            return new Demanded(List.of(), List.of(domain));
        }
        if (exchangers.trust() == DnsTrust.INSECURE) {
            return new Demanded(hosts, List.of());
        }
        // Without MX the domain itself is the host, and its absence is proven.
        Set<String> secure = new HashSet<>(exchangers.texts().isEmpty()
                ? List.of(domain)
                : exchangers.texts().stream().map(mx -> Ascii.lower(mx.substring(mx.indexOf(' ') + 1))).toList());
        List<Route.Host> usable = new ArrayList<>();
        List<String> failed = new ArrayList<>();
        for (Route.Host host : hosts) {
            // The hosts may come from an answer before this one.
            Optional<TlsDemand> demand = secure.contains(host.name()) ? of(domain, host) : Optional.empty();
            demand.map(host::demanding).ifPresentOrElse(usable::add, () -> failed.add(host.name()));
        }
        return new Demanded(usable, failed);
    }

    /// Empty when a lookup failed.
    private Optional<TlsDemand> of(String domain, Route.Host host) {
        List<SecureAnswer> addresses = Stream.of("A", "AAAA").map(type -> dns.apply(host.name(), type)).toList();
        Optional<SecureAnswer> secure = addresses.stream()
                .filter(each -> each.trust() == DnsTrust.SECURE && !each.texts().isEmpty()).findFirst();
        if (secure.isPresent()) {
            return tlsa(domain, host, secure.get().owner(), host.name());
        }
        if (addresses.stream().anyMatch(each -> each.trust() == DnsTrust.FAILED)) {
            return Optional.empty();
        }
        boolean alias = addresses.stream().anyMatch(each -> !each.owner().equals(host.name()));
        return alias && dns.apply(host.name(), "CNAME").trust() == DnsTrust.SECURE
                ? tlsa(domain, host, host.name())
                : Optional.of(TlsDemand.NONE);
    }

    private Optional<TlsDemand> tlsa(String domain, Route.Host host, String... bases) {
        for (String base : new LinkedHashSet<>(List.of(bases))) {
            SecureAnswer records = dns.apply("_" + host.port() + "._tcp." + base, "TLSA");
            if (records.trust() == DnsTrust.FAILED) {
                return Optional.empty();
            }
            if (records.trust() == DnsTrust.SECURE && !records.texts().isEmpty()) {
                return Optional.of(demand(domain, host, base, records.texts()));
            }
        }
        return Optional.of(TlsDemand.NONE);
    }

    private static TlsDemand demand(String domain, Route.Host host, String base, List<String> texts) {
        List<TlsaRecord> usable = texts.stream().flatMap(text -> TlsaRecord.usable(text).stream())
                .limit(MOST_RECORDS).toList();
        if (usable.isEmpty()) {
            return TlsDemand.ENCRYPT;
        }
        // Only an authority's certificate must have a name. Without one, domains share connections.
        Set<String> names = new LinkedHashSet<>(List.of(base));
        if (usable.stream().anyMatch(TlsaRecord::isAuthority)) {
            names.addAll(List.of(host.name(), domain));
        }
        return TlsDemand.dane(List.copyOf(names), usable.stream().map(TlsaRecord::toString).toList());
    }
}
