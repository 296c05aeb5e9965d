package org.slipstream.smtpin.auth;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// The platform threads that check passwords, and the bounded queue before them. Thread-safe.
///
/// A password hash is expensive by design: 19 MiB and some 50 ms of CPU time. On a virtual thread
/// it would hold a carrier thread for that time, of which there are as many as processors, and
/// every session of every port would wait: sixty wrong passwords at once delayed a client on port
/// 25 by 14 seconds. So sessions only wait here, at most half the processors are used, and the
/// number of threads bounds the memory. When the queue is full, the client gets 454 4.7.0, which
/// does not count as a failed login.
///
/// Clients of known networks have a queue of their own, which is served first, so password guessing
/// does not lock out known users.
public final class PasswordThreads {
    /// More would take too much memory on a machine with many processors.
    private static final int MOST_THREADS = 3;
    private static final int WAITING = 32;
    private static final long IDLE_SECONDS = 10;

    /// A step of a mechanism.
    public interface MechanismStep<T> {
        T run() throws IOException;
    }

    /// Too many passwords wait to be checked.
    public static final class BusyException extends IOException {
        private static final long serialVersionUID = 1L;

        BusyException() {
            super("too many logins at once");
        }
    }

    private final ThreadPoolExecutor threads;
    private final Semaphore placesForKnown;
    private final Semaphore placesForOthers;
    private final AtomicLong arrivals = new AtomicLong();

    /// @param waiting maximum of waiting checks, for known networks and for others each
    public PasswordThreads(int count, int waiting) {
        threads = new ThreadPoolExecutor(count, count, IDLE_SECONDS, TimeUnit.SECONDS, new PriorityBlockingQueue<>(),
                Thread.ofPlatform().daemon().priority(Thread.MIN_PRIORITY).name("password-", 0).factory());
        threads.allowCoreThreadTimeOut(true);
        placesForKnown = new Semaphore(waiting);
        placesForOthers = new Semaphore(waiting);
    }

    /// Half the processors, and at least one.
    public static PasswordThreads standard() {
        return new PasswordThreads(Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, MOST_THREADS),
                WAITING);
    }

    /// Runs the check on one of the threads and waits for its result.
    ///
    /// @param known the client is of a known network
    /// @throws BusyException at once when the queue is full
    public <T> T call(boolean known, MechanismStep<T> check) throws IOException {
        Semaphore places = known ? placesForKnown : placesForOthers;
        if (!places.tryAcquire()) {
            throw new BusyException();
        }
        Task<T> task = new Task<>(known, arrivals.getAndIncrement(), places, check);
        threads.execute(task);
        try {
            return task.result.get();
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof IOException trouble) {
                throw trouble;
            }
            throw new IllegalStateException("a password could not be checked", failed.getCause());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a password was checked", stop);
        }
    }

    /// The number of checks that wait for a thread.
    public int waiting() {
        return threads.getQueue().size();
    }

    private static final class Task<T> implements Runnable, Comparable<Task<?>> {
        private final boolean known;
        private final long arrival;
        private final Semaphore place;
        private final MechanismStep<T> check;
        private final CompletableFuture<T> result = new CompletableFuture<>();

        private Task(boolean known, long arrival, Semaphore place, MechanismStep<T> check) {
            this.known = known;
            this.arrival = arrival;
            this.place = place;
            this.check = check;
        }

        @Override
        public void run() {
            place.release();
            try {
                result.complete(check.run());
            } catch (Throwable failed) {
                result.completeExceptionally(failed);
            }
        }

        @Override
        public int compareTo(Task<?> other) {
            return known == other.known ? Long.compare(arrival, other.arrival) : known ? -1 : 1;
        }
    }
}
