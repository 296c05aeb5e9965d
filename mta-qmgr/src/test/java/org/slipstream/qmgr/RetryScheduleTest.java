package org.slipstream.qmgr;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settle.RetrySchedule;

import static org.assertj.core.api.Assertions.assertThat;

class RetryScheduleTest {
    private final RetrySchedule schedule = new RetrySchedule(QmgrConfig.defaults());

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
