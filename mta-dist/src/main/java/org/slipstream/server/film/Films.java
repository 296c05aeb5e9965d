package org.slipstream.server.film;

import org.slipstream.admin.operations.FilmOperations;
import org.slipstream.config.Config;
import org.slipstream.core.FailureWords;
import org.slipstream.lab.Scenario;
import org.slipstream.lab.SimulationStoppedException;
import org.slipstream.lab.World;
import org.slipstream.lab.film.Film;
import org.slipstream.lab.film.FilmInterval;
import org.slipstream.lab.journal.JournalFilm;
import org.slipstream.lab.journal.JournalFilm.FilmRequest;
import org.slipstream.lab.journal.JournalReplay;
import org.slipstream.lab.scenario.BundledScenarios;
import org.slipstream.lab.scenario.Comparison;
import org.slipstream.lab.scenario.ExpectationCheck.CheckedExpectation;
import org.slipstream.lab.scenario.ScenarioFile;
import org.slipstream.lab.scenario.ScenarioReader;
import org.slipstream.lab.scenario.ScenarioReader.Reading;
import org.slipstream.lab.scenario.ScenarioRunner;
import org.slipstream.lab.scenario.ScenarioRunner.ScenarioRun;
import org.slipstream.qmgr.journal.file.JournalParts;
import org.slipstream.qmgr.trace.QmgrSnapshot.ActiveMessage;
import org.slipstream.server.film.QueueWorlds.QueueWorld;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/// Plays the journal of this server, runs of the lab, and the present queue under other settings, on
/// the thread of the caller.
///
/// A run is bounded: one at a time, [#LIMIT] of time, a quarter of the memory left free. The last few
/// films are kept, so that the steps through one are no further runs.
public final class Films implements FilmOperations {
    static final Duration LIMIT = Duration.ofSeconds(30);
    static final long MOST_RECIPIENTS = 20_000;
    static final long MOST_EVENTS = 300_000;
    private static final long QUARTER_MILLIS = 900_000;
    private static final long AFTER_MILLIS = 300_000;
    private static final long MOST_MILLIS = Duration.ofDays(31).toMillis();
    private static final long FRESH_MILLIS = 5_000;
    private static final int KEPT = 4;
    private static final long ALWAYS = Duration.ofDays(365).toMillis();
    private static final long WHAT_IF_MILLIS = Duration.ofMinutes(10).toMillis();
    private static final long MOST_QUEUE_EVENTS = 3_000_000;
    private static final Duration HORIZON = Duration.ofDays(2);

    private final Function<OptionalInt, Optional<Path>> journals;
    private final PresentQueue present;
    private final LongSupplier clock;
    private final long limitNanos;
    private final Semaphore one;
    private List<ScenarioView> bundled = List.of();
    private final Map<Object, Kept> kept = new LinkedHashMap<>(16, 0.75f, true);

    private record Kept(Object film, long untilMillis) {}

    private record JournalKey(Path file, long beganMillis, FilmRequest request) {}

    private record LabKey(String scenario, List<String> set, List<String> compare) {}

    private record WhatIfKey(List<String> set) {}

    private record WhatIf(List<String> assumptions, Film present, Film changed, List<List<String>> rows) {}

    private record LabFilms(List<ScenarioRun> runs, List<Film> films) {}

    @FunctionalInterface
    private interface Computation<T> {
        T compute(BooleanSupplier goesOn) throws IOException;
    }

    /// @param journals the file of a shard, if it writes one
    public Films(Function<OptionalInt, Optional<Path>> journals, PresentQueue present, LongSupplier clock) {
        this(journals, present, clock, LIMIT, new Semaphore(1));
    }

    /// @param one permit for the run that is computed
    Films(Function<OptionalInt, Optional<Path>> journals, PresentQueue present, LongSupplier clock, Duration limit,
            Semaphore one) {
        this.present = present;
        this.one = one;
        this.limitNanos = limit.toNanos();
        this.journals = journals;
        this.clock = clock;
    }

    // ---- the journal

    @Override
    public Optional<JournalView> journal(JournalQuestion question) throws IOException {
        Optional<Path> file = journals.apply(question.shard());
        if (file.isEmpty() && journals.apply(OptionalInt.empty()).isPresent()) {
            throw new IOException("there is no such shard; mta shard list shows them");
        }
        return file.isEmpty() ? Optional.empty() : Optional.of(view(journal(file.get(), question), question));
    }

    private JournalFilm journal(Path current, JournalQuestion question) throws IOException {
        FilmRequest request = request(question, clock.getAsLong());
        if (request.toMillis() - request.fromMillis() > MOST_MILLIS) {
            throw new IOException("an interval has at most 31 days");
        }
        Path before = new JournalParts(current).before().first();
        long currentBegan = began(current);
        boolean earlier = request.toMillis() <= currentBegan && Files.exists(before);
        Path file = earlier ? before : current;
        long now = clock.getAsLong();
        OptionalLong openUntil = earlier ? OptionalLong.empty() : OptionalLong.of(Math.min(now, request.toMillis()));
        return kept(new JournalKey(file, earlier ? began(before) : currentBegan, request), JournalFilm.class,
                each -> each.film().isPresent() && each.film().get().isComplete() ? ALWAYS : FRESH_MILLIS,
                goesOn -> JournalReplay.film(file, request, openUntil, _ -> {}, goesOn));
    }

