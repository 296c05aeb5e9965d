package org.slipstream.qmgr.trace;

import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.qmgr.wake.GateRefusal;

import java.util.List;
import java.util.Optional;

/// A read-only snapshot of the queue manager for operators, taken on its thread.
///
/// @param active number of messages in the active set
/// @param unannounced new messages since the start that only a scan found
/// @param messages the requested ones among them, oldest first
public record QmgrSnapshot(int active, long unannounced, List<ActiveMessage> messages,
        List<ActiveDestination> destinations) {
    public QmgrSnapshot {
        messages = List.copyOf(messages);
        destinations = List.copyOf(destinations);
    }

    /// @param waiting entries without a connection
    /// @param running entries on a connection
    /// @param phase the current phase of the message
    /// @param besides text after the phase: a pending operator's request, or the reason for which
    /// the other entries wait
    /// @param seat of the delivery that the phase describes
    /// @param waits the route that an entry waits for, when one does and may be delivered
    public record ActiveMessage(QueueId id, int waiting, int running, QueuePhase phase, String besides,
            Optional<SnapshotSeat> seat, Optional<Waits> waits) {
        /// The phase as one sentence for operators.
        public String why() {
            return phase.text() + besides;
        }
    }

    /// @param mayOpen the destination's window permits one more connection
    public record Waits(Route route, boolean mayOpen) {}

    /// @param ahead earlier deliveries on the same connection
    public record SnapshotSeat(long delivery, long connection, int ahead) {}

    /// @param lanes connections opening, busy or idle
    /// @param refusal the gate that refused a delivery since the last one started
    /// @param meanMillis smoothed duration of a delivery; empty before the first one has ended
    public record ActiveDestination(String transport, String nextHop, int waiting, int running, int lanes,
            Optional<GateRefusal> refusal, Optional<Long> meanMillis) {}
}
