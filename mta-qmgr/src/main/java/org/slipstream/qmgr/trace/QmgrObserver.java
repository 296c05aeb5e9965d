package org.slipstream.qmgr.trace;

import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

/// Observes the whole input and output of a queue manager, besides its decisions. The driver of the
/// queue manager reports in this order: an event or a pump, the decisions that follow from it, the
/// orders.
public interface QmgrObserver extends QmgrTrace {
    /// Observes nothing.
    QmgrObserver NOTHING = new QmgrObserver() {};

    /// An event is about to be absorbed.
    default void happened(long nowMillis, QmgrEvent event) {}

    /// A pump is about to start.
    default void pumps(long nowMillis) {}

    /// An order was given.
    default void ordered(long nowMillis, QmgrOrder order) {}
}
