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

/// MX records in ascending preference, or the domain itself where there are none (RFC 5321 section 5.1), with the addresses
/// of all of them.
///
/// | DNS says | Answer |
/// |---|---|
/// | MX records | these hosts, without ourselves and what is not better than ourselves |
/// | `MX 0 .` | 556 5.1.10, the domain takes no mail (RFC 7505) |
/// | no MX, but an address | the domain itself, preference 0 |
/// | no MX and no address | 550 5.4.4 |
/// | NXDOMAIN | 550 5.1.2 |
/// | MX records, and no address for any of them | 450 4.4.4: somebody is in the middle of a change |
/// | SERVFAIL, silence | 451 4.4.3: local trouble never returns mail |
/// | only ourselves | 554 5.4.6, the mail would come back to us |
///
/// A domain that is an address in brackets needs no DNS. The addresses of all hosts are asked for at the same time, because
/// hosts are one and the same by address: `mx.a.example` and `mx.b.example` at one address share connections. A host without an
/// address is left out where another has one; a host whose lookup fails stays, and whoever opens a connection asks again. Of a domain with
/// more than [#MAX_HOSTS] the best are taken. Hosts of equal preference stand in the order of their names: a name server
/// turns its answers around, and the same route should look the same; who opens a connection mixes them.
///
/// Answers live as long as DNS says ([Dns] remembers them), so nothing is remembered here.
///
/// **Roll-up.** As a choice, domains with the same hosts at the same preferences are one destination, named after the hosts:
/// they share the window, and one transaction can be for recipients of several of them. Of use where thousands of small domains
/// are kept by one provider; otherwise a destination is a domain.
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

    /// @param ourselves says of an address that this server takes mail there
    public DnsRouteFinder(ClientConfig config, Predicate<InetAddress> ourselves, boolean rollUp) {
        this(config.hostname(), new Dns(config.dnsServers()), ourselves, rollUp);
    }

    public DnsRouteFinder(ClientConfig config) {
        this(config, _ -> false, false);
    }

    private DnsRouteFinder(String hostname, Dns dns, Predicate<InetAddress> ourselves, boolean rollUp) {
        this(hostname, dns, new DnsHostFinder(dns), SMTP_PORT, ourselves, rollUp);
    }

    /// @param hostname ourselves
    /// @param port of every host found
    /// @param ourselves says of an address that this server takes mail there
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
        List<MXRecord> best = records.stream().filter(mx -> !mx.getTarget().equals(Name.root))
                .sorted(Comparator.comparingInt(MXRecord::getPriority).thenComparing(MXRecord::getTarget))
                .limit(MAX_HOSTS)
                .toList();
        return chosen(domain, lookUp(best));
    }

    /// A mail exchanger and what is known of its addresses.
    private record Exchanger(String name, int preference, HostFinder.Answer answer) {
        List<InetAddress> addresses() {
            return answer instanceof HostFinder.Answer.Found(List<InetAddress> found) ? found : List.of();
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
        // RFC 5321 section 5.1: from the local host on, all are dropped, or the mail would go in a circle.
        OptionalInt ours = all.stream().filter(this::isOurselves).mapToInt(Exchanger::preference).min();
        List<Exchanger> others = all.stream().filter(x -> ours.isEmpty() || x.preference() < ours.getAsInt()).toList();
        List<Exchanger> possible = others.stream().filter(x -> !(x.answer() instanceof HostFinder.Answer.None))
                .toList();
        if (others.isEmpty()) {
            return loop(domain);
        }
        if (possible.isEmpty()) {
            return no(450, "4.4.4", "no mail exchanger of " + domain + " has an address");
        }
        if (possible.stream().allMatch(x -> x.addresses().isEmpty())
                && possible.getFirst().answer() instanceof HostFinder.Answer.Trouble(String reason)) {
            return trouble(possible.getFirst().name(), reason);
        }
        return found(domain, possible.stream().map(x -> host(x.name(), x.preference(), x.addresses())).toList(),
                rollUp);
    }

    private Answer implicit(String domain, Answer nothing) {
        return switch (hosts.find(domain)) {
            case HostFinder.Answer.Found(List<InetAddress> addresses) -> isOurselves(domain, addresses)
                    ? loop(domain)
                    : found(domain, List.of(host(domain, 0, addresses)), false);
            case HostFinder.Answer.None _ -> nothing;
            case HostFinder.Answer.Trouble(String reason) -> trouble(domain, reason);
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

    /// `mx1+mx2>backup`: equal ones joined, the worse after the better.
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
