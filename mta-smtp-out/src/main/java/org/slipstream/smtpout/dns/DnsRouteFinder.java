package org.slipstream.smtpout.dns;

import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.Route.Host;
import org.slipstream.smtpout.ClientConfig;
import org.slipstream.smtpout.RouteFinder;
import org.slipstream.smtpout.host.Dns;
import org.slipstream.smtpout.host.DnsHostFinder;
import org.slipstream.smtpout.host.HostFinder;
import org.slipstream.smtpout.host.Literal;
import org.xbill.DNS.MXRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

import java.net.InetAddress;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/// MX records in ascending preference, or the domain itself where there are none (RFC 5321 section 5.1).
///
/// | DNS says | Answer |
/// |---|---|
/// | MX records | these hosts, without ourselves and what is not better than ourselves |
/// | `MX 0 .` | 556 5.1.10, the domain takes no mail (RFC 7505) |
/// | no MX, but an address | the domain itself, preference 0 |
/// | no MX and no address | 550 5.4.4 |
/// | NXDOMAIN | 550 5.1.2 |
/// | SERVFAIL, silence | 451 4.4.3: local trouble never returns mail |
/// | only ourselves | 554 5.4.6, the mail would come back to us |
///
/// A domain that is an address in brackets needs no DNS. Hosts of equal preference keep the order of the answer; who
/// opens a connection mixes them. Their addresses are not looked up here, because only a few of them are ever needed.
public final class DnsRouteFinder implements RouteFinder {
    private static final int SMTP_PORT = 25;

    private final String hostname;
    private final Dns dns;
    private final HostFinder hosts;
    private final int port;

    public DnsRouteFinder(ClientConfig config) {
        this(config.hostname(), new Dns(config.dnsServers()));
    }

    private DnsRouteFinder(String hostname, Dns dns) {
        this(hostname, dns, new DnsHostFinder(dns), SMTP_PORT);
    }

    /// @param hostname ourselves
    /// @param port of every host found
    public DnsRouteFinder(String hostname, Dns dns, HostFinder hosts, int port) {
        this.hostname = hostname;
        this.dns = dns;
        this.hosts = hosts;
        this.port = port;
    }

    @Override
    public Answer find(String domain) {
        return findLower(lower(domain));
    }

    private Answer findLower(String domain) {
        var literal = Literal.domain(domain);
        if (literal.isPresent()) {
            return found(domain, List.of(host(literal.get())));
        }
        if (domain.startsWith("[")) {
            return no(550, "5.1.2", domain + " is no address");
        }
        return switch (dns.ask(domain, Type.MX)) {
            case Dns.Answer.Found(List<Record> records) -> exchangers(domain,
                    records.stream().filter(MXRecord.class::isInstance).map(MXRecord.class::cast).toList());
            case Dns.Answer.NoRecords _ -> implicit(domain, no(550, "5.4.4", domain + " has no MX and no address"));
            // Asked nevertheless, because the hosts file may know what DNS does not.
            case Dns.Answer.NoDomain _ -> implicit(domain, no(550, "5.1.2", "domain " + domain + " not found"));
            case Dns.Answer.Trouble(String reason) -> trouble(domain, reason);
        };
    }

    private Answer exchangers(String domain, List<MXRecord> records) {
        if (records.stream().allMatch(mx -> mx.getTarget().equals(Name.root))) {
            return no(556, "5.1.10", domain + " does not accept mail (null MX)");
        }
        List<Host> sorted = records.stream().filter(mx -> !mx.getTarget().equals(Name.root))
                .map(mx -> new Host(lower(mx.getTarget().toString(true)), port, mx.getPriority()))
                .sorted(Comparator.comparingInt(Host::preference)).toList();
        // RFC 5321 section 5.1: from the local host on, all are dropped, or the mail would go in a circle.
        OptionalInt ours = sorted.stream().filter(h -> isOurselves(h.name())).mapToInt(Host::preference).min();
        List<Host> others = sorted.stream().filter(h -> ours.isEmpty() || h.preference() < ours.getAsInt()).toList();
        return others.isEmpty() ? loop(domain) : found(domain, others);
    }

    private Answer implicit(String domain, Answer nothing) {
        return switch (hosts.find(domain)) {
            case HostFinder.Answer.Found _ -> isOurselves(domain)
                    ? loop(domain)
                    : found(domain, List.of(new Host(domain, port, 0)));
            case HostFinder.Answer.None _ -> nothing;
            case HostFinder.Answer.Trouble(String reason) -> trouble(domain, reason);
        };
    }

    private boolean isOurselves(String host) {
        return host.equalsIgnoreCase(hostname);
    }

    private Host host(InetAddress address) {
        return new Host(address.getHostAddress(), port, 0);
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    private static Answer found(String domain, List<Host> hosts) {
        return new Answer.Found(new Route.Smtp(domain, hosts));
    }

    private static Answer loop(String domain) {
        return no(554, "5.4.6", "mail for " + domain + " loops back to this server");
    }

    private static Answer trouble(String domain, String reason) {
        return no(451, "4.4.3", "DNS lookup for " + domain + " failed: " + reason);
    }

    private static Answer no(int code, String status, String text) {
        return new Answer.NoRoute(Reply.of(code, status, text));
    }
}
