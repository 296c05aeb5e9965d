package org.slipstream.auth.tlsreport;

import org.slipstream.auth.report.ReportUri;
import org.slipstream.core.Address;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.DomainName;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;
import org.slipstream.core.text.TagList;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// The record of a domain that asks for TLS reports (RFC 8460 section 3).
///
/// @param mailboxes that reports go to, at most [#MOST_PLACES]
/// @param pages behind TLS that reports can be posted to, at most [#MOST_PLACES]
public record TlsReportRecord(List<Address> mailboxes, List<URI> pages) {
    static final int MOST_PLACES = 10;
    private static final String VERSION = "TLSRPTv1";
    private static final String PREFIX = "_smtp._tls.";

    public TlsReportRecord {
        mailboxes = List.copyOf(mailboxes);
        pages = List.copyOf(pages);
    }

    /// The answer of DNS about a domain.
    public sealed interface TlsReportSearch {
        record Found(TlsReportRecord record) implements TlsReportSearch {}

        /// The domain wants no reports.
        record Nothing() implements TlsReportSearch {}

        record Unknown(String reason) implements TlsReportSearch {}
    }

    /// @param domain in ASCII
    public static TlsReportSearch of(DnsLookup dns, String domain) {
        Optional<String> name = DomainName.ascii(PREFIX + domain);
        if (name.isEmpty()) {
            return new TlsReportSearch.Nothing();
        }
        return switch (dns.ask(name.get(), RecordType.TXT)) {
            case TextAnswer.Found(List<String> texts) -> parse(texts).<TlsReportSearch>map(TlsReportSearch.Found::new)
                    .orElseGet(TlsReportSearch.Nothing::new);
            case TextAnswer.None _ -> new TlsReportSearch.Nothing();
            case TextAnswer.Trouble(String reason) -> new TlsReportSearch.Unknown(reason);
        };
    }

    /// @param texts all records at the name; texts of another kind are passed over, and of two records
    /// none counts
    static Optional<TlsReportRecord> parse(List<String> texts) {
        List<TagList> records = texts.stream().filter(text -> text.startsWith("v=" + VERSION)).map(TagList::read)
                .filter(tags -> tags.isVersion(VERSION)).toList();
        if (records.size() != 1) {
            return Optional.empty();
        }
        List<String> places = records.getFirst().get("rua").stream()
                .flatMap(value -> Arrays.stream(value.split(",", MOST_PLACES + 1)).limit(MOST_PLACES))
                .map(String::strip).toList();
        List<Address> mailboxes = places.stream().flatMap(place -> ReportUri.mailbox(place).stream()).distinct()
                .toList();
        List<URI> pages = places.stream().flatMap(place -> ReportUri.page(place).stream()).distinct().toList();
        return Optional.of(new TlsReportRecord(mailboxes, pages))
                .filter(record -> !record.mailboxes.isEmpty() || !record.pages.isEmpty());
    }
}
