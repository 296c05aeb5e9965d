package org.slipstream.smtpin.auth;

import org.junit.jupiter.api.Test;
import org.slipstream.testkit.SimulatedClock;

import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;

class GuessGuardTest {
    private final SimulatedClock clock = new SimulatedClock();
    private final GuessGuard guard = new GuessGuard(new GuessGuard.GuessSettings(Duration.ofSeconds(1),
            Duration.ofSeconds(8), 5, Duration.ofMinutes(3), Duration.ofMinutes(15)), 3, clock::nanos);

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
    void aUserWithOccasionalMistakesIsNeverBanned() {
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

    @Test
    void failuresOfAllNetworksAreCountedAndTheRecentOnesForTenMinutes() {
        for (int i = 0; i < 30; i++) {
            guard.failedMillis("n" + i);
            pass(30);
        }
        assertThat(guard.failures()).isEqualTo(30);
        assertThat(guard.recentFailures()).isBetween(18L, 20L);
        pass(5 * 60);
        assertThat(guard.recentFailures()).isBetween(8L, 10L);
        pass(3_600);
        assertThat(guard.recentFailures()).isZero();
        assertThat(guard.failures()).isEqualTo(30);
    }

    private void pass(long seconds) {
        clock.advance(Duration.ofSeconds(seconds));
    }
}
