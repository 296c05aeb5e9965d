package org.slipstream.lab.scenario;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slipstream.lab.scenario.ScenarioReader.Reading;
import org.slipstream.lab.scenario.ScenarioRunner.ScenarioRun;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// The runs of the bundled scenarios are as their files expect.
class BundledScenariosTest {
    static List<String> names() {
        return BundledScenarios.names();
    }

    static ScenarioFile file(String name) {
        Reading reading = ScenarioReader.read(BundledScenarios.file(name), BundledScenarios.find(name).orElseThrow());
        assertThat(reading).isInstanceOf(Reading.Good.class);
        return ((Reading.Good) reading).file();
    }

    @ParameterizedTest
    @MethodSource("names")
    void everyRunIsAsItsFileExpects(String name) {
        ScenarioRun run = ScenarioRunner.run(file(name));

        assertThat(run.isAsExpected()).as(String.join("\n", RunText.lines(run))).isTrue();
        assertThat(run.checks()).as("expectations of " + name).isNotEmpty();
        assertThat(run.file().story()).as("story of " + name).isNotBlank();
    }

    @ParameterizedTest
    @MethodSource("names")
    void theSameFileGivesTheSameTextByteForByte(String name) {
        assertThat(RunText.lines(ScenarioRunner.run(file(name))))
                .isEqualTo(RunText.lines(ScenarioRunner.run(file(name))));
    }

    @Test
    void everyFileIsListedAndEveryListedFileIsThere() throws IOException, URISyntaxException {
        Path folder = Path.of(BundledScenarios.class.getResource("/scenarios/index.txt").toURI()).getParent();
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(file -> file.endsWith(".toml")))
                    .containsExactlyInAnyOrderElementsOf(
                            BundledScenarios.names().stream().map(BundledScenarios::file).toList());
        }
    }
}
