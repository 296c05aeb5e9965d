package org.slipstream.cli.queue;

import org.slipstream.cli.frame.AdminClient;
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

/// The end of messages with a report to their senders: `queue bounce` and `queue expire`.
public final class QueueReturnCommand {
    private QueueReturnCommand() {}

    private static void check(QueueSweep sweep, CommandSpec spec, boolean all, boolean yes) {
        sweep.check(spec, all);
        if (all && !yes && !sweep.isDryRun()) {
            throw new ParameterException(spec.commandLine(),
                    "--all returns the whole queue to its senders; confirm it with --yes");
        }
    }

    @Command(name = "bounce", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Returns messages to their senders now.", descriptionHeading = "%n",
            description = "The report says that the administrator cancelled the delivery. A delivery under way is finished first, and recipients that it reached are not reported. A hold ends.",
            optionListHeading = "%nOptions:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                    Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {"  mta queue bounce 1p4q0c8k2v0",
                    "  mta queue bounce --domain exmaple.org --reason 'no such domain' --dry-run"})
    public static final class BounceCommand implements Callable<Integer> {
        @Mixin
        private QueueSweep sweep;

        @Option(names = "--all", description = "all messages that are in the queue now")
        private boolean all;

        @Option(names = "--yes", description = "confirms --all")
        private boolean yes;

        @Option(names = "--reason", paramLabel = "TEXT", description = "a sentence for the report to the sender")
        private String reason = "";

        @Spec
        private CommandSpec spec;

        private final MtaCommand mta;

        public BounceCommand(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() {
            check(sweep, spec, all, yes);
            return sweep.give(mta, spec, "bounce",
                    reason.isBlank() ? "" : "reason=" + AdminClient.encoded(reason), "bounced");
        }
    }

    @Command(name = "expire", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Returns messages to their senders as if their lifetime had passed.", descriptionHeading = "%n",
            description = "The report says that the message expired, with the last reply. There is no further attempt; a delivery under way is finished first. A hold ends.",
            optionListHeading = "%nOptions:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                    Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {"  mta queue expire 1p4q0c8k2v0",
                    "  mta queue expire --domain example.org --older-than 2d"})
    public static final class ExpireCommand implements Callable<Integer> {
        @Mixin
        private QueueSweep sweep;

        @Option(names = "--all", description = "all messages that are in the queue now")
        private boolean all;

        @Option(names = "--yes", description = "confirms --all")
        private boolean yes;

        @Spec
        private CommandSpec spec;

        private final MtaCommand mta;

        public ExpireCommand(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() {
            check(sweep, spec, all, yes);
            return sweep.give(mta, spec, "expire", "expired");
        }
    }
}
