package org.slipstream.spool.work;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/// The threads `spool-read-1-0`, `spool-read-1-1` … with the number of the shard first, that read the
/// index for other threads. Callers may
/// be virtual threads, and may be interrupted while they wait. The interrupt stays with them and
/// never reaches the database, because it would close its file.
public final class ReaderThreads implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ReaderThreads.class);

    private final ExecutorService threads;

    public ReaderThreads(int shard, int count) {
        threads = Executors.newFixedThreadPool(count,
                Thread.ofPlatform().daemon().name("spool-read-" + shard + "-", 0).factory());
    }

    /// Reads on one of the threads and waits for the result, as long as the spool is not given up.
    <T> T read(Callable<T> task, HealthReport health) throws IOException {
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            threads.execute(() -> complete(result, task));
            return health.await(result);
        } catch (CompletionException e) {
            switch (Objects.requireNonNullElse(e.getCause(), e)) {
                case IOException io -> throw io;
                case RuntimeException ours -> throw ours;
                case Error error -> throw error;
                case Throwable other -> throw new IOException(other);
            }
        } catch (RejectedExecutionException e) {
            throw new IOException("the spool is closed", e);
        }
    }

    private static <T> void complete(CompletableFuture<T> result, Callable<T> task) {
        try {
            result.complete(task.call());
        } catch (Throwable e) {
            result.completeExceptionally(e);
        }
    }

    /// Runs `task` on one of the threads and waits for it, even when interrupted.
    public <T> T run(Callable<T> task) throws ExecutionException {
        FutureTask<T> running = new FutureTask<>(task);
        threads.execute(running);
        return Threads.uninterruptibly(running::get);
    }

    /// Runs `task` on one of the threads when one is free.
    ///
    /// @return false after [#close]: it does not run
    boolean execute(Runnable task) {
        try {
            threads.execute(task);
            return true;
        } catch (RejectedExecutionException closed) {
            log.debug("event=read-after-close");
            return false;
        }
    }

    void executeAfter(long delay, TimeUnit unit, Runnable task) {
        CompletableFuture.delayedExecutor(delay, unit, this::execute).execute(task);
    }

    /// Waits for the running tasks without interrupting them.
    @Override
    public void close() {
        threads.shutdown();
        Threads.uninterruptibly(() -> threads.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS));
    }
}
