package org.slipstream.admin.operations;

import org.slipstream.admin.operations.HostOperations.ConnectionView;
import org.slipstream.admin.operations.ViewOperations.BusyDestination;
import org.slipstream.admin.operations.ViewOperations.SchedulerView;
import org.slipstream.core.QueueId;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// Runs of the queue manager, moment by moment: those that the journal has recorded, and simulated
/// ones. Called on HTTP threads. A run is computed on the thread of its caller, one at a time and
/// within a bound of time and memory; the server itself is not asked.
public interface FilmOperations {
    /// The journal of this server.
    ///
    /// @return empty when the server writes none
    /// @throws IOException with a sentence, when there is nothing to show
    /// @throws ComputingException when another run is computed
    Optional<JournalView> journal(JournalQuestion question) throws IOException;

    /// The scenarios that come with the program.
    List<ScenarioView> scenarios();

    /// Runs a scenario, once or twice.
    ///
    /// @throws IllegalArgumentException with a sentence, when the scenario or a change of it is wrong
    /// @throws ComputingException when another run is computed
    LabView lab(LabQuestion question) throws IOException;

    /// The present queue under the settings in force, and under changed ones.
    ///
    /// @throws IllegalArgumentException with a sentence, when a change is wrong
    /// @throws IOException with a sentence, when the queue is too long, or cannot be read
    /// @throws ComputingException when another run is computed
    LabView whatIf(WhatIfQuestion question) throws IOException;

    /// Another run is computed at this time.
    final class ComputingException extends IOException {
        private static final long serialVersionUID = 1L;

        public ComputingException() {
            super("another run is computed at this moment; ask again in some seconds");
        }
    }

    /// The wanted moment.
    ///
    /// @param atMillis since 1970; in the lab, since the start of the simulation
    /// @param step of the interval, instead of a time
    record WantedMoment(OptionalLong atMillis, OptionalInt step) {}

    /// @param shard empty: the first one
    /// @param fromMillis since 1970
    /// @param message whose decisions are wanted
    record JournalQuestion(OptionalInt shard, OptionalLong fromMillis, OptionalLong toMillis, WantedMoment moment,
            Optional<QueueId> message) {}

    /// @param began start of the run, ISO 8601 in UTC
    /// @param latest time of the latest record that was read
    /// @param film absent when the interval is outside of the run
    /// @param about the state of the wanted message at the moment, in a sentence; empty when it is not active then
    /// @param phases of the wanted message within the interval
    /// @param decisions about the wanted message, the latest last
    /// @param earlierDecisions that are left out
    /// @param remarks what is missing, and why
    record JournalView(String began, String latest, Optional<FilmView> film, String about, List<PhaseLine> phases,
            List<DecisionLine> decisions, long earlierDecisions, List<String> remarks) {}

    /// @param phase as in [org.slipstream.core.queue.QueuePhase.Code], in lower case; `not-active` for a
    ///     message that is not in memory
    record PhaseLine(String at, String phase, String why) {}

    record DecisionLine(String at, String what) {}

    /// The moments of an interval, and one of them.
    ///
    /// @param fromMillis since 1970; in the lab, since the start of the simulation
    /// @param steps of the interval
    /// @param known steps whose state is known, from the first one on
    /// @param step that is shown
    /// @param curves a value for each known step
    record FilmView(long fromMillis, long toMillis, int steps, int known, int step, List<CurveView> curves,
            FrameView frame) {}

    record CurveView(String name, List<Double> values) {}

    /// The queue manager at one moment.
    ///
    /// @param atMillis since 1970; in the lab, since the start of the simulation
    /// @param active messages in memory
    /// @param waiting deliveries without a connection
    /// @param running deliveries on one
    /// @param delivered recipients since the run began, as are the deferred and failed ones
    /// @param destinations the busiest ones
    /// @param furtherDestinations in memory besides these
    /// @param connections the first ones of each transport
    record FrameView(long atMillis, int active, long waiting, long running, long delivered, long deferred, long failed,
            SchedulerView scheduler, List<BusyDestination> destinations, int furtherDestinations,
            List<HostConnectionView> connections) {}

    record HostConnectionView(String host, ConnectionView connection) {}

    record ScenarioView(String name, String title) {}

    /// @param scenario the name of one that comes with the program, or the text of a file
    /// @param compare changed keys of a second run, each `key=value`
    record LabQuestion(String scenario, List<String> set, List<String> compare, WantedMoment moment) {}

    /// @param set changed settings of `mta.toml`, each `key=value`
    /// @param again true for the queue of this moment; otherwise one of the last minutes may be used
    record WhatIfQuestion(List<String> set, boolean again, WantedMoment moment) {}

    /// @param titles of the comparison of the runs
    /// @param rows of the comparison
    record LabView(String title, String story, List<LabRunView> runs, List<String> titles, List<List<String>> rows) {}

    /// @param variant the changed keys; `as written` without a change
    /// @param failures expectations of the file that do not hold
    record LabRunView(String variant, FilmView film, List<String> failures) {}
}
