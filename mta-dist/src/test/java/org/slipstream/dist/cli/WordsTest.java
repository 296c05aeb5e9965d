package org.slipstream.dist.cli;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;

import static org.assertj.core.api.Assertions.assertThat;

class WordsTest {
    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

    @Test
    void sizesFitIntoAColumn() {
        assertThat(Words.size(999)).isEqualTo("999B");
        assertThat(Words.size(1000)).isEqualTo("1.0K");
        assertThat(Words.size(26_214_400)).isEqualTo("25.0M");
        assertThat(Words.size(5L << 40)).isEqualTo("5.0T");
    }

    @Test
    void spansAreToldInTheirTwoLargestUnits() {
        assertThat(Words.span(Duration.ofSeconds(59))).isEqualTo("59s");
        assertThat(Words.span(Duration.ofSeconds(300))).isEqualTo("5m");
        assertThat(Words.span(Duration.ofSeconds(3 * 3600 + 12 * 60 + 5))).isEqualTo("3h12m");
        assertThat(Words.span(Duration.ofDays(5).plusHours(1))).isEqualTo("5d1h");
        assertThat(Words.span(Duration.ofSeconds(-5))).as("clocks differ").isEqualTo("0s");
    }

    @Test
    void timesAreToldFromNow() {
        assertThat(Words.until("2026-11-21T12:05:00Z", NOW)).isEqualTo("in 5m");
        assertThat(Words.until("2026-11-21T11:05:00Z", NOW)).isEqualTo("now");
        assertThat(Words.until("", NOW)).isEqualTo("-");
        assertThat(Words.age("2026-11-21T11:00:00Z", NOW)).isEqualTo("1h");
        assertThat(Words.age("some time", NOW)).isEqualTo("some time");
    }
}
