package org.slipstream.console;

import org.slipstream.picture.LivePictures.Curve;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// The flow of mail in memory: 15 minutes by second and 24 hours by minute. Longer times belong to a
/// monitoring system.
final class FlowHistory {
    private static final int SECONDS = 900;
    private static final int MINUTES = 1_440;
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Asking asking;
    private final List<Flow> flows = List.of(new Flow("accepted", "mtaReceivedMessages"),
            new Flow("delivered", "mtaTransmittedMessages"));
    private Map<String, Long> before = Map.of();
    private long beforeNanos;

    /// One curve.
    ///
    /// @param counter of the server
    private record Flow(String name, String counter, Ring bySecond, Ring byMinute) {
        Flow(String name, String counter) {
            this(name, counter, new Ring(SECONDS), new Ring(MINUTES));
        }
    }

    /// The latest values, by slot.
    private static final class Ring {
        final double[] values;
        long slot = Long.MIN_VALUE;

        Ring(int size) {
            this.values = new double[size];
        }

        /// @param at a slot; grows
        void add(long at, double value) {
            if (slot == Long.MIN_VALUE) {
                slot = at;
            }
            for (; slot < at; slot++) {
                values[index(slot + 1)] = 0;
            }
            values[index(at)] += value;
        }

        // The clock of the process may begin anywhere, below 0 as well.
        private int index(long at) {
            return Math.floorMod(at, values.length);
        }

        double[] inOrder() {
            double[] all = new double[values.length];
            for (int i = 0; i < all.length; i++) {
                all[i] = values[index(slot + 1 + i)];
            }
            return all;
        }
    }

    FlowHistory(Asking asking) {
        this.asking = asking;
    }

    /// The counters of this moment.
    void look() {
        add(asking.counters(), System.nanoTime());
    }

    synchronized void add(Map<String, Long> counters, long nowNanos) {
        if (!before.isEmpty()) {
            long from = Math.floorDiv(beforeNanos, SECOND_NANOS);
            long to = Math.max(from + 1, Math.floorDiv(nowNanos, SECOND_NANOS));
            for (Flow flow : flows) {
                long count = Math.max(0,
                        counters.getOrDefault(flow.counter(), 0L) - before.getOrDefault(flow.counter(), 0L));
                long first = Math.max(from + 1, to - SECONDS + 1);
                for (long second = first; second <= to; second++) {
                    flow.bySecond().add(second, (double) count / (to - first + 1));
                    flow.byMinute().add(Math.floorDiv(second, 60), (double) count / (to - first + 1));
                }
            }
        }
        before = counters;
        beforeNanos = nowNanos;
    }

    synchronized List<Curve> seconds() {
        return flows.stream().map(flow -> new Curve(flow.name(), flow.bySecond().inOrder())).toList();
    }

    synchronized List<Curve> minutes() {
        return flows.stream().map(flow -> new Curve(flow.name(), flow.byMinute().inOrder())).toList();
    }
}
