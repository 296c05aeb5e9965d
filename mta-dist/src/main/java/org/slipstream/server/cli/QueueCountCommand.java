package org.slipstream.server.cli;

import org.slipstream.admin.Operations.MessageCount;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.util.List;
import java.util.concurrent.Callable;

/// `queue count`: the number of messages.
@Command(name = "count", mixinStandardHelpOptions = true, versionProvider = Version.class,
        header = "Counts waiting mail: all of it, or the messages that match.", optionListHeading = "%nOptions:%n",
        exitCodeListHeading = Exit.HEADING, exitCodeList = {
                Exit.DONE_TEXT, MissingShards.EXIT_TEXT, Exit.USAGE_TEXT,
                Exit.UNREACHABLE_TEXT},
        footerHeading = "%nExamples:%n", footer = {"  ./mta queue count",
                "  ./mta queue count --domain example.org --older-than 2h"})
final class QueueCountCommand implements Callable<Integer> {
    @Mixin
    private FilterOptions filter;

    @Spec
    private CommandSpec spec;

    private final MtaCommand mta;

    QueueCountCommand(MtaCommand mta) {
        this.mta = mta;
    }

    @Override
    public Integer call() {
        String query = filter.query(spec);
        try (AdminClient server = AdminClient.of(mta)) {
            List<MessageCount> parts = PagedRequests
                    .of(server, "GET", "queue/count", query, MessageCount.class, MessageCount::next).toList();
            mta.world().out().println(parts.stream().mapToLong(MessageCount::count).sum());
            return MissingShards.tell(mta, parts.stream().flatMap(part -> part.faults().stream()).toList());
        }
    }
}
