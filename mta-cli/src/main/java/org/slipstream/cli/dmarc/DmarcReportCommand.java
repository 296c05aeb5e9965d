package org.slipstream.cli.dmarc;

import org.slipstream.auth.aggregate.AggregateReader;
import org.slipstream.auth.aggregate.AggregateReport;
import org.slipstream.auth.aggregate.AggregateReport.ReportRow;
import org.slipstream.auth.aggregate.ReportSummary;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.core.FailureWords;
import org.slipstream.core.text.Controls;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
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
    private static final int MOST_OCTETS = 32 << 20;
    private static final String STANDARD_INPUT = "-";

    @Parameters(paramLabel = "FILE", description = "the report; - is standard input")
    private String file = "";

    @Option(names = "--json", description = "as JSON")
    private boolean json;

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
        switch (AggregateReader.read(octets(mta))) {
            case AggregateReader.ReportReading.Good(AggregateReport report) -> {
                if (json) {
                    mta.world().out().println(RecordJson.write(ReportView.of(report)));
                } else {
                    ReportSummary.lines(report).forEach(mta.world().out()::println);
                }
            }
            case AggregateReader.ReportReading.Wrong(String what) ->
                throw new CommandFailure(Exit.NO, "mta: " + Controls.replaced(file) + ": " + what);
        }
        return Exit.DONE;
    }

    private byte[] octets(MtaCommand mta) {
        try (InputStream in = file.equals(STANDARD_INPUT) ? mta.world().in() : Files.newInputStream(Path.of(file))) {
            byte[] octets = in.readNBytes(MOST_OCTETS + 1);
            if (octets.length > MOST_OCTETS) {
                throw new CommandFailure(Exit.NO,
                        "mta: " + Controls.replaced(file) + " has more than " + (MOST_OCTETS >> 20) + " MiB");
            }
            return octets;
        } catch (IOException unreadable) {
            throw new CommandFailure(Exit.NO, "mta: " + Controls.replaced(file) + " cannot be read: "
                    + FailureWords.of(unreadable), unreadable);
        }
    }
}
