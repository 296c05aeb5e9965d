package org.slipstream.monitor;

import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/// A histogram with a series for each of the busiest groups, and one for all others.
///
/// Names of groups come from strangers, so their number is bounded twice: [#MOST_COUNTED] names are
/// counted, and the busiest of them have a series. Once a minute the counts are halved, and a name
/// that is twice as busy as the least busy of the series takes its place. So a flood of new names, each
/// with one value, takes no series.
///
/// The child of the histogram is looked up once for each series, and an observation costs a lookup in
/// two maps and the observation itself.
public final class GroupedHistogram {
    /// The label of all groups without a series.
    public static final String OTHERS = "(others)";
    static final int MOST_COUNTED = 1_000;
    static final long ELECTION_NANOS = 60_000_000_000L;

    private final Histogram histogram;
    private final int most;
    private final LongSupplier nanos;
    private final DistributionDataPoint others;
    private final Map<String, DistributionDataPoint> series = new HashMap<>();
    private final Map<String, Count> counts = new LinkedHashMap<>();
    private long electedNanos;

    private static final class Count {
        private long value;
    }

    /// @param label the name of the label
    /// @param bounds the upper bounds of the buckets, without the infinite one
    /// @param most series besides the others
    /// @param nanos a clock for the elections
    public GroupedHistogram(String name, String help, String label, double[] bounds, int most, LongSupplier nanos) {
        this.histogram = Histogram.builder().name(name).help(help).labelNames(label).classicOnly()
                .classicUpperBounds(bounds).withoutExemplars().build();
        this.most = most;
        this.nanos = nanos;
        this.others = histogram.labelValues(OTHERS);
        this.electedNanos = nanos.getAsLong();
    }

    /// Any thread.
    public synchronized void observe(String group, double value) {
        String name = MetricFamilies.bounded(group);
        count(name);
        series.getOrDefault(name, others).observe(value);
    }

    private void count(String name) {
        Count count = counts.get(name);
        if (count == null && counts.size() < MOST_COUNTED) {
            count = new Count();
            counts.put(name, count);
        }
        if (count != null) {
            count.value++;
        }
        if (series.size() < most && count != null && !series.containsKey(name) && !name.equals(OTHERS)) {
            begin(name);
        }
        long now = nanos.getAsLong();
        if (now - electedNanos >= ELECTION_NANOS) {
            electedNanos = now;
            elect();
        }
    }

    private void begin(String name) {
        series.put(name, histogram.labelValues(name));
    }

    private void elect() {
        List<String> challengers = counts.keySet().stream().filter(name -> !series.containsKey(name))
                .filter(name -> !name.equals(OTHERS))
                .sorted((one, other) -> Long.compare(counted(other), counted(one))).limit(most).toList();
        for (String challenger : challengers) {
            String weakest = series.keySet().stream().min((one, other) -> Long.compare(counted(one), counted(other)))
                    .orElseThrow();
            if (counted(challenger) <= 2 * counted(weakest) || counted(challenger) < 2) {
                break;
            }
            series.remove(weakest);
            histogram.remove(weakest);
            begin(challenger);
        }
        counts.values().forEach(each -> each.value /= 2);
        counts.values().removeIf(each -> each.value == 0);
    }

    private long counted(String name) {
        Count count = counts.get(name);
        return count == null ? 0 : count.value;
    }

    synchronized HistogramSnapshot collect() {
        return histogram.collect();
    }
}
