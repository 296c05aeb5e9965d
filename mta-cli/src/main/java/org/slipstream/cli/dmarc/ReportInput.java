package org.slipstream.cli.dmarc;

import org.slipstream.auth.report.ReportFile;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.core.FailureWords;
import org.slipstream.core.text.Controls;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The file of a report, and the form in which it is told.
final class ReportInput {
    private static final String STANDARD_INPUT = "-";

    @Parameters(paramLabel = "FILE", description = "the report; - is standard input")
    private String file = "";

    @Option(names = "--json", description = "as JSON")
    private boolean json;

    byte[] octets(MtaCommand mta) {
        try (InputStream in = file.equals(STANDARD_INPUT) ? mta.world().in() : Files.newInputStream(Path.of(file))) {
            return ReportFile.read(in);
        } catch (IOException unreadable) {
            throw new CommandFailure(Exit.NO, "mta: " + Controls.replaced(file) + " cannot be read: "
                    + FailureWords.of(unreadable), unreadable);
        }
    }

    int told(MtaCommand mta, Record view, List<String> words) {
        if (json) {
            mta.world().out().println(RecordJson.write(view));
        } else {
            words.forEach(mta.world().out()::println);
        }
        return Exit.DONE;
    }

    /// @param what a sentence
    CommandFailure refused(String what) {
        return new CommandFailure(Exit.NO, "mta: " + Controls.replaced(file) + ": " + what);
    }
}
