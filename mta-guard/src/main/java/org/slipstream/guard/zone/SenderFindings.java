package org.slipstream.guard.zone;

import org.slipstream.auth.dkim.DkimKey;
import org.slipstream.auth.dmarc.DmarcPolicy;
import org.slipstream.auth.dmarc.DmarcRecord;
import org.slipstream.auth.dmarc.TreeWalk;
import org.slipstream.auth.spf.SpfEvaluation;
import org.slipstream.auth.spf.SpfQuestion;
import org.slipstream.auth.spf.SpfRecord;
import org.slipstream.auth.spf.SpfResult;
import org.slipstream.auth.spf.SpfVerdict;
import org.slipstream.core.Address;
import org.slipstream.core.FindingList;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;
import org.slipstream.core.text.Ascii;
import org.slipstream.guard.dkim.KeyFolder.StoredKey;

import java.net.InetAddress;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// Whether receivers can tell mail of a domain from forged mail: SPF, DKIM, DMARC.
final class SenderFindings {
    private final DnsLookup dns;
    private final DomainQuestion asked;
    private final WantedRecords wanted;
    private final FindingList findings;

    SenderFindings(DnsLookup dns, DomainQuestion asked, WantedRecords wanted, FindingList findings) {
        this.dns = dns;
        this.asked = asked;
        this.wanted = wanted;
        this.findings = findings;
    }

    /// @param isExchanger this server is an MX host of the domain, so `mx` allows it
    void spf(boolean isExchanger) {
        Optional<List<String>> texts = texts("spf", asked.domain());
        List<String> records = texts.orElse(List.of()).stream().filter(SpfRecord::isSpf).toList();
        if (texts.isEmpty()) {
            return;
        }
        if (records.isEmpty()) {
            findings.lacks("spf", asked.domain() + " has no SPF record", wanted.spf(isExchanger).line());
        } else if (records.size() > 1) {
            findings.lacks("spf", asked.domain() + " has " + records.size() + " SPF records, which counts as an error"
                    + " (RFC 7208 section 4.5); join them to one");
        } else {
            spf(records.getFirst());
        }
    }

    private void spf(String text) {
        switch (SpfRecord.parse(text)) {
            case SpfRecord.SpfParse.Wrong(String what) -> findings.lacks("spf", "in the SPF record, " + what
                    + ", so receivers ignore or refuse it (RFC 7208 section 4.6)");
            case SpfRecord.SpfParse.Good(SpfRecord record) -> {
                if (record.directives().stream().anyMatch(SenderFindings::allowsAll)) {
                    findings.lacks("spf", "\"+all\" lets every address send as " + asked.domain() + "; end the record"
                            + " with \"-all\"");
                }
                asked.senders().forEach(address -> spf(text, address));
            }
        }
    }

    private static boolean allowsAll(SpfRecord.SpfDirective directive) {
        return directive.mechanism() instanceof SpfRecord.SpfMechanism.All
                && directive.qualifier() == SpfRecord.Qualifier.PASS;
    }

    private void spf(String text, InetAddress address) {
        SpfVerdict found = SpfEvaluation.check(dns, SpfQuestion.ofSender(address,
                Optional.of(new Address("postmaster", asked.domain())), asked.hostname(), asked.hostname(),
                Instant.EPOCH));
        String place = address.getHostAddress();
        switch (found.result()) {
            case PASS -> findings.ok("spf",
                    place + " may send, by " + found.reason() + "; lookups in DNS: " + found.lookups());
            case TEMPERROR -> findings.noAnswer("spf", found.reason());
            case PERMERROR -> findings.lacks("spf", "receivers cannot evaluate the SPF record: " + found.reason());
            case NONE, NEUTRAL, FAIL, SOFTFAIL -> findings.lacks("spf",
                    place + " may not send: " + word(found.result()) + ", " + found.reason(),
                    txt(asked.domain(), SpfRecord.VERSION + " " + WantedRecords.term(address)
                            + text.substring(SpfRecord.VERSION.length())));
        }
    }

    private static String word(SpfResult result) {
        return result.name().toLowerCase(Locale.ROOT);
    }

    /// The null sender of reports is judged by the name in EHLO (RFC 7208 section 2.4).
    void spfOfHost() {
        Optional<List<String>> texts = asked.hostname().equals(asked.domain())
                ? Optional.empty()
                : texts("spf", asked.hostname());
        if (texts.isPresent() && texts.get().stream().noneMatch(SpfRecord::isSpf)) {
            findings.advice("spf", asked.hostname() + " has no SPF record of its own; reports have no sender, so"
                    + " receivers judge them by this name", wanted.spfOfHost().line());
        }
    }

    void dkim() {
        asked.keys().forEach(this::dkim);
        if (asked.selector().isPresent()) {
            selector();
        } else if (asked.keys().isEmpty()) {
            findings.unknown("dkim", "there is no key of " + asked.domain() + " (mta setup " + asked.domain()
                    + " makes them). If a filter or a relay behind this server signs, give its selector: --selector"
                    + " NAME. Otherwise mail goes unsigned, and some receivers sort it out");
        }
    }

