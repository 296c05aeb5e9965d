package org.slipstream.server.dispatch;

import org.slipstream.admin.Operations.ConnectionsView;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.place.Seat;
import org.slipstream.smtpout.WirePhase;

import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/// The sources of [QueuePicture] besides the queue index and the queue manager.
///
/// @param delivers false when `queue.deliver` is
/// @param wire what the connection of this number does
/// @param connections how many there are; asked on the queue manager's thread
/// @param suspended the hosts that are left alone at a time; asked on the queue manager's thread
/// @param explanations where deliveries would go
/// @param verifications empty while the queue manager has no probes
public record Surroundings(boolean delivers, LongFunction<Optional<WirePhase>> wire,
        LongFunction<List<SuspendedHost>> suspended, Supplier<ConnectionsView> connections,
        Explanations explanations, Optional<Verifications> verifications) {
    /// Asked on the queue manager's thread.
    @FunctionalInterface
    public interface Explanations {
        /// Where a delivery of this message would go now; empty where the question makes no sense.
        Optional<Seat> explain(QueueManager manager, QueueId id, long nowMillis);
    }
}
