package org.slipstream.monitor;

import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/// The metrics of one scrape, read at the moment of the scrape. A family without a series is left out.
///
/// Names are those of the text, so a counter ends with `_total`.
public final class MetricFamilies {
    /// A domain name has at most 255 octets; a longer value is cut.
    static final int LONGEST_LABEL = 255;
    private static final String COUNTER = "_total";

    private final MetricSnapshots.Builder snapshots = MetricSnapshots.builder();

    /// The series of one family.
    @FunctionalInterface
    public interface Series {
        /// @param labels names and values by turns; the same names for each series of a family
        void add(double value, String... labels);
    }

    public void gauge(String name, String help, double value) {
        gauges(name, help, series -> series.add(value));
    }

    public void gauges(String name, String help, Consumer<Series> all) {
        GaugeSnapshot.Builder family = GaugeSnapshot.builder().name(name).help(help);
        all.accept((value, labels) -> family
                .dataPoint(GaugeDataPointSnapshot.builder().labels(bounded(labels)).value(value).build()));
        snapshots.metricSnapshot(family.build());
    }

    public void counter(String name, String help, double value) {
        counters(name, help, series -> series.add(value));
    }

    public void counters(String name, String help, Consumer<Series> all) {
        CounterSnapshot.Builder family = CounterSnapshot.builder().name(name.substring(0, name.lastIndexOf(COUNTER)))
                .help(help);
        all.accept((value, labels) -> family
                .dataPoint(CounterDataPointSnapshot.builder().labels(bounded(labels)).value(value).build()));
        snapshots.metricSnapshot(family.build());
    }

    /// Adds a histogram that the server counts itself.
    ///
    /// @param all gets the label of each series before its counts
    public void histograms(String name, String help, Consumer<Distributions> all) {
        HistogramSnapshot.Builder family = HistogramSnapshot.builder().name(name).help(help);
        all.accept((bounds, counts, sum, labels) -> family.dataPoint(HistogramDataPointSnapshot.builder()
                .labels(bounded(labels)).classicHistogramBuckets(ClassicHistogramBuckets.of(bounds, counts)).sum(sum)
                .build()));
        snapshots.metricSnapshot(family.build());
    }

    /// The distributions of one family.
    @FunctionalInterface
    public interface Distributions {
        /// @param bounds upper bounds of the buckets, in order; the last is infinite
        /// @param counts of the values in each bucket alone
        /// @param labels names and values by turns
        void add(double[] bounds, long[] counts, double sum, String... labels);
    }

    public void add(GroupedHistogram histogram) {
        snapshots.metricSnapshot(histogram.collect());
    }

    private static Labels bounded(String... labels) {
        String[] fitting = labels.clone();
        for (int i = 1; i < fitting.length; i += 2) {
            fitting[i] = bounded(fitting[i]);
        }
        return Labels.of(fitting);
    }

    static String bounded(String value) {
        return value.length() <= LONGEST_LABEL ? value : value.substring(0, LONGEST_LABEL);
    }

    /// The text format of Prometheus.
    public String text() {
        return write(TextFormat.PROMETHEUS).toString(StandardCharsets.UTF_8);
    }

    byte[] octets(TextFormat format) {
        return write(format).toByteArray();
    }

    private ByteArrayOutputStream write(TextFormat format) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            format.writer.write(out, snapshots.build());
        } catch (IOException inMemory) {
            throw new UncheckedIOException(inMemory);
        }
        return out;
    }

    /// A format of the text.
    enum TextFormat {
        PROMETHEUS(PrometheusTextFormatWriter.create()), OPEN_METRICS(OpenMetricsTextFormatWriter.create());

        private final ExpositionFormatWriter writer;

        TextFormat(ExpositionFormatWriter writer) {
            this.writer = writer;
        }

        /// The format that a client with this `Accept` prefers: OpenMetrics when it names it.
        static TextFormat of(String accept) {
            return OPEN_METRICS.writer.accepts(accept) ? OPEN_METRICS : PROMETHEUS;
        }

        String contentType() {
            return writer.getContentType();
        }
    }
}
