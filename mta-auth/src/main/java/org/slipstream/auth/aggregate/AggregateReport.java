package org.slipstream.auth.aggregate;

import org.slipstream.auth.dmarc.DmarcRecord;
import org.slipstream.auth.report.ReportSource;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// One report about one policy. Every text may come from a stranger.
///
/// @param rows at least one in a report that is sent
public record AggregateReport(ReportSource source, PublishedPolicy policy, List<ReportRow> rows) {
    public AggregateReport {
        rows = List.copyOf(rows);
    }

    /// The policy as it was found. The texts are the values of its tags.
    ///
    /// @param domain where the record lies
    public record PublishedPolicy(String domain, String policy, Optional<String> ofSubdomains,
            Optional<String> ofMissing, String dkimMode, String spfMode, boolean testing) {
        static PublishedPolicy of(String domain, DmarcRecord record) {
            return new PublishedPolicy(domain, record.policy().map(ReportWords::of).orElse("none"),
                    record.ofSubdomains().map(ReportWords::of), record.ofMissing().map(ReportWords::of),
                    ReportWords.of(record.dkim()), ReportWords.of(record.spf()), record.testing());
        }
    }

    /// Messages of which the same is true.
    public record ReportRow(ReportedMessage message, long count) {}

    public long messages() {
        return rows.stream().mapToLong(ReportRow::count).sum();
    }

    public long passed() {
        return rows.stream().filter(row -> row.message().passes()).mapToLong(ReportRow::count).sum();
    }
}
