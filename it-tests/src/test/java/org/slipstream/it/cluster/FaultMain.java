package org.slipstream.it.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/// Makes seeded faults in a cluster on this machine, checks the history, and writes the report
/// (docs/cluster-faults.md).
final class FaultMain {
    private FaultMain() {}

    /// @param arguments the folder of the report, the number of faults, the seed, then `nodes=3`, `pace=80` (ms
    ///     between two messages of a client), `backlog=0` and `only=node-killed,primary-killed`
    public static void main(String... arguments) throws IOException {
        Path folder = Files.createDirectories(Path.of(arguments[0]).toAbsolutePath());
        FaultReport report = new FaultReport(folder, Arrays.stream(arguments).skip(1).collect(Collectors.joining(" ")));
        try {
            run(folder, Integer.parseInt(arguments[1]), Long.parseLong(arguments[2]), Arrays.stream(arguments).skip(3)
                    .map(each -> each.split("=", 2)).collect(Collectors.toMap(each -> each[0], each -> each[1])),
                    report);
        } finally {
            System.out.println(report.write());
        }
        System.exit(report.isGood() ? 0 : 1);
    }

    private static void run(Path folder, int count, long seed, Map<String, String> options, FaultReport report)
            throws IOException {
        List<FaultKind> kinds = options.containsKey("only")
                ? Arrays.stream(options.get("only").split(",")).map(FaultKind::of).toList()
                : List.of(FaultKind.values());
        int nodes = Integer.parseInt(options.getOrDefault("nodes", "3"));
        long pace = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(options.getOrDefault("pace", "80")));
        int backlog = Integer.parseInt(options.getOrDefault("backlog", "0"));
        Path homes = Files.createTempDirectory(folder, "homes");
        try (FaultyCluster cluster = new FaultyCluster(homes, nodes, pace,
                PostgresServer.mayHaveDisks() && backlog == 0,
                true)) {
            long begun = System.nanoTime();
            cluster.startClients(backlog);
            report.line(backlog + " messages wait, accepted in %.1f s".formatted((System.nanoTime() - begun) / 1e9));
            FaultRun run = new FaultRun(cluster, seed, false, report::line);
            try {
                while (run.faults().size() < count) {
                    run.makeOneOf(kinds);
                }
            } catch (AssertionError e) {
                report.violation(String.valueOf(e.getMessage()));
            }
            report.figures(cluster, run.faults(), run.finish());
        }
    }
}
