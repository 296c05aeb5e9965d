package org.slipstream.admin;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.admin.fake.FakeHosts;
import org.slipstream.admin.fake.FakeSuspensions;
import org.slipstream.admin.operations.FilmOperations;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.Right;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;

/// The resources `journal` and `lab/run`: which questions they ask.
class FilmApiTest {
    private static final class FakeFilms implements FilmOperations {
        boolean off;
        boolean busy;
        Optional<JournalQuestion> asked = Optional.empty();
        Optional<LabQuestion> run = Optional.empty();
        Optional<WhatIfQuestion> changed = Optional.empty();

        @Override
        public Optional<JournalView> journal(JournalQuestion question) throws IOException {
            asked = Optional.of(question);
            if (busy) {
                throw new ComputingException();
            }
            return off
                    ? Optional.empty()
                    : Optional.of(new JournalView("", "", Optional.empty(), "", List.of(), List.of(), 0, List.of()));
        }

        @Override
        public List<ScenarioView> scenarios() {
            return List.of(new ScenarioView("pool", "A pool"));
        }

        @Override
        public LabView lab(LabQuestion question) throws IOException {
            run = Optional.of(question);
            if (question.scenario().equals("wrong")) {
                throw new IllegalArgumentException("wrong.toml:1: a mistake");
            }
            return new LabView("", "", List.of(), List.of(), List.of());
        }

        @Override
        public LabView whatIf(WhatIfQuestion question) {
            changed = Optional.of(question);
            return new LabView("", "", List.of(), List.of(), List.of());
        }
    }

    private final FakeFilms films = new FakeFilms();

    private ApiResponse ask(String path, String query) throws IOException {
        return new Api(new FakeOperations(), new FakeHosts(), new FakeSuspensions(),
                PartsOfApi.films(films))
                .answer("GET", Api.ROOT + path, query, new ApiCaller("tom", Right.READ, true));
    }

    @ParameterizedTest
    @CsvSource({"2026-11-27T03:12:00Z, 2026-11-27T03:12:00Z", "2026-11-27+03:12, 2026-11-27T03:12:00Z",
            "2026-11-27+03:12:05.250, 2026-11-27T03:12:05.250Z"})
    void aMomentIsWrittenAsAPersonWritesIt(String text, String moment) throws IOException {
        QueueId id = new QueueId(77);
        assertThat(ask("journal", "from=2026-11-27+03:00&at=" + text + "&shard=2&message=" + id).status())
                .isEqualTo(200);

        FilmOperations.JournalQuestion question = films.asked.orElseThrow();
        assertThat(question.moment().atMillis()).hasValue(Instant.parse(moment).toEpochMilli());
        assertThat(question.fromMillis()).hasValue(Instant.parse("2026-11-27T03:00:00Z").toEpochMilli());
        assertThat(question.toMillis()).isEqualTo(OptionalLong.empty());
        assertThat(question.shard()).isEqualTo(OptionalInt.of(2));
        assertThat(question.message()).contains(id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"at=03:12", "from=yesterday", "to=2026-13-27T03:12:00Z", "at=-2026-11-27T03:12:00Z",
            "at=1969-12-31T23:59:59Z", "from=2026-11-27+03:12&to=2026-11-27+03:12", "message=%3Cb%3E", "step=-1",
            "step=1234567890", "shard=x", "at=2026-11-27T03:12:00%2B01:00"})
    void aMistakeIsSaidAndNothingIsPlayed(String query) throws IOException {
        assertThat(ask("journal", query).status()).as(query).isEqualTo(400);
        assertThat(films.asked).isEmpty();
    }

    @Test
    void aServerWithoutAJournalAndOneThatIsComputingSaySo() throws IOException {
        films.off = true;
        assertThat(ask("journal", "").status()).isEqualTo(501);
        films.busy = true;
        ApiResponse busy = ask("journal", "");
        assertThat(busy.status()).isEqualTo(503);
        assertThat(busy.headers()).containsKey("Retry-After");
    }

    @Test
    void aScenarioHasABound() throws IOException {
        String most = "x".repeat(FilmApi.LONGEST_SCENARIO);
        assertThat(ask("lab/run", "scenario=" + most + "x").status()).isEqualTo(400);
        assertThat(films.run).isEmpty();
        assertThat(ask("lab/run", "scenario=" + most + "&set=lanes%3D5%0Ax%3D1&compare=order%3Dfifo&step=7").status())
                .isEqualTo(200);
        assertThat(films.run.orElseThrow().set()).containsExactly("lanes=5", "x=1");
        assertThat(films.run.orElseThrow().compare()).containsExactly("order=fifo");
        assertThat(films.run.orElseThrow().moment().step()).hasValue(7);

        assertThat(ask("lab/run", "scenario=x&set=" + "a%3D1%0A".repeat(FilmApi.MOST_CHANGES)).status()).isEqualTo(200);
        assertThat(ask("lab/run", "scenario=x&compare=b&set=" + "a%3D1%0A".repeat(FilmApi.MOST_CHANGES)).status())
                .isEqualTo(400);
        assertThat(ask("lab/what-if", "set=queue.lanes%3D5&step=7").status()).isEqualTo(200);
        assertThat(films.changed.orElseThrow().set()).containsExactly("queue.lanes=5");
        assertThat(ask("lab/what-if", "set=" + "a%3D1%0A".repeat(FilmApi.MOST_CHANGES + 1)).status()).isEqualTo(400);
        assertThat(String.valueOf(ask("lab/run", "scenario=wrong").body())).contains("wrong.toml:1: a mistake");
    }
}
