package org.slipstream.lab.scene;

import org.slipstream.core.QueueId;
import org.slipstream.lab.Scenario;
import org.slipstream.lab.SimulationStoppedException;
import org.slipstream.lab.World;
import org.slipstream.lab.scene.Course.Way;
import org.slipstream.lab.scene.Scene.SceneMessage;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/// Runs a scene: the production queue manager in a simulated world.
///
/// Besides the scene itself, each message is run alone in the same world. The time that it takes
/// then is its floor: what it takes longer in company is what the others cost it. (Of a stream the
/// first message is played.)
public final class Stage {
    private static final long MOST_EVENTS = 5_000_000;

    /// Learns how far a run has come.
    @FunctionalInterface
    public interface SceneProgress {
        SceneProgress SILENT = (_, _) -> {};

        /// Called after each moment of the world, therefore often.
        ///
        /// @param run which of the runs of a scene
        void reached(String run, long simulatedMillis);
    }

    /// A scene and how it went.
    ///
    /// @param alone by the name of the message how long delivery takes when there is nothing else
    public record Played(Scene scene, Course course, SequencedMap<String, Long> alone,
            List<Verdicts.SceneVerdict> verdicts) {
        public Played {
            verdicts = List.copyOf(verdicts);
        }

        public boolean isAsExpected() {
            return verdicts.stream().allMatch(verdict -> verdict.difference().isEmpty());
        }

        /// From the arrival of a message to its last delivery; empty when not everybody got it.
        OptionalLong millis(QueueId id) {
            return Stage.millis(scene.scenario().mails().get((int) id.value() - 1), course.messages().get(id));
        }
    }

    private Stage() {}

    /// @throws SimulationStoppedException when something happens that cannot, or is that must not
    ///     be
    public static Played play(Scene scene) {
        return play(scene, _ -> {}, SceneProgress.SILENT);
    }

    /// @param events receives a line for each thing that happens, as it happens
    /// @throws SimulationStoppedException when something happens that cannot, or is that must not
    ///     be
    public static Played play(Scene scene, Consumer<String> events, SceneProgress progress) {
        Course course = course(scene, scene.scenario(), events, millis -> progress.reached(scene.file(), millis));
        SequencedMap<String, Long> alone = alone(scene, progress);
        return new Played(scene, course, alone, Verdicts.of(scene, course, alone));
    }

    private static Course course(Scene scene, Scenario scenario, Consumer<String> events, LongConsumer reached) {
        Recorder recorder = new Recorder(scene, events, reached);
        new World(scenario, recorder).atMost(MOST_EVENTS).run(scene.stopMillis());
        return recorder.course();
    }

    private static SequencedMap<String, Long> alone(Scene scene, SceneProgress progress) {
        SequencedMap<String, Long> alone = new LinkedHashMap<>();
        for (var each : scene.messages().entrySet()) {
            SceneMessage message = each.getValue();
            if (message.number() == 1) {
                Scenario.SimulatedMail mail = scene.scenario().mails().get((int) each.getKey().value() - 1);
                Course course = course(scene, with(scene.scenario(), mail), _ -> {},
                        millis -> progress.reached(scene.file() + ", " + message.name() + " alone", millis));
                millis(mail, course.messages().get(each.getKey())).ifPresent(time -> alone.put(message.name(), time));
            }
        }
        return alone;
    }

    private static Scenario with(Scenario all, Scenario.SimulatedMail mail) {
        return new Scenario(all.seed(), all.config(), all.batching(), List.of(mail), all.places(), all.house(),
                List.of(), List.of(), all.placement());
    }

    static OptionalLong millis(Scenario.SimulatedMail mail, Way way) {
        return way.delivered() == mail.recipients().size() && way.lastMillis().isPresent()
                ? OptionalLong.of(way.lastMillis().getAsLong() - mail.arrivalMillis())
                : OptionalLong.empty();
    }
}
