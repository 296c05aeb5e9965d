package org.slipstream.smtpout.host;

import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;
import org.xbill.DNS.hosts.HostsFileParser;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// Finds addresses: literals first, then the hosts file, then A and AAAA records in parallel
/// (RFC 5321 section 5.2).
///
/// A name in the hosts file is not looked up in DNS, not even for the other family, because the
/// administrator's entry is final.
public final class DnsHostFinder implements HostFinder {
    private final Dns dns;
    private final HostsFileParser hosts;

    public DnsHostFinder(Dns dns) {
        this(dns, new HostsFileParser());
    }

    DnsHostFinder(Dns dns, HostsFileParser hosts) {
        this.dns = dns;
        this.hosts = hosts;
    }

    @Override
    public HostAnswer find(String host) {
        var literal = Literal.address(host);
        if (literal.isPresent()) {
            return new HostAnswer.Found(List.of(literal.get()));
        }
        List<InetAddress> filed = inHostsFile(host);
        return filed.isEmpty() ? inDns(host) : new HostAnswer.Found(filed);
    }

    /// IPv4 addresses only, without the hosts file: for names that are not hosts (RFC 5782).
    public HostAnswer ip4InDns(String name) {
        return answer(List.of(dns.ask(name, Type.A)));
    }

    private List<InetAddress> inHostsFile(String host) {
        try {
            Name name = Name.fromString(host.endsWith(".") ? host : host + ".");
            List<InetAddress> addresses = new ArrayList<>();
            hosts.getAddressForHost(name, Type.A).ifPresent(addresses::add);
            hosts.getAddressForHost(name, Type.AAAA).ifPresent(addresses::add);
            return addresses;
        } catch (TextParseException _) {
            return List.of();
        } catch (IOException _) {
            return List.of(); // The hosts file is missing or unreadable: DNS decides.
        }
    }

    private HostAnswer inDns(String host) {
        var v4 = dns.askAsync(host, Type.A);
        var v6 = dns.askAsync(host, Type.AAAA);
        return answer(List.of(v4.join(), v6.join()));
    }

    private static HostAnswer answer(List<Dns.DnsAnswer> answers) {
        List<InetAddress> addresses = answers.stream().flatMap(DnsHostFinder::addresses).toList();
        if (!addresses.isEmpty()) {
            return new HostAnswer.Found(addresses);
        }
        for (Dns.DnsAnswer answer : answers) {
            if (answer instanceof Dns.DnsAnswer.Trouble(String reason)) {
                return new HostAnswer.Trouble(reason);
            }
        }
        return new HostAnswer.None(
                answers.contains(new Dns.DnsAnswer.NoDomain()) ? "host not found" : "host has no address");
    }

    private static Stream<InetAddress> addresses(Dns.DnsAnswer answer) {
        return answer instanceof Dns.DnsAnswer.Found(List<Record> records)
                ? records.stream().flatMap(DnsHostFinder::address)
                : Stream.empty();
    }

    private static Stream<InetAddress> address(Record found) {
        return switch (found) {
            case ARecord a -> Stream.of(a.getAddress());
            case AAAARecord aaaa -> Stream.of(aaaa.getAddress());
            default -> Stream.empty();
        };
    }
}
