package org.slipstream.spool.work;

import org.slipstream.spool.SpoolFigures;
import org.slipstream.spool.SpoolFigures.Distribution;
import org.slipstream.spool.SpoolFigures.LogPlace;
import org.slipstream.spool.log.Position;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Counts the syncs of the log. Written by the log thread, once for each group; read by any thread.
final class LogFigures {
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Buckets sizes = new Buckets(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024);
    private final Buckets seconds = new Buckets(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5,
            10);
    private long newMessages;

    private static final class Buckets {
        private final double[] bounds;
        private final long[] counts;
        private double sum;

        Buckets(double... bounds) {
            this.bounds = bounds;
            this.counts = new long[bounds.length + 1];
        }

        void add(double value) {
            int bucket = 0;
            while (bucket < bounds.length && value > bounds[bucket]) {
                bucket++;
            }
            counts[bucket]++;
            sum += value;
        }

        Distribution distribution() {
            List<Double> limits = new ArrayList<>(bounds.length);
            for (double bound : bounds) {
                limits.add(bound);
            }
            List<Long> values = new ArrayList<>(counts.length);
            for (long count : counts) {
                values.add(count);
            }
            return new Distribution(limits, values, sum);
        }
    }

    synchronized void synced(int records, int messages, long nanos) {
        sizes.add(records);
        seconds.add(nanos / NANOS);
        newMessages += messages;
    }

    synchronized SpoolFigures with(Tail tail) {
        return new SpoolFigures(sizes.distribution(), seconds.distribution(), newMessages, tail.size(), tail.filled(),
                place(tail.end()), place(tail.position()));
    }

    private static LogPlace place(Position position) {
        return new LogPlace(position.segment(), position.offset());
    }
}
