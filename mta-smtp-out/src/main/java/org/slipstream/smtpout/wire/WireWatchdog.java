package org.slipstream.smtpout.wire;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Timeouts for blocking calls. One platform thread, `out-watchdog`, for all wires.
///
/// No timeout of a blocked read or write works for TCP, TLS and UNIX sockets alike. The thread must
/// not be interrupted, because it may be reading a stored content, and an interrupt would close the
/// spool's file. Closing the socket under the blocked call works for all of them.
///
/// Nearly all guarded calls end in time, thousands of times per second, so a guard must cost almost
/// nothing. It is recorded, and the timer stays unchanged as long as it fires no later than the new
/// deadline. When it fires, it checks the recorded deadline and usually sleeps until that is due.
public final class WireWatchdog implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(WireWatchdog.class);

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().daemon().name("out-watchdog").factory());

    public WireWatchdog() {
        timer.setRemoveOnCancelPolicy(true);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }

    /// Guards one call at a time for one owner.
    public final class Post implements AutoCloseable {
        // All guarded by this.
        private Optional<Guard> guard = Optional.empty();
        private Optional<Future<?>> round = Optional.empty();
        private long roundNanos;
        private boolean closed;

        /// Runs the action once if the guard is still open after `millis`.
        Guard guard(long millis, Runnable bite) {
            return guard(millis, TimeUnit.MILLISECONDS, bite);
        }

        /// Runs the action once if the guard is still open after that time.
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
            round = Optional.of(timer.schedule(this::lookOrLog, deadline - System.nanoTime(), TimeUnit.NANOSECONDS));
        }

        // The timer keeps an error in a future that no thread reads.
        private void lookOrLog() {
            try {
                look();
            } catch (RuntimeException | Error broken) {
                log.error("event=watchdog-failed", broken);
            }
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

        /// Ends all guarding.
        @Override
        public synchronized void close() {
            closed = true;
            guard = Optional.empty();
            round.ifPresent(planned -> planned.cancel(false));
            round = Optional.empty();
        }
    }

    /// Open while a call runs.
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
