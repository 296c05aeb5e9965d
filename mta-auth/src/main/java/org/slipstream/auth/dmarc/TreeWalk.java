package org.slipstream.auth.dmarc;

import org.slipstream.auth.dmarc.DmarcRecord.SuffixFlag;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.DomainName;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Finds DMARC records from a domain up to its top (RFC 9989 section 4.10), which takes eight
/// questions to DNS at most: from a name of more than seven labels the walk goes on at the seventh
/// from the right. Answers are remembered, because the walks of one message meet near the top. Used
/// by one thread.
public final class TreeWalk {
    private static final int MOST_LABELS = 7;
    private static final String PREFIX = "_dmarc.";

    private final DnsLookup dns;
    private final Map<String, Step> steps = new HashMap<>();

    public TreeWalk(DnsLookup dns) {
        this.dns = dns;
    }

    /// The answer for one name.
    private sealed interface Step {
        record Found(DmarcRecord record) implements Step {}

        record Nothing() implements Step {}

        record Trouble(String reason) implements Step {}
    }

    /// A record and where it was found.
    public record FoundPolicy(String domain, DmarcRecord record) {}

    /// The end of a walk.
    public sealed interface Walked {
        /// @param organization the organizational domain
        /// @param policy the record that applies to the domain; empty when there is none
        record Done(String organization, Optional<FoundPolicy> policy) implements Walked {}

        /// @param own the record of the domain itself, when DNS told it
        record Trouble(String reason, Optional<FoundPolicy> own) implements Walked {}
    }

    /// @param domain in ASCII and lower case
    public Walked from(String domain) {
        List<FoundPolicy> found = new ArrayList<>();
        for (String name : names(domain)) {
            switch (at(name)) {
                case Step.Found(DmarcRecord record) -> found.add(new FoundPolicy(name, record));
                case Step.Nothing _ -> {
                    continue;
                }
                case Step.Trouble(String reason) -> {
                    return new Walked.Trouble(reason, at(found, domain));
                }
            }
            if (found.getLast().record().suffix() != SuffixFlag.UNKNOWN) {
                break;
            }
        }
        String organization = organization(domain, found);
        Optional<FoundPolicy> own = at(found, domain);
        return new Walked.Done(organization, own.or(() -> at(found, organization)).or(() -> found.stream()
                .filter(each -> each.record().suffix() == SuffixFlag.PUBLIC_SUFFIX).findFirst()));
    }

    /// The walk's names, the longest first.
    static List<String> names(String domain) {
        List<String> names = new ArrayList<>();
        names.add(domain);
        String[] labels = domain.split("\\.");
        for (int left = Math.min(labels.length - 1, MOST_LABELS); left > 0; left--) {
            names.add(String.join(".", List.of(labels).subList(labels.length - left, labels.length)));
        }
        return names;
    }

    /// Section 4.10.2. The walk has stopped at the first flag, so only the last record can have one.
    private static String organization(String domain, List<FoundPolicy> found) {
        if (found.isEmpty()) {
            return domain;
        }
        FoundPolicy last = found.getLast();
        return last.record().suffix() == SuffixFlag.PUBLIC_SUFFIX && !last.domain().equals(domain)
                ? labelBelow(domain, last.domain())
                : last.domain();
    }

    /// The part of a domain that is one label longer than the domain above it.
    private static String labelBelow(String domain, String above) {
        int end = domain.length() - above.length() - 1;
        return domain.substring(domain.lastIndexOf('.', end - 1) + 1);
    }

    private static Optional<FoundPolicy> at(List<FoundPolicy> found, String domain) {
        return found.stream().filter(each -> each.domain().equals(domain)).findFirst();
    }

    private Step at(String name) {
        Step known = steps.get(name);
        if (known == null) {
            known = ask(name);
            steps.put(name, known);
        }
        return known;
    }

    private Step ask(String name) {
        if (PREFIX.length() + name.length() > DomainName.LONGEST) {
            return new Step.Nothing();
        }
        return switch (dns.ask(PREFIX + name, RecordType.TXT)) {
            case TextAnswer.Found(List<String> texts) -> {
                List<String> records = texts.stream().filter(DmarcRecord::isDmarc).toList();
                yield records.size() == 1 ? new Step.Found(DmarcRecord.parse(records.getFirst())) : new Step.Nothing();
            }
            case TextAnswer.None _ -> new Step.Nothing();
            case TextAnswer.Trouble(String reason) ->
                new Step.Trouble("DNS does not answer about " + PREFIX + name + ": " + reason);
        };
    }
}
