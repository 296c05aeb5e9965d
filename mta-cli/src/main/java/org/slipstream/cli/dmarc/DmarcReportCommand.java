package org.slipstream.cli.dmarc;

import org.slipstream.auth.aggregate.AggregateReader;
import org.slipstream.auth.aggregate.ReportSummary;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.core.FailureWords;
import org.slipstream.core.text.Controls;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/// `dmarc report`: an aggregate report in words.
@Command(header = "Tells an aggregate report of DMARC in words.",
        description = "FILE is the attachment of the report's mail: XML, as it is, or packed by gzip or zip. The"
                + " result says how much mail of the domain passes, which sources fail and why, and what to change."
                + " No server need run.",
        exitCodeList = {Exit.DONE_TEXT, " 1:the file cannot be read, or is no report", Exit.USAGE_TEXT},
        footer = {"  mta dmarc report google.com!example.org!1764115200!1764201600.xml.gz",
                "  mta dmarc report - < report.xml"})
public final class DmarcReportCommand implements MtaAction {
    private static final int MOST_OCTETS = 32 << 20;
    private static final String STANDARD_INPUT = "-";

    @Parameters(paramLabel = "FILE", description = "the report; - is standard input")
    private String file = "";

    @Override
    public int run(MtaCommand mta) {
        switch (AggregateReader.read(octets(mta))) {
            case AggregateReader.ReportReading.Good(var report) ->
                ReportSummary.lines(report).forEach(mta.world().out()::println);
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
