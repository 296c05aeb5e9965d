package org.slipstream.guard.zone;

import org.slipstream.auth.sts.StsPolicy;
import org.slipstream.auth.tlsreport.TlsResult;
import org.slipstream.core.FindingList;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;
import org.slipstream.core.text.Controls;
import org.slipstream.core.text.TagList;
import org.slipstream.smtpout.demand.StsDownload;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;

/// Whether other servers can encrypt mail to a domain and know that it is this server: the
/// certificate, TLSA records (RFC 7672), MTA-STS (RFC 8461), reports about TLS (RFC 8460).
final class TlsFindings {
    private static final Duration SOON = Duration.ofDays(14);

    private final DnsLookup dns;
    private final DomainQuestion asked;
    private final WantedRecords wanted;
    private final FindingList findings;

    TlsFindings(DnsLookup dns, DomainQuestion asked, WantedRecords wanted, FindingList findings) {
        this.dns = dns;
        this.asked = asked;
        this.wanted = wanted;
        this.findings = findings;
    }

    /// @param chain of this server; empty for a self-signed one
    void certificate(List<X509Certificate> chain, Instant now) {
        if (chain.isEmpty()) {
            findings.advice("tls", "the certificate is self-signed: other servers encrypt, but mail programs of users"
                    + " refuse it; set tls.certificate and tls.key");
            return;
        }
        X509Certificate own = chain.getFirst();
        List<String> names = names(own);
        Instant end = own.getNotAfter().toInstant();
        if (end.isBefore(now) || own.getNotBefore().toInstant().isAfter(now)) {
            findings.lacks("tls", "the certificate is valid from " + own.getNotBefore().toInstant() + " to " + end
                    + " only; renew it");
        } else if (names.stream().noneMatch(name -> matches(name, asked.hostname()))) {
            findings.lacks("tls", "the certificate is for " + String.join(", ", names) + " and not for "
                    + asked.hostname());
        } else if (end.isBefore(now.plus(SOON))) {
            findings.lacks("tls", "the certificate ends at " + end + "; its renewal does not work");
        } else {
            findings.ok("tls", "the certificate is for " + asked.hostname() + ", until " + end);
        }
    }

