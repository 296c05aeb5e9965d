package org.slipstream.qmgr;

import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.SchedTrace;

import java.util.List;

/// Hears what the queue manager decides and learns, besides the orders that follow from it. For logs, laboratories and
/// tests; an observer changes nothing. Everything has an empty default.
public interface QmgrTrace extends SchedTrace {
    /// Hears nothing.
    QmgrTrace SILENT = new QmgrTrace() {};

    /// Something happened to the window of a destination. The figures are those afterwards.
    ///
    /// @param running deliveries, the one that is reported included
    default void feedback(DestinationQueue line, FeedbackEvent event, int running, Destination.Figures figures) {}

    /// Recipients were deferred because their destination or transport is dead.
    default void deferredWithoutAttempt(QueueId id, DestinationQueue line, List<Recipient> recipients) {}

    /// Bulk mail for this destination could go and waits for its turn ([org.slipstream.qmgr.flow.Spacing]).
    default void startHeld(DestinationQueue line, long nowMillis, long turnMillis) {}

    /// What can happen to a destination.
    enum FeedbackEvent {
        /// It came into existence.
        NEW,
        /// A session worked.
        OK,
        /// A connection or handshake failed.
        FAIL,
        /// The same, and that was the end.
        FAIL_DEAD,
        /// A session worked that had begun before the end.
        OK_REVIVE,
        /// The dead time is over.
        TIMER_REVIVE,
        /// The same, and nothing is to be remembered of it.
        TIMER_REVIVE_FORGET,
        /// A pause after a delivery has begun.
        SUSPEND,
        /// The pause is over.
        RESUME,
        /// The same, and nothing is to be remembered of it.
        RESUME_FORGET,
        /// Nothing waits or runs there; all that was learned is forgotten.
        FORGET
    }
}
