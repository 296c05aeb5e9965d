package org.slipstream.qmgr.event;

/// Accepts orders. It neither blocks nor answers on the caller's stack.
@FunctionalInterface
public interface OrderSink {
    void order(QmgrOrder order);
}
