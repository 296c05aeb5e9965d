package org.slipstream.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/// The orderly stop: closes what was opened, in the opposite order, within one total time.
///
/// Each step gets the rest of the total time, minus what is reserved for the steps after it. So
/// slow clients cannot use up the time for recording outcomes and closing the spool. A step that
/// does not end in its time, or fails, does not prevent the others: it is left on a daemon thread,
/// and a process that ends then is as safe as one that was killed.
final class Shutdown implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Shutdown.class);

    /// Tolerance: a step that is later than this hangs.
    private static final Duration GRACE = Duration.ofMillis(250);

    private final LongSupplier nanos;
    private final Duration total;
    private final List<Opened> opened = new ArrayList<>();

    /// Ends one part of the server.
    interface Step {
        /// @param limit time limit for work in progress; may be zero
        void run(Duration limit) throws Exception;
    }

    private record Opened(String name, Duration keptBack, Step step) {}

    /// @param nanos a clock like [System#nanoTime]
    Shutdown(LongSupplier nanos, Duration total) {
        this.nanos = nanos;
        this.total = total;
    }

    /// @param keptBack share of the total reserved for the steps that were pushed before
    void push(String name, Duration keptBack, Step step) {
        opened.add(new Opened(name, keptBack, step));
    }

    /// Runs the steps, the last pushed first. May be called twice.
    @Override
    public void close() {
        long end = nanos.getAsLong() + total.toNanos();
        while (!opened.isEmpty()) {
            Opened next = opened.removeLast();
            long left = end - nanos.getAsLong() - next.keptBack().toNanos();
            run(next, Duration.ofNanos(Math.max(0, left)));
        }
    }

    private static void run(Opened next, Duration limit) {
        Thread thread = Thread.ofPlatform().daemon().name("stop-" + next.name().replace(' ', '-')).start(() -> {
            try {
                next.step().run(limit);
            } catch (Exception trouble) {
                log.warn("event=stop-step-failed step=\"{}\"", next.name(), trouble);
            }
        });
        try {
            if (!thread.join(limit.plus(GRACE))) {
                log.warn("event=stop-step-timeout step=\"{}\" millis={}", next.name(), limit.toMillis());
            }
        } catch (InterruptedException hurry) {
            // The remaining steps still run; none of them waits then.
            Thread.currentThread().interrupt();
        }
    }
}
