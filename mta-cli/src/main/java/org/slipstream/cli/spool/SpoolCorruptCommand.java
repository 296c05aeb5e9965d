package org.slipstream.cli.spool;

import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.Ids;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.config.Config;
import org.slipstream.core.QueueId;
import org.slipstream.spool.tools.SpoolTools;
import org.slipstream.spool.tools.SpoolTools.CorruptOrder;
import org.slipstream.spool.tools.SpoolTools.Report;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// `spool corrupt`: the commands for messages that are set aside because their content or their
/// rows are damaged or missing.
@Command(synopsisSubcommandLabel = "COMMAND",
        header = "Lists messages that are set aside, reports them to their senders, or removes them.",
        exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.CANNOT_START_TEXT, Exit.CONFIGURATION_TEXT},
        footer = {"  mta spool corrupt list", "  mta spool corrupt report --all"})
public final class SpoolCorruptCommand implements MtaAction {
    @Override
    public int run(MtaCommand mta) {
        mta.world().err().println("mta: choose one: list, report or forget (see mta spool corrupt --help)");
        return Exit.USAGE;
    }

    @Command(header = "Names each message that is set aside, and why.",
            exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.CANNOT_START_TEXT,
                    Exit.CONFIGURATION_TEXT},
            footer = "  mta spool corrupt list")
    public static final class CorruptListing implements MtaAction {
        @Option(names = "--json", description = "as JSON")
        private boolean json;

        private record CorruptViews(int count, List<String> findings) {}

        @Override
        public int run(MtaCommand mta) {
            Report report = SpoolCommand.use(mta,
                    (_, spool) -> SpoolTools.setAside(spool, System::currentTimeMillis));
            if (json) {
                mta.world().out()
                        .println(RecordJson.write(new CorruptViews((int) report.setAside(), report.findings())));
                return Exit.DONE;
            }
            report.findings().forEach(mta.world().out()::println);
            mta.world().out().println(report.setAside() + " messages set aside");
            return Exit.DONE;
        }
    }

    /// A command that removes messages.
    private abstract static sealed class Settling implements MtaAction {
        @Parameters(paramLabel = "ID", arity = "0..*", description = "queue ids")
        private List<String> ids = List.of();

        @Option(names = "--all", description = "all messages that are set aside")
        private boolean all;

        @Spec
        private CommandSpec spec;

        private final String done;

        Settling(String done) {
            this.done = done;
        }

        abstract CorruptOrder order(MtaCommand mta, Config config);

        @Override
        public int run(MtaCommand mta) {
            if (all == !ids.isEmpty()) {
                throw new ParameterException(spec.commandLine(), "give queue ids or --all");
            }
            Set<QueueId> chosen = new LinkedHashSet<>();
            ids.forEach(id -> chosen.add(Ids.of(spec, id)));
            Report report = SpoolCommand.use(mta, (config, spool) -> SpoolTools.settleSetAside(spool,
                    System::currentTimeMillis, chosen, order(mta, config)));
            report.findings().forEach(mta.world().out()::println);
            mta.world().out().println(
                    report.records() + " messages " + done + ", " + report.setAside() + " still set aside");
            return report.findings().isEmpty() ? Exit.DONE : Exit.NO;
        }
    }

    @Command(header = "Reports lost messages to their senders and removes the messages.",
            description = "The reports are queued; the server delivers them when it runs."
                    + " A message with the null sender is removed without a report, and one whose content can be read is kept.",
            exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.CANNOT_START_TEXT,
                    Exit.CONFIGURATION_TEXT},
            footer = {"  mta spool corrupt report 1p4q0c8k2v0", "  mta spool corrupt report --all"})
    public static final class Reporting extends Settling {
        public Reporting() {
            super("reported to their senders");
        }

        @Override
        CorruptOrder order(MtaCommand mta, Config config) {
            return mta.world().stopped().lostMailReports(config);
        }
    }

    @Command(header = "Removes messages that are set aside without a report to their senders.",
            exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.CANNOT_START_TEXT,
                    Exit.CONFIGURATION_TEXT},
            footer = {"  mta spool corrupt forget 1p4q0c8k2v0", "  mta spool corrupt forget --all"})
    public static final class Forgetting extends Settling {
        public Forgetting() {
            super("forgotten");
        }

        @Override
        CorruptOrder order(MtaCommand mta, Config config) {
            return (_, _) -> true;
        }
    }
}
