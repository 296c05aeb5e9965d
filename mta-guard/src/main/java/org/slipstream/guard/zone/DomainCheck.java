package org.slipstream.guard.zone;

import org.slipstream.core.CheckFinding;
import org.slipstream.core.FindingList;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;
import org.slipstream.guard.tls.TlsContexts;
import org.slipstream.guard.tls.TlsFailure;
import org.slipstream.guard.tls.TlsSettings;
import org.slipstream.smtpout.demand.StsDownload;
import org.slipstream.smtpout.host.Literal;
import org.slipstream.smtpout.host.RecordTexts;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/// Tells what a domain still lacks before other servers take its mail and find its host. DNS is the
/// only thing that is asked; no server is called.
public final class DomainCheck {
    private DomainCheck() {}

    /// @param servers of DNS; empty for those of the system
    public static List<CheckFinding> run(TlsSettings tls, DomainQuestion asked, List<InetSocketAddress> servers) {
        FindingList findings = new FindingList();
        run(lookup(servers), asked, chain(tls, findings), Instant.now(), new StsDownload()::fetch, findings);
        return findings.all();
    }

    /// Asks each question once, and gives up a resolver that is silent.
    public static DnsLookup lookup(List<InetSocketAddress> servers) {
        return new RememberingLookup(new RecordTexts(servers));
    }

    /// The addresses of a name, of both families.
    public static List<InetAddress> addresses(DnsLookup dns, String host) {
        return Stream.of(RecordType.A, RecordType.AAAA)
                .flatMap(type -> dns.ask(host, type) instanceof TextAnswer.Found(List<String> texts)
                        ? texts.stream().flatMap(text -> Literal.address(text).stream())
                        : Stream.empty())
                .distinct().toList();
    }

    private static List<X509Certificate> chain(TlsSettings tls, FindingList findings) {
        try {
            return TlsContexts.chain(tls);
        } catch (TlsFailure failure) {
            findings.lacks("tls", String.valueOf(failure.getMessage()));
            return List.of();
        }
    }

    static void run(DnsLookup dns, DomainQuestion question, List<X509Certificate> chain, Instant now,
            Function<String, StsDownload.Download> policies, FindingList findings) {
        DomainQuestion asked = question;
        if (question.addresses().isEmpty()) {
            asked = question.withAddresses(
                    addresses(dns, question.hostname()));
            findings.unknown("address", asked.addresses().isEmpty()
                    ? "the address of this server is unknown: give it with --address"
                    : "mail is taken to leave from " + HostFindings.texts(asked.addresses()) + ", the address of "
                            + asked.hostname() + "; if not, give the address with --address");
        }
        WantedRecords wanted = new WantedRecords(asked, chain);
        HostFindings hosts = new HostFindings(dns, asked, wanted, findings);
        List<String> exchangers = hosts.exchangers();
        hosts.name();
        hosts.reverse();
        SenderFindings sender = new SenderFindings(dns, asked, wanted, findings);
        sender.spf(exchangers.contains(asked.hostname()));
        sender.spfOfHost();
        sender.dkim();
        sender.dmarc();
        TlsFindings tls = new TlsFindings(dns, asked, wanted, findings);
        tls.certificate(chain, now);
        tls.dane(chain);
        tls.sts(policies, exchangers);
        tls.reports();
        hosts.services();
        hosts.listings();
        findings.unknown("port-25", "this machine cannot see whether other servers reach its port 25; send a message"
                + " from another provider");
    }
}
