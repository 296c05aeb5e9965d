package org.slipstream.smtpin;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

class AlarmTest {
    private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1);
    private final CountDownLatch rung = new CountDownLatch(1);
    private final CountDownLatch wrong = new CountDownLatch(1);

    AlarmTest() {
        clock.setRemoveOnCancelPolicy(true);
    }

    @AfterEach
    void stop() {
        clock.shutdownNow();
    }

    @Test
    void aSilentClientIsNoticed() throws Exception {
        Alarm alarm = new Alarm(clock, rung::countDown);
        alarm.set(20);
        assertThat(rung.await(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aThousandCommandsOfABusyClientLeaveTheClockAlone() {
        Alarm alarm = new Alarm(clock, wrong::countDown);
        alarm.set(300_000);
        Runnable planned = clock.getQueue().element();
        for (int i = 0; i < 1000; i++) {
            alarm.clear();
            alarm.set(300_000);
        }
        assertThat(clock.getQueue()).singleElement().isSameAs(planned);
        assertThat(wrong.getCount()).isEqualTo(1);
    }

    @Test
    void aShortPatienceAfterALongOneIsKept() throws Exception {
        Alarm alarm = new Alarm(clock, rung::countDown);
        alarm.set(300_000);
        alarm.clear();
        alarm.set(20);
        assertThat(rung.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(clock.getQueue()).isEmpty();
    }

    @Test
    void aLongPatienceAfterAShortOneHasItsOwnTime() throws Exception {
        long begun = System.nanoTime();
        Alarm alarm = new Alarm(clock, rung::countDown);
        alarm.set(20);
        alarm.clear();
        alarm.set(200);
        assertThat(rung.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(200));
    }

    @Test
    void aSessionThatIsOverIsForgottenAtOnce() {
        Alarm alarm = new Alarm(clock, wrong::countDown);
        alarm.set(300_000);
        assertThat(clock.getQueue()).hasSize(1);
        alarm.close();
        assertThat(clock.getQueue()).isEmpty();
        alarm.set(0);
        assertThat(clock.getQueue()).isEmpty();
    }

    @Test
    void aClientThatOutlivesItsListenerHarmsNobody() {
        clock.shutdownNow();
        new Alarm(clock, wrong::countDown).set(20);
        assertThat(wrong.getCount()).isEqualTo(1);
    }
}
