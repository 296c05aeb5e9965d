package org.slipstream.qmgr.message;

import org.slipstream.core.QueueId;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.Optional;

/// The time and the order sink of the queue manager's current step. Outside a step it accepts no
/// orders.
public final class StepContext {
    private static final OrderSink OUTSIDE_STEP = order -> {
        throw new IllegalStateException("order outside a step: " + order);
    };

    private long nowMillis;
    private OrderSink orders = OUTSIDE_STEP;
    private Optional<QueueId> inHand = Optional.empty();

    public void begin(long now, OrderSink sink) {
        nowMillis = now;
        orders = sink;
        inHand = Optional.empty();
    }

    public void end() {
        inHand = Optional.empty();
    }

    /// From here on the step works on this message.
    public void handles(QueueId id) {
        inHand = Optional.of(id);
    }

    /// The message that the step worked on last.
    public Optional<QueueId> inHand() {
        return inHand;
    }

    public long nowMillis() {
        return nowMillis;
    }

    public OrderSink orders() {
        return orders;
    }

    public void order(QmgrOrder order) {
        orders.order(order);
    }
}
