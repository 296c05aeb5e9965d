package org.slipstream.lab.scenario;

import org.junit.jupiter.api.Test;
import org.slipstream.lab.SimulationStoppedException;
import org.slipstream.lab.film.Film;
import org.slipstream.lab.film.FilmInterval;
import org.slipstream.lab.film.Frame;
import org.slipstream.lab.scenario.ScenarioReader.Reading;
import org.slipstream.lab.scenario.ScenarioRunner.ScenarioRun;
import org.slipstream.picture.RunRecord;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Runs of short scenarios, checked by their printed events.
class ScenarioRunnerTest {
    private static ScenarioFile file(String text) {
        Reading reading = ScenarioReader.read("mine.toml", "title = \"T\"\n" + text);
        assertThat(reading).as(reading.toString()).isInstanceOf(Reading.Good.class);
        return ((Reading.Good) reading).file();
    }

    private static List<String> events(String text) {
        List<String> events = new ArrayList<>();
        ScenarioRunner.run(file(text), events::add, ScenarioRunner.RunProgress.NONE);
        return events.stream().map(String::strip).toList();
    }

    @Test
    void anExpectationThatDoesNotHoldIsNamedWithItsLine() {
        ScenarioRun run = ScenarioRunner
                .run(file("[[messages]]\nto = { \"a.example\" = 100 }\n[expect]\nsequence = \"1×3\"\n"));

        assertThat(run.isAsExpected()).isFalse();
        assertThat(RunText.lines(run)).contains("1 of 1 expectations do not hold:",
                "mine.toml:5: sequence differs at position 3: expected 1, got the end\n    expected 1×3\n    got      1×2");
    }

    @Test
    void aRunHasABoundOfEventsAndAScenarioOneOfRecipients() {
        String three = "title = \"t\"\n[[messages]]\nto = { \"a.example\" = 3 }\nevery = \"1s\"\ncount = 2\n";
        assertThat(ScenarioReader.read("x", three, List.of(), _ -> Optional.empty(), 6))
                .isInstanceOf(Reading.Good.class);
        assertThat(ScenarioReader.read("x", three, List.of(), _ -> Optional.empty(), 5))
                .isInstanceOfSatisfying(Reading.Bad.class, bad -> assertThat(bad.sentence()).contains("x:3: ",
                        "more recipients than it may have"));
        ScenarioFile file = ((Reading.Good) ScenarioReader.read("x", three)).file();
        assertThatThrownBy(() -> ScenarioRunner.run(file, _ -> {}, ScenarioRunner.RunProgress.NONE, 10))
                .isInstanceOf(SimulationStoppedException.class).hasMessageContaining("no end after 10 events");
        assertThatThrownBy(() -> ScenarioRunner.film(file, FilmInterval.of(0, 5_000), _ -> {}, 10))
                .isInstanceOf(SimulationStoppedException.class).hasMessageContaining("no end after 10 events");
    }

    /// The film shows what the record of the run tells.
    @Test
    void aFilmIsOfTheSameRun() {
        ScenarioFile file = ((Reading.Good) ScenarioReader.read("ten-two-two.toml",
                BundledScenarios.find("ten-two-two").orElseThrow())).file();
        RunRecord record = ScenarioRunner.run(file).record();

        Film film = ScenarioRunner.film(file, FilmInterval.of(0, record.endMillis() + 1_000), _ -> {}, 1_000_000);

        assertThat(film.isComplete()).isTrue();
        for (Frame frame : film.frames()) {
            long under = record.attempts().stream().filter(each -> each.selectedMillis() <= frame.atMillis()
                    && frame.atMillis() < each.endMillis()).count();
            assertThat(frame.counts().running()).as("at " + frame.atMillis()).isEqualTo(under);
            long preempted = record.preemptions().stream().filter(each -> each.atMillis() <= frame.atMillis()).count();
            assertThat(frame.jobs().transports().stream().mapToLong(each -> each.preemptions()).sum())
                    .isEqualTo(preempted);
        }
        assertThat(film.frames().getLast().counts().delivered()).isEqualTo(14);
    }

