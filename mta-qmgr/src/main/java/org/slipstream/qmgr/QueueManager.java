package org.slipstream.qmgr;

import java.util.random.RandomGenerator;

/// CONTRACT STUB, replaced in this issue.
public final class QueueManager {
    public QueueManager(QmgrConfig config, Seating seating, RandomGenerator random) {
        throw new IllegalStateException("not built yet");
    }

    public void step(QmgrEvent event, long nowMillis, OrderSink orders) {}

    /// When the next [QmgrEvent.Alarm] is wanted; `Long.MAX_VALUE` when nothing is planned.
    public long nextAlarmMillis() {
        return Long.MAX_VALUE;
    }

    public QmgrSnapshot snapshot(long nowMillis) {
        throw new IllegalStateException("not built yet");
    }
}
