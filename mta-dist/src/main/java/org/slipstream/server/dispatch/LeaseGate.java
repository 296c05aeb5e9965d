package org.slipstream.server.dispatch;

import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.ArrayList;
import java.util.List;

/// Stands before a dispatcher, and keeps back deliveries and reports while the lease of the shard is in doubt.
/// [#resume] lets them go when it has been renewed. A shard that is lost drops them with its run.
///
/// They are as many as the queue manager has under way at most, so their number has the limits of deliveries.
public final class LeaseGate implements OrderSink {
    private final DeliveryLease lease;
    private final OrderSink dispatcher;
    /// Guarded by this.
    private final List<QmgrOrder> kept = new ArrayList<>();

    public LeaseGate(DeliveryLease lease, OrderSink dispatcher) {
        this.lease = lease;
        this.dispatcher = dispatcher;
    }

    @Override
    public void order(QmgrOrder order) {
        if (isForTheLease(order) && !lease.mayStart()) {
            synchronized (this) {
                kept.add(order);
            }
        } else {
            dispatcher.order(order);
        }
    }

    private static boolean isForTheLease(QmgrOrder order) {
        return order instanceof QmgrOrder.Deliver || order instanceof QmgrOrder.Notify;
    }

    /// Any thread: dispatches what was kept back, if the lease permits it again.
    public void resume() {
        List<QmgrOrder> now;
        synchronized (this) {
            if (kept.isEmpty() || !lease.mayStart()) {
                return;
            }
            now = List.copyOf(kept);
            kept.clear();
        }
        now.forEach(this::order);
    }

    /// Deliveries and reports that wait for the lease.
    public synchronized int waiting() {
        return kept.size();
    }
}
