package org.slipstream.cli.queue;

import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.Version;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.util.concurrent.Callable;

/// `queue`: the commands for waiting mail.
@Command(name = "queue", mixinStandardHelpOptions = true, versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND", header = "Shows and manages waiting mail.",
        optionListHeading = "%nOptions:%n", commandListHeading = "%nCommands:%n", exitCodeListHeading = Exit.HEADING,
        exitCodeList = {
                Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                Exit.UNREACHABLE_TEXT},
        footerHeading = "%nExamples:%n", footer = {"  mta queue list --sender 'news@*'",
                "  mta queue count --older-than 1d",
                "  mta queue flush --domain example.org", "  mta queue hold 1p4q0c8k2v0 1p4q0c8k2v1"})
public final class QueueCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    private final MtaCommand mta;

    public QueueCommand(MtaCommand mta) {
        this.mta = mta;
    }

    @Override
    public Integer call() {
        CommandLine line = spec.commandLine();
        mta.world().err().print(line.getUsageMessage());
        return Exit.USAGE;
    }
}
