package org.slipstream.server.dispatch;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// The threads for the dispatcher's blocking tasks, bounded by kind.
///
/// Tasks that use the spool or a mailbox run on platform threads that are never interrupted: an
/// interrupt closes the file under all its users (java.nio), and H2 with it. So [#close] waits and
/// never calls `shutdownNow`. DNS queries do not run here but in
/// [org.slipstream.server.route.Lookups].
final class IoThreads implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(IoThreads.class);
    private static final long AGAIN_MILLIS = 1_000;

    private final ExecutorService reading;
    private final ExecutorService filing;
    private final ExecutorService reporting;
    /// Their number is bounded by the connections of the transports.
    private final ExecutorService programs;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(factory("io-clock"));

    /// @param shard its number is part of the threads' names
    IoThreads(int shard) {
        reading = pool("spool-batch-" + shard, 3);
        filing = pool("local-" + shard, 4);
        reporting = pool("report-" + shard, 1);
        programs = Executors.newCachedThreadPool(factory("pipe-" + shard));
    }

    /// Reads of recipients and contents.
    void read(Runnable task) {
        submit(reading, task);
    }

    /// Local deliveries.
    void file(Runnable task) {
        submit(filing, task);
    }

    /// Deliveries to programs.
    void run(Runnable task) {
        submit(programs, task);
    }

    /// True when programs shall end.
    boolean isClosing() {
        return programs.isShutdown();
    }

    void report(Runnable task) {
        submit(reporting, task);
    }

    /// A read that failed locally is repeated after a second; until then the message waits and no
    /// decision is made.
    void readAgain(Runnable task) {
        try {
            clock.schedule(() -> read(task), AGAIN_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException stopping) {
            log.debug("event=task-dropped reason=\"stopping\"");
        }
    }

    // After close the process ends and the queue index still has the message, so dropping the task
    // loses nothing.
    private static void submit(ExecutorService pool, Runnable task) {
        try {
            pool.execute(() -> {
                try {
                    task.run();
                } catch (RuntimeException broken) {
                    log.error("event=task-failed", broken);
                }
            });
        } catch (RejectedExecutionException stopping) {
            log.debug("event=task-dropped reason=\"stopping\"");
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
        for (ExecutorService pool : List.of(reading, filing, reporting, programs)) {
            pool.shutdown();
        }
        for (ExecutorService pool : List.of(reading, filing, reporting, programs)) {
            await(pool);
        }
    }

    private static void await(ExecutorService pool) {
        try {
            if (!pool.awaitTermination(Duration.ofSeconds(10).toMillis(), TimeUnit.MILLISECONDS)) {
                log.warn("event=tasks-still-running millis=10000");
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private static ExecutorService pool(String name, int threads) {
        return Executors.newFixedThreadPool(threads, factory(name));
    }

    private static ThreadFactory factory(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> Thread.ofPlatform().daemon().name(name + "-" + number.getAndIncrement()).unstarted(task);
    }
}
