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
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/// Finds the MX hosts of a domain in ascending preference, or the domain itself where there are
/// none (RFC 5321 section 5.1), with the addresses of all of them.
///
/// | DNS result | Answer |
/// |---|---|
/// | MX records | these hosts, without this server and hosts of the same or a worse preference |
/// | `MX 0 .` | 556 5.1.10, the domain accepts no mail (RFC 7505) |
/// | no MX, but an address | the domain itself, preference 0 |
/// | no MX and no address | 550 5.4.4 |
/// | NXDOMAIN | 550 5.1.2 |
/// | MX records, and no address for any of them | 450 4.4.4: the records may be in the middle of a change |
/// | SERVFAIL, timeout | 451 4.4.3: local trouble never returns mail |
/// | only this server | 554 5.4.6, mail loops back to this server |
///
/// An address literal needs no DNS. The addresses of all hosts are looked up at the same time,
/// because hosts are identified by address: `mx.a.example` and `mx.b.example` at one address share
/// connections. A host without an address is left out where another has one. A host whose lookup
/// fails stays, and is looked up again when a connection is opened. Of a domain with more than
/// [#MAX_HOSTS] the best are taken. Hosts of equal preference are sorted by name, because name
/// servers rotate their answers and the same route should look the same; they are shuffled when a
/// connection is opened.
///
/// [Dns] caches answers for their TTL, so this class caches nothing.
///
/// **Roll-up.** As an option, domains with the same hosts at the same preferences are one
/// destination, named after the hosts. They share the window, and one transaction can have
/// recipients of several of them. It is useful where one provider hosts thousands of small domains;
/// otherwise a destination is a domain.
public final class DnsRouteFinder implements RouteFinder {
    static final int MAX_HOSTS = 20;
    private static final int SMTP_PORT = 25;
    private static final Comparator<InetAddress> CANONICAL = Comparator
            .comparingInt((InetAddress address) -> address.getAddress().length)
            .thenComparing(InetAddress::getAddress, Arrays::compareUnsigned);

    private final String hostname;
    private final Dns dns;
    private final HostFinder hosts;
    private final int port;
    private final Predicate<InetAddress> ourselves;
    private final boolean rollUp;

    /// @param ourselves true for addresses at which this server receives mail
    public DnsRouteFinder(ClientConfig config, Predicate<InetAddress> ourselves, boolean rollUp) {
        this(config.hostname(), new Dns(config.dnsServers()), ourselves, rollUp);
    }

    public DnsRouteFinder(ClientConfig config) {
        this(config, _ -> false, false);
    }

    private DnsRouteFinder(String hostname, Dns dns, Predicate<InetAddress> ourselves, boolean rollUp) {
        this(hostname, dns, new DnsHostFinder(dns), SMTP_PORT, ourselves, rollUp);
    }

    /// @param hostname of this server
    /// @param port of every host found
    /// @param ourselves true for addresses at which this server receives mail
    /// @param rollUp one destination for all domains with the same hosts
    public DnsRouteFinder(String hostname, Dns dns, HostFinder hosts, int port, Predicate<InetAddress> ourselves,
            boolean rollUp) {
        this.hostname = hostname;
        this.dns = dns;
        this.hosts = hosts;
        this.port = port;
        this.ourselves = ourselves;
        this.rollUp = rollUp;
    }

    @Override
    public Answer find(String domain) {
        return findLower(lower(domain));
    }

    private Answer findLower(String domain) {
        var literal = Literal.domain(domain);
        if (literal.isPresent()) {
            return ourselves.test(literal.get())
                    ? loop(domain)
                    : found(domain, List.of(host(literal.get().getHostAddress(), 0, List.of(literal.get()))), false);
        }
        if (domain.startsWith("[")) {
            return no(550, "5.1.2", "invalid address literal: " + domain);
        }
        return switch (dns.ask(domain, Type.MX)) {
            case Dns.DnsAnswer.Found(List<Record> records) -> exchangers(domain,
                    records.stream().filter(MXRecord.class::isInstance).map(MXRecord.class::cast).toList());
            case Dns.DnsAnswer.NoRecords _ -> implicit(domain, no(550, "5.4.4", domain + " has no MX and no address"));
            // Looked up all the same, because the hosts file may have it.
            case Dns.DnsAnswer.NoDomain _ -> implicit(domain, no(550, "5.1.2", "domain " + domain + " not found"));
            case Dns.DnsAnswer.Trouble(String reason) -> trouble(domain, reason);
        };
    }

