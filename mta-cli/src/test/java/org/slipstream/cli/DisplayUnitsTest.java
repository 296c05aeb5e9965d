package org.slipstream.cli;

import org.junit.jupiter.api.Test;
import org.slipstream.cli.frame.DisplayUnits;

import java.time.Duration;
import java.time.Instant;

import static org.assertj.core.api.Assertions.assertThat;

class DisplayUnitsTest {
    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

    @Test
    void sizesFitIntoAColumn() {
        assertThat(DisplayUnits.size(999)).isEqualTo("999B");
        assertThat(DisplayUnits.size(1000)).isEqualTo("1.0K");
        assertThat(DisplayUnits.size(26_214_400)).isEqualTo("25.0M");
        assertThat(DisplayUnits.size(5L << 40)).isEqualTo("5.0T");
    }

    @Test
    void spansAreToldInTheirTwoLargestUnits() {
        assertThat(DisplayUnits.span(Duration.ofSeconds(59))).isEqualTo("59s");
        assertThat(DisplayUnits.span(Duration.ofSeconds(300))).isEqualTo("5m");
        assertThat(DisplayUnits.span(Duration.ofSeconds(3 * 3600 + 12 * 60 + 5))).isEqualTo("3h12m");
        assertThat(DisplayUnits.span(Duration.ofDays(5).plusHours(1))).isEqualTo("5d1h");
        assertThat(DisplayUnits.span(Duration.ofSeconds(-5))).as("clocks differ").isEqualTo("0s");
    }

    @Test
    void timesAreToldFromNow() {
        assertThat(DisplayUnits.until("2026-11-21T12:05:00Z", NOW)).isEqualTo("in 5m");
        assertThat(DisplayUnits.until("2026-11-21T11:05:00Z", NOW)).isEqualTo("now");
        assertThat(DisplayUnits.until("", NOW)).isEqualTo("-");
        assertThat(DisplayUnits.age("2026-11-21T11:00:00Z", NOW)).isEqualTo("1h");
        assertThat(DisplayUnits.age("some time", NOW)).isEqualTo("some time");
    }
}