    private static List<String> names(X509Certificate certificate) {
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            return names == null
                    ? List.of()
                    : names.stream().filter(name -> Objects.equals(name.getFirst(), 2))
                            .map(name -> String.valueOf(name.get(1)).toLowerCase(Locale.ROOT)).toList();
        } catch (CertificateParsingException unreadable) {
            return List.of();
        }
    }

    // RFC 6125 section 6.4.3: an asterisk stands for the first label.
    static boolean matches(String name, String host) {
        return name.equals(host) || name.startsWith("*.") && host.indexOf('.') > 0
                && name.substring(1).equals(host.substring(host.indexOf('.')));
    }

    void dane(List<X509Certificate> chain) {
        String name = "_25._tcp." + asked.hostname();
        switch (dns.ask(name, RecordType.TLSA)) {
            case TextAnswer.Trouble(String reason) -> findings.silent("dane", name, reason);
            case TextAnswer.None _ -> {
                String text = "no TLSA record; with DNSSEC it would tell other servers which key to expect";
                wanted.tlsa().ifPresentOrElse(record -> findings.advice("dane", text, record.line()),
                        () -> findings.advice("dane", text));
            }
            case TextAnswer.Found(List<String> records) -> {
                if (chain.isEmpty()) {
                    findings.unknown("dane", name + " has a TLSA record; set tls.certificate to compare it");
                } else if (records.stream().anyMatch(record -> fits(record, chain))) {
                    findings.ok("dane", "the TLSA record of " + name + " fits the certificate");
                } else {
                    findings.lacks("dane", "no TLSA record of " + name + " fits the certificate, so servers that verify"
                            + " it do not deliver", wanted.tlsa().orElseThrow().line());
                }
            }
        }
    }

    /// `usage selector matching data`; SMTP uses 2 (an authority of the chain) and 3 (the server
    /// itself), RFC 7672 section 3.1.
    private static boolean fits(String record, List<X509Certificate> chain) {
        String[] word = record.toLowerCase(Locale.ROOT).split(" ", 4);
        if (word.length != 4 || !List.of("2", "3").contains(word[0])) {
            return false;
        }
        List<X509Certificate> candidates = word[0].equals("3") ? chain.subList(0, 1) : chain.subList(1, chain.size());
        return candidates.stream()
                .anyMatch(each -> WantedRecords.digest(each, Integer.parseInt(word[1]), Integer.parseInt(word[2]))
                        .filter(word[3].replace(" ", "")::equals).isPresent());
    }

    /// The policy that asks for verified TLS, which is optional: its record, and its file as other servers fetch it.
    ///
    /// @param exchangers of the domain
    void sts(Function<String, StsDownload.Download> policies, List<String> exchangers) {
        if (policy(wanted.sts(), "STSv1", "id", "no MTA-STS record; with a policy at https://mta-sts." + asked.domain()
                + "/.well-known/mta-sts.txt, other servers deliver over verified TLS only")) {
            policyHost(wanted.stsHost(), policies, exchangers);
        }
    }

    /// The record that asks for reports about TLS, which is optional.
    void reports() {
        policy(wanted.tlsReports(), "TLSRPTv1", "rua", "no record asks for reports about failed TLS");
    }

    private void policyHost(WantedRecord host, Function<String, StsDownload.Download> policies,
            List<String> exchangers) {
        if (dns.ask(host.name(), RecordType.A) instanceof TextAnswer.None
                && dns.ask(host.name(), RecordType.AAAA) instanceof TextAnswer.None) {
            findings.lacks(host.subject(), "there is a record of MTA-STS, and " + host.name()
                    + ", which should serve its policy, has no address", host.line());
            return;
        }
        switch (policies.apply(asked.domain())) {
            case StsDownload.Download.Failed(TlsResult result, String reason) -> findings.lacks(host.subject(),
                    "no policy at https://" + host.name() + "/.well-known/mta-sts.txt: " + Controls.replaced(reason)
                            + " (" + result.word() + "); mta setup writes the file, a web server must serve it");
            case StsDownload.Download.Policy(StsPolicy policy) -> policy(host.subject(), policy, exchangers);
        }
    }

    private void policy(String subject, StsPolicy policy, List<String> exchangers) {
        List<String> refused = exchangers.stream().filter(each -> !policy.permits(each)).toList();
        List<String> unused = policy.mx().stream().filter(pattern -> exchangers.stream()
                .noneMatch(each -> matches(pattern, each))).toList();
        if (policy.mode() == StsPolicy.StsMode.NONE) {
            findings.advice(subject, "the policy has the mode none, so it protects no mail");
        } else if (!refused.isEmpty()) {
            findings.lacks(subject, "the policy does not permit " + String.join(", ", refused)
                    + ", so servers that obey it do not deliver there; add \"mx: " + refused.getFirst()
                    + "\" and change the id of the record");
        } else if (!unused.isEmpty()) {
            findings.advice(subject, "the policy names " + String.join(", ", unused)
                    + ", and no MX record does; take it out and change the id of the record");
        } else {
            findings.ok(subject, "the policy permits the hosts of the domain, mode " + policy.mode().word());
        }
    }

    /// True when there is a good record.
    private boolean policy(WantedRecord wanted, String version, String tag, String missing) {
        String name = wanted.name();
        return switch (dns.ask(name, RecordType.TXT)) {
            case TextAnswer.Trouble(String reason) -> {
                findings.silent(wanted.subject(), name, reason);
                yield false;
            }
            case TextAnswer.None _ -> {
                findings.advice(wanted.subject(), missing, wanted.line());
                yield false;
            }
            case TextAnswer.Found(List<String> texts) -> {
                List<String> own = texts.stream().filter(text -> text.startsWith("v=" + version)).toList();
                boolean good = own.size() == 1 && TagList.parse(own.getFirst())
                        .filter(tags -> tags.isVersion(version) && tags.get(tag).isPresent()).isPresent();
                if (good) {
                    findings.ok(wanted.subject(), name + " has a record");
                } else {
                    findings.lacks(wanted.subject(), name + " has no single valid record \"v=" + version + "; " + tag
                            + "=…\"", wanted.line());
                }
                yield good;
            }
        };
    }
}
