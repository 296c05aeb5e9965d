package org.slipstream.lab.journal;

import org.junit.jupiter.api.Test;
import org.slipstream.core.SettingsRecords;
import org.slipstream.lab.RandomScenario;
import org.slipstream.lab.Scenario;
import org.slipstream.lab.World;
import org.slipstream.lab.WorldObserver;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.journal.JournalObserver;
import org.slipstream.qmgr.journal.JournalRecord;
import org.slipstream.qmgr.journal.JournalRecord.Beginning;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.trace.QmgrTrace;
import org.slipstream.qmgr.wake.DestinationPattern;
import org.slipstream.qmgr.wake.DestinationSettings;
import org.slipstream.qmgr.wake.DestinationTable;
import org.slipstream.qmgr.wake.ThreadOrder;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/// Runs of the simulated server with a journal, repeated from their journals.
class ReplayTest {
    private static final int WORLDS = Boolean.getBoolean("slipstream.long") ? 5_000 : 100;

    /// Records a world.
    private static final class WorldJournal extends JournalObserver implements WorldObserver {
        WorldJournal(Consumer<JournalRecord> journal) {
            super(journal, QmgrTrace.SILENT);
        }
    }

    private record Run(Beginning beginning, List<JournalRecord> records) {
        Replay replay() {
            return replay(beginning, true);
        }

        Replay replay(Beginning other, boolean complete) {
            Replay replay = new Replay(other);
            records.forEach(replay::next);
            replay.end(complete);
            return replay;
        }
    }

    private static Run run(Scenario scenario) {
        Scenario batched = new Scenario(scenario.seed(), scenario.config(), true, scenario.mails(), scenario.domains(),
                scenario.ownServer(), scenario.commands(), List.of(), scenario.placement());
        List<JournalRecord> records = new ArrayList<>();
        new World(batched, new WorldJournal(records::add)).run();
        return new Run(new Beginning(JournalRecord.FORMAT, "test", 0, scenario.seed(), scenario.config(),
                scenario.placement(), List.of()), records);
    }

    private static Beginning with(Beginning beginning, QmgrConfig config) {
        return new Beginning(beginning.format(), beginning.program(), beginning.at(), beginning.seed(), config,
                beginning.smtp(), beginning.hosts());
    }

    @Test
    void theReplayOfARandomWorldDecidesTheSame() {
        TreeSet<String> kinds = new TreeSet<>();
        LongStream.rangeClosed(1, WORLDS).forEach(seed -> {
            Run run = run(seed % 2 == 0 ? RandomScenario.of(seed) : RandomScenario.withHosts(seed));
            Replay replay = run.replay();
            assertThat(replay.difference()).as("seed %d", seed).isEmpty();
            assertThat(replay.records()).isEqualTo(1 + run.records().size());
            assertThat(replay.inputs() + replay.decisions()).as("seed %d", seed)
                    .isEqualTo(run.records().stream().filter(each -> !(each instanceof JournalRecord.HostKeyed))
                            .count());
            run.records().forEach(each -> kinds.add(each.getClass().getSimpleName()));
        });
        assertThat(kinds).as("the worlds have every kind of decision").contains("Pick", "Preempting", "WindowChange",
                "PlacementStep", "StartHeld", "DeferredUntried", "OrderGiven", "QueueEvent", "Pump");
    }

    @Test
    void randomChoicesAreRepeatedFromTheSeed() {
        DestinationSettings shuffled = SettingsRecords.with(DestinationSettings.NONE, "order",
                Optional.of(ThreadOrder.SHUFFLE));
        DestinationTable table = new DestinationTable(
                List.of(new DestinationTable.Clause(new DestinationPattern.All(), shuffled)),
                Collections.emptySortedMap());
        int differing = 0;
        for (long seed = 1; seed <= 40; seed++) {
            Scenario scenario = RandomScenario.of(seed);
            Run run = run(new Scenario(seed, scenario.config().withDestinations(table), true, scenario.mails(),
                    scenario.domains(), scenario.ownServer(), scenario.commands(), List.of(), scenario.placement()));
            assertThat(run.replay().difference()).as("seed %d", seed).isEmpty();
            Beginning other = new Beginning(JournalRecord.FORMAT, "test", 0, seed + 1, run.beginning().config(),
                    run.beginning().smtp(), List.of());
            differing += run.replay(other, true).difference().isPresent() ? 1 : 0;
        }
        assertThat(differing).as("worlds in which another seed chooses otherwise").isPositive();
    }

    @Test
    void aChangedSettingIsFoundAtTheFirstDecisionThatDependsOnIt() {
        Run run = run(RandomScenario.of(7));
        QmgrConfig config = run.beginning().config();
        Replay replay = run.replay(with(run.beginning(), config.withQueue(
                SettingsRecords.with(config.queue(), "minimalBackoff", Duration.ofSeconds(7)))), true);
        Replay.ReplayDifference difference = replay.difference().orElseThrow();
        assertThat(difference.recorded()).isPresent();
        assertThat(difference.replayed()).isPresent().isNotEqualTo(difference.recorded());
        assertThat(run.records().get((int) difference.number() - 2)).isEqualTo(difference.recorded().get());
    }

    @Test
    void aMissingAndAnAdditionalDecisionAreDifferences() {
        Run run = run(RandomScenario.of(3));
        int at = lastPick(run.records());
        List<JournalRecord> less = new ArrayList<>(run.records());
        less.remove(at);
        assertThat(new Run(run.beginning(), less).replay().difference().orElseThrow().number()).isEqualTo(at + 2);
        List<JournalRecord> more = new ArrayList<>(run.records());
        more.add(new JournalRecord.StartHeld(1, "smtp/none.example", 2));
        Replay.ReplayDifference added = new Run(run.beginning(), more).replay().difference().orElseThrow();
        assertThat(added.recorded()).contains(more.getLast());
        assertThat(added.replayed()).isEmpty();
    }

    @Test
    void aRunThatWasKilledEndsWithinAStep() {
        Run run = run(RandomScenario.of(3));
        List<JournalRecord> cut = run.records().subList(0, lastPick(run.records()));
        Run killed = new Run(run.beginning(), cut);
        assertThat(killed.replay(run.beginning(), false).difference()).isEmpty();
        assertThat(killed.replay().difference()).as("a complete journal would lack a decision").isPresent();
    }

    /// The last input of such a run has a fault that the queue manager does not know.
    @Test
    void aRunThatEndedWithAnExceptionEndsWithItInTheReplayToo() {
        Run run = run(RandomScenario.of(3));
        List<JournalRecord> broken = new ArrayList<>(run.records());
        broken.add(new JournalRecord.QueueEvent(Long.MAX_VALUE / 2, new QmgrEvent.MessageQueued(null)));
        Replay replay = new Run(run.beginning(), broken).replay();
        assertThat(replay.difference()).isEmpty();
        assertThat(replay.failure()).containsInstanceOf(NullPointerException.class);

        broken.add(new JournalRecord.Pump(Long.MAX_VALUE / 2));
        Replay.ReplayDifference difference = new Run(run.beginning(), broken).replay().difference().orElseThrow();
        assertThat(difference.recorded()).as("the recorded run went on").contains(broken.getLast());
        assertThat(difference.replayed()).isEmpty();
    }

    private static int lastPick(List<JournalRecord> records) {
        for (int i = records.size() - 1; i >= 0; i--) {
            if (records.get(i) instanceof JournalRecord.Pick) {
                return i;
            }
        }
        throw new AssertionError("no pick");
    }
}
