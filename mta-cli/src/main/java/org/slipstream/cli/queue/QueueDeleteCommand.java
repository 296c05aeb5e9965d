package org.slipstream.cli.queue;

import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.util.concurrent.Callable;

/// `queue delete`: deletes messages without a report to the sender.
@Command(name = "delete", mixinStandardHelpOptions = true, versionProvider = Version.class,
        header = "Deletes messages without a report to their senders.", descriptionHeading = "%n",
        description = "With several options, messages that match all of them. A message is deleted for all of its recipients.",
        optionListHeading = "%nOptions:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
                Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                Exit.UNREACHABLE_TEXT},
        footerHeading = "%nExamples:%n", footer = {"  mta queue delete 1p4q0c8k2v0",
                "  mta queue delete --sender 'news@*' --older-than 2h --dry-run", "  mta queue delete --all --yes"})
public final class QueueDeleteCommand implements Callable<Integer> {
    @Mixin
    private QueueSweep sweep;

    @Option(names = "--all", description = "all messages that are in the queue now")
    private boolean all;

    @Option(names = "--yes", description = "confirms --all")
    private boolean yes;

    @Spec
    private CommandSpec spec;

    private final MtaCommand mta;

    public QueueDeleteCommand(MtaCommand mta) {
        this.mta = mta;
    }

    @Override
    public Integer call() {
        sweep.check(spec, all);
        if (all && !yes && !sweep.isDryRun()) {
            throw new ParameterException(spec.commandLine(), "--all deletes the whole queue; confirm it with --yes");
        }
        return sweep.give(mta, spec, "delete", "deleted");
    }
}
