package org.slipstream.qmgr;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class RetryScheduleTest {
    private final RetrySchedule schedule = new RetrySchedule(QmgrConfig.defaults());

    @ParameterizedTest
    @Tag("PF-29")
    @CsvSource({"0, 300000", "299999, 300000", "300000, 300000", "1200000, 1200000", "4000000, 4000000",
            "9000000, 4000000"})
    void theNextAttemptComesAfterAsLongAsTheMessageHasExisted(long age, long gap) {
        assertThat(schedule.nextAttemptMillis(1_000, 1_000 + age)).isEqualTo(1_000 + age + gap);
    }

    @Test
    void aClockThatWasSetBackMeansTheMinimalBackoff() {
        assertThat(schedule.nextAttemptMillis(5_000_000, 1_000)).isEqualTo(301_000);
    }

    @Test
    void aBounceLifetimeAboveTheLifetimeIsLoweredToIt() {
        RetrySchedule odd = new RetrySchedule(Settings.of(s -> s.lifetime(1_000, 2_000)));
        assertThat(odd.isExpired(true, true, 0, 999)).isFalse();
        assertThat(odd.isExpired(true, true, 0, 1_000)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"0, 0s", "999, 0s", "45000, 45s", "60000, 1m", "7980000, 2h 13m", "432000000, 5d", "432059000, 5d",
            "435600000, 5d 1h"})
    void agesAreReadable(long millis, String text) {
        assertThat(RetrySchedule.duration(millis)).isEqualTo(text);
    }
}
