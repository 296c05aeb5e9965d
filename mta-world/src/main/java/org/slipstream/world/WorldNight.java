package org.slipstream.world;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The report of a night: a page for people, and a line for programs. Each world writes it again, so
/// a night that is stopped has its report.
final class WorldNight {
    static final String PAGE = "world-night.md";
    private static final int MOST_FAILED = 100;

    private final long first;
    private final long began = System.nanoTime();
    private final Instant day = Instant.now().truncatedTo(ChronoUnit.MINUTES);
    private final Map<String, Integer> kinds = new TreeMap<>();
    private final List<String> failed = new ArrayList<>();
    private int count;
    private int bad;
    private long messages;
    private int most;
    private double virtual;
    private int threads;
    private int descriptors;

    WorldNight(long first) {
        this.first = first;
    }

    double seconds() {
        return (System.nanoTime() - began) / 1e9;
    }

    boolean isGood() {
        return bad == 0;
    }

    void add(MailWorld.WorldResult result) {
        WorldPlan plan = result.plan();
        count++;
        virtual += result.virtualSeconds();
        messages += plan.messages();
        most = Math.max(most, result.files());
        threads = Math.max(threads, result.atRest().threads());
        descriptors = Math.max(descriptors, result.atRest().descriptors());
        plan.faults().forEach(each -> count((each.kind().isOrder() ? "order " : "fault ") + each.kind().word()));
        if (plan.shape().shards() > 1 || plan.shape().growing()) {
            count("world with several shards");
        }
        if (plan.shape().hosts() > 1) {
            count("world with several hosts of a domain");
        }
        if (plan.shape().looks() > 0) {
            count("world with looks at the queue");
        }
        if (!result.isGood()) {
            bad++;
            if (failed.size() < MOST_FAILED) {
                failed.add("| " + plan.seed() + " | "
                        + result.troubles().getFirst().lines().findFirst().orElse("").replace("|", "\\|") + " |");
            }
        }
    }

    private void count(String kind) {
        kinds.merge(kind, 1, Integer::sum);
    }

    String summary() {
        return "%d worlds from seed %d, %.1f hours of their time in %.1f minutes, %d failed".formatted(count, first,
                virtual / 3_600, seconds() / 60, bad);
    }

    void write(Path folder) throws IOException {
        Files.writeString(folder.resolve("worlds.txt"), summary() + "\n");
        Files.writeString(folder.resolve(PAGE), """
                # A night of worlds

                The report of a night, as `-Dworlds="night MINUTES FIRST-SEED"` writes it ([world.md](world.md)).
                Each seed is a whole server with its machine, clients and peers. Any seed can be run again.

                | | |
                |---|---|
                | Begun | %s |
                | Worlds | %d, from seed %d |
                | Failed | %d |
                | Messages | %d |
                | Their time | %.1f h |
                | Real time | %.1f min |
                | Ratio | %.0f |
                | Most files of an empty queue | %d |
                | Most threads of a server at rest | %d |
                | Most open files of a server at rest | %d |

                | In these worlds | Number |
                |---|---|
                %s
                """.formatted(day, count, first, bad, messages, virtual / 3_600, seconds() / 60,
                virtual / Math.max(seconds(), 1), most, threads, descriptors, rows())
                + (failed.isEmpty()
                        ? ""
                        : "\n| Seed | First trouble |\n|---|---|\n" + String.join("\n", failed)
                                + "\n"));
    }

    private String rows() {
        List<String> rows = new ArrayList<>();
        kinds.forEach((kind, number) -> rows.add("| " + kind + " | " + number + " |"));
        return String.join("\n", rows);
    }
}
