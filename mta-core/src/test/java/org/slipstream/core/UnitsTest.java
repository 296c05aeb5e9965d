package org.slipstream.core;

import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class UnitsTest {
    @Test
    void timesAndSizesAreReadAsPeopleWriteThem() {
        assertThat(Units.DURATIONS.parse("250ms")).hasValue(250L);
        assertThat(Units.DURATIONS.parse("5m")).hasValue(300_000L);
        assertThat(Units.DURATIONS.parse("5 d")).hasValue(432_000_000L);
        assertThat(Units.DURATIONS.parse("5")).isEmpty();
        assertThat(Units.SIZES.parse("128KiB")).hasValue(131_072L);
        assertThat(Units.SIZES.parse("64MB")).hasValue(64_000_000L);
        assertThat(Units.SIZES.parse("1gib")).hasValue(1L << 30);
        assertThat(Units.SIZES.parse("77")).hasValue(77L);
        for (String none : List.of("", "-5", "1.5MiB", "MiB", "5 parsecs", "9999999999999999TiB")) {
            assertThat(Units.SIZES.parse(none)).as(none).isEmpty();
        }
    }

    @Test
    void amountsAreWrittenInTheLargestUnitThatFits() {
        assertThat(Units.DURATIONS.write(4_000_000)).isEqualTo("4000s");
        assertThat(Units.DURATIONS.write(86_400_000)).isEqualTo("1d");
        assertThat(Units.SIZES.write(65_536)).isEqualTo("64KiB");
        assertThat(Units.SIZES.write(1_000)).isEqualTo("1KB");
        assertThat(Units.SIZES.write(77)).isEqualTo("77");
    }
}
