package org.slipstream.server.daily;

import org.slipstream.auth.report.ReportSource;
import org.slipstream.auth.tlsreport.TlsOutcome;
import org.slipstream.auth.tlsreport.TlsReport;
import org.slipstream.auth.tlsreport.TlsReportReader;
import org.slipstream.auth.tlsreport.TlsReportRecord;
import org.slipstream.auth.tlsreport.TlsReportWriter;
import org.slipstream.core.dns.DnsLookup;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// TLS reports (RFC 8460).
final class TlsForm implements DailyForm<TlsOutcome> {
    @Override
    public String name() {
        return "tls";
    }

    @Override
    public String extension() {
        return "json.gz";
    }

    @Override
    public int weight(TlsOutcome row) {
        return row.weight();
    }

    /// The form has no place for sessions that are not told apart, so those are in the log only.
    @Override
    public byte[] with(Optional<byte[]> before, ReportSource fresh, Map<TlsOutcome, Long> rows, long others)
            throws IOException {
        TlsReport report = before.isPresent() ? read(before.get()) : new TlsReport(fresh, List.of());
        return TlsReportWriter.gzip(report.with(rows));
    }

    @Override
    public ReportSource source(byte[] file) throws IOException {
        return read(file).source();
    }

    private static TlsReport read(byte[] file) throws IOException {
        return switch (TlsReportReader.read(file)) {
            case TlsReportReader.TlsReading.Good(TlsReport report) -> report;
            case TlsReportReader.TlsReading.Wrong(String what) -> throw new IOException(what);
        };
    }

    @Override
    public Places places(DnsLookup dns, String domain) {
        return switch (TlsReportRecord.of(dns, domain)) {
            case TlsReportRecord.TlsReportSearch.Found(TlsReportRecord record) ->
                Places.of(record.mailboxes(), record.pages(), "its record has no address that reports could go to");
            case TlsReportRecord.TlsReportSearch.Nothing _ -> new Places.None("it asks for no TLS reports");
            case TlsReportRecord.TlsReportSearch.Unknown(String reason) -> new Places.Unknown(reason);
        };
    }

    /// A report about broken TLS must arrive in spite of it (RFC 8460 section 3), so it asks each server
    /// on its way to send it in any case (RFC 8689 section 5).
    @Override
    public MailForm mail(String domain, String submitter) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("TLS-Report-Domain", domain);
        fields.put("TLS-Report-Submitter", submitter);
        fields.put("TLS-Required", "No");
        return new MailForm("multipart/report; report-type=tlsrpt", "application/tlsrpt+gzip",
                "This is an aggregate TLS report (RFC 8460) about sessions to " + domain, fields);
    }
}
