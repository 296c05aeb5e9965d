package org.slipstream.qmgr;

import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrOrder;
/// The present step of the queue manager: what time it is, and where orders go. Outside a step there is no time and nobody takes
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
