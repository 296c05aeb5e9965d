package org.slipstream.dist.cli;

import org.slipstream.admin.Operations.MessageView;
import org.slipstream.admin.Operations.QueuePage;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/// `queue delete`: throw away without a report to the sender.
@Command(name = "delete", mixinStandardHelpOptions = true, versionProvider = Version.class, header = "Deletes messages for good; their senders are not told.", optionListHeading = "%nOptions:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
        Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
        Exit.UNREACHABLE_TEXT}, footerHeading = "%nExamples:%n", footer = {"  ./mta queue delete 1p4q0c8k2v0",
                "  ./mta queue delete --all --yes"})
final class QueueDeleteCommand implements Callable<Integer> {
    private static final int PAGE = 1000;

    @Parameters(paramLabel = "ID", arity = "0..*", description = "as in `queue list`")
    private List<String> ids = List.of();

    @Option(names = "--all", description = "everything that is in the queue now")
    private boolean all;

    @Option(names = "--yes", description = "yes, really everything")
    private boolean yes;

    @Spec
    private CommandSpec spec;

    private final MtaCommand mta;

    QueueDeleteCommand(MtaCommand mta) {
        this.mta = mta;
    }

    @Override
    public Integer call() {
        if (all == !ids.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "give ids, or --all");
        }
        if (!all) {
            return QueueOrderCommand.give(mta, spec, "delete", ids);
        }
        if (!yes) {
            throw new ParameterException(spec.commandLine(), "--all deletes the whole queue; confirm it with --yes");
        }
        try (AdminClient server = AdminClient.of(mta.home())) {
            mta.world().out().println("deleted " + deleteAll(server));
        }
        return Exit.DONE;
    }

    /// Page by page; mail that arrives meanwhile has a higher id and may be met, but the loop ends with the queue.
    private static long deleteAll(AdminClient server) {
        long deleted = 0;
        Optional<String> after = Optional.of("");
        while (after.isPresent()) {
            String from = after.get().isEmpty() ? "" : "&after=" + after.get();
            QueuePage page = server.read(server.ask("GET", "queue?limit=" + PAGE + from).orElseThrow(),
                    QueuePage.class);
            for (MessageView message : page.messages()) {
                deleted += server.ask("DELETE", "queue/" + message.id()).isPresent() ? 1 : 0;
            }
            after = page.next();
        }
        return deleted;
    }
}
