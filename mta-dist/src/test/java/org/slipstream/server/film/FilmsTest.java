package org.slipstream.server.film;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.admin.operations.FilmOperations.ComputingException;
import org.slipstream.admin.operations.FilmOperations.JournalQuestion;
import org.slipstream.admin.operations.FilmOperations.LabQuestion;
import org.slipstream.admin.operations.FilmOperations.LabView;
import org.slipstream.admin.operations.FilmOperations.WantedMoment;
import org.slipstream.admin.operations.ViewOperations.JobView;
import org.slipstream.lab.scenario.BundledScenarios;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Semaphore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Runs of the lab as the API shows them, and the bounds of all runs.
class FilmsTest {
    private static final WantedMoment BEGIN = new WantedMoment(OptionalLong.empty(), OptionalInt.of(0));
    private static final String MANY = """
            title = "Many"
            [[messages]]
            to = { "a.example" = %d }
            """;

    @TempDir
    private Path folder;

    private final Semaphore one = new Semaphore(1);
    private final Films films = new Films(_ -> Optional.empty(), () -> 0, Films.LIMIT, one);

    private static LabQuestion question(String scenario, String... compare) {
        return new LabQuestion(scenario, List.of(), List.of(compare), BEGIN);
    }

    @Test
    void twoSettingsOfAScenarioAreShownAtTheSameMoment() throws IOException {
        WantedMoment later = new WantedMoment(OptionalLong.of(4_500), OptionalInt.empty());
        LabView lab = films.lab(new LabQuestion("ten-two-two", List.of(), List.of("order=fifo"), later));

        assertThat(lab.runs()).extracting(run -> run.variant()).containsExactly("as written", "order=fifo");
        assertThat(lab.runs()).allSatisfy(run -> assertThat(run.failures()).isEmpty());
        assertThat(lab.runs()).extracting(run -> run.film().step()).doesNotContain(0).hasSize(2);
        // The second message has passed the first one; in the order of arrival it has not.
        List<List<JobView>> jobs = lab.runs().stream()
                .map(run -> run.film().frame().scheduler().transports().getFirst().first()).toList();
        assertThat(jobs.get(0).getFirst()).extracting(JobView::id, JobView::passed, JobView::level)
                .containsExactly("2", "1", 1);
        assertThat(jobs.get(1).getFirst()).extracting(JobView::id, JobView::level).containsExactly("1", 0);
        assertThat(lab.rows()).hasSize(3);
    }

    @Test
    void theCommandAndTheConsoleHaveTheSameScenarios() {
        assertThat(films.scenarios()).extracting(each -> each.name()).isEqualTo(BundledScenarios.names());
    }

    @Test
    void mistakesAreSentences() {
        assertThatThrownBy(() -> films.lab(question("nothing"))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no scenario of that name");
        assertThatThrownBy(() -> films.lab(question("title = 5\n"))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the scenario:1");
        assertThatThrownBy(() -> films.lab(question("ten-two-two", "lains=5")))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("lains");
    }

    @Test
    void aScenarioHasAsManyRecipientsAsAServerCanSpare() throws IOException {
        assertThatThrownBy(() -> films.lab(question(MANY.formatted(Films.MOST_RECIPIENTS + 1))))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("more recipients");
        String stream = MANY.formatted(2) + "every = \"1s\"\ncount = " + (Films.MOST_RECIPIENTS / 2 + 1) + "\n";
        assertThatThrownBy(() -> films.lab(question(stream))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("more recipients");
    }

    @Test
    void aRunHasABoundOfTime() {
        Films hurried = new Films(_ -> Optional.empty(), () -> 0, Duration.ZERO, one);
        assertThatThrownBy(() -> hurried.lab(question("ten-two-two"))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("run it with mta lab run");
    }

    @Test
    void oneRunAtATimeIsComputedAndTheLastOnesAreKept() throws Exception {
        one.acquire();
        assertThatThrownBy(() -> films.lab(question("ten-two-two"))).isInstanceOf(ComputingException.class);
        one.release();
        assertThat(films.lab(question("ten-two-two")).runs()).hasSize(1);

        one.acquire();
        assertThat(films.lab(question("ten-two-two")).runs()).as("kept").hasSize(1);
        assertThatThrownBy(() -> films.lab(question("pool"))).isInstanceOf(ComputingException.class);
    }

    @Test
    void aServerWithoutAJournalHasNone() throws IOException {
        JournalQuestion now = new JournalQuestion(OptionalInt.empty(), OptionalLong.empty(), OptionalLong.empty(),
                BEGIN, Optional.empty());
        assertThat(films.journal(now)).isEmpty();
        Films missing = new Films(_ -> Optional.of(folder.resolve("decisions.jsonl")), () -> 1_000);
        assertThatThrownBy(() -> missing.journal(now)).isInstanceOf(IOException.class)
                .hasMessageContaining("the journal cannot be played");
    }
}
