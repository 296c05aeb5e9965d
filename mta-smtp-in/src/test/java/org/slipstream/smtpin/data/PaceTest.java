package org.slipstream.smtpin.data;

import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

class PaceTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private final Pace pace = new Pace(500, 60 * SECOND);

    @Test
    void aClientMaySayNothingForAMinute() {
        assertThat(pace.timeoutNanos()).isEqualTo(60 * SECOND);
        pace.waited(59 * SECOND, 0);
        assertThat(pace.timeoutNanos()).isEqualTo(SECOND);
    }

    @Test
    void aClientAtTheRateGoesOnForEver() {
        for (int i = 0; i < 10_000; i++) {
            pace.waited(10 * SECOND, 5000);
        }
        assertThat(pace.timeoutNanos()).isEqualTo(60 * SECOND);
    }

    @Test
    void aClientAtHalfTheRateIsCutAfterTwoMinutes() {
        int seconds = 0;
        while (pace.timeoutNanos() > 0) {
            pace.waited(SECOND, 250);
            seconds++;
        }
        assertThat(seconds).isEqualTo(120);
    }

    @Test
    void noClientSavesMoreThanTheStart() {
        pace.waited(0, 1 << 30);
        assertThat(pace.timeoutNanos()).isEqualTo(60 * SECOND);
    }

    @Test
    void withoutARateOnlySilenceIsCut() {
        Pace free = new Pace(0, 60 * SECOND);
        free.waited(59 * SECOND, 1);
        assertThat(free.timeoutNanos()).isEqualTo(60 * SECOND);
        free.waited(60 * SECOND, 0);
        assertThat(free.timeoutNanos()).isZero();
    }
}
