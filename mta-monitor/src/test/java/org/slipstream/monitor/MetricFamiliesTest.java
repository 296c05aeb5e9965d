package org.slipstream.monitor;

import org.junit.jupiter.api.Test;
import org.slipstream.monitor.MetricFamilies.TextFormat;

import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;

class MetricFamiliesTest {
    private final MetricFamilies families = new MetricFamilies();

    @Test
    void aFamilyHasItsMeaningItsTypeAndItsSeries() {
        families.counter("mta_received_messages_total", "Messages that were accepted.", 12);
        families.gauges("mta_window", "Windows.",
                series -> series.add(5, "transport", "smtp", "destination", "a.example"));
        families.histograms("mta_groups", "Groups.",
                all -> all.add(new double[]{1, Double.POSITIVE_INFINITY}, new long[]{2, 3}, 17, "shard", "1"));
        assertThat(families.text()).isEqualTo("""
                # HELP mta_groups Groups.
                # TYPE mta_groups histogram
                mta_groups_bucket{shard="1",le="1.0"} 2
                mta_groups_bucket{shard="1",le="+Inf"} 5
                mta_groups_count{shard="1"} 5
                mta_groups_sum{shard="1"} 17.0
                # HELP mta_received_messages_total Messages that were accepted.
                # TYPE mta_received_messages_total counter
                mta_received_messages_total 12.0
                # HELP mta_window Windows.
                # TYPE mta_window gauge
                mta_window{destination="a.example",transport="smtp"} 5.0
                """);
    }

    @Test
    void aFamilyWithoutSeriesIsLeftOut() {
        families.gauges("mta_window", "Windows.", _ -> {});
        assertThat(families.text()).isEmpty();
    }

    @Test
    void aLabelOfAStrangerIsEscapedAndHasABound() {
        families.gauges("mta_window", "Windows.", series -> {
            series.add(1, "destination", "a\"} 1\nmta_forged 7\\");
            series.add(2, "destination", "x".repeat(MetricFamilies.LONGEST_LABEL + 1));
        });
        assertThat(families.text().lines()).contains("mta_window{destination=\"a\\\"} 1\\nmta_forged 7\\\\\"} 1.0",
                "mta_window{destination=\"" + "x".repeat(MetricFamilies.LONGEST_LABEL) + "\"} 2.0")
                .noneMatch(line -> line.startsWith("mta_forged"));
    }

    @Test
    void aClientThatNamesOpenMetricsGetsIt() {
        families.counter("mta_received_messages_total", "Messages.", 12);
        assertThat(TextFormat.of("")).isEqualTo(TextFormat.PROMETHEUS);
        assertThat(TextFormat.of("text/plain")).isEqualTo(TextFormat.PROMETHEUS);
        TextFormat format = TextFormat.of("application/openmetrics-text;version=1.0.0;q=0.7,text/plain;q=0.3");
        assertThat(format.contentType()).startsWith("application/openmetrics-text");
        assertThat(new String(families.octets(format), StandardCharsets.UTF_8)).isEqualTo("""
                # TYPE mta_received_messages counter
                # HELP mta_received_messages Messages.
                mta_received_messages_total 12.0
                # EOF
                """);
    }
}
