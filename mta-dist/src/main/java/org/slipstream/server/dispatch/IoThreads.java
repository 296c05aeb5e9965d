package org.slipstream.server.dispatch;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// The threads on which the desk's errands run, bounded by kind.
///
/// Whatever touches the spool or a mailbox runs on platform threads that nobody interrupts: an interrupt closes the
/// file under everybody else (java.nio), and H2 with it. So [#close] waits and never calls `shutdownNow`. Questions to
/// DNS are no errands: they are a stage of their own, [org.slipstream.server.route.Lookups].
final class IoThreads implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(IoThreads.class);
    private static final long AGAIN_MILLIS = 1_000;

    private final ExecutorService reading = pool("spool-read", 3);
    private final ExecutorService filing = pool("local", 4);
    private final ExecutorService reporting = pool("report", 1);
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(factory("errand-clock"));

    /// Reads of recipients and letters.
    void read(Runnable errand) {
        submit(reading, errand);
    }

    /// Local deliveries.
    void file(Runnable errand) {
        submit(filing, errand);
    }

    void report(Runnable errand) {
        submit(reporting, errand);
    }

    /// A read that met local trouble is tried again after a second: the message waits, nothing is decided.
    void readAgain(Runnable errand) {
        try {
            clock.schedule(() -> read(errand), AGAIN_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException stopping) {
            log.debug("errand dropped, stopping");
        }
    }

    // After close the process ends and the queue index still has the message; dropping the errand loses nothing.
    private static void submit(ExecutorService pool, Runnable errand) {
        try {
            pool.execute(() -> {
                try {
                    errand.run();
                } catch (RuntimeException broken) {
                    log.error("msg=\"errand failed\"", broken);
                }
            });
        } catch (RejectedExecutionException stopping) {
            log.debug("errand dropped, stopping");
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
        for (ExecutorService pool : new ExecutorService[]{reading, filing, reporting}) {
            pool.shutdown();
        }
        for (ExecutorService pool : new ExecutorService[]{reading, filing, reporting}) {
            await(pool);
        }
    }

    private static void await(ExecutorService pool) {
        try {
            if (!pool.awaitTermination(Duration.ofSeconds(10).toMillis(), TimeUnit.MILLISECONDS)) {
                log.warn("msg=\"an errand did not end within 10 s\"");
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
