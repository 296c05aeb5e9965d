package org.slipstream.bench.load.sustain;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/// Three threads beside the server that measure the machine. One waits for the clock, one syncs a
/// small file on the disk of the spool, one reads how long threads of the server were ready to run
/// and had no processor. A slow sync beside a slow sync of the server means that the disk was slow
/// for both.
final class MachineProbe implements AutoCloseable {
    private static final long CLOCK_STEP_NANOS = 5_000_000;
    private static final long DISK_STEP_NANOS = 50_000_000;
    private static final long DELAY_STEP_NANOS = 100_000_000;
    private static final long NOTABLE_NANOS = 20_000_000;

    private final Path server;
    private final Queue<Evidence> found;
    private final FileChannel file;
    private final List<Thread> threads;
    private volatile boolean over;

    MachineProbe(long serverPid, Path folder, Queue<Evidence> found) throws IOException {
        server = Path.of("/proc/" + serverPid + "/task");
        this.found = found;
        file = FileChannel.open(folder.resolve("disk-probe"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        threads = List.of(Thread.ofPlatform().daemon().name("clock-probe").start(this::watchClock),
                Thread.ofPlatform().daemon().name("disk-probe").start(this::watchDisk),
                Thread.ofPlatform().daemon().name("delay-probe").start(this::watchDelays));
    }

    private void watchClock() {
        while (!over) {
            long due = System.nanoTime() + CLOCK_STEP_NANOS;
            LockSupport.parkNanos(CLOCK_STEP_NANOS);
            record(due, "machine: a thread of the bench waits for a processor");
        }
    }

    private void watchDisk() {
        try {
            while (!over) {
                LockSupport.parkNanos(DISK_STEP_NANOS);
                long start = System.nanoTime();
                file.write(ByteBuffer.allocate(4_096), 0);
                file.force(false);
                record(start, "machine: sync of a file beside the spool");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void watchDelays() {
        Map<Path, Long> before = delays();
        while (!over) {
            LockSupport.parkNanos(DELAY_STEP_NANOS);
            Map<Path, Long> now = delays();
            long at = System.nanoTime();
            for (Map.Entry<Path, Long> each : now.entrySet()) {
                long delay = each.getValue() - before.getOrDefault(each.getKey(), each.getValue());
                if (delay > NOTABLE_NANOS) {
                    found.add(new Evidence(at - Math.min(delay, DELAY_STEP_NANOS), at,
                            "machine: server's " + name(each.getKey()) + " waits for a processor"));
                }
            }
            before = now;
        }
    }

    /// Nanoseconds in the queue of a processor since it began, of each thread of the server
    /// (proc-schedstats).
    private Map<Path, Long> delays() {
        Map<Path, Long> delays = new HashMap<>();
        try (Stream<Path> tasks = Files.list(server)) {
            tasks.forEach(task -> read(task, "schedstat").ifPresent(
                    stat -> delays.put(task, Long.parseLong(stat.split(" ")[1]))));
        } catch (IOException gone) {
            // The server has ended.
        }
        return delays;
    }

    private static String name(Path task) {
        return read(task, "comm").orElse("thread").replaceAll("[0-9]+", "N");
    }

    /// Nothing when the thread has ended.
    private static Optional<String> read(Path task, String file) {
        try {
            return Optional.of(Files.readString(task.resolve(file)).strip());
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    private void record(long from, String what) {
        long now = System.nanoTime();
        if (now - from > NOTABLE_NANOS) {
            found.add(new Evidence(from, now, what));
        }
    }

    @Override
    public void close() throws IOException {
        over = true;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        file.close();
    }
}
