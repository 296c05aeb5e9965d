package org.slipstream.qmgr.event;

/// Takes orders without blocking and without answering on the caller's stack.
@FunctionalInterface
public interface OrderSink {
    void order(QmgrOrder order);
}
