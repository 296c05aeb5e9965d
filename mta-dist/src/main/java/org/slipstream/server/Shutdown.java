package org.slipstream.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/// The orderly stop: closes what was opened, in the opposite order, within one total time.
///
/// Each step is told how much of the time is left for it: the rest of the total, less what is kept for the steps behind it. So slow
/// clients cannot use up the time in which outcomes are recorded and the spool is closed. A step that does not end in its
/// time, or fails, does not keep the others from being closed; it is left behind on a daemon thread, and a process that ends
/// then is as safe as one that was killed.
final class Shutdown implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Shutdown.class);

    /// A step keeps to its time by itself. This much later it hangs.
    private static final Duration GRACE = Duration.ofMillis(250);

    private final LongSupplier nanos;
    private final Duration total;
    private final List<Opened> opened = new ArrayList<>();

    /// Ends something.
    interface Step {
        /// @param patience for what is in progress; nothing of it may be left
        void run(Duration patience) throws Exception;
    }

    private record Opened(String name, Duration keptBack, Step step) {}

    /// @param nanos a clock like [System#nanoTime]
    /// @param total for all steps together
    Shutdown(LongSupplier nanos, Duration total) {
        this.nanos = nanos;
        this.total = total;
    }

    /// @param keptBack what is kept of the total for the steps that were pushed before
    void push(String name, Duration keptBack, Step step) {
        opened.add(new Opened(name, keptBack, step));
    }

    /// The steps that were pushed last come first. May be called twice.
    @Override
    public void close() {
        long end = nanos.getAsLong() + total.toNanos();
        while (!opened.isEmpty()) {
            Opened next = opened.removeLast();
            long left = end - nanos.getAsLong() - next.keptBack().toNanos();
            run(next, Duration.ofNanos(Math.max(0, left)));
        }
    }

    private static void run(Opened next, Duration patience) {
        Thread thread = Thread.ofPlatform().daemon().name("stop-" + next.name().replace(' ', '-')).start(() -> {
            try {
                next.step().run(patience);
            } catch (Exception trouble) {
                log.warn("msg=\"trouble while stopping {}\"", next.name(), trouble);
            }
        });
        try {
            if (!thread.join(patience.plus(GRACE))) {
                log.warn("msg=\"{} did not stop in time\" patience={} ms", next.name(), patience.toMillis());
            }
        } catch (InterruptedException hurry) {
            // The steps behind this one are still run; each waits for nothing then.
            Thread.currentThread().interrupt();
        }
    }
}
