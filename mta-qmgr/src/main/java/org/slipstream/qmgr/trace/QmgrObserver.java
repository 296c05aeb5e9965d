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

    /// Two observers of the input and the output. Neither gets the decisions, which the queue manager
    /// reports to its trace.
    static QmgrObserver both(QmgrObserver one, QmgrObserver other) {
        return new QmgrObserver() {
            @Override
            public void happened(long nowMillis, QmgrEvent event) {
                one.happened(nowMillis, event);
                other.happened(nowMillis, event);
            }

            @Override
            public void pumps(long nowMillis) {
                one.pumps(nowMillis);
                other.pumps(nowMillis);
            }

            @Override
            public void ordered(long nowMillis, QmgrOrder order) {
                one.ordered(nowMillis, order);
                other.ordered(nowMillis, order);
            }
        };
    }
}
