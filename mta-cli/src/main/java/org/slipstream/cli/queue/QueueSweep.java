package org.slipstream.cli.queue;

import org.slipstream.admin.operations.Operations.MessageCount;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.Ids;
import org.slipstream.cli.frame.MissingShards;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.PagedRequests;
import org.slipstream.core.QueueId;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Common part of the orders for messages, such as `delete`, `hold` and `flush`: messages are given
/// by ids or selected by a filter. The server processes a filter a page at a time, so that other
/// requests do not wait for a long queue.
final class QueueSweep {
    private static final int TELL_EVERY = 5_000;

    @Parameters(paramLabel = "ID", arity = "0..*", description = "as in `queue list`")
    private List<String> ids = List.of();

    @Mixin
    private FilterOptions filter;

    @Option(names = "--dry-run", description = "only count the messages")
    private boolean dryRun;

    /// Shards that an order did not reach.
    private final Set<String> faults = new LinkedHashSet<>();

    boolean namesIds() {
        return !ids.isEmpty();
    }

    List<String> ids() {
        return ids;
    }

    /// The first argument, which the command takes for itself.
    Optional<String> takeFirst() {
        Optional<String> first = ids.stream().findFirst();
        ids = ids.stream().skip(1).toList();
        return first;
    }

    boolean hasFilter() {
        return !filter.isEmpty();
    }

    boolean isDryRun() {
        return dryRun;
    }

    String query(CommandSpec spec) {
        return filter.query(spec);
    }

    /// @param all the whole queue is selected
    void check(CommandSpec spec, boolean all) {
        int ways = (ids.isEmpty() ? 0 : 1) + (filter.isEmpty() ? 0 : 1) + (all ? 1 : 0);
        if (ways != 1) {
            throw new ParameterException(spec.commandLine(), "give ids, options that select messages, or --all");
        }
        if (dryRun && !ids.isEmpty()) {
            throw new ParameterException(spec.commandLine(),
                    "--dry-run counts matching messages and cannot be used with ids");
        }
    }

    /// @param query arguments of the order, each after an `&`; @param done description of the executed order
    int give(MtaCommand mta, CommandSpec spec, String order, String query, String done) {
        if (!ids.isEmpty()) {
            return giveEach(mta, spec, order, query, done);
        }
        long count = giveAll(mta, spec, order, query, done);
        mta.world().out().println(DisplayUnits.count(count, "message") + (dryRun ? " would be " : " ") + done);
        return exit();
    }

    /// An unknown message does not stop the others, but makes the exit code 1.
    private int giveEach(MtaCommand mta, CommandSpec spec, String order, String query, String done) {
        List<QueueId> all = ids.stream().map(text -> Ids.of(spec, text)).toList();
        int given = 0;
        try (AdminClient server = AdminClient.of(mta)) {
            for (QueueId id : all) {
                if (server.ask("POST", "queue/" + id + "/" + order + PagedRequests.asked(query)).isPresent()) {
                    given++;
                } else {
                    mta.world().err().println("mta: there is no message " + id + " in the queue");
                }
            }
        }
        mta.world().out().println(DisplayUnits.count(given, "message") + " " + done);
        return given == all.size() ? Exit.DONE : Exit.NO;
    }

    /// The exit code after [#giveAll].
    int exit() {
        return faults.isEmpty() ? Exit.DONE : Exit.NO;
    }

    /// @return number of messages; with `--dry-run`, the number that match
    long giveAll(MtaCommand mta, CommandSpec spec, String order, String arguments, String done) {
        String query = query(spec) + arguments + (filter.isEmpty() ? "&all=true" : "")
                + (dryRun ? "&dry-run=true" : "");
        long[] count = new long[1];
        try (AdminClient server = AdminClient.of(mta)) {
            PagedRequests.of(server, "POST", "queue/" + order, query, MessageCount.class, MessageCount::next)
                    .forEach(part -> {
                        faults.addAll(part.faults());
                        long before = count[0];
                        count[0] += part.count();
                        if (before / TELL_EVERY < count[0] / TELL_EVERY && !dryRun) {
                            mta.world().err().println(
                                    "mta: " + DisplayUnits.count(count[0], "message") + " " + done + " so far");
                        }
                    });
        }
        MissingShards.tell(mta, List.copyOf(faults));
        return count[0];
    }
}