    @Test
    void theSixthClientOfAServerForFiveGetsA421() {
        assertThat(events("""
                [transport]
                recipients-per-delivery = 2
                initial-destination-concurrency = 6
                [servers.default]
                sessions = 5
                [[messages]]
                to = { "a.example" = 12 }
                """)).filteredOn(line -> line.contains("421")).hasSize(1).first().asString()
                .startsWith("0s  connection 6: 1 to");
    }

    @Test
    void withAQueueTheSixthWaitsForItsGreetingAndTheEighthForNothing() {
        List<String> events = events("""
                stop-after = "31s"
                [transport]
                recipients-per-delivery = 2
                initial-destination-concurrency = 8
                [servers.default]
                delivery = "10s"
                sessions = 5
                queue = 2
                [[messages]]
                to = { "a.example" = 16 }
                """);
        assertThat(events).anyMatch(line -> line.startsWith("30s  connection 8: 1 to") && line.contains("timed out"));
        // An idle connection keeps its session until it is closed, here a second later. Then the next
        // connections are admitted.
        assertThat(events).contains("11s  connection 6: 1 to smtp/a.example, 2 recipients",
                "11s  connection 7: 1 to smtp/a.example, 2 recipients");
    }

    @Test
    void aServerWithoutAGreetingCostsTheGreetingTimeout() {
        assertThat(events("""
                [settings]
                greeting-timeout = "100s"
                [servers.default]
                out = [{ to = "50s", how = "no-greeting" }]
                [[messages]]
                to = { "a.example" = 1 }
                """)).anyMatch(line -> line.startsWith("100s  connection 1: 1 to") && line.contains("no greeting"));
    }

    @Test
    void aServerThatCountsConnectionsPerMinute() {
        assertThat(events("""
                stop-after = "70s"
                [settings]
                idle-connection = "1ms"
                [servers.default]
                connections-per-minute = 2
                [[messages]]
                every = "10s"
                count = 7
                to = { "a.example" = 1 }
                """)).filteredOn(line -> line.contains("421")).hasSize(4);
    }

    @Test
    void refusedRecipientsCauseAReportAndLateOnesAnotherAttempt() {
        List<String> events = events("""
                [[messages]]
                name = "wrong"
                reply = "refused"
                to = { "a.example" = 1 }
                [[messages]]
                name = "grey"
                reply = "late 1"
                to = { "a.example" = 1 }
                """);
        assertThat(events).contains("1s  report about wrong: failed", "1s  wrong is done: bounced",
                "1s  grey waits until 301s", "302s  grey is done: sent");
    }

    @Test
    void sharesOfTroubleComeFromTheSeed() {
        String text = """
                seed = %d
                [transport]
                recipients-per-delivery = 1
                [servers.default]
                defer = 0.2
                refuse = 0.1
                drop = 0.1
                delivery = "exp 1s"
                [[messages]]
                to = { "a.example" = 100 }
                """;
        assertThat(events(text.formatted(1))).isEqualTo(events(text.formatted(1)))
                .isNotEqualTo(events(text.formatted(2)))
                .anyMatch(line -> line.contains("450")).anyMatch(line -> line.contains("connection reset"));
    }

    @Test
    void theRunEndsInTheMiddleOfADelivery() {
        ScenarioRun run = ScenarioRunner.run(file("""
                stop-after = "1500ms"
                [transport]
                lanes = 1
                recipients-per-delivery = 1
                [[messages]]
                to = { "a.example" = 5 }
                """));
        assertThat(run.record().attempts()).hasSize(2).last()
                .matches(attempt -> attempt.result() == RunRecord.AttemptOutcome.UNFINISHED);
    }

    @Test
    void anEndlessWorldIsStoppedWithItsState() {
        assertThatThrownBy(() -> new org.slipstream.lab.World(file("[[messages]]\nto = { \"a.example\" = 100 }\n")
                .scenario()).atMost(5).run()).isInstanceOf(SimulationStoppedException.class)
                .hasMessageContaining("no end after 5 events").hasMessageContaining("queue=00000000001")
                .hasMessageContaining("to=smtp/a.example waiting=");
    }
}
