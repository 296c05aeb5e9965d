package org.slipstream.qmgr;

import org.slipstream.core.QueueId;

import java.util.List;

/// A read-only picture of the queue manager for operators, made on its thread.
///
/// @param messages in the active set, oldest first
public record QmgrSnapshot(List<ActiveMessage> messages, List<ActiveDestination> destinations) {
    public QmgrSnapshot {
        messages = List.copyOf(messages);
        destinations = List.copyOf(destinations);
    }

    /// @param waiting entries not yet seated
    /// @param running entries on a connection
    /// @param why what keeps the message from being finished, in words an operator understands
    public record ActiveMessage(QueueId id, int waiting, int running, String why) {}

    /// @param lanes connections opening, busy or idle
    public record ActiveDestination(String transport, String nextHop, int waiting, int running, int lanes) {}
}
