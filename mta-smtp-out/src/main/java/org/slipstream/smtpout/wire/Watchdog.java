package org.slipstream.smtpout.wire;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Bites when something takes too long. One platform thread, `out-watchdog`, for all wires.
///
/// A blocked read or write cannot be given a time limit in a way that works for TCP, TLS and UNIX sockets alike, and it
/// must not be interrupted, because the same thread may be inside a read of a letter, where an interrupt closes the
/// spool's file. Closing the socket under the blocked call works for all of them.
public final class Watchdog implements AutoCloseable {
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().daemon().name("out-watchdog").factory());

    public Watchdog() {
        timer.setRemoveOnCancelPolicy(true);
    }

    /// While the guard is open, the dog waits; when it is still open after `millis`, the dog bites, once.
    public Guard guard(long millis, Runnable bite) {
        Future<?> waiting = timer.schedule(bite, millis, TimeUnit.MILLISECONDS);
        return () -> waiting.cancel(false);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }

    public interface Guard extends AutoCloseable {
        @Override
        void close();
    }
}
