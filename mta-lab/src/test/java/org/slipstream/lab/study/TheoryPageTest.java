package org.slipstream.lab.study;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.lab.scenario.BundledScenarios;
import org.slipstream.lab.scenario.ScenarioReader;
import org.slipstream.lab.scenario.ScenarioReader.Reading;
import org.slipstream.lab.scenario.ScenarioRunner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// `docs/theory.md` has the output of `./mta lab study order`, and no figure in it exceeds its bound.
/// `-Dslipstream.golden=write` writes the output into the page.
class TheoryPageTest {
    private static final Path PAGE = Path.of("../docs/theory.md");
    private static final List<String> LINES = OrderStudy.lines(_ -> {});

    private static List<List<String>> rows(String firstWord) {
        return LINES.stream().filter(line -> line.startsWith(firstWord)).map(line -> List.of(line.strip().split(" +")))
                .toList();
    }

    @Test
    @Tag("PF-41")
    void theFloodedMailingStaysWithinTheBoundAndPaysForIt() {
        List<List<String>> rows = LINES.stream().filter(line -> line.matches(" +[0-9]+ .*"))
                .map(line -> List.of(line.strip().split(" +"))).toList();
        assertThat(rows).hasSize(4).allSatisfy(row -> assertThat(Double.parseDouble(row.get(3)))
                .isLessThanOrEqualTo(Double.parseDouble(row.get(1))).isGreaterThan(1.05));
    }

    @Test
    void noOrderBeatsTheClairvoyantAndTheListIsNoWorseThanTheOlderOrders() {
        List<List<String>> rows = new ArrayList<>(rows("mixed"));
        assertThat(rows).hasSize(3);
        rows.addAll(rows("the lab's"));
        assertThat(rows).hasSize(4).allSatisfy(row -> {
            double list = Double.parseDouble(row.get(row.size() - 3));
            assertThat(list).isGreaterThanOrEqualTo(1)
                    .isLessThanOrEqualTo(Double.parseDouble(row.get(row.size() - 2)))
                    .isLessThanOrEqualTo(Double.parseDouble(row.getLast()));
        });
    }

    @Test
    void theClairvoyantServesTheMessageWithTheFewestEntriesLeft() {
        Reading reading = ScenarioReader.read("x.toml", """
                title = "T"
                [[messages]]
                to = { "a.example" = 4 }
                [[messages]]
                at = "1s"
                to = { "b.example" = 1 }
                [[messages]]
                at = "20s"
                to = { "c.example" = 2 }
                """);
        assertThat(OrderStudy.clairvoyant(((Reading.Good) reading).file(), 1_000)).containsExactly(1_000L, 5_000L,
                2_000L);
    }

    /// It changes to a message that comes in the middle of an entry.
    @Test
    void theClairvoyantIsABoundForEntriesOfAnyLength() {
        Reading reading = ScenarioReader.read("x.toml", """
                title = "T"
                [[messages]]
                to = { "a.example" = 2 }
                [[messages]]
                at = "100ms"
                to = { "b.example" = 1 }
                """);
        assertThat(OrderStudy.clairvoyant(((Reading.Good) reading).file(), 400)).containsExactly(400L, 1_200L);
    }

    /// The bounds of a start above the limit of a server that takes five: H(N) − H(5) for whole steps, and any
    /// window above 6 for steps of 1/N.
    @ParameterizedTest
    @CsvSource({"1, 14, false", "1, 15, true", "1/concurrency, 6, false", "1/concurrency, 7, true"})
    void aStartTooFarAboveTheLimitEndsTheDestination(String feedback, int start, boolean dead) {
        Reading reading = ScenarioReader.read("start", BundledScenarios.find("start-high").orElseThrow(),
                List.of("initial-destination-concurrency=" + start, "negative-feedback=" + feedback,
                        "positive-feedback=" + feedback));
        assertThat(ScenarioRunner.record(((Reading.Good) reading).file()).destinations().values()).singleElement()
                .satisfies(each -> assertThat(each.sizes().contains("dead")).isEqualTo(dead));
    }

    @Test
    void thePageHasTheTableOfTheCommand() throws IOException {
        String page = Files.readString(PAGE);
        String begin = "<!-- order: written by TheoryPageTest -->\n";
        String end = "<!-- end of order -->\n";
        assertThat(page).contains(begin).contains(end);
        String current = page.substring(0, page.indexOf(begin) + begin.length()) + "```text\n$ ./mta lab study order\n"
                + String.join("\n", LINES) + "\n```\n" + page.substring(page.indexOf(end));
        if (System.getProperty("slipstream.golden", "").equals("write")) {
            Files.writeString(PAGE, current);
        } else {
            assertThat(page).isEqualTo(current);
        }
    }
}
