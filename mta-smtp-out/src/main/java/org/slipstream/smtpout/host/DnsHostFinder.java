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

/// Finds addresses: literals first, then the hosts file, then A and AAAA records in parallel.
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
    public Answer find(String host) {
        var literal = Literal.address(host);
        if (literal.isPresent()) {
            return new Answer.Found(List.of(literal.get()));
        }
        List<InetAddress> filed = inHostsFile(host);
        return filed.isEmpty() ? inDns(host) : new Answer.Found(filed);
    }

    /// IPv4 addresses only, without the hosts file: for names that are not hosts (RFC 5782).
    public Answer ip4InDns(String name) {
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

    private Answer inDns(String host) {
        var v4 = dns.askAsync(host, Type.A);
        var v6 = dns.askAsync(host, Type.AAAA);
        return answer(List.of(v4.join(), v6.join()));
    }

    private static Answer answer(List<Dns.Answer> answers) {
        List<InetAddress> addresses = answers.stream().flatMap(DnsHostFinder::addresses).toList();
        if (!addresses.isEmpty()) {
            return new Answer.Found(addresses);
        }
        for (Dns.Answer answer : answers) {
            if (answer instanceof Dns.Answer.Trouble(String reason)) {
                return new Answer.Trouble(reason);
            }
        }
        return new Answer.None(answers.contains(new Dns.Answer.NoDomain()) ? "host not found" : "host has no address");
    }

    private static Stream<InetAddress> addresses(Dns.Answer answer) {
        return answer instanceof Dns.Answer.Found(List<Record> records)
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
