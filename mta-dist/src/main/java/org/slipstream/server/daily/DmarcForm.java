package org.slipstream.server.daily;

import org.slipstream.auth.aggregate.AggregateReader;
import org.slipstream.auth.aggregate.AggregateReport;
import org.slipstream.auth.aggregate.AggregateWriter;
import org.slipstream.auth.aggregate.JudgedMessage;
import org.slipstream.auth.aggregate.ReportDestinations;
import org.slipstream.auth.dmarc.TreeWalk;
import org.slipstream.auth.report.ReportSource;
import org.slipstream.core.dns.DnsLookup;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Aggregate reports of DMARC (RFC 9990).
final class DmarcForm implements DailyForm<JudgedMessage> {
    @Override
    public String name() {
        return "dmarc";
    }

    @Override
    public String extension() {
        return "xml.gz";
    }

    @Override
    public int weight(JudgedMessage row) {
        return row.message().weight();
    }

    @Override
    public byte[] with(Optional<byte[]> before, ReportSource fresh, Map<JudgedMessage, Long> rows, long others)
            throws IOException {
        AggregateReport.PublishedPolicy latest = rows.keySet().iterator().next().policy();
        AggregateReport report = before.isPresent()
                ? read(before.get())
                : new AggregateReport(fresh, latest, List.of());
        return AggregateWriter.gzip(report.with(latest, rows, others));
    }

    @Override
    public ReportSource source(byte[] file) throws IOException {
        return read(file).source();
    }

    private static AggregateReport read(byte[] file) throws IOException {
        return switch (AggregateReader.read(file)) {
            case AggregateReader.ReportReading.Good(AggregateReport report) -> report;
            case AggregateReader.ReportReading.Wrong(String what) -> throw new IOException(what);
        };
    }

    @Override
    public Places places(DnsLookup dns, String domain) {
        return switch (new TreeWalk(dns).from(domain)) {
            case TreeWalk.Walked.Trouble(String reason, _) -> new Places.Unknown(reason);
            case TreeWalk.Walked.Done(_, Optional<TreeWalk.FoundPolicy> found) -> found
                    .filter(policy -> policy.domain().equals(domain))
                    .map(policy -> Places.of(ReportDestinations.allowed(dns, domain, policy.record()), List.of(),
                            "no mail address of its record may get reports"))
                    .orElseGet(() -> new Places.None("it has no DMARC record any more"));
        };
    }

    @Override
    public MailForm mail(String domain, String submitter) {
        return new MailForm("multipart/mixed", "application/gzip",
                "This is an aggregate report of DMARC (RFC 9990) about mail from " + domain, Map.of());
    }
}
