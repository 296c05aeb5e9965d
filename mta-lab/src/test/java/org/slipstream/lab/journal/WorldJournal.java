package org.slipstream.lab.journal;

import org.slipstream.lab.Scenario;
import org.slipstream.lab.World;
import org.slipstream.lab.WorldObserver;
import org.slipstream.qmgr.journal.JournalObserver;
import org.slipstream.qmgr.journal.JournalRecord;
import org.slipstream.qmgr.journal.JournalRecord.Beginning;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/// The journal of a simulated server.
final class WorldJournal extends JournalObserver implements WorldObserver {
    private WorldJournal(Consumer<JournalRecord> journal) {
        super(journal, QmgrTrace.SILENT);
    }

    static Beginning beginning(Scenario scenario) {
        return new Beginning(JournalRecord.FORMAT, "test", 0, scenario.seed(), scenario.config(),
                scenario.placement(), List.of());
    }

    /// The records of a run after the beginning.
    static List<JournalRecord> run(Scenario scenario) {
        return run(scenario, world -> world);
    }

    /// @param more happens in the world
    static List<JournalRecord> run(Scenario scenario, UnaryOperator<World> more) {
        Scenario batched = new Scenario(scenario.seed(), scenario.config(), true, scenario.mails(), scenario.domains(),
                scenario.ownServer(), scenario.commands(), List.of(), scenario.placement());
        List<JournalRecord> records = new ArrayList<>();
        more.apply(new World(batched, new WorldJournal(records::add))).run();
        return records;
    }
}
