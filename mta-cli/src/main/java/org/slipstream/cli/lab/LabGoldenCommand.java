package org.slipstream.cli.lab;

import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.ProgressLine;
import org.slipstream.lab.golden.GoldenTraces;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// `lab golden`: the queue manager compared with recorded traces of Postfix, row by row.
@Command(header = "Compares every decision with recorded traces.",
        description = "Prints a line for each file. A file that differs is shown with its first differing row.",
        parameterListHeading = "%n", exitCodeList = {Exit.DONE_TEXT, " 1:a file differs", Exit.USAGE_TEXT},
        footer = "  mta lab golden mta-lab/src/test/resources/golden")
public final class LabGoldenCommand implements MtaAction {
    @Parameters(paramLabel = "DIR", description = "a folder of *.json traces, or one file")
    private Path path;

    @Override
    public int run(MtaCommand mta) throws IOException {
        if (!Files.exists(path)) {
            throw new CommandFailure(Exit.USAGE, "mta: there is no " + path, new IOException(path.toString()));
        }
        ProgressLine progress = new ProgressLine(mta.world().err(), System::nanoTime);
        return GoldenTraces.run(path, mta.world().out()::println, progress::report);
    }
}
