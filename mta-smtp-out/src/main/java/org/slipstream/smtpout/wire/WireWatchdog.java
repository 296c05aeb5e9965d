package org.slipstream.smtpout.wire;

import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Bites when something takes too long. One platform thread, `out-watchdog`, for all wires.
///
/// A blocked read or write cannot be given a time limit in a way that works for TCP, TLS and UNIX sockets alike, and it
/// must not be interrupted, because the same thread may be inside a read of a letter, where an interrupt closes the
/// spool's file. Closing the socket under the blocked call works for all of them.
///
/// Nearly everything that is guarded ends in time, thousands of times per second, so a guard must cost next to nothing: it is
/// written down, and the timer is left alone as long as it will fire no later than the new deadline. When it fires it
/// looks at what is written down by then, and usually goes back to sleep until that is due.
public final class WireWatchdog implements AutoCloseable {
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().daemon().name("out-watchdog").factory());

    public WireWatchdog() {
        timer.setRemoveOnCancelPolicy(true);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }

    /// Watches one thing at a time for one owner.
    public final class Post implements AutoCloseable {
        // All guarded by this.
        private Optional<Guard> guard = Optional.empty();
        private Optional<Future<?>> round = Optional.empty();
        private long roundNanos;
        private boolean closed;

        /// While the guard is open, the dog waits; when it is still open after `millis`, the dog bites, once.
        Guard guard(long millis, Runnable bite) {
            return guard(millis, TimeUnit.MILLISECONDS, bite);
        }

        /// While the guard is open, the dog waits; when it is still open after that time, the dog bites, once.
        public synchronized Guard guard(long time, TimeUnit unit, Runnable bite) {
            long deadline = System.nanoTime() + unit.toNanos(time);
            Guard next = new Guard(this, deadline, bite);
            guard = Optional.of(next);
            if (!closed && (round.isEmpty() || roundNanos - deadline > 0)) {
                plan(deadline);
            }
            return next;
        }

        private void plan(long deadline) {
            round.ifPresent(planned -> planned.cancel(false));
            roundNanos = deadline;
            round = Optional.of(timer.schedule(this::look, deadline - System.nanoTime(), TimeUnit.NANOSECONDS));
        }

        private void look() {
            Optional<Guard> late;
            synchronized (this) {
                round = Optional.empty();
                late = guard.filter(g -> g.deadline - System.nanoTime() <= 0);
                if (late.isPresent()) {
                    guard = Optional.empty();
                } else if (!closed && guard.isPresent()) {
                    plan(guard.get().deadline);
                }
            }
            late.ifPresent(g -> g.bite.run());
        }

        private synchronized void lift(Guard lifted) {
            if (guard.isPresent() && guard.get() == lifted) {
                guard = Optional.empty();
            }
        }

        /// There is nothing left to watch.
        @Override
        public synchronized void close() {
            closed = true;
            guard = Optional.empty();
            round.ifPresent(planned -> planned.cancel(false));
            round = Optional.empty();
        }
    }

    /// Open as long as something takes.
    public static final class Guard implements AutoCloseable {
        private final Post post;
        private final long deadline;
        private final Runnable bite;

        private Guard(Post post, long deadline, Runnable bite) {
            this.post = post;
            this.deadline = deadline;
            this.bite = bite;
        }

        @Override
        public void close() {
            post.lift(this);
        }
    }
}
