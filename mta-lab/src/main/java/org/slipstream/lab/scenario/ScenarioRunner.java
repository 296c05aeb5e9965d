package org.slipstream.lab.scenario;

import org.slipstream.core.QueueId;
import org.slipstream.lab.Scenario;
import org.slipstream.lab.SimulationStoppedException;
import org.slipstream.lab.World;
import org.slipstream.lab.film.Film;
import org.slipstream.lab.film.FilmInterval;
import org.slipstream.lab.film.FilmRecorder;
import org.slipstream.lab.scenario.ScenarioFile.ScenarioMessage;
import org.slipstream.picture.RunRecord;
import org.slipstream.picture.RunRecord.MessageRecord;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/// Runs a scenario: the queue manager of the server in a simulated world.
///
/// Each message is also run alone in the same world. Its delivery time is then the floor; the
/// additional time in the full run is the cost of the other messages. Of a stream, the first message
/// is run alone.
public final class ScenarioRunner {
    private static final long MAX_EVENTS = 5_000_000;

    /// Receives the progress of a run.
    @FunctionalInterface
    public interface RunProgress {
        RunProgress NONE = (_, _) -> {};

        /// Called after each step of the world, which is often.
        ///
        /// @param run name of the run, of which a scenario has several
        void reached(String run, long simulatedMillis);
    }

    /// A scenario file and the results of its run.
    ///
    /// @param shards the totals of each shard
    /// @param alone delivery time of each message when it is alone, by its name
    public record ScenarioRun(ScenarioFile file, RunRecord record, ShardTotals shards,
            SequencedMap<String, Long> alone, List<ExpectationCheck.CheckedExpectation> checks) {
        public ScenarioRun {
            checks = List.copyOf(checks);
        }

        public boolean isAsExpected() {
            return checks.stream().allMatch(check -> check.difference().isEmpty());
        }

        /// The time from the arrival of a message to its last delivery. Empty if a recipient was not
        /// delivered.
        OptionalLong millis(QueueId id) {
            return ScenarioRunner.millis(file.scenario().mails().get((int) id.value() - 1), record.messages().get(id));
        }
    }

    private ScenarioRunner() {}

    /// @throws SimulationStoppedException when an invariant is violated or an impossible event
    ///     occurs
    public static ScenarioRun run(ScenarioFile file) {
        return run(file, _ -> {}, RunProgress.NONE);
    }

    /// @param events receives a line for each event
    /// @throws SimulationStoppedException when an invariant is violated or an impossible event
    ///     occurs
    public static ScenarioRun run(ScenarioFile file, Consumer<String> events, RunProgress progress) {
        return run(file, events, progress, MAX_EVENTS);
    }

    /// @param mostEvents after which a run is stopped as endless
    /// @throws SimulationStoppedException when an invariant is violated or an impossible event
    ///     occurs
    public static ScenarioRun run(ScenarioFile file, Consumer<String> events, RunProgress progress, long mostEvents) {
        RunRecorder recorder = recorded(file, file.scenario(), events,
                millis -> progress.reached(file.name(), millis), mostEvents);
        RunRecord record = recorder.record();
        SequencedMap<String, Long> alone = alone(file, progress, mostEvents);
        return new ScenarioRun(file, record, recorder.shards(), alone,
                ExpectationCheck.of(file, record, recorder.shards(), alone));
    }

    /// The run alone: no floors, no expectations, and without the checks that look at all messages after each
    /// event.
    public static RunRecord record(ScenarioFile file) {
        RunRecorder recorder = new RunRecorder(file, _ -> {}, _ -> {});
        new World(file.scenario(), file.shards(), recorder).atMost(MAX_EVENTS).withoutStateChecks()
                .run(file.stopMillis());
        return recorder.record();
    }

    /// The same run as a film.
    public static Film film(ScenarioFile file, FilmInterval interval, LongConsumer reached, long mostEvents) {
        return film(file.scenario(), Math.min(file.stopMillis(), interval.toMillis()), interval, reached, mostEvents);
    }

    /// The run of a scenario without a file.
    public static Film film(Scenario scenario, long stopMillis, FilmInterval interval, LongConsumer reached,
            long mostEvents) {
        World[] world = new World[1];
        FilmRecorder recorder = new FilmRecorder(() -> world[0].queries(), interval, Optional.empty(), reached);
        world[0] = new World(scenario, recorder).atMost(mostEvents).withoutStateChecks();
        world[0].run(stopMillis);
        return recorder.end(interval.toMillis());
    }

    private static RunRecorder recorded(ScenarioFile file, Scenario scenario, Consumer<String> events,
            LongConsumer reached, long mostEvents) {
        RunRecorder recorder = new RunRecorder(file, events, reached);
        World world = new World(scenario, file.shards(), recorder).atMost(mostEvents);
        if (!file.scenario().commands().isEmpty()) {
            world.withoutTimes(); // an order decides about the times of attempts
        }
        world.run(file.stopMillis());
        return recorder;
    }

    private static SequencedMap<String, Long> alone(ScenarioFile file, RunProgress progress, long mostEvents) {
        SequencedMap<String, Long> alone = new LinkedHashMap<>();
        for (var each : file.messages().entrySet()) {
            ScenarioMessage message = each.getValue();
            if (message.number() == 1) {
                Scenario.SimulatedMail mail = file.scenario().mails().get((int) each.getKey().value() - 1);
                RunRecord record = recorded(file.alone(), with(file.scenario(), mail), _ -> {},
                        millis -> progress.reached(file.name() + ", " + message.name() + " alone", millis),
                        mostEvents).record();
                millis(mail, record.messages().get(each.getKey())).ifPresent(time -> alone.put(message.name(), time));
            }
        }
        return alone;
    }

    private static Scenario with(Scenario all, Scenario.SimulatedMail mail) {
        return new Scenario(all.seed(), all.config(), all.batching(), List.of(mail), all.domains(), all.ownServer(),
                List.of(), List.of(), all.placement());
    }

    static OptionalLong millis(Scenario.SimulatedMail mail, MessageRecord result) {
        return result.delivered() == mail.recipients().size() && result.lastMillis().isPresent()
                ? OptionalLong.of(result.lastMillis().getAsLong() - mail.arrivalMillis())
                : OptionalLong.empty();
    }
}
