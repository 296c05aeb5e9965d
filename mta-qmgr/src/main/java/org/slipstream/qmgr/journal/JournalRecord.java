package org.slipstream.qmgr.journal;

import org.slipstream.core.HostKey;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.flow.Destination.FlowFigures;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.trace.QmgrTrace.FeedbackEvent;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// One record of the decision journal. The inputs and the beginning are sufficient to repeat a run;
/// the decisions are what the run is compared with.
///
/// All times are milliseconds since 1970.
public sealed interface JournalRecord {
    /// Raised when a record of this family, or a value in one, changes its form.
    int FORMAT = 9;

    /// The first record: everything that the queue manager was told at its start.
    ///
    /// @param seed of the random numbers
    /// @param smtp rules of the placement for SMTP
    /// @param hosts host records of the run before
    /// @param shared other shards used the same limits
    record Beginning(int format, String program, long at, long seed, QmgrConfig config, PlaceRules smtp,
            List<HostRow> hosts, boolean shared) implements JournalRecord {
        public Beginning {
            hosts = List.copyOf(hosts);
        }

        /// One shard.
        public Beginning(int format, String program, long at, long seed, QmgrConfig config, PlaceRules smtp,
                List<HostRow> hosts) {
            this(format, program, at, seed, config, smtp, hosts, false);
        }
    }

    /// The first record of a later part.
    ///
    /// @param beganMillis time of the beginning of the same run
    /// @param part from 1
    record Continuation(long beganMillis, int part) implements JournalRecord {}

    /// Records that were not written because the writer did not keep up.
    record Missing(long records) implements JournalRecord {}

    /// The server stopped in an orderly way.
    record Closing(long at) implements JournalRecord {}

    /// The key of a host of a route. It depends on settings that the queue manager does not know.
    record HostKeyed(String transport, String nextHop, Route.Host host, HostKey key) implements JournalRecord {}

    /// An input of the queue manager.
    sealed interface JournalInput extends JournalRecord {
        long at();
    }

    record QueueEvent(long at, QmgrEvent event) implements JournalInput {}

    /// The queue manager chooses.
    record Pump(long at) implements JournalInput {}

    /// A decision of the queue manager, or an order that follows from one.
    sealed interface JournalDecision extends JournalRecord {
        long at();
    }

    /// An entry was taken: the message's recipients at one destination.
    record Pick(long at, QueueId queue, String destination, int recipients) implements JournalDecision {}

    /// A message preempted another one.
    ///
    /// @param slots balance of the preempted one afterwards
    record Preempting(long at, QueueId queue, QueueId passes, String transport, int level,
            int slots) implements JournalDecision {}

    /// A window, or the state of a destination, changed.
    record WindowChange(long at, String destination, FeedbackEvent event, int running,
            FlowFigures figures) implements JournalDecision {}

    /// A delivery got its place.
    ///
    /// @param step `queue` behind others on a connection, `reuse` an idle one, `open` another one,
    ///     `defer` because no host is usable
    record PlacementStep(long at, long delivery, QueueId queue, String destination, String step,
            OptionalLong connection, Optional<String> host, String reason) implements JournalDecision {}

    /// A delivery has a place and waits for its start slot.
    record StartHeld(long at, String destination, long turnMillis) implements JournalDecision {}

    /// Recipients were deferred without an attempt.
    record DeferredUntried(long at, QueueId queue, String destination, int recipients) implements JournalDecision {}

    /// A success after failures makes the mail of these domains due.
    record Wake(long at, String destination, List<String> domains) implements JournalDecision {
        public Wake {
            domains = List.copyOf(domains);
        }
    }

    /// An order in short.
    record OrderGiven(long at, String order, Optional<QueueId> queue, OptionalLong number,
            String text) implements JournalDecision {}
}
