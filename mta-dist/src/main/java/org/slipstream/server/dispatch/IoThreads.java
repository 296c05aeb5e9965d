package org.slipstream.server.dispatch;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// The threads for the dispatcher's blocking tasks, bounded by kind.
///
/// Tasks that use the spool or a mailbox run on platform threads that are never interrupted: an
/// interrupt closes the file under all its users (java.nio), and H2 with it. So [#close] waits and
/// never calls `shutdownNow`. DNS queries do not run here but in
/// [org.slipstream.server.route.Lookups].
final class IoThreads implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(IoThreads.class);
    private static final long AGAIN_MILLIS = 1_000;
    /// The time of a local delivery, with its wait for a thread. A disk that answers so late has a fault.
    static final Duration LONGEST = Duration.ofMinutes(5);
    private static final int FILING = 4;
    /// Further threads for local deliveries, in place of those that hang.
    static final int MOST_SPARE = 12;

    private final ExecutorService reading;
    private final ThreadPoolExecutor filing;
    private final Duration longest;
    private final ExecutorService reporting;
    /// Their number is bounded by the connections of the transports.
    private final ExecutorService programs;
    private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, factory("io-clock"));
    private int spare;

    /// @param shard its number is part of the threads' names
    IoThreads(int shard) {
        this(shard, LONGEST);
    }

    IoThreads(int shard, Duration longest) {
        this.longest = longest;
        // A deadline of each delivery would stay for minutes.
        clock.setRemoveOnCancelPolicy(true);
        reading = pool("spool-batch-" + shard, 3);
        filing = new ThreadPoolExecutor(FILING, FILING, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
                factory("local-" + shard));
        reporting = pool("report-" + shard, 1);
        programs = Executors.newCachedThreadPool(factory("pipe-" + shard));
    }

    /// Reads of recipients and contents.
    void read(Runnable task) {
        submit(reading, task);
    }

    /// Local deliveries (ZM-18). Each has one answer: that of the task, or `late` when it has none in time.
    ///
    /// A disk that hangs keeps its thread, because a thread that uses files is never interrupted. Another thread takes
    /// its place, up to [#MOST_SPARE], so other mailboxes get their mail. A task whose time ends while it waits for a
    /// thread does not start.
    <T> void file(Supplier<T> task, Supplier<T> late, Consumer<T> answer) {
        FiledTask<T> filed = new FiledTask<>(task, late, answer);
        try {
            ScheduledFuture<?> deadline = clock.schedule(filed::isLate, longest.toMillis(), TimeUnit.MILLISECONDS);
            submit(filing, () -> {
                filed.run();
                deadline.cancel(false);
            });
        } catch (RejectedExecutionException stopping) {
            log.debug("event=task-dropped reason=\"stopping\"");
        }
    }

    private final class FiledTask<T> {
        private final Supplier<T> task;
        private final Supplier<T> late;
        private final Consumer<T> answer;
        private boolean started;
        private boolean answered;

        FiledTask(Supplier<T> task, Supplier<T> late, Consumer<T> answer) {
            this.task = task;
            this.late = late;
            this.answer = answer;
        }

        void run() {
            if (!start()) {
                return;
            }
            T result = task.get();
            if (end()) {
                answer.accept(result);
            } else {
                threadsMore(-1);
            }
        }

        void isLate() {
            if (end()) {
                if (hasStarted()) {
                    threadsMore(1);
                }
                answer.accept(late.get());
            }
        }

        private synchronized boolean start() {
            started = true;
            return !answered;
        }

        private synchronized boolean hasStarted() {
            return started;
        }

        /// False when there is an answer already.
        private synchronized boolean end() {
            boolean first = !answered;
            answered = true;
            return first;
        }
    }

    private synchronized void threadsMore(int more) {
        spare += more;
        int threads = FILING + Math.clamp(spare, 0, MOST_SPARE);
        if (threads > filing.getMaximumPoolSize()) {
            filing.setMaximumPoolSize(threads);
            filing.setCorePoolSize(threads);
        } else {
            filing.setCorePoolSize(threads);
            filing.setMaximumPoolSize(threads);
        }
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
