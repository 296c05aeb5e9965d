package org.slipstream.testkit;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;

import static org.assertj.core.api.Assertions.assertThat;

class SimulatedClockTest {
    private final SimulatedClock clock = new SimulatedClock();

    @Test
    void timeStandsStillUntilItIsMoved() {
        assertThat(clock.instant()).isEqualTo(SimulatedClock.BEGINNING);
        assertThat(clock.millis()).isEqualTo(SimulatedClock.BEGINNING.toEpochMilli());
        long before = clock.nanos();
        assertThat(clock.nanos()).isEqualTo(before);
        clock.advance(Duration.ofNanos(1_500_000_000));
        assertThat(clock.nanos() - before).isEqualTo(1_500_000_000);
        assertThat(clock.instant()).isEqualTo(SimulatedClock.BEGINNING.plusMillis(1_500));
        clock.advanceMillis(500);
        assertThat(clock.millis()).isEqualTo(SimulatedClock.BEGINNING.toEpochMilli() + 2_000);
        assertThat(clock.nanos() - before).isEqualTo(2_000_000_000);
    }

    @Test
    void theMonotonicClockOverflowsAtOnce() {
        long before = clock.nanos();
        clock.advanceMillis(1);
        assertThat(clock.nanos()).isNegative();
        assertThat(clock.nanos() - before).isEqualTo(1_000_000);
    }

    @Test
    void onlyTheWallClockCanBeSetBack() {
        SimulatedClock noon = new SimulatedClock(Instant.parse("2026-11-21T12:00:00Z"));
        long before = noon.nanos();
        noon.setBack(Duration.ofHours(1));
        assertThat(noon.instant()).isEqualTo("2026-11-21T11:00:00Z");
        assertThat(noon.nanos()).isEqualTo(before);
    }
}
