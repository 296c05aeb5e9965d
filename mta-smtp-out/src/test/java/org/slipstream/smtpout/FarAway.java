package org.slipstream.smtpout;

import org.slipstream.core.DataSize;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.testkit.LatencyProxy;
import org.slipstream.testkit.SmtpSink;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/// Messages per second on one connection to a peer that is far away, with and without writing
/// ahead: the table in `docs/performance.md`. Run without arguments, or with `seconds-per-figure`.
final class FarAway implements CarrierEvents {
    private static final int[] ROUND_TRIPS_MILLIS = {0, 20, 100};
    private static final int BYTES = 4096;
    /// As long as it takes until the depth has settled.
    private static final double WARM_UP = 0.5;

    /// A mode of the connection.
    enum Way {
        ONE_BY_ONE("every command awaited", 1), DATA("PIPELINING, one message at a time", 1,
                "PIPELINING"), DATA_AHEAD("PIPELINING, written ahead", 50, "PIPELINING"), BDAT(
                        "PIPELINING and CHUNKING, one message at a time", 1, "PIPELINING",
                        "CHUNKING"), BDAT_AHEAD("PIPELINING and CHUNKING, written ahead", 50, "PIPELINING", "CHUNKING");

        private final String words;
        private final int ahead;
        private final String[] extensions;

        Way(String words, int ahead, String... extensions) {
            this.words = words;
            this.ahead = ahead;
            this.extensions = extensions;
        }
    }

    private final AtomicLong numbers = new AtomicLong();
    private final AtomicInteger delivered = new AtomicInteger();
    private final AtomicInteger trouble = new AtomicInteger();
    private final AtomicInteger underWay = new AtomicInteger();
    private volatile int depth = 1;
    private volatile int deepest = 1;
    private volatile boolean over;
    private volatile Runnable one = () -> {};

    public static void main(String[] args) throws IOException {
        double seconds = args.length > 0 ? Double.parseDouble(args[0]) : 10;
        System.out.printf(Locale.ROOT, "%d bytes per message, %.0f s per figure, load %.1f on %d processors%n%n", BYTES,
                seconds, ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(),
                Runtime.getRuntime().availableProcessors());
        System.out.println("| | 0 ms | 20 ms | 100 ms |\n|---|---|---|---|");
        for (Way way : Way.values()) {
            StringBuilder row = new StringBuilder("| " + way.words);
            for (int roundTrip : ROUND_TRIPS_MILLIS) {
                FarAway run = new FarAway();
                double rate = run.perSecond(way, roundTrip, seconds);
                row.append(String.format(Locale.ROOT, rate < 100 ? " | %.1f" : " | %.0f", rate));
                if (way.ahead > 1) {
                    row.append(" (depth ").append(run.deepest).append(')');
                }
                if (run.trouble.get() > 0) {
                    row.append(" !").append(run.trouble.get());
                }
            }
            System.out.println(row.append(" |"));
        }
    }

    /// Messages per second on one connection.
    double perSecond(Way way, int roundTripMillis, double seconds) throws IOException {
        try (SmtpSink sink = SmtpSink.start(Post.accepting(way.extensions).countsOnly());
                LatencyProxy far = new LatencyProxy(sink.port(), Duration.ofMillis(roundTripMillis));
                Carriers carriers = Post.carriers(
                        Post.patient().with(new ClientConfig.Ahead(1, way.ahead, DataSize.ofMebibytes(4))), this)) {
            String text = ("x".repeat(70) + "\r\n").repeat(BYTES / 72);
            one = () -> Post.deliver(carriers, 1, Post.transfer(numbers.incrementAndGet(), Post.content(text)));
            carriers.open(1, new Route.Smtp("far", List.of(new Route.Host("127.0.0.1", far.port(), 0))), false);
            pause(seconds * WARM_UP + 6 * roundTripMillis / 1000.0);
            int before = sink.count();
            long start = System.nanoTime();
            pause(seconds);
            double rate = (sink.count() - before) / ((System.nanoTime() - start) / 1e9);
            over = true;
            return rate;
        }
    }

    int delivered() {
        return delivered.get();
    }

    int trouble() {
        return trouble.get();
    }

    int deepest() {
        return deepest;
    }

    private static void pause(double seconds) {
        long end = System.nanoTime() + (long) (seconds * 1e9);
        while (System.nanoTime() < end) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }

    /// As many as the depth of the connection. On its own thread, so one at a time.
    private void fill() {
        while (!over && underWay.get() < depth) {
            underWay.incrementAndGet();
            one.run();
        }
    }

    @Override
    public void ready(long connection) {
        fill();
    }

    @Override
    public void depth(long connection, int deliveries) {
        depth = deliveries;
        deepest = Math.max(deepest, deliveries);
        fill();
    }

    @Override
    public void done(DeliveryResult result) {
        underWay.decrementAndGet();
        if (result instanceof DeliveryResult.Answered answered
                && answered.outcomes().getFirst().outcome() instanceof Outcome.Delivered) {
            delivered.incrementAndGet();
        } else {
            countTrouble();
        }
        fill();
    }

    @Override
    public void failed(long connection, Reply reason, String remote, boolean ours, OptionalLong retryAfterMillis,
            Optional<QueuePhase.Code> phase) {
        countTrouble();
    }

    @Override
    public void pipelinesBadly(long connection, String what) {
        countTrouble();
    }

    @Override
    public void lost(long connection, String reason) {
        countTrouble();
    }

    /// The end of a run may interrupt anything.
    private void countTrouble() {
        if (!over) {
            trouble.incrementAndGet();
        }
    }
}
