package org.slipstream.lab.golden;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// The decisions of the queue manager, row by row against recorded traces of Postfix.
class GoldenTest {
    private static final int TRACES = 37;
    private static final String TRACE = "b14-unlimited-destination-concurrency";

    @TempDir
    private Path folder;
    private final List<String> progress = new ArrayList<>();

    private static Path golden() throws URISyntaxException {
        return Path.of(GoldenTest.class.getResource("/golden").toURI());
    }

    static List<Path> files() throws IOException, URISyntaxException {
        return GoldenTraces.files(golden());
    }

    @ParameterizedTest
    @MethodSource("files")
    @Tag("PF-01")
    @Tag("PF-24")
    @Tag("PF-40")
    void theQueueManagerDecidesAsPostfix(Path file) throws IOException, URISyntaxException {
        GoldenTraces.GoldenResult result = GoldenTraces.result(file, GoldenIndex.in(golden()).orElseThrow(), _ -> {});
        assertThat(result.difference()).as(result.file()).isEmpty();
        assertThat(result.selections()).isPositive();
    }

    @Test
    void noTraceIsMissing() throws IOException, URISyntaxException {
        assertThat(GoldenIndex.in(golden()).orElseThrow().sections()).hasSize(TRACES);
        assertThat(files()).hasSize(TRACES);
    }

    // ---- the output of the command for complete and incomplete folders

    private List<String> run(int exitCode) throws IOException {
        List<String> lines = new ArrayList<>();
        assertThat(GoldenTraces.run(folder, lines::add, what -> progress.add(what.get()))).as(lines.toString())
                .isEqualTo(exitCode);
        return lines;
    }

    private void copy(String name) throws IOException, URISyntaxException {
        Files.copy(golden().resolve(name + ".json"), folder.resolve(name + ".json"));
    }

    private void index(String... lines) throws IOException {
        Files.write(folder.resolve("index.txt"), List.of(lines));
    }

    private static final String ALL = TRACE + ": selections preemptions feedback messages";

    @Test
    void aCompleteFolderIsEqual() throws IOException, URISyntaxException {
        copy(TRACE);
        index(ALL);
        assertThat(run(0)).containsExactly(TRACE + ": ok, 18 selections", "1 of 1 ok");
    }

    /// The caller decides when a line is due, so each simulated second reports.
    @Test
    void aRunReportsItsPosition() throws IOException, URISyntaxException {
        copy("a10-loan-only");
        copy(TRACE);
        index("a10-loan-only: order selections preemptions messages", ALL);
        run(0);
        assertThat(progress).startsWith("trace 1 of 2, a10-loan-only: 0 s of simulated time",
                "trace 1 of 2, a10-loan-only: 1 s of simulated time")
                .contains("trace 2 of 2, " + TRACE + ": 0 s of simulated time");
    }

    @ParameterizedTest
    @ValueSource(strings = {"selections", "preemptions", "feedback", "messages"})
    void aFileThatLacksASectionFails(String section) throws IOException, URISyntaxException {
        ObjectMapper json = new ObjectMapper();
        ObjectNode file = (ObjectNode) json.readTree(Files.readString(golden().resolve(TRACE + ".json")));
        ((ObjectNode) file.get("expected")).remove(section);
        Files.writeString(folder.resolve(TRACE + ".json"), json.writeValueAsString(file));
        index(ALL);
        assertThat(run(1)).first().isEqualTo(TRACE + ": FAIL section " + section + " is missing");
    }

    @Test
    void aFileThatIsMissingFails() throws IOException, URISyntaxException {
        copy(TRACE);
        index(ALL, "a99-lost: selections");
        assertThat(run(1)).first().isEqualTo("a99-lost: FAIL named in index.txt, but the file is missing");
    }

    @Test
    void aFileOrASectionThatTheIndexDoesNotNameFails() throws IOException, URISyntaxException {
        copy(TRACE);
        copy("a10-loan-only");
        index(TRACE + ": selections preemptions messages");
        assertThat(run(1)).contains("a10-loan-only: FAIL not named in index.txt",
                TRACE + ": FAIL section feedback is not named in index.txt");
    }

    @Test
    void aFolderWithoutAnIndexIsRefused() throws IOException, URISyntaxException {
        copy(TRACE);
        assertThat(run(2)).singleElement().asString().contains("no index.txt here");
    }

    @Test
    void aDifferentOrderFails() throws IOException, URISyntaxException {
        String text = Files.readString(golden().resolve("a10-loan-only.json"));
        Files.writeString(folder.resolve("a10-loan-only.json"),
                text.replaceFirst("\"order\": ?\"1 4", "\"order\": \"1 1"));
        index("a10-loan-only: order selections preemptions messages");
        assertThat(run(1)).first().asString().contains("FAIL order: expected");
    }
}
