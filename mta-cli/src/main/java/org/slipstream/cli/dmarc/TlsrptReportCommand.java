package org.slipstream.cli.dmarc;

import org.slipstream.auth.tlsreport.TlsReport;
import org.slipstream.auth.tlsreport.TlsReport.FailureCount;
import org.slipstream.auth.tlsreport.TlsReport.PolicyCounts;
import org.slipstream.auth.tlsreport.TlsReportReader;
import org.slipstream.auth.tlsreport.TlsReportSummary;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.List;

/// `tlsrpt report`: a TLS report in words.
@Command(header = "Tells a TLS report (RFC 8460) in words.",
        description = "FILE is the attachment of the report's mail: JSON, as it is, or packed by gzip. The result says"
                + " how many sessions of the sender failed, at which of your hosts, why, and what to change. No"
                + " server need run.",
        exitCodeList = {Exit.DONE_TEXT, " 1:the file cannot be read, or is no report", Exit.USAGE_TEXT},
        footer = {"  mta tlsrpt report google.com!example.org!1764115200!1764201599!001.json.gz",
                "  mta tlsrpt report - < report.json",
                "  mta tlsrpt report report.json --json | jq '.failed'"})
public final class TlsrptReportCommand implements MtaAction {
    @Mixin
    private ReportInput input = new ReportInput();

    private record TlsReportView(String domain, String reporter, String contact, String begin, String end,
            long succeeded, long failed, List<TlsPolicyView> policies) {
        static TlsReportView of(TlsReport report) {
            return new TlsReportView(report.domain(), report.source().organization(), report.source().contact(),
                    report.source().begin().toString(), report.source().end().toString(), report.succeeded(),
                    report.failed(), report.policies().stream().map(TlsPolicyView::of).toList());
        }
    }

    private record TlsPolicyView(String type, String domain, List<String> strings, List<String> hosts, long succeeded,
            long failed, List<FailureCount> failures) {
        static TlsPolicyView of(PolicyCounts counts) {
            return new TlsPolicyView(counts.policy().kind().word(), counts.policy().domain(), counts.policy().strings(),
                    counts.policy().hosts(), counts.succeeded(), counts.failed(), counts.failures());
        }
    }

    @Override
    public int run(MtaCommand mta) {
        return switch (TlsReportReader.read(input.octets(mta))) {
            case TlsReportReader.TlsReading.Good(TlsReport report) ->
                input.told(mta, TlsReportView.of(report), TlsReportSummary.lines(report));
            case TlsReportReader.TlsReading.Wrong(String what) -> throw input.refused(what);
        };
    }
}
