package org.slipstream.auth.aggregate;

import org.slipstream.auth.dmarc.DmarcRecord;
import org.slipstream.auth.report.ReportSource;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// One report about one policy. Every text may come from a stranger.
///
/// @param rows at least one in a report that is sent
public record AggregateReport(ReportSource source, PublishedPolicy policy, List<ReportRow> rows) {
    /// Of all rows of a report that is written. Its text is five times as long at most.
    static final int MOST_WEIGHT = 4 << 20;
    private static final Pattern LEFT_OUT = Pattern.compile("([0-9]{1,15}) messages are left out");

    public AggregateReport {
        rows = List.copyOf(rows);
    }

    /// The policy as it was found. The texts are the values of its tags.
    ///
    /// @param domain where the record lies
    public record PublishedPolicy(String domain, String policy, Optional<String> ofSubdomains,
            Optional<String> ofMissing, String dkimMode, String spfMode, boolean testing) {
        public static PublishedPolicy of(String domain, DmarcRecord record) {
            return new PublishedPolicy(domain, record.policy().map(ReportWords::of).orElse("none"),
                    record.ofSubdomains().map(ReportWords::of), record.ofMissing().map(ReportWords::of),
                    ReportWords.of(record.dkim()), ReportWords.of(record.spf()), record.testing());
        }
    }

    /// Messages of which the same is true.
    public record ReportRow(ReportedMessage message, long count) {}

    /// This report with further messages. It keeps those rows with the most messages that fit, and its
    /// error tells how many messages the others were.
    ///
    /// @param leftOut messages that are in no row already
    public AggregateReport with(PublishedPolicy latest, Map<JudgedMessage, Long> messages, long leftOut) {
        Map<ReportedMessage, Long> counts = new LinkedHashMap<>();
        rows.forEach(row -> counts.merge(row.message(), row.count(), Long::sum));
        messages.forEach((judged, count) -> counts.merge(judged.message(), count, Long::sum));
        List<ReportRow> kept = new ArrayList<>();
        long missing = leftOut + source.error().map(LEFT_OUT::matcher).filter(Matcher::matches)
                .map(found -> Long.parseLong(found.group(1))).orElse(0L);
        int weight = 0;
        for (ReportRow row : counts.entrySet().stream().map(each -> new ReportRow(each.getKey(), each.getValue()))
                .sorted(Comparator.comparingLong(ReportRow::count).reversed()).toList()) {
            weight += row.message().weight();
            if (kept.size() < AggregateWriter.MOST_ROWS && weight <= MOST_WEIGHT) {
                kept.add(row);
            } else {
                missing += row.count();
            }
        }
        Optional<String> error = Optional.of(missing + " messages are left out").filter(_ -> !kept.isEmpty())
                .filter(text -> !text.startsWith("0 "));
        return new AggregateReport(new ReportSource(source.organization(), source.contact(), source.id(),
                source.begin(), source.end(), error), latest, kept);
    }

    public long messages() {
        return rows.stream().mapToLong(ReportRow::count).sum();
    }

    public long passed() {
        return rows.stream().filter(row -> row.message().passes()).mapToLong(ReportRow::count).sum();
    }
}
