package org.slipstream.lab.journal;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.QueueId;
import org.slipstream.lab.RandomScenario;
import org.slipstream.lab.Scenario;
import org.slipstream.lab.World;
import org.slipstream.lab.WorldObserver;
import org.slipstream.lab.film.Film;
import org.slipstream.lab.film.FilmInterval;
import org.slipstream.lab.film.FilmRecorder;
import org.slipstream.lab.film.Frame;
import org.slipstream.lab.journal.JournalFilm.FilmRequest;
import org.slipstream.lab.journal.JournalFilm.JournalDecisionLine;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.journal.JournalObserver;
import org.slipstream.qmgr.journal.JournalRecord;
import org.slipstream.qmgr.journal.file.JournalWriter;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The film of a journal is compared with the one that was taken of the server at work.
class JournalFilmTest {
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final long LARGE = 64L << 20;
    private static final long LONG_MILLIS = 30_000;

    @TempDir
    private Path folder;

    private final List<JournalRecord> records = new ArrayList<>();
    private final World[] world = new World[1];

    /// A server that writes a journal, and an operator who looks at it all the time.
    private static final class WatchedJournal extends JournalObserver implements WorldObserver {
        private final FilmRecorder live;

        WatchedJournal(Consumer<JournalRecord> journal, FilmRecorder live) {
            super(journal, QmgrTrace.SILENT);
            this.live = live;
        }

        @Override
        public void happened(long now, QmgrEvent event) {
            live.happened(now, event);
            super.happened(now, event);
        }

        @Override
        public void pumps(long now) {
            live.pumps(now);
            super.pumps(now);
        }

        @Override
        public void ordered(long now, QmgrOrder order) {
            live.ordered(now, order);
            super.ordered(now, order);
        }
    }

    private Film run(Scenario scenario, FilmInterval interval, Optional<QueueId> about) {
        records.clear();
        Scenario batched = new Scenario(scenario.seed(), scenario.config(), true, scenario.mails(), scenario.domains(),
                scenario.ownServer(), scenario.commands(), List.of(), scenario.placement());
        FilmRecorder live = new FilmRecorder(() -> world[0].queries(), interval, about);
        world[0] = new World(batched, new WatchedJournal(records::add, live));
        world[0].run();
        return live.end(interval.toMillis());
    }

    private Path write(Scenario scenario, long size) throws Exception {
        Path file = folder.resolve("decisions.jsonl");
        JournalWriter writer = JournalWriter.prepared(file, size, WorldJournal.beginning(scenario),
                records.size() + 2);
        records.forEach(writer::add);
        writer.start();
        writer.close(world[0].nowMillis(), LIMIT);
        return file;
    }

    /// The whole run.
    private FilmInterval all() {
        return FilmInterval.of(0, world[0].nowMillis());
    }

