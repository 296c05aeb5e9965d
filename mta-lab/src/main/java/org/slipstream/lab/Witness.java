package org.slipstream.lab;

import org.slipstream.qmgr.QmgrTrace;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.DestDb;

/// Observes a [World]: its events, the decisions of the queue manager, its orders. The calls come
/// in this order: an event, then the decisions that follow from it, then the orders.
public interface Witness extends QmgrTrace {
    /// Somewhere else.
    Witness NOBODY = new Witness() {};

    default void happened(long nowMillis, QmgrEvent event) {}

    default void ordered(long nowMillis, QmgrOrder order) {}

    /// All events of a moment and all orders that follow from them are through.
    ///
    /// @param hosts what is known of hosts now
    default void settled(long nowMillis, DestDb hosts) {}
}
