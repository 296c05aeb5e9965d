package org.slipstream.console;

import org.junit.jupiter.api.Test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

class RepeatedLookTest {
    @Test
    void aShortLookIsTakenEachSecondAndALongOneTakesTwoPercentOfTheTime() {
        assertThat(RepeatedLook.pauseNanos(1_000)).isEqualTo(999_999_000L);
        assertThat(RepeatedLook.pauseNanos(TimeUnit.MILLISECONDS.toNanos(100))).isEqualTo(TimeUnit.SECONDS.toNanos(5));
    }

    @Test
    void aLookThatIsRefusedIsTakenAgain() throws Exception {
        CountDownLatch looks = new CountDownLatch(2);
        try (RepeatedLook look = new RepeatedLook("test", () -> {
            looks.countDown();
            throw new RefusedException(503, "too many requests");
        })) {
            look.start();

            assertThat(looks.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }
}
