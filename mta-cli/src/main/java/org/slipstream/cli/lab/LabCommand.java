package org.slipstream.cli.lab;

import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.Version;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.util.concurrent.Callable;

/// `lab`: the production queue manager in simulated time. No server is needed.
@Command(name = "lab", mixinStandardHelpOptions = true, versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND", header = "Runs the queue manager in simulated time.",
        optionListHeading = "%nOptions:%n", commandListHeading = "%nCommands:%n", exitCodeListHeading = Exit.HEADING,
        exitCodeList = {
                Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT},
        footerHeading = "%nExamples:%n", footer = {
                "  mta lab run ten-two-two", "  mta lab golden traces/"})
public final class LabCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    private final MtaCommand mta;

    public LabCommand(MtaCommand mta) {
        this.mta = mta;
    }

    @Override
    public Integer call() {
        CommandLine line = spec.commandLine();
        mta.world().err().print(line.getUsageMessage());
        return Exit.USAGE;
    }
}
