package org.slipstream.smtpin;

import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/// Rings when a session has waited too long for its client; one per session.
///
/// A timeout of the socket would do the same and be simpler. But on a virtual thread each timed wait is a task for the one thread that
/// keeps the scheduler's timers, which is woken to note it and woken again to strike it out: for a client that waits for
/// each reply that was every fifth microsecond of what a message costs. Nearly all waits end in time, so here the clock is
/// left alone as long as it strikes no later than the new deadline. When it strikes it looks at what is awaited by then, and usually
/// goes back to sleep until that is due.
final class Alarm implements AutoCloseable {
    private final ScheduledExecutorService clock;
    private final Runnable bell;

    // All guarded by this.
    private boolean set;
    private long dueNanos;
    private Optional<Future<?>> strike = Optional.empty();
    private long strikeNanos;
    private boolean closed;

    /// @param bell must not block; may ring just after [#clear], when the wait has ended at the last moment
    Alarm(ScheduledExecutorService clock, Runnable bell) {
        this.clock = clock;
        this.bell = bell;
    }

    /// Rings once after so much time, unless it is cleared before.
    synchronized void set(long millis) {
        set = true;
        dueNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        if (!closed && (strike.isEmpty() || strikeNanos - dueNanos > 0)) {
            plan();
        }
    }

    synchronized void clear() {
        set = false;
    }

    /// Never rings again.
    @Override
    public synchronized void close() {
        closed = true;
        set = false;
        strike.ifPresent(planned -> planned.cancel(false));
        strike = Optional.empty();
    }

    private void plan() {
        strike.ifPresent(planned -> planned.cancel(false));
        strikeNanos = dueNanos;
        try {
            strike = Optional.of(clock.schedule(this::look, dueNanos - System.nanoTime(), TimeUnit.NANOSECONDS));
        } catch (RejectedExecutionException stopped) {
            // The listener has stopped and cut all its clients, so nobody is waited for.
            closed = true;
        }
    }

    private void look() {
        synchronized (this) {
            strike = Optional.empty();
            if (closed || !set) {
                return;
            }
            if (dueNanos - System.nanoTime() > 0) {
                plan();
                return;
            }
            set = false;
        }
        bell.run();
    }
}
