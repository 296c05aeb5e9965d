package org.slipstream.server.cli;

import org.slipstream.lab.golden.Golden;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;

/// `lab`: the queue manager of the server in simulated time. No server is needed.
@Command(name = "lab", mixinStandardHelpOptions = true, versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND", header = "Runs the queue manager in simulated time.",
        optionListHeading = "%nOptions:%n", commandListHeading = "%nCommands:%n", exitCodeListHeading = Exit.HEADING,
        exitCodeList = {
                Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT},
        footerHeading = "%nExamples:%n", footer = {
                "  ./mta lab run ten-two-two", "  ./mta lab golden traces/"})
final class LabCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    private final MtaCommand mta;

    LabCommand(MtaCommand mta) {
        this.mta = mta;
    }

    @Override
    public Integer call() {
        CommandLine line = spec.commandLine();
        mta.world().err().print(line.getUsageMessage());
        return Exit.USAGE;
    }

    /// `lab golden`: compares the queue manager with recorded traces of that of Postfix.
    @Command(name = "golden", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Compares every decision with recorded traces.", descriptionHeading = "%n", description = {
                    "Prints a line per file, and the first differing row of a file that differs."},
            exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, " 1:a file differs", Exit.USAGE_TEXT})
    static final class GoldenTraces implements Callable<Integer> {
        @Parameters(paramLabel = "DIR", description = "a folder of *.json traces, or one file")
        private Path path;

        private final MtaCommand mta;

        GoldenTraces(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() throws IOException {
            if (!Files.exists(path)) {
                throw new CommandFailure(Exit.USAGE, "mta: there is no " + path, new IOException(path.toString()));
            }
            return Golden.run(path, mta.world().out()::println);
        }
    }
}
