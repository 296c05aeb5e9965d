package org.slipstream.smtpout.source;

import org.junit.jupiter.api.Test;

import java.time.LocalDate;
import java.util.List;
import java.util.OptionalInt;

import static org.assertj.core.api.Assertions.assertThat;

/// The schedule of a new address.
class WarmUpTest {
    private final WarmUp schedule = new WarmUp(LocalDate.of(2026, 12, 1), List.of(50, 100, 200));

    @Test
    void nothingBeforeTheFirstDayThenADayAfterTheOtherAndNoLimitBehindTheLast() {
        assertThat(schedule.limit(LocalDate.of(2026, 11, 30))).hasValue(0);
        assertThat(schedule.limit(LocalDate.of(2026, 12, 1))).hasValue(50);
        assertThat(schedule.limit(LocalDate.of(2026, 12, 3))).hasValue(200);
        assertThat(schedule.day(LocalDate.of(2026, 12, 3))).isEqualTo(3);
        assertThat(schedule.limit(LocalDate.of(2026, 12, 4))).isEqualTo(OptionalInt.empty());
    }

    @Test
    void aClockFarAwayIsNoFailure() {
        assertThat(schedule.limit(LocalDate.of(-900_000_000, 1, 1))).hasValue(0);
        assertThat(schedule.limit(LocalDate.MAX)).isEmpty();
    }
}
