package org.slipstream.cli.dmarc;

import org.slipstream.auth.aggregate.AggregateReader;
import org.slipstream.auth.aggregate.AggregateReport;
import org.slipstream.auth.aggregate.AggregateReport.ReportRow;
import org.slipstream.auth.aggregate.ReportSummary;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.List;

/// `dmarc report`: an aggregate report in words.
@Command(header = "Tells an aggregate report of DMARC in words.",
        description = "FILE is the attachment of the report's mail: XML, as it is, or packed by gzip or zip. The"
                + " result says how much mail of the domain passes, which sources fail and why, and what to change."
                + " No server need run.",
        exitCodeList = {Exit.DONE_TEXT, " 1:the file cannot be read, or is no report", Exit.USAGE_TEXT},
        footer = {"  mta dmarc report google.com!example.org!1764115200!1764201600.xml.gz",
                "  mta dmarc report - < report.xml",
                "  mta dmarc report report.xml --json | jq -r '.rows[].message.source'"})
public final class DmarcReportCommand implements MtaAction {
    @Mixin
    private ReportInput input = new ReportInput();

    private record ReportView(String domain, String policy, String reporter, String begin, String end, long messages,
            long passed, List<ReportRow> rows) {
        static ReportView of(AggregateReport report) {
            return new ReportView(report.policy().domain(), report.policy().policy(), report.source().organization(),
                    report.source().begin().toString(), report.source().end().toString(), report.messages(),
                    report.passed(),
                    report.rows());
        }
    }

    @Override
    public int run(MtaCommand mta) {
        return switch (AggregateReader.read(input.octets(mta))) {
            case AggregateReader.ReportReading.Good(AggregateReport report) ->
                input.told(mta, ReportView.of(report), ReportSummary.lines(report));
            case AggregateReader.ReportReading.Wrong(String what) -> throw input.refused(what);
        };
    }
}
