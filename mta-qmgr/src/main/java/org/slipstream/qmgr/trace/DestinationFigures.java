package org.slipstream.qmgr.trace;

import org.slipstream.core.QueueId;
import org.slipstream.qmgr.flow.DestinationState;
import org.slipstream.qmgr.sched.DestinationQueue;

import java.util.Comparator;
import java.util.Optional;

/// The figures of one destination in memory, for operators.
///
/// @param window deliveries that may run at once if the destination is live
/// @param limit of the window; 0: none
/// @param oldest the oldest message among the first [#EXAMINED] waiting entries
public record DestinationFigures(String transport, String nextHop, DestinationState state, int window, int limit,
        int connections, int running, int waiting, Optional<QueueId> oldest) {
    private static final int EXAMINED = 500;

    public static DestinationFigures of(DestinationQueue queue, DestinationState state, int window, int limit,
            int connections) {
        return new DestinationFigures(queue.transport(), queue.key(), state, window, limit, connections,
                queue.running(), queue.waiting(),
                queue.entriesBefore(EXAMINED).keySet().stream().min(Comparator.naturalOrder()));
    }
}
