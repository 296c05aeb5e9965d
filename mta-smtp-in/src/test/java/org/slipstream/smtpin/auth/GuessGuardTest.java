package org.slipstream.smtpin.auth;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

class GuessGuardTest {
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000_000);
    private final GuessGuard guard = new GuessGuard(
            new GuessGuard.Settings(Duration.ofSeconds(1), Duration.ofSeconds(8), 5,
                    Duration.ofMinutes(3), Duration.ofMinutes(15)),
            3,
            now::get);

    @Test
    void eachFailureCostsMoreTime() {
        assertThat(guard.failedMillis("n")).isEqualTo(1_000);
        assertThat(guard.failedMillis("n")).isEqualTo(2_000);
        assertThat(guard.failedMillis("n")).isEqualTo(4_000);
        assertThat(guard.failedMillis("n")).isEqualTo(8_000);
        assertThat(guard.isBanned("n")).isFalse();
        assertThat(guard.failedMillis("n")).isEqualTo(8_000);
        assertThat(guard.isBanned("n")).isTrue();
        assertThat(guard.isBanned("other")).isFalse();
    }

    @Test
    void aBanEndsAndFailuresAreForgotten() {
        for (int i = 0; i < 5; i++) {
            guard.failedMillis("n");
        }
        pass(899);
        assertThat(guard.isBanned("n")).isTrue();
        pass(2);
        assertThat(guard.isBanned("n")).isFalse();
        assertThat(guard.failedMillis("n")).as("all five are forgotten after a quarter of an hour").isEqualTo(1_000);
    }

    @Test
    void whoMistypesNowAndThenIsNeverBanned() {
        for (int i = 0; i < 1_000; i++) {
            guard.failedMillis("n");
            pass(180);
            assertThat(guard.isBanned("n")).isFalse();
        }
    }

    @Test
    void memoryIsBounded() {
        for (int i = 0; i < 1_000; i++) {
            guard.failedMillis("n" + i);
        }
        assertThat(guard.size()).isEqualTo(3);
    }

    private void pass(long seconds) {
        now.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }
}
