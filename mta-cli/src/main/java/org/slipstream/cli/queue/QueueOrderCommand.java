package org.slipstream.cli.queue;

import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.Ids;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.Version;
import org.slipstream.core.QueueId;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.util.List;
import java.util.concurrent.Callable;

/// Orders for messages: `queue hold` and `queue release`.
public final class QueueOrderCommand {
    private QueueOrderCommand() {}

    /// Gives the order for each message. An unknown message does not stop the others, but makes the
    /// exit code 1.
    ///
    /// @param done description of the executed order
    static int give(MtaCommand mta, CommandSpec spec, String order, String done, List<String> texts) {
        return give(mta, spec, order, "", done, texts);
    }

    /// @param argument of the order as a query of the API, `name=value`, or empty
    static int give(MtaCommand mta, CommandSpec spec, String order, String argument, String done,
            List<String> texts) {
        List<QueueId> ids = texts.stream().map(text -> Ids.of(spec, text)).toList();
        int given = 0;
        try (AdminClient server = AdminClient.of(mta)) {
            for (QueueId id : ids) {
                boolean isThere = order.equals("delete")
                        ? server.ask("DELETE", "queue/" + id).isPresent()
                        : server.ask("POST", "queue/" + id + "/" + order + (argument.isEmpty() ? "" : "?" + argument))
                                .isPresent();
                if (isThere) {
                    given++;
                } else {
                    mta.world().err().println("mta: there is no message " + id + " in the queue");
                }
            }
        }
        mta.world().out().println(DisplayUnits.count(given, "message") + " " + done);
        return given == ids.size() ? Exit.DONE : Exit.NO;
    }

    @Command(name = "hold", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Puts messages on hold: they are not delivered until they are released.",
            optionListHeading = "%nOptions:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                    Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {"  mta queue hold 1p4q0c8k2v0",
                    "  mta queue hold --domain example.org --reason 'until they have answered'"})
    public static final class HoldCommand implements Callable<Integer> {
        @Mixin
        private QueueSweep sweep;

        @Option(names = "--all", description = "all messages that are in the queue now")
        private boolean all;

        @Option(names = "--reason", paramLabel = "TEXT", description = "the reason; `explain` tells it")
        private String reason = "";

        @Option(names = "--author", paramLabel = "NAME", description = "who ordered it (default: you)")
        private String author = System.getProperty("user.name", "");

        @Spec
        private CommandSpec spec;

        private final MtaCommand mta;

        public HoldCommand(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() {
            sweep.check(spec, all);
            return sweep.give(mta, spec, "hold", "author=" + AdminClient.encoded(author)
                    + (reason.isBlank() ? "" : "&reason=" + AdminClient.encoded(reason)), "held");
        }
    }

    @Command(name = "release", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Releases messages from hold.", optionListHeading = "%nOptions:%n",
            exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                    Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {"  mta queue release 1p4q0c8k2v0",
                    "  mta queue release --domain example.org"})
    public static final class ReleaseCommand implements Callable<Integer> {
        @Mixin
        private QueueSweep sweep;

        @Option(names = "--all", description = "all messages that are in the queue now")
        private boolean all;

        @Spec
        private CommandSpec spec;

        private final MtaCommand mta;

        public ReleaseCommand(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() {
            sweep.check(spec, all);
            return sweep.give(mta, spec, "release", "released");
        }
    }
}
