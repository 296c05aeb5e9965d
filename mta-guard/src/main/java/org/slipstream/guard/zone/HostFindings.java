package org.slipstream.guard.zone;

import org.slipstream.core.FindingList;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.ReverseName;
import org.slipstream.core.dns.TextAnswer;
import org.slipstream.smtpout.host.Literal;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;

/// Where mail for a domain goes, and whether names and addresses of this host agree: MX, A, AAAA,
/// PTR, and the name in EHLO.
final class HostFindings {
    private final DnsLookup dns;
    private final DomainQuestion asked;
    private final WantedRecords wanted;
    private final FindingList findings;

    HostFindings(DnsLookup dns, DomainQuestion asked, WantedRecords wanted, FindingList findings) {
        this.dns = dns;
        this.asked = asked;
        this.wanted = wanted;
        this.findings = findings;
    }

    /// The hosts of the MX records, in order of preference.
    List<String> exchangers() {
        String domain = asked.domain();
        String record = wanted.mx().line();
        return switch (dns.ask(domain, RecordType.MX)) {
            case TextAnswer.Found(List<String> texts) -> exchangers(texts, record);
            case TextAnswer.None(boolean exists) -> {
                findings.lacks("mx", exists
                        ? domain + " has no MX record; other servers try the address of " + domain + " itself"
                        : "DNS does not know " + domain + "; register the domain, or add its first record", record);
                yield List.of();
            }
            case TextAnswer.Trouble(String reason) -> {
                findings.silent("mx", domain, reason);
                yield List.of();
            }
        };
    }

    private List<String> exchangers(List<String> texts, String record) {
        List<String> hosts = texts.stream().sorted((a, b) -> Integer.compare(preference(a), preference(b)))
                .map(text -> text.substring(text.indexOf(' ') + 1).toLowerCase(Locale.ROOT)).toList();
        if (hosts.contains(".")) {
            findings.lacks("mx", hosts.size() == 1
                    ? asked.domain() + " has a null MX: it declares that it accepts no mail (RFC 7505)"
                    : asked.domain() + " has a null MX beside other MX records, which RFC 7505 forbids; remove"
                            + " the null MX",
                    record);
            return hosts.stream().filter(host -> !host.equals(".")).toList();
        }
        hosts.forEach(this::exchanger);
        if (hosts.stream().anyMatch(this::isThisServer)) {
            findings.ok("mx", "mail for " + asked.domain() + " comes to " + String.join(", ", hosts));
        } else {
            findings.lacks("mx", "mail for " + asked.domain() + " goes to " + String.join(", ", hosts)
                    + ", and none of them is this server", record);
        }
        return hosts;
    }

    private static int preference(String text) {
        return Integer.parseInt(text.substring(0, text.indexOf(' ')));
    }

    private void exchanger(String host) {
        if (Literal.address(host).isPresent()) {
            findings.lacks("mx", "the MX record names the address " + host + "; it must name a host");
        } else if (dns.ask(host, RecordType.CNAME) instanceof TextAnswer.Found(List<String> target)) {
            findings.lacks("mx", "the MX host " + host + " is an alias (CNAME) of " + target.getFirst()
                    + ", which RFC 2181 section 10.3 forbids; name the target",
                    WantedRecord.line(asked.domain(), RecordType.MX, "10 " + target.getFirst() + "."));
        } else if (addresses(host).isEmpty()) {
            findings.lacks("mx", "the MX host " + host + " has no address",
                    WantedRecord.line(host, RecordType.A, exampleV4()));
        }
    }

    private boolean isThisServer(String host) {
        return host.equals(asked.hostname()) || addresses(host).stream().anyMatch(asked.addresses()::contains);
    }

    /// None when DNS knows none or does not answer.
    private List<InetAddress> addresses(String host) {
        return DomainCheck.addresses(dns, host);
    }

    /// The name that this server gives in its greeting and in EHLO.
    void name() {
        String host = asked.hostname();
        List<InetAddress> found = addresses(host);
        if (host.indexOf('.') < 0 || host.startsWith("[")) {
            findings.lacks("name", "the hostname \"" + host + "\" is not a full name; set hostname in mta.toml");
        } else if (found.isEmpty()) {
            if (dns.ask(host, RecordType.A) instanceof TextAnswer.Trouble(String reason)) {
                findings.silent("name", host, reason);
            } else {
                findings.lacks("name", "DNS has no address of " + host + ", the name in EHLO",
                        WantedRecord.line(host, RecordType.A, exampleV4()));
            }
        } else if (asked.addresses().stream().noneMatch(found::contains)) {
            findings.lacks("name", host + " has the addresses " + texts(found) + ", and mail leaves from "
                    + texts(asked.addresses()), wanted.address(host, asked.addresses().getFirst()).line());
        } else {
            findings.ok("name", host + " has the address " + texts(found));
            if (found.stream().allMatch(Inet4Address.class::isInstance)) {
                findings.advice("ipv6", host + " has no IPv6 address; mail works without",
                        WantedRecord.line(host, RecordType.AAAA, "2001:db8::25"));
            }
        }
    }

