package org.slipstream.smtpout.wire;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

class WireWatchdogTest {
    private final WireWatchdog watchdog = new WireWatchdog();
    private final WireWatchdog.Post post = watchdog.new Post();
    private final CountDownLatch bitten = new CountDownLatch(1);

    @AfterEach
    void stop() {
        watchdog.close();
    }

    @Test
    @Tag("ZM-18")
    void tooLongStepsAreEnded() throws InterruptedException {
        try (var _ = post.guard(20, bitten::countDown)) {
            assertThat(bitten.await(90, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aShortGuardIsNotHeldUpByALongOneBefore() throws InterruptedException {
        post.guard(600_000, () -> {}).close();
        try (var _ = post.guard(20, bitten::countDown)) {
            assertThat(bitten.await(90, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aLongGuardAfterAShortOneHasItsOwnTime() throws InterruptedException {
        CountDownLatch wrong = new CountDownLatch(1);
        post.guard(1000, wrong::countDown).close();
        try (var _ = post.guard(1100, bitten::countDown)) {
            assertThat(bitten.await(90, TimeUnit.SECONDS)).isTrue();
            assertThat(wrong.getCount()).isEqualTo(1);
        }
    }

    @Test
    void aGuardThatWasLiftedOrAPostThatWasLeftDoesNotBite() throws InterruptedException {
        CountDownLatch wrong = new CountDownLatch(1);
        WireWatchdog.Post left = watchdog.new Post();
        left.guard(1000, wrong::countDown);
        left.close();
        post.guard(1000, wrong::countDown).close();
        try (var _ = post.guard(1100, bitten::countDown)) {
            assertThat(bitten.await(90, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(wrong.getCount()).isEqualTo(1);
    }
}
