package org.slipstream.server.film;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.admin.operations.FilmOperations.ComputingException;
import org.slipstream.admin.operations.FilmOperations.JournalQuestion;
import org.slipstream.admin.operations.FilmOperations.LabQuestion;
import org.slipstream.admin.operations.FilmOperations.LabView;
import org.slipstream.admin.operations.FilmOperations.WantedMoment;
import org.slipstream.admin.operations.FilmOperations.WhatIfQuestion;
import org.slipstream.admin.operations.Operations.DestinationView;
import org.slipstream.admin.operations.Operations.Figures;
import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.admin.operations.Operations.PhaseView;
import org.slipstream.admin.operations.Operations.QueuePage;
import org.slipstream.admin.operations.Operations.RecipientView;
import org.slipstream.admin.operations.ViewOperations.JobView;
import org.slipstream.cli.lab.LiveQueue;
import org.slipstream.cli.lab.QueueScenario;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageTrace.SubmitterView;
import org.slipstream.lab.Scenario;
import org.slipstream.lab.scenario.BundledScenarios;
import org.slipstream.server.film.PresentQueue.QueueReader;
import org.slipstream.settings.SettingsSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Semaphore;
import java.util.stream.LongStream;

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
    private final Films films = new Films(_ -> Optional.empty(), queue(0), () -> 0, Films.LIMIT, one);

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
        // A film has one queue.
        var ofOneQueue = BundledScenarios.names().stream()
                .filter(name -> !List.of("queues-static", "queues-dynamic", "queue-held").contains(name)).toList();
        assertThat(films.scenarios()).extracting(each -> each.name()).isEqualTo(ofOneQueue);
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
        Films hurried = new Films(_ -> Optional.empty(), queue(0), () -> 0, Duration.ZERO, one);
        assertThatThrownBy(() -> hurried.lab(question("ten-two-two"))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("run it with mta lab run");
    }

    /// Messages for one domain, with a recipient each.
    private PresentQueue queue(int messages) {
        return new PresentQueue(new QueueReader() {
            @Override
            public QueuePage page(Optional<QueueId> after, int limit) {
                long from = after.map(QueueId::value).orElse(0L);
                List<MessageView> page = LongStream.rangeClosed(from + 1, Math.min(messages, from + limit))
                        .mapToObj(FilmsTest::message).toList();
                return new QueuePage(page, from + limit < messages
                        ? Optional.of(page.getLast().id())
                        : Optional.empty(), messages);
            }

            @Override
            public List<DestinationView> destinations() {
                return List.of(new DestinationView("smtp", "far.example", messages, 0, 0, Optional.of(1_000L)));
            }
        }, (taken, all, destinations, present) -> {
            QueueScenario scenario = new QueueScenario(LiveQueue.of(taken, all, destinations), present, 300);
            return new QueueWorlds.QueueWorld() {
                @Override
                public Scenario under(Config settings) {
                    return scenario.under(settings);
                }

                @Override
                public List<String> assumptions() {
                    return scenario.assumptions();
                }
            };
        }, changes -> ConfigReader.read(SettingsSource.in(folder), changes));
    }

    private static MessageView message(long number) {
        return new MessageView(new QueueId(number).toString(), "a@here.example", 1_000, "active", "", "", 0, "", "",
                new PhaseView("turn", "", "", Figures.NONE), Optional.empty(),
                List.of(new RecipientView("b" + number + "@far.example", "open", "", "")), SubmitterView.UNKNOWN,
                List.of(), "", "", Optional.empty());
    }

    @Test
    void thePresentQueueIsDoneLaterWithFewerLanes() throws IOException {
        Films waiting = new Films(_ -> Optional.empty(), queue(40), () -> 0);
        LabView answer = waiting.whatIf(new WhatIfQuestion(List.of("queue.lanes-per-destination=1"), false, BEGIN));

        assertThat(answer.story()).contains("40 messages of the queue", "a delivery to smtp/far.example takes 1000 ms");
        assertThat(answer.rows()).singleElement().satisfies(row -> {
            assertThat(row).startsWith("far.example", "40");
            assertThat(seconds(row.get(3))).isGreaterThan(2 * seconds(row.get(2)));
        });
        assertThat(answer.runs()).hasSize(2);
        assertThat(answer.runs()).allSatisfy(run -> assertThat(run.film().known()).isEqualTo(121));
        assertThatThrownBy(() -> waiting.whatIf(new WhatIfQuestion(List.of("queue.lains=1"), false, BEGIN)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("queue.lains");
    }

    private static double seconds(String text) {
        return Double.parseDouble(text.replace(" s", ""));
    }

    @Test
    void aQueueThatIsTooLongForTheServerIsLeftToTheCommand() {
        Films waiting = new Films(_ -> Optional.empty(), queue((int) Films.MOST_RECIPIENTS + 1), () -> 0);
        assertThatThrownBy(() -> waiting.whatIf(new WhatIfQuestion(List.of(), true, BEGIN)))
                .isInstanceOf(IOException.class).hasMessageContaining("mta lab what-if --from-live");
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
        Films missing = new Films(_ -> Optional.of(folder.resolve("decisions.jsonl")), queue(0), () -> 1_000);
        assertThatThrownBy(() -> missing.journal(now)).isInstanceOf(IOException.class)
                .hasMessageContaining("the journal cannot be played");
    }
}
