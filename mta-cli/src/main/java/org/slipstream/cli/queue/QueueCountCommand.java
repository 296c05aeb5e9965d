package org.slipstream.cli.queue;

import org.slipstream.admin.operations.Operations.MessageCount;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MissingShards;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.PagedRequests;
import org.slipstream.cli.frame.RecordJson;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.util.List;

/// `queue count`: the number of messages.
@Command(header = "Counts waiting mail: all of it, or the messages that match.",
        exitCodeList = {Exit.DONE_TEXT, MissingShards.EXIT_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
        footer = {"  mta queue count", "  mta queue count --domain example.org --older-than 2h"})
public final class QueueCountCommand implements MtaAction {
    @Mixin
    private FilterOptions filter;

    @Option(names = "--json", description = "as JSON")
    private boolean json;

    @Spec
    private CommandSpec spec;

    private record QueueCount(long count) {}

    @Override
    public int run(MtaCommand mta) {
        String query = filter.query(spec);
        try (AdminClient server = AdminClient.of(mta)) {
            List<MessageCount> parts = PagedRequests
                    .of(server, "GET", "queue/count", query, MessageCount.class, MessageCount::next).toList();
            long count = parts.stream().mapToLong(MessageCount::count).sum();
            mta.world().out().println(json ? RecordJson.write(new QueueCount(count)) : Long.toString(count));
            return MissingShards.tell(mta, parts.stream().flatMap(part -> part.faults().stream()).toList());
        }
    }
}
