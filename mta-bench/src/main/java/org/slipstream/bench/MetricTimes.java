package org.slipstream.bench;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import org.slipstream.monitor.GroupedHistogram;
import org.slipstream.monitor.MetricFamilies;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/// Measures the metrics on the way of a message: the histogram of the time in the queue, and the counters beside
/// it. `message` is all of a message with one recipient. Half of the domains have a series.
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = {"-XX:+UseParallelGC", "-XX:+UseCompactObjectHeaders", "-Xms256m", "-Xmx256m"})
public class MetricTimes {
    private static final int DOMAINS = 40;
    private static final int COUNTERS = 5;

    private final GroupedHistogram histogram = new GroupedHistogram("mta_time_in_queue_seconds", "Time.",
            "destination", new double[]{0.1, 0.5, 1, 5, 30, 60, 300, 900, 3_600, 14_400, 86_400, 432_000}, 20,
            System::nanoTime);
    private final LongAdder[] counters = new LongAdder[COUNTERS];
    private final String[] domains = new String[DOMAINS];

    public MetricTimes() {
        for (int i = 0; i < DOMAINS; i++) {
            domains[i] = "destination-" + i + ".example";
        }
        for (int i = 0; i < COUNTERS; i++) {
            counters[i] = new LongAdder();
        }
    }

    /// The next message of a thread.
    @State(Scope.Thread)
    public static class NextMessage {
        private int number;

        int next() {
            number = (number + 1) % DOMAINS;
            return number;
        }
    }

    @Benchmark
    public void histogram(NextMessage next) {
        int number = next.next();
        histogram.observe(domains[number], number);
    }

    @Benchmark
    public void message(NextMessage next) {
        histogram(next);
        for (LongAdder each : counters) {
            each.increment();
        }
    }

    @Benchmark
    @Threads(2)
    public void messageOfTwoShards(NextMessage next) {
        message(next);
    }

    /// One scrape of the histogram as text.
    @Benchmark
    public String scrape() {
        MetricFamilies families = new MetricFamilies();
        families.add(histogram);
        return families.text();
    }
}