    private String exampleV4() {
        return asked.addresses().stream().filter(Inet4Address.class::isInstance).findFirst()
                .map(InetAddress::getHostAddress).orElse("192.0.2.25");
    }

    static String texts(List<InetAddress> addresses) {
        return String.join(", ", addresses.stream().map(InetAddress::getHostAddress).toList());
    }

    /// The reverse name of each address, and its way back (RFC 1912 section 2.1). Large receivers
    /// refuse mail from an address without one.
    void reverse() {
        asked.addresses().forEach(address -> reverse(address, asked.hostname()));
        asked.sources().forEach((address, name) -> {
            List<InetAddress> found = addresses(name);
            if (!found.isEmpty() && !found.contains(address)) {
                findings.lacks("name", name + ", the name in EHLO of the source " + address.getHostAddress()
                        + ", has the addresses " + texts(found), wanted.address(name, address).line());
            }
            reverse(address, name);
        });
    }

    private void reverse(InetAddress address, String ehlo) {
        String text = address.getHostAddress();
        if (address.isSiteLocalAddress() || address.isLoopbackAddress() || address.isLinkLocalAddress()) {
            findings.unknown("ptr", text + " is not a public address; give the one that other servers see:"
                    + " --address");
            return;
        }
        String name = ReverseName.of(address);
        String record = wanted.reverse(address, ehlo).line();
        switch (dns.ask(name, RecordType.PTR)) {
            case TextAnswer.Trouble(String reason) -> findings.silent("ptr", name, reason);
            case TextAnswer.None _ -> findings.lacks("ptr", text + " has no reverse name; the provider of the address"
                    + " sets it", record);
            case TextAnswer.Found(List<String> names) -> {
                List<String> confirmed = names.stream().filter(each -> addresses(each).contains(address)).toList();
                if (confirmed.isEmpty()) {
                    findings.lacks("ptr", "the reverse name of " + text + ", " + names.getFirst()
                            + ", does not lead back to the address", wanted.address(names.getFirst(), address).line());
                } else if (confirmed.stream().noneMatch(ehlo::equalsIgnoreCase)) {
                    findings.advice("ptr", "the reverse name of " + text + " is " + confirmed.getFirst()
                            + ", and EHLO says " + ehlo + "; some receivers compare them", record);
                } else {
                    findings.ok("ptr", text + " is " + confirmed.getFirst() + ", and back");
                }
            }
        }
    }

    /// The services that programs of users look for. All are optional; a wrong record leads them astray.
    void services() {
        asked.services().forEach(service -> service(wanted.srv(service)));
        wanted.autoconfigHost().filter(record -> addresses(record.name()).isEmpty()).ifPresent(
                record -> findings.advice(record.subject(), "no " + record.name() + "; with it and a web server, mail"
                        + " programs find their settings", record.line()));
    }

    private void service(WantedRecord record) {
        switch (dns.ask(record.name(), record.type())) {
            case TextAnswer.Trouble(String reason) -> findings.silent(record.subject(), record.name(), reason);
            case TextAnswer.None _ -> findings.advice(record.subject(), "no record " + record.name() + "; users type"
                    + " the name of the server", record.line());
            case TextAnswer.Found(List<String> texts) -> {
                if (texts.stream().anyMatch(text -> target(text + ".").equals(target(record.value())))) {
                    findings.ok(record.subject(), record.name() + " leads to this server");
                } else {
                    findings.lacks(record.subject(), record.name() + " leads to " + String.join(", ", texts)
                            + " and not to this server", record.line());
                }
            }
        }
    }

    /// Port and host, without priority and weight.
    private static List<String> target(String srv) {
        List<String> words = List.of(srv.toLowerCase(Locale.ROOT).split(" "));
        return words.subList(Math.max(0, words.size() - 2), words.size());
    }

    /// Lists of addresses whose mail is refused (RFC 5782).
    void listings() {
        for (String zone : asked.blockLists()) {
            for (InetAddress address : asked.senders()) {
                switch (dns.ask(ReverseName.below(address, zone), RecordType.A)) {
                    case TextAnswer.Found(List<String> codes) -> findings.lacks("list", address.getHostAddress()
                            + " is listed in " + zone + " (" + String.join(", ", codes) + "); ask its operator why");
                    case TextAnswer.None _ -> findings.ok("list", address.getHostAddress() + " is not in " + zone);
                    case TextAnswer.Trouble(String reason) -> findings.silent("list", zone, reason);
                }
            }
        }
    }
}
