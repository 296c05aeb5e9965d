package org.slipstream.qmgr;

import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrOrder;
/// The time and the order sink of the queue manager's current step. Outside a step it accepts no
/// orders.
final class StepContext {
    private static final OrderSink OUTSIDE_STEP = order -> {
        throw new IllegalStateException("order outside a step: " + order);
    };

    private long nowMillis;
    private OrderSink orders = OUTSIDE_STEP;

    void begin(long now, OrderSink sink) {
        nowMillis = now;
        orders = sink;
    }

    long nowMillis() {
        return nowMillis;
    }

    OrderSink orders() {
        return orders;
    }

    void order(QmgrOrder order) {
        orders.order(order);
    }
}
