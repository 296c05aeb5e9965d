package org.slipstream.cli.lab;

import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.ProgressLine;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.lab.SaturatedServer.LoadFigures;
import org.slipstream.lab.study.ShardCurve;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.List;

/// `lab shards`: the throughput of a model server with several shards, in simulated time.
@Command(header = "Measures a model server with several shards.",
        description = "The queue managers and the broker of leases are those of the server; disks, clients and"
                + " connections are models, which docs/shards.md describes. Each run gives the same figures.",
        parameterListHeading = "%n", exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT},
        footer = {"  mta lab shards 1,2,4", "  mta lab shards 2 --server 'one disk for all'",
                "  mta lab shards 1,2,4 --json | jq '.runs[].messagesPerSecond'"})
public final class LabShardsCommand implements MtaAction {
    private static final int MOST = 64;

    @Parameters(paramLabel = "SHARDS", split = ",", description = "numbers of shards, each from 1 to 64")
    private List<Integer> shards = List.of();

    @Option(names = "--server", paramLabel = "NAME", defaultValue = "a disk for each shard",
            description = "the model server (default: ${DEFAULT-VALUE})")
    private String server = "";

    @Option(names = "--json", description = "as JSON")
    private boolean json;

    /// The shares of time are from 0 to 1.
    ///
    /// @param shards their number
    /// @param leaseOrders for each message
    /// @param limit the part that is nearest to its limit
    private record RunView(int shards, double messagesPerSecond, double listener, double manager, double log,
            double disk,
            double connections, double leaseOrders, String limit) {
        static RunView of(int shards, LoadFigures run) {
            return new RunView(shards, run.messagesPerSecond(), run.listener(), run.manager(), run.log(), run.disk(),
                    run.lanes(), run.leaseOrders(), run.limit());
        }
    }

    private record CurveView(String server, List<RunView> runs) {}

    @Override
    public int run(MtaCommand mta) {
        shards.stream().filter(count -> count < 1 || count > MOST).findFirst().ifPresent(wrong -> {
            throw new CommandFailure(Exit.USAGE, "mta: " + wrong + " is not a number of shards from 1 to " + MOST);
        });
        if (!ShardCurve.names().contains(server)) {
            throw new CommandFailure(Exit.USAGE, "mta: there is no model server \"" + server + "\"; the servers are \""
                    + String.join("\", \"", ShardCurve.names()) + "\"");
        }
        ProgressLine progress = new ProgressLine(mta.world().err(), System::nanoTime);
        if (json) {
            mta.world().out().println(RecordJson.write(new CurveView(server, shards.stream()
                    .map(count -> RunView.of(count, ShardCurve.measure(server, List.of(count)).getFirst())).toList())));
            return Exit.DONE;
        }
        ShardCurve.lines(server, shards, what -> progress.report(() -> what)).forEach(mta.world().out()::println);
        return Exit.DONE;
    }
}
