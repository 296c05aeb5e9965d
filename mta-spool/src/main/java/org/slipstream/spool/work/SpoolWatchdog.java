package org.slipstream.spool.work;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/// The thread `spool-watchdog-1`, with the number of the shard: ends the process when a write of the
/// log thread or the index thread does not return although the disk works. A process with other
/// spools goes on with them instead, whether the disk works or not ([HealthReport#hangs]).
///
/// Such a write hangs in the program and not in the disk (ADR 34 describes two faults of a database
/// that caused this). Waiting does not help. Ending the process loses nothing: no client got a 250
/// for what is not synced, and a supervisor restarts the server.
///
/// **A disk that hangs, fails or is slow is no reason.** The thread tests the disk before it
/// decides: it writes and syncs a small file beside the index. The timeout begins with the first
/// test that succeeds within [#QUICK_NANOS], and begins again after one that does not. Each write
/// that returns ends it. While the server stops, one successful test is enough.
///
/// The thread is a platform thread, because all virtual threads may be waiting for the log.
public final class SpoolWatchdog implements AutoCloseable {
    public static final long HANG_MILLIS = TimeUnit.MINUTES.toMillis(1);
    private static final int LOOKS = 6;
    private static final long QUICK_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final Logger log = LoggerFactory.getLogger(SpoolWatchdog.class);

    /// Writes to the disk and syncs.
    @FunctionalInterface
    public interface Probe {
        void write() throws IOException;

        static Probe in(Path directory) {
            Path file = directory.resolve("probe");
            return () -> {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE)) {
                    channel.write(ByteBuffer.allocate(4096));
                    channel.force(true);
                } finally {
                    Files.deleteIfExists(file);
                }
            };
        }
    }

    private final HealthReport health;
    private final BooleanSupplier stopping;
    private final Probe probe;
    private final LongSupplier nanoTime;
    private final long timeoutNanos;
    private final Runnable end;
    private final Thread thread;
    private OptionalLong write = OptionalLong.empty();
    private OptionalLong worksSince = OptionalLong.empty();

    /// @param stopping true when the server only waits for its last writes; @param end ends the
    ///     process, unless it goes on with other spools
    public SpoolWatchdog(int shard, HealthReport health, BooleanSupplier stopping, Probe probe, LongSupplier nanoTime,
            long timeoutMillis,
            Runnable end) {
        this.health = health;
        this.stopping = stopping;
        this.probe = probe;
        this.nanoTime = nanoTime;
        timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        this.end = end;
        thread = Thread.ofPlatform().daemon().name("spool-watchdog-" + shard).unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    private void run() {
        try {
            while (true) {
                TimeUnit.NANOSECONDS.sleep(timeoutNanos / LOOKS);
                look();
            }
        } catch (InterruptedException closed) {
            // The writer has ended.
        }
    }

    /// To be called [#LOOKS] times per timeout.
    void look() {
        OptionalLong running = health.runningWrite();
        if (health.isGivenUp() || running.isEmpty() || !running.equals(write)) {
            write = running;
            worksSince = OptionalLong.empty();
            return;
        }
        long begin = nanoTime.getAsLong();
        if (!diskWorks(begin)) {
            worksSince = OptionalLong.empty();
            return;
        }
        worksSince = worksSince.isPresent() ? worksSince : OptionalLong.of(begin);
        boolean overdue = stopping.getAsBoolean() || begin - worksSince.getAsLong() >= timeoutNanos;
        if (overdue && health.runningWrite().equals(write)) {
            tell(begin - write.getAsLong());
            end.run();
        }
    }

    private boolean diskWorks(long begin) {
        try {
            probe.write();
            return nanoTime.getAsLong() - begin < QUICK_NANOS;
        } catch (IOException e) {
            log.debug("event=disk-test-failed error=\"{}\"", e.toString());
            return false;
        }
    }

    private static void tell(long nanos) {
        log.error(
                "event=writer-hangs seconds={} reason=\"the disk works and a write has not returned\" next=\"the process ends,"
                        + " no acknowledged message is lost, start the server again\"",
                TimeUnit.NANOSECONDS.toSeconds(nanos));
        for (Map.Entry<Thread, StackTraceElement[]> each : Thread.getAllStackTraces().entrySet()) {
            String name = each.getKey().getName();
            if (name.startsWith("spool-") || name.startsWith("H2-") || name.startsWith("MVStore")) {
                Throwable stack = new Throwable(name + " " + each.getKey().getState());
                stack.setStackTrace(each.getValue());
                log.error("event=thread-dump stack-of=\"{}\"", name, stack);
            }
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
