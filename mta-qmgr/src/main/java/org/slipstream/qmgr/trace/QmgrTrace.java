package org.slipstream.qmgr.trace;

import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.place.Seat;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Entry;
import org.slipstream.qmgr.sched.SchedTrace;

import java.util.List;

/// Observes the decisions and the feedback of the queue manager, for logs, the lab and tests. An
/// observer changes nothing; each method has an empty default.
public interface QmgrTrace extends SchedTrace {
    /// Observes nothing.
    QmgrTrace SILENT = new QmgrTrace() {};

    /// The window or the state of a destination changed. The figures are those afterwards.
    ///
    /// @param running deliveries, including the reported one
    default void feedback(DestinationQueue queue, FeedbackEvent event, int running, Destination.FlowFigures figures) {}

    /// Recipients were deferred because their destination or transport is dead.
    default void deferredWithoutAttempt(QueueId id, DestinationQueue queue, List<Recipient> recipients) {}

    /// A bulk delivery to this destination has a seat and waits for its start slot
    /// ([org.slipstream.qmgr.flow.Spacing]).
    default void startHeld(DestinationQueue queue, long nowMillis, long turnMillis) {}

    /// An entry is about to get this seat.
    ///
    /// @param delivery the number of the delivery
    default void placed(long delivery, Entry entry, Seat seat) {}

    /// A success after failures makes the mail of these domains due.
    default void woke(DestinationQueue queue, List<String> domains) {}

    /// The events of a destination.
    enum FeedbackEvent {
        /// The destination was created.
        NEW,
        /// Positive feedback: a session worked.
        OK,
        /// Negative feedback: a connection or handshake failed.
        FAIL,
        /// Negative feedback, and the destination is dead.
        FAIL_DEAD,
        /// A session that had started before the failure worked, so the destination is live again.
        OK_REVIVE,
        /// The dead time ended, and the destination has entries.
        TIMER_REVIVE,
        /// The dead time ended, no entry is left, and the state is dropped.
        TIMER_REVIVE_FORGET,
        /// The rate delay after a delivery started.
        SUSPEND,
        /// The rate delay ended, and the destination has entries.
        RESUME,
        /// The rate delay ended, no entry is left, and the state is dropped.
        RESUME_FORGET,
        /// No entry waits or runs; the state is dropped.
        FORGET
    }
}
