package org.slipstream.lab.film;

import org.slipstream.qmgr.place.PlaceSnapshot.ConnectionInfo;
import org.slipstream.qmgr.sched.JobsSnapshot;
import org.slipstream.qmgr.trace.DestinationFigures;
import org.slipstream.qmgr.trace.QmgrSnapshot.ActiveMessage;

import java.util.List;
import java.util.Optional;

/// The state of the queue manager at one moment. Its size is bounded, whatever the length of the
/// queue.
///
/// @param destinations the busiest ones
/// @param furtherDestinations in memory, besides these
/// @param connections the first ones of each transport
/// @param about the wanted message, while it is active
public record Frame(long atMillis, JobsSnapshot jobs, List<DestinationFigures> destinations, int furtherDestinations,
        List<ConnectionInfo> connections, FrameCounts counts, Optional<ActiveMessage> about) {
    public Frame {
        destinations = List.copyOf(destinations);
        connections = List.copyOf(connections);
    }

    /// @param active messages in memory
    /// @param waiting deliveries without a connection
    /// @param running deliveries on one
    /// @param delivered recipients since the run began, as are the deferred and failed ones
    public record FrameCounts(int active, long waiting, long running, long delivered, long deferred, long failed) {}
}
