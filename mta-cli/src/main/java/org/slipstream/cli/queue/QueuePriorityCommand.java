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

/// `queue priority`: changes the priority of messages.
@Command(name = "priority", mixinStandardHelpOptions = true, versionProvider = Version.class,
        header = "Changes the priority of messages.", descriptionHeading = "%n",
        description = "The priority decides between messages of the same moment, and is passed on to hosts with MT-PRIORITY (RFC 6710). A negative number needs -- in front: priority --domain example.org -- -4.",
        optionListHeading = "%nOptions:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
                Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                Exit.UNREACHABLE_TEXT},
        footerHeading = "%nExamples:%n", footer = {"  mta queue priority 4 1p4q0c8k2v0",
                "  mta queue priority 4 --sender 'boss@*'"})
public final class QueuePriorityCommand implements Callable<Integer> {
    @Mixin
    private QueueSweep sweep;

    @Option(names = "--all", description = "all messages that are in the queue now")
    private boolean all;

    @Spec
    private CommandSpec spec;

    private final MtaCommand mta;

    public QueuePriorityCommand(MtaCommand mta) {
        this.mta = mta;
    }

    @Override
    public Integer call() {
        String value = sweep.takeFirst().orElseThrow(() -> new ParameterException(spec.commandLine(),
                "no priority is given: use a number from -9 to 9"));
        if (!value.matches("-?[0-9]")) {
            throw new ParameterException(spec.commandLine(),
                    "\"" + value + "\" is not a priority; use a number from -9 to 9");
        }
        sweep.check(spec, all);
        return sweep.give(mta, spec, "priority", "value=" + value, "given priority " + value);
    }
}
