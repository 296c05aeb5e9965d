package org.slipstream.bench.load.sustain;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/// One line a second in a file: the counts of the clients and of the sink, the sizes of the spool's
/// files, and the pressure on processors and disk (`/proc/pressure`). It has a thread of its own.
final class EverySecond implements AutoCloseable {
    private static final long SECOND_NANOS = 1_000_000_000;
    private static final Path PRESSURE = Path.of("/proc/pressure");

    private final Path spool;
    private final Ledger ledger;
    private final PrintStream out;
    private final List<Double> index = new ArrayList<>();
    private final Thread thread;
    private volatile boolean over;

    EverySecond(Path home, Ledger ledger) throws IOException {
        spool = home.resolve("spool");
        this.ledger = ledger;
        out = new PrintStream(home.resolve("every-second.csv").toFile());
        thread = Thread.ofPlatform().daemon().name("every-second").start(this::watch);
    }

    private record Moment(long arrived, long cpuMicros, long diskMicros) {}

    private void watch() {
        out.println("second,arrived,missing,index MiB,segments MiB,processor pressure %,disk pressure %");
        try {
            Moment before = now();
            long start = System.nanoTime();
            for (int second = 1; !over; second++) {
                LockSupport.parkNanos(start + second * SECOND_NANOS - System.nanoTime());
                Moment now = now();
                line(second, before, now);
                before = now;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Moment now() throws IOException {
        return new Moment(ledger.arrivals(), pressureMicros("cpu"), pressureMicros("io"));
    }

    private void line(int second, Moment before, Moment now) throws IOException {
        double size = Watched.mebibytes(spool, ".mv.db");
        index.add(size);
        out.printf(Locale.ROOT, "%d,%d,%d,%.2f,%.1f,%.0f,%.0f%n", second, now.arrived - before.arrived,
                ledger.balance().missing(), size, Watched.mebibytes(spool, ".segment"),
                (now.cpuMicros - before.cpuMicros) / 1e4, (now.diskMicros - before.diskMicros) / 1e4);
        out.flush();
    }

    /// Time in which at least one thread of the machine waited for it; empty where the kernel does
    /// not report it.
    private static long pressureMicros(String resource) throws IOException {
        Path file = PRESSURE.resolve(resource);
        return Files.isReadable(file)
                ? Long.parseLong(Files.readAllLines(file).getFirst().replaceAll(".*total=", ""))
                : 0;
    }

    /// The size of the index's file, a figure every ten seconds.
    void report(PrintStream to) {
        to.println("\nindex, MiB, every ten seconds:");
        for (int i = 0; i < index.size(); i += 10) {
            to.printf(Locale.ROOT, "%.1f ", index.get(i));
        }
        to.println();
    }

    @Override
    public void close() {
        over = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        out.close();
    }
}
