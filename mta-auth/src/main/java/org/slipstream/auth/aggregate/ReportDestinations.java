package org.slipstream.auth.aggregate;

import org.slipstream.auth.dmarc.DmarcRecord;
import org.slipstream.auth.dmarc.TreeWalk;
import org.slipstream.core.Address;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.DomainName;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Where reports about a domain may go (RFC 9990 section 4). Otherwise a record could flood a stranger
/// with reports: an address of another organization counts when its domain agrees in DNS, and that
/// domain may name other addresses of itself.
public final class ReportDestinations {
    private static final int MOST = 10;

    private ReportDestinations() {}

    /// @param domain where the record lies
    /// @return in the order of the record; an address about which DNS does not answer is left out
    public static List<Address> allowed(DnsLookup dns, String domain, DmarcRecord record) {
        TreeWalk walk = new TreeWalk(dns);
        Optional<String> organization = organization(walk, domain);
        Set<Address> allowed = new LinkedHashSet<>();
        for (Address each : record.reports()) {
            Optional<String> host = DomainName.ascii(each.domain());
            if (host.isEmpty() || organization.isEmpty()) {
                continue;
            }
            boolean isOwn = host.get().equals(domain) || organization(walk, host.get()).equals(organization);
            allowed.addAll(isOwn ? List.of(each) : external(dns, domain, host.get(), each));
        }
        return allowed.stream().limit(MOST).toList();
    }

    private static Optional<String> organization(TreeWalk walk, String domain) {
        return walk.from(domain) instanceof TreeWalk.Walked.Done(String organization, _)
                ? Optional.of(organization)
                : Optional.empty();
    }

    private static List<Address> external(DnsLookup dns, String domain, String host, Address address) {
        Optional<String> name = DomainName.ascii(domain + "._report._dmarc." + host);
        if (name.isEmpty()
                || !(dns.ask(name.get(), RecordType.TXT) instanceof TextAnswer.Found(List<String> texts))) {
            return List.of();
        }
        List<DmarcRecord> consents = texts.stream().filter(DmarcRecord::isDmarc).map(DmarcRecord::parse).toList();
        List<Address> others = new ArrayList<>();
        consents.forEach(each -> others.addAll(each.reports()));
        boolean staysThere = others.stream()
                .allMatch(each -> DomainName.ascii(each.domain()).filter(host::equals).isPresent());
        return consents.isEmpty() || !staysThere ? List.of() : others.isEmpty() ? List.of(address) : others;
    }
}