    private static long began(Path file) throws IOException {
        try {
            return JournalReplay.began(file);
        } catch (IOException unreadable) {
            throw new IOException("the journal cannot be played: " + FailureWords.of(unreadable), unreadable);
        }
    }

    private static FilmRequest request(JournalQuestion question, long nowMillis) {
        OptionalLong at = question.moment().atMillis();
        long to = question.toMillis().isPresent()
                ? question.toMillis().getAsLong()
                : question.fromMillis().isPresent()
                        ? question.fromMillis().getAsLong() + QUARTER_MILLIS
                        : at.isPresent() ? Math.min(nowMillis, at.getAsLong() + AFTER_MILLIS) : nowMillis;
        long from = question.fromMillis().isPresent()
                ? question.fromMillis().getAsLong()
                : Math.max(0, to - QUARTER_MILLIS);
        return new FilmRequest(from, Math.max(from + 1, to), question.message());
    }

    private static JournalView view(JournalFilm journal, JournalQuestion question) {
        Optional<Film> film = journal.film();
        String about = film.map(each -> each.frame(FilmViews.step(each, question.moment())))
                .flatMap(frame -> frame.about()).map(ActiveMessage::why).orElse("");
        return new JournalView(FilmViews.moment(journal.beganMillis()), FilmViews.moment(journal.latestMillis()),
                film.map(each -> FilmViews.view(each, question.moment(), name -> name)), about,
                question.message().isPresent() ? film.map(FilmViews::phases).orElse(List.of()) : List.of(),
                journal.decisions().stream()
                        .map(each -> new DecisionLine(FilmViews.moment(each.atMillis()), each.text())).toList(),
                journal.earlierDecisions(), journal.remarks());
    }

    // ---- the lab

    @Override
    public synchronized List<ScenarioView> scenarios() {
        if (bundled.isEmpty()) {
            bundled = read();
        }
        return bundled;
    }

    private static List<ScenarioView> read() {
        List<ScenarioView> views = new ArrayList<>();
        for (String name : BundledScenarios.names()) {
            ScenarioFile file = file(name, List.of());
            if (!file.hasShards()) {
                views.add(new ScenarioView(name, file.title().replace("`", "")));
            }
        }
        return views;
    }

    @Override
    public LabView lab(LabQuestion question) throws IOException {
        List<ScenarioFile> files = new ArrayList<>(List.of(scenario(question.scenario(), question.set())));
        if (!question.compare().isEmpty()) {
            List<String> both = new ArrayList<>(question.set());
            both.addAll(question.compare());
            files.add(scenario(question.scenario(), both));
        }
        LabFilms done = kept(new LabKey(question.scenario(), question.set(), question.compare()), LabFilms.class,
                _ -> ALWAYS, goesOn -> run(files, goesOn));
        List<LabRunView> views = new ArrayList<>();
        for (int i = 0; i < done.runs().size(); i++) {
            ScenarioRun run = done.runs().get(i);
            Map<String, String> names = run.file().messages().entrySet().stream()
                    .collect(Collectors.toMap(each -> each.getKey().toString(), each -> each.getValue().toString()));
            views.add(new LabRunView(run.file().variant(),
                    FilmViews.view(done.films().get(i), question.moment(), id -> names.getOrDefault(id, "report")),
                    run.checks().stream().map(CheckedExpectation::difference).flatMap(Optional::stream).toList()));
        }
        ScenarioFile first = files.getFirst();
        return new LabView(first.title().replace("`", ""), first.story().replace("`", "").strip(), views,
                Comparison.titles(done.runs()), Comparison.rows(done.runs()));
    }

    private static ScenarioFile scenario(String nameOrText, List<String> changes) {
        ScenarioFile file = file(nameOrText, changes);
        if (file.hasShards()) {
            throw new IllegalArgumentException(
                    "a film has one shard, and this scenario has several; run it with mta lab run");
        }
        return file;
    }

    private static ScenarioFile file(String nameOrText, List<String> changes) {
        boolean isText = nameOrText.contains("\n") || nameOrText.contains("=");
        String name = isText ? "the scenario" : BundledScenarios.file(nameOrText);
        String text = isText
                ? nameOrText
                : BundledScenarios.find(nameOrText).orElseThrow(() -> new IllegalArgumentException(
                        "no scenario of that name comes with the program: " + nameOrText));
        return switch (ScenarioReader.read(name, text, changes, _ -> Optional.empty(), MOST_RECIPIENTS)) {
            case Reading.Good(ScenarioFile file) -> file;
            case Reading.Bad(String sentence) -> throw new IllegalArgumentException(sentence);
        };
    }

