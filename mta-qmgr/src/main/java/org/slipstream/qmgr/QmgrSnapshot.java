package org.slipstream.qmgr;

import org.slipstream.core.QueueId;
import org.slipstream.core.QueuePhase;
import org.slipstream.core.Route;

import java.util.List;
import java.util.Optional;

/// A read-only picture of the queue manager for operators, made on its thread.
///
/// @param active how many messages are in the active set
/// @param messages those of them that were asked for, oldest first
public record QmgrSnapshot(int active, List<ActiveMessage> messages, List<ActiveDestination> destinations) {
    public QmgrSnapshot {
        messages = List.copyOf(messages);
        destinations = List.copyOf(destinations);
    }

    /// @param waiting entries not yet seated
    /// @param running entries on a connection
    /// @param phase what keeps the message from being finished
    /// @param besides what is to be said after it: what an operator wants of the message, why the rest of it waits
    /// @param seat of the delivery that the phase is about
    /// @param waits what an entry of it waits for, when one does and may be delivered
    public record ActiveMessage(QueueId id, int waiting, int running, QueuePhase phase, String besides,
            Optional<SeatView> seat, Optional<Waits> waits) {
        /// In words an operator understands.
        public String why() {
            return phase.text() + besides;
        }
    }

    /// @param mayOpen the destination's window has room for one more connection
    public record Waits(Route route, boolean mayOpen) {}

    /// @param ahead deliveries in front on the same connection
    public record SeatView(long delivery, long connection, int ahead) {}

    /// @param lanes connections opening, busy or idle
    public record ActiveDestination(String transport, String nextHop, int waiting, int running, int lanes) {}
}
