package org.slipstream.server.intake;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/// Input flow control (Postfix `in_flow_delay`, PF-31): while mail comes in faster than the queue manager takes it up, whoever
/// brings a message waits a moment before it is taken, so that deliveries have their share of the disk. Input is slowed and
/// never stopped. Any thread; the session's own waits.
public final class Brake {
    private static final Logger log = LoggerFactory.getLogger(Brake.class);
    private static final long SAY_AGAIN_MILLIS = 60_000;

    private final BooleanSupplier behind;
    private final long delayMillis;
    private final LongConsumer pause;
    private final AtomicLong saidMillis = new AtomicLong(Long.MIN_VALUE / 2);

    /// @param behind whether mail arrives faster than it is taken up
    /// @param delayMillis 0: never wait
    public Brake(BooleanSupplier behind, long delayMillis) {
        this(behind, delayMillis, Brake::sleep);
    }

    Brake(BooleanSupplier behind, long delayMillis, LongConsumer pause) {
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

    void beforeAMessage() {
        if (delayMillis == 0 || !behind.getAsBoolean()) {
            return;
        }
        say();
        pause.accept(delayMillis);
    }

    private void say() {
        long now = System.nanoTime() / 1_000_000;
        long said = saidMillis.get();
        if (now - said >= SAY_AGAIN_MILLIS && saidMillis.compareAndSet(said, now)) {
            log.info("msg=\"mail arrives faster than it is taken up, clients wait\" delay_ms={}", delayMillis);
        }
    }
}