    private static JournalFilm film(Path file, FilmInterval interval, Optional<QueueId> about) throws IOException {
        return JournalReplay.film(file, new FilmRequest(interval.fromMillis(), interval.toMillis(), about),
                OptionalLong.empty(), _ -> {}, () -> true);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 5, 8, 13, 21, 34})
    void theFilmOfTheJournalShowsWhatTheServerShowedAtEachMoment(long seed) throws Exception {
        Scenario scenario = RandomScenario.withHosts(seed);
        FilmInterval interval = FilmInterval.of(100, LONG_MILLIS);
        Optional<QueueId> about = Optional.of(scenario.mails().getFirst().id());
        Film live = run(scenario, interval, about);

        JournalFilm replayed = film(write(scenario, LARGE), interval, about);

        assertThat(replayed.remarks()).isEmpty();
        assertThat(replayed.film().orElseThrow().frames()).isEqualTo(live.frames());
        assertThat(live.isComplete()).isTrue();
        assertThat(live.frames().stream().filter(frame -> !frame.connections().isEmpty())).as("with connections")
                .isNotEmpty();
        assertThat(live.frames().stream().map(Frame::jobs).distinct().count()).as("different lists of jobs")
                .isGreaterThan(2);
    }

    @Test
    void theDecisionsAboutAMessageStandInTheirOrder() throws Exception {
        Scenario scenario = RandomScenario.withHosts(5);
        QueueId id = scenario.mails().getFirst().id();
        run(scenario, FilmInterval.of(0, 1), Optional.of(id));
        FilmInterval interval = all();

        JournalFilm film = film(write(scenario, LARGE), interval, Optional.of(id));

        List<String> texts = film.decisions().stream().map(JournalDecisionLine::text).toList();
        assertThat(texts).anyMatch(text -> text.startsWith("is chosen for "))
                .anyMatch(text -> text.startsWith("is placed: open"))
                .anyMatch(text -> text.startsWith("has a reply: ") || text.startsWith("has no reply of "));
        assertThat(film.decisions()).isSortedAccordingTo((one, other) -> Long.compare(one.atMillis(),
                other.atMillis()));
        assertThat(texts.size()).isLessThanOrEqualTo(MessageDecisions.MOST);
        assertThat(film(folder.resolve("decisions.jsonl"), interval, Optional.of(new QueueId(999_999))).decisions())
                .isEmpty();
    }

    @Test
    void aPageOfAJournalHasEachMomentAndNeedsNoOtherFile() throws Exception {
        Scenario scenario = RandomScenario.withHosts(5);
        run(scenario, FilmInterval.of(0, 1), Optional.empty());
        JournalFilm film = film(write(scenario, LARGE), all(), Optional.of(scenario.mails().getFirst().id()));

        String page = JournalPage.of(film, "<b>", millis -> millis + " ms");

        assertThat(page.split("<section class=\"moment\"", -1)).hasSize(FilmInterval.MOST_STEPS + 2);
        assertThat(page)
                .contains("<h1>&lt;b&gt;</h1>", "href=\"#m1\">forward", "<strong>0 ms</strong>", "</time> arrives")
                .doesNotContain("<script", "src=", "<form");
    }

    @Test
    void theLatestDecisionsAreKept() {
        QueueId id = new QueueId(1);
        MessageDecisions decisions = new MessageDecisions(id);
        for (int i = 0; i <= MessageDecisions.MOST; i++) {
            decisions.take(new JournalRecord.Pick(i, id, "smtp/far.example", 1));
        }
        assertThat(decisions.lines()).hasSize(MessageDecisions.MOST);
        assertThat(decisions.lines().getFirst().atMillis()).isEqualTo(1);
        assertThat(decisions.leftOut()).isEqualTo(1);
    }

    @Test
    void theRunningServerMayBeInTheMiddleOfALine() throws Exception {
        Scenario scenario = RandomScenario.withHosts(5);
        run(scenario, FilmInterval.of(0, 1), Optional.empty());
        FilmInterval interval = all();
        Path file = write(scenario, LARGE);
        String text = Files.readString(file);
        String cut = text.substring(0, text.lastIndexOf('\n', text.length() * 2 / 3) + 40);
        Files.writeString(file, cut);

        JournalFilm film = JournalReplay.film(file, new FilmRequest(0, all().toMillis(), Optional.empty()),
                OptionalLong.of(all().toMillis()), _ -> {}, () -> true);
        assertThat(film.remarks()).isEmpty();
        assertThat(film.film().orElseThrow().isComplete()).as("until the present").isTrue();

        // Of a run that is over, the state after the damage is not known.
        JournalFilm old = film(file, interval, Optional.empty());
        assertThat(old.remarks().getFirst()).contains("decisions.jsonl:", "the line is cut off");
        assertThat(old.film().orElseThrow().isComplete()).isFalse();
    }

    @Test
    void damageInTheMiddleEndsTheFilmOfTheRunningServerToo() throws Exception {
        Scenario scenario = RandomScenario.withHosts(5);
        run(scenario, FilmInterval.of(0, 1), Optional.empty());
        Path file = write(scenario, LARGE);
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        lines.set(lines.size() / 2, "{\"record\":");
        Files.write(file, lines);

        JournalFilm film = JournalReplay.film(file, new FilmRequest(0, all().toMillis(), Optional.empty()),
                OptionalLong.of(all().toMillis()), _ -> {}, () -> true);

        assertThat(film.remarks()).hasSize(1);
        assertThat(film.film().orElseThrow().isComplete()).isFalse();
    }

    @Test
    void aPartThatWasOverwrittenEndsTheFilmAndIsTold() throws Exception {
        Scenario scenario = RandomScenario.withHosts(5);
        run(scenario, FilmInterval.of(0, 1), Optional.empty());
        FilmInterval interval = all();
        long size = Files.size(write(scenario, LARGE));

        JournalFilm film = film(write(scenario, size / 2), interval, Optional.empty());

        assertThat(film.remarks().getFirst()).contains("was overwritten (journal.size)");
        assertThat(film.film().orElseThrow().isComplete()).isFalse();
    }

    @Test
    void anIntervalBeforeTheRunHasNoFilmAndOneThatBeginsBeforeItBeginsWithTheRun() throws Exception {
        Scenario scenario = RandomScenario.withHosts(5);
        run(scenario, FilmInterval.of(0, 100), Optional.empty());
        Path file = write(scenario, LARGE);

        assertThat(film(file, FilmInterval.of(-100, 0), Optional.empty()).film()).isEmpty();
        assertThat(film(file, FilmInterval.of(-100, 100), Optional.empty()).film().orElseThrow().interval())
                .isEqualTo(FilmInterval.of(0, 100));
    }

    @Test
    void aReplayThatTakesTooLongEndsAndIsTold() throws Exception {
        Scenario scenario = RandomScenario.withHosts(5);
        run(scenario, FilmInterval.of(0, 100), Optional.empty());
        Path file = write(scenario, LARGE);

        JournalFilm film = JournalReplay.film(file, new FilmRequest(0, Long.MAX_VALUE / 1_000, Optional.empty()),
                OptionalLong.empty(), _ -> {}, () -> false);

        assertThat(film.remarks()).singleElement().asString().contains(":512: ", "took too long", "--page");
    }

    @Test
    void aLineHasABound() throws IOException {
        byte[] octets = new byte[LineBound.LONGEST + 1];
        octets[LineBound.LONGEST] = '\n';
        assertThat(LineBound.reader(new ByteArrayInputStream(octets)).readLine()).hasSize(LineBound.LONGEST);
        octets[LineBound.LONGEST] = 'x';
        assertThatThrownBy(() -> LineBound.reader(new ByteArrayInputStream(octets)).readLine())
                .isInstanceOf(IOException.class).hasMessageContaining("longer than");
    }

    @Test
    void anIntervalHasAStepForEachMoment() {
        FilmInterval interval = FilmInterval.of(1_000, 1_050);
        assertThat(interval.steps()).isEqualTo(50);
        FilmInterval day = FilmInterval.of(0, 86_400_000);
        for (int step = 0; step <= day.steps(); step++) {
            assertThat(day.step(day.atMillis(step))).isEqualTo(step);
            assertThat(day.step(day.atMillis(step) - 1)).isEqualTo(Math.max(0, step - 1));
        }
        assertThat(day.step(Long.MAX_VALUE)).isEqualTo(day.steps());
        assertThatThrownBy(() -> FilmInterval.of(5, 5)).isInstanceOf(IllegalArgumentException.class);
    }
}