    /// The record of a key, by the state of the key.
    private void dkim(StoredKey stored) {
        WantedRecord record = wanted.dkim(stored.key());
        Optional<List<String>> texts = texts("dkim", record.name());
        if (texts.isEmpty()) {
            return;
        }
        boolean isThere = texts.get().size() == 1
                && DkimKey.read(texts.get().getFirst()) instanceof DkimKey.KeyReading.Usable(DkimKey published)
                && stored.key().isPublishedAs(published);
        switch (stored.state()) {
            case NEW -> {
                if (isThere) {
                    findings.ok("dkim", record.name() + " is there; the new key may sign");
                } else {
                    findings.advice("dkim",
                            "the new key of " + record.name() + " is not in DNS; it must be there before"
                                    + " the key signs",
                            record.line());
                }
            }
            case ACTIVE -> {
                if (isThere) {
                    findings.ok("dkim", record.name() + " has the key that signs");
                } else {
                    findings.lacks("dkim", (texts.get().isEmpty()
                            ? record.name() + " is missing"
                            : texts.get().size() > 1
                                    ? record.name() + " has " + texts.get().size() + " TXT records, and one is allowed"
                                    : record.name() + " has another key")
                            + ", so receivers cannot verify what this server signs", record.line());
                }
            }
            case RETIRED -> {
                if (!texts.get().isEmpty()) {
                    findings.advice("dkim", record.name() + " is the record of a key that signs no more, since "
                            + stored.since().truncatedTo(ChronoUnit.DAYS).toString().substring(0, 10)
                            + "; a week later it may be removed");
                }
            }
        }
    }

    private void selector() {
        String name = asked.selector().orElseThrow() + "._domainkey." + asked.domain();
        Optional<List<String>> texts = texts("dkim", name);
        if (texts.isPresent() && texts.get().isEmpty()) {
            findings.lacks("dkim",
                    "the selector " + asked.selector().orElseThrow() + " has no key; the program that signs"
                            + " writes it",
                    txt(name, "v=DKIM1; k=rsa; p=<public key in base64>"));
        } else if (texts.isPresent() && texts.get().size() > 1) {
            findings.lacks("dkim", name + " has " + texts.get().size() + " TXT records, and one key is allowed");
        } else if (texts.isPresent()) {
            switch (DkimKey.read(texts.get().getFirst())) {
                case DkimKey.KeyReading.Usable(DkimKey key) when key.isWeak() -> findings.advice("dkim", "the key of "
                        + name + ": " + key.text() + "; RFC 8301 recommends 2048 or more");
                case DkimKey.KeyReading.Usable(DkimKey key) -> findings.ok("dkim", "the key of " + name + ": "
                        + key.text() + "; the program that signs must use it");
                case DkimKey.KeyReading.Unusable(String what) -> findings.lacks("dkim", "the key of " + name
                        + " is of no use: " + what);
            }
        }
    }

    /// The record that receivers apply to the domain: its own, or one above. That of a registry
    /// says nothing about the wishes of the domain's owner.
    void dmarc() {
        String name = "_dmarc." + asked.domain();
        Optional<List<String>> texts = texts("dmarc", name);
        long records = texts.orElse(List.of()).stream().filter(DmarcRecord::isDmarc).count();
        if (texts.isEmpty()) {
            return;
        }
        if (records > 1) {
            findings.lacks("dmarc", name + " has " + records
                    + " DMARC records, so receivers ignore them all (RFC 9989 section 4.10)");
            return;
        }
        switch (new TreeWalk(dns).from(asked.domain())) {
            // Receivers apply the own record, too, when the ones above cannot be had.
            case TreeWalk.Walked.Trouble(String reason, Optional<TreeWalk.FoundPolicy> own) -> own.ifPresentOrElse(
                    found -> dmarc(found.domain(), found.record()), () -> findings.noAnswer("dmarc", reason));
            case TreeWalk.Walked.Done(_, Optional<TreeWalk.FoundPolicy> policy) -> policy
                    .filter(found -> found.domain().indexOf('.') > 0)
                    .ifPresentOrElse(found -> dmarc(found.domain(), found.record()), () -> findings.lacks("dmarc",
                            asked.domain() + " has no DMARC record; begin with p=none and read the reports",
                            wanted.dmarc().line()));
        }
    }

    private void dmarc(String domain, DmarcRecord record) {
        if (!record.faults().isEmpty()) {
            findings.lacks("dmarc", "in the DMARC record of " + domain + ", " + record.faults().getFirst());
            return;
        }
        DmarcPolicy policy = record.policy().orElse(DmarcPolicy.NONE);
        findings.ok("dmarc", "the policy of " + domain + " is p=" + Ascii.lower(policy.name()));
        if (policy == DmarcPolicy.NONE) {
            findings.advice("dmarc", "p=none only asks for reports; when they are clean, p=quarantine or"
                    + " p=reject protects the name");
        }
        record.reports().forEach(address -> reports(domain, address));
    }

    /// RFC 9990 section 4: a domain agrees to receive reports about another one.
    private void reports(String domain, Address address) {
        String receiver = address.domainKey();
        if (receiver.equals(domain) || receiver.endsWith("." + domain) || domain.endsWith("." + receiver)) {
            return;
        }
        String name = domain + "._report._dmarc." + receiver;
        Optional<List<String>> texts = texts("dmarc", name);
        if (texts.isPresent() && texts.get().stream().noneMatch(DmarcRecord::isDmarc)) {
            findings.lacks("dmarc", receiver + " does not agree to receive reports about " + domain
                    + ", so none are sent to " + address, txt(name, "v=DMARC1"));
        }
    }

    /// No texts: there are none. Empty: DNS did not answer, which is in the findings.
    private Optional<List<String>> texts(String subject, String name) {
        return switch (dns.ask(name, RecordType.TXT)) {
            case TextAnswer.Found(List<String> found) -> Optional.of(found);
            case TextAnswer.None _ -> Optional.of(List.of());
            case TextAnswer.Trouble(String reason) -> {
                findings.silent(subject, name, reason);
                yield Optional.empty();
            }
        };
    }

    private static String txt(String name, String text) {
        return WantedRecord.line(name, RecordType.TXT, text);
    }
}
