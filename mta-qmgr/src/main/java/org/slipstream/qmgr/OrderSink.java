package org.slipstream.qmgr;

/// Takes orders without blocking and without answering on the caller's stack.
@FunctionalInterface
public interface OrderSink {
    void order(QmgrOrder order);
}
