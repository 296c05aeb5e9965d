package org.slipstream.world;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// A sample of worlds, in one JVM of their own: fixed ones and those that once failed, each of them twice, and
/// small ones with new seeds. Their lines are printed; `run SEED` repeats one.
class WorldTest {
    private static final Path KEPT = Path.of("src/test/resources/worlds");
    private static final boolean LONG = Boolean.getBoolean("slipstream.long");
    /// A world takes one to three seconds.
    private static final int DRAWN = Integer.getInteger("slipstream.worlds", LONG ? 200 : 0);

    private static int exit;
    private static List<String> lines = List.of();

    @BeforeAll
    static void live(@TempDir Path folder) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of(WorldMain.quick(folder).resolve("world-" + ProcessHandle
                .current().pid()).toString(), "run"));
        kept().forEach(each -> arguments.add(each.toString()));
        kept().reversed().forEach(each -> arguments.add(each.toString()));
        for (int i = 0; i < DRAWN; i++) {
            arguments.add(String.valueOf(LongStream.generate(() -> ThreadLocalRandom.current().nextLong(1_000_000))
                    .filter(seed -> LONG || WorldPlan.drawn(seed).isSmall()).findFirst().orElseThrow()));
        }
        Files.createDirectories(Path.of(arguments.getFirst()));
        Process worlds = new ProcessBuilder(WorldProcess.command(folder, System.getProperty("java.class.path"),
                WorldMain.class.getName(), arguments))
                .redirectErrorStream(true).start();
        lines = new String(worlds.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        exit = worlds.waitFor();
        worlds().forEach(System.out::println);
    }

    private static List<Path> kept() throws IOException {
        try (Stream<Path> all = Files.list(KEPT)) {
            return all.sorted().toList();
        }
    }

    @Test
    void allMailOfAllWorldsIsAccountedFor() throws IOException {
        assertThat(exit).as(String.join("\n", lines)).isZero();
        assertThat(worlds()).hasSize(2 * kept().size() + DRAWN);
    }

    /// One world was the first of its JVM. Nothing that a world leaves in static parts may reach the next.
    @Test
    void theSameSeedHasTheSameHistory() {
        Map<String, Set<String>> histories = worlds().stream().collect(Collectors.groupingBy(
                line -> line.replaceAll(".* (seed=\\S+) .*", "$1"),
                Collectors.mapping(WorldTest::fingerprint, Collectors.toSet())));
        assertThat(histories.values()).allSatisfy(each -> assertThat(each).hasSize(1));
    }

    private static List<String> worlds() {
        return lines.stream().filter(line -> line.startsWith("world ")).toList();
    }

    private static String fingerprint(String line) {
        return line.replaceAll(".*(fingerprint=\\w+).*(turns=\\d+).*", "$1 $2");
    }
}
