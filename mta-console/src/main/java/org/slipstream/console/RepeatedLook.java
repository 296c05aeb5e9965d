package org.slipstream.console;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// A thread that looks at the server again and again.
///
/// The pause after a look is a second, and at least [#PAUSE_FACTOR] times as long as the look. So a look
/// takes at most 2 % of the server's time, however long the queue is.
final class RepeatedLook implements AutoCloseable {
    static final int PAUSE_FACTOR = 50;
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final String name;
    private final Runnable look;
    private Optional<Thread> thread = Optional.empty();

    /// @param look what it cannot read now, the next look reads
    RepeatedLook(String name, Runnable look) {
        this.name = name;
        this.look = look;
    }

    void start() {
        thread = Optional.of(Thread.ofPlatform().daemon().name(name).start(() -> {
            try {
                while (true) {
                    long began = System.nanoTime();
                    try {
                        look.run();
                    } catch (RefusedException busy) {
                        // The next look may succeed.
                    }
                    TimeUnit.NANOSECONDS.sleep(pauseNanos(System.nanoTime() - began));
                }
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }));
    }

    static long pauseNanos(long tookNanos) {
        return Math.max(SECOND_NANOS - tookNanos, tookNanos * PAUSE_FACTOR);
    }

    @Override
    public void close() {
        thread.ifPresent(Thread::interrupt);
    }
}
