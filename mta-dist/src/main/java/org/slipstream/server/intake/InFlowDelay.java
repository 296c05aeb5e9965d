package org.slipstream.server.intake;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/// Input flow control (Postfix `in_flow_delay`, PF-31): while mail arrives faster than the queue
/// manager takes it up, each message waits a moment before it is accepted, so that deliveries get
/// their share of the disk. Input is slowed and never stopped. May be called by any thread; the
/// session's thread waits.
public final class InFlowDelay {
    private static final Logger log = LoggerFactory.getLogger(InFlowDelay.class);
    private static final long LOG_INTERVAL_MILLIS = 60_000;

    private final BooleanSupplier behind;
    private final long delayMillis;
    private final LongConsumer pause;
    private final AtomicLong loggedMillis = new AtomicLong(Long.MIN_VALUE / 2);

    /// @param behind whether mail arrives faster than the queue manager takes it up
    /// @param delayMillis 0: no delay
    public InFlowDelay(BooleanSupplier behind, long delayMillis) {
        this(behind, delayMillis, InFlowDelay::sleep);
    }

    InFlowDelay(BooleanSupplier behind, long delayMillis, LongConsumer pause) {
        this.behind = behind;
        this.delayMillis = delayMillis;
        this.pause = pause;
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    /// Waits a moment when mail arrives too fast.
    public void beforeAMessage() {
        if (delayMillis == 0 || !behind.getAsBoolean()) {
            return;
        }
        say();
        pause.accept(delayMillis);
    }

    private void say() {
        long now = System.nanoTime() / 1_000_000;
        long logged = loggedMillis.get();
        if (now - logged >= LOG_INTERVAL_MILLIS && loggedMillis.compareAndSet(logged, now)) {
            log.info("event=in-flow-delay millis={} reason=\"mail arrives faster than the queue manager takes it up\"",
                    delayMillis);
        }
    }
}