    private Answer exchangers(String domain, List<MXRecord> records) {
        if (records.stream().allMatch(mx -> mx.getTarget().equals(Name.root))) {
            return no(556, "5.1.10", domain + " does not accept mail (null MX)");
        }
        List<MXRecord> best = records.stream().filter(mx -> !mx.getTarget().equals(Name.root))
                .sorted(Comparator.comparingInt(MXRecord::getPriority).thenComparing(MXRecord::getTarget))
                .limit(MAX_HOSTS)
                .toList();
        return chosen(domain, lookUp(best));
    }

    /// A mail exchanger with its addresses.
    private record Exchanger(String name, int preference, HostFinder.HostAnswer answer) {
        List<InetAddress> addresses() {
            return answer instanceof HostFinder.HostAnswer.Found(List<InetAddress> found) ? found : List.of();
        }
    }

    private List<Exchanger> lookUp(List<MXRecord> records) {
        List<CompletableFuture<Exchanger>> asked = records.stream().map(mx -> CompletableFuture.supplyAsync(() -> {
            String name = lower(mx.getTarget().toString(true));
            return new Exchanger(name, mx.getPriority(), hosts.find(name));
        }, Thread::startVirtualThread)).toList();
        return asked.stream().map(CompletableFuture::join).toList();
    }

    private Answer chosen(String domain, List<Exchanger> all) {
        // RFC 5321 section 5.1: the local host and all hosts after it are dropped to avoid loops.
        OptionalInt ours = all.stream().filter(this::isOurselves).mapToInt(Exchanger::preference).min();
        List<Exchanger> others = all.stream().filter(x -> ours.isEmpty() || x.preference() < ours.getAsInt()).toList();
        List<Exchanger> possible = others.stream().filter(x -> !(x.answer() instanceof HostFinder.HostAnswer.None))
                .toList();
        if (others.isEmpty()) {
            return loop(domain);
        }
        if (possible.isEmpty()) {
            return no(450, "4.4.4", "no mail exchanger of " + domain + " has an address");
        }
        if (possible.stream().allMatch(x -> x.addresses().isEmpty())
                && possible.getFirst().answer() instanceof HostFinder.HostAnswer.Trouble(String reason)) {
            return trouble(possible.getFirst().name(), reason);
        }
        return found(domain, possible.stream().map(x -> host(x.name(), x.preference(), x.addresses())).toList(),
                rollUp);
    }

    private Answer implicit(String domain, Answer nothing) {
        return switch (hosts.find(domain)) {
            case HostFinder.HostAnswer.Found(List<InetAddress> addresses) -> isOurselves(domain, addresses)
                    ? loop(domain)
                    : found(domain, List.of(host(domain, 0, addresses)), false);
            case HostFinder.HostAnswer.None _ -> nothing;
            case HostFinder.HostAnswer.Trouble(String reason) -> trouble(domain, reason);
        };
    }

    private boolean isOurselves(Exchanger exchanger) {
        return isOurselves(exchanger.name(), exchanger.addresses());
    }

    private boolean isOurselves(String host, List<InetAddress> addresses) {
        return host.equalsIgnoreCase(hostname) || addresses.stream().anyMatch(ourselves);
    }

    private Host host(String name, int preference, List<InetAddress> addresses) {
        return new Host(name, port, preference,
                addresses.stream().sorted(CANONICAL).distinct().map(InetAddress::getHostAddress).toList());
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    private static Answer found(String domain, List<Host> hosts, boolean rollUp) {
        return new Answer.Found(new Route.Smtp(rollUp ? group(hosts) : domain, hosts));
    }

    /// `mx1+mx2>backup`: equal preferences joined by `+`, a worse one after `>`.
    private static String group(List<Host> hosts) {
        StringBuilder name = new StringBuilder(hosts.getFirst().name());
        for (int i = 1; i < hosts.size(); i++) {
            name.append(hosts.get(i).preference() == hosts.get(i - 1).preference() ? '+' : '>')
                    .append(hosts.get(i).name());
        }
        return name.toString();
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