    private static LabFilms run(List<ScenarioFile> files, BooleanSupplier goesOn) {
        List<ScenarioRun> runs = new ArrayList<>();
        List<Film> films = new ArrayList<>();
        try {
            for (ScenarioFile file : files) {
                runs.add(ScenarioRunner.run(file, _ -> {}, (_, _) -> require(goesOn), MOST_EVENTS));
            }
            long end = Math.max(1, runs.stream().mapToLong(run -> run.record().endMillis()).max().orElse(1));
            for (ScenarioFile file : files) {
                films.add(ScenarioRunner.film(file, FilmInterval.of(0, end), _ -> require(goesOn), MOST_EVENTS));
            }
        } catch (SimulationStoppedException stopped) {
            throw refusal(stopped);
        }
        return new LabFilms(runs, films);
    }

    private static IllegalArgumentException refusal(SimulationStoppedException stopped) {
        if (stopped.getCause() instanceof TooLargeException large) {
            return new IllegalArgumentException(large.getMessage(), large);
        }
        String why = String.valueOf(stopped.getMessage());
        return new IllegalArgumentException("the simulation stopped: " + why.lines().findFirst().orElse(why), stopped);
    }

    private static void require(BooleanSupplier goesOn) {
        if (!goesOn.getAsBoolean()) {
            throw new TooLargeException();
        }
    }

    private static final class TooLargeException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TooLargeException() {
            super("the run needs more than " + LIMIT.toSeconds()
                    + " s, or more memory than the server can spare; run it with mta lab run");
        }
    }

    // ---- the present queue

    @Override
    public LabView whatIf(WhatIfQuestion question) throws IOException {
        Config now = present.settings(List.of());
        Config changed = present.settings(question.set());
        WhatIfKey key = new WhatIfKey(question.set());
        if (question.again()) {
            forget(key);
        }
        WhatIf done = kept(key, WhatIf.class, _ -> WHAT_IF_MILLIS, goesOn -> simulate(now, changed, goesOn));
        String variant = question.set().isEmpty() ? "the same settings again" : String.join(" ", question.set());
        return new LabView("The present queue", "Assumptions: " + String.join("; ", done.assumptions()) + ".",
                List.of(new LabRunView("the settings in force",
                        FilmViews.view(done.present(), question.moment(), id -> id), List.of()),
                        new LabRunView(variant, FilmViews.view(done.changed(), question.moment(), id -> id),
                                List.of())),
                List.of("domain", "recipients", "done after", "done after, with " + variant), done.rows());
    }

    private WhatIf simulate(Config now, Config changed, BooleanSupplier goesOn) throws IOException {
        QueueWorld world = present.world(now, MOST_RECIPIENTS);
        try {
            Ends first = ends(world.under(now), goesOn);
            Ends second = ends(world.under(changed), goesOn);
            FilmInterval all = FilmInterval.of(0, Math.max(1, Math.max(first.latestMillis, second.latestMillis)));
            return new WhatIf(world.assumptions(), film(world.under(now), all, goesOn),
                    film(world.under(changed), all, goesOn), Ends.rows(first, second));
        } catch (SimulationStoppedException stopped) {
            throw refusal(stopped);
        }
    }

    private static Film film(Scenario scenario, FilmInterval interval, BooleanSupplier goesOn) {
        return ScenarioRunner.film(scenario, interval.toMillis(), interval, _ -> require(goesOn), MOST_QUEUE_EVENTS);
    }

    private static Ends ends(Scenario scenario, BooleanSupplier goesOn) {
        Ends ends = new Ends(() -> require(goesOn));
        new World(scenario, ends).atMost(MOST_QUEUE_EVENTS).withoutStateChecks().run(HORIZON.toMillis());
        return ends;
    }

    // ---- bounds

    /// @param keptMillis how long a result is kept at most
    private <T> T kept(Object key, Class<T> type, ToLongFunction<T> keptMillis, Computation<T> computation)
            throws IOException {
        Optional<T> before = find(key).map(type::cast);
        if (before.isPresent()) {
            return before.get();
        }
        if (!one.tryAcquire()) {
            throw new ComputingException();
        }
        try {
            long end = System.nanoTime() + limitNanos;
            T made = computation.compute(() -> System.nanoTime() - end < 0 && hasMemory());
            keep(key, new Kept(made, nowMillis() + keptMillis.applyAsLong(made)));
            return made;
        } finally {
            one.release();
        }
    }

    private synchronized Optional<Object> find(Object key) {
        return Optional.ofNullable(kept.get(key))
                .filter(each -> nowMillis() < each.untilMillis()).map(Kept::film);
    }

    private synchronized void forget(Object key) {
        kept.remove(key);
    }

    private synchronized void keep(Object key, Kept film) {
        kept.put(key, film);
        if (kept.size() > KEPT) {
            kept.remove(kept.keySet().iterator().next());
        }
    }

    private static long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    /// The replay holds a second queue in memory, and the memory is that of the server.
    private static boolean hasMemory() {
        Runtime memory = Runtime.getRuntime();
        long used = memory.totalMemory() - memory.freeMemory();
        return used < memory.maxMemory() / 4 * 3;
    }
}
