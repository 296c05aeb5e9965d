package org.slipstream.qmgr.run;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.trace.QmgrObserver;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

/// Arrivals from several threads over the real inbox and the real loop.
@Timeout(120)
class ArrivalTest {
    private static final int THREADS = 8;
    private static final long SCAN_INTERVAL = 300_000;

    private static void onThreads(int threads, Runnable task) throws InterruptedException {
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            all.add(Thread.ofPlatform().start(task));
        }
        for (Thread each : all) {
            each.join();
        }
    }

    @Test
    @Tag("IM-15")
    void fiftyThousandArrivalsOfEightThreadsAreDeliveredOnceAndNoneIsUnannounced() throws Exception {
        try (LoopWorld world = new LoopWorld(100_000, QmgrObserver.NOTHING)) {
            onThreads(THREADS, () -> {
                for (int i = 0; i < 50_000 / THREADS; i++) {
                    assertThat(world.inbox.offerArrival(world.commit())).isTrue();
                }
            });
            world.awaitRemoved(50_000);
            world.after(SCAN_INTERVAL);
            world.after(SCAN_INTERVAL);
            assertThat(world.unannounced()).isZero();
            assertThat(world.deliveries.values()).allMatch(count -> count.get() == 1);
        }
    }

    @Test
    @Tag("IM-17")
    void arrivalsThatAFullInboxRefusesAreFoundByAScanAndDeliveredOnce() throws Exception {
        try (LoopWorld world = new LoopWorld(20, QmgrObserver.NOTHING)) {
            AtomicInteger refused = new AtomicInteger();
            onThreads(THREADS, () -> {
                for (int i = 0; i < 1_000; i++) {
                    refused.addAndGet(world.inbox.offerArrival(world.commit()) ? 0 : 1);
                }
            });
            world.awaitRemoved(THREADS * 1_000);
            world.after(SCAN_INTERVAL);
            world.after(SCAN_INTERVAL);
            assertThat(refused.get()).isPositive();
            assertThat(world.unannounced()).as("a refusal is no fault").isZero();
            assertThat(world.deliveries.values()).allMatch(count -> count.get() == 1);
        }
    }

    /// The handler of arrivals throws for some messages, and other threads continue.
    @Test
    @Tag("IM-17")
    void arrivalsThatAreNotAnnouncedAreDeliveredByTheSafetyNetAndCounted() throws Exception {
        try (LoopWorld world = new LoopWorld(100_000, QmgrObserver.NOTHING)) {
            world.after(1_000);
            int each = 100; // all of them find a place, so that no scan is due
            int lost = 7;
            onThreads(THREADS, () -> {
                for (int i = 0; i < each; i++) {
                    MessageSummary message = world.commit();
                    if (i >= lost) {
                        world.inbox.offerArrival(message);
                    }
                }
            });
            world.awaitRemoved(THREADS * (each - lost));
            world.after(SCAN_INTERVAL);
            world.awaitRemoved(THREADS * each);
            world.after(10_000);
            assertThat(world.unannounced()).isEqualTo((long) THREADS * lost);
        }
    }

    /// The arrivals that one turn took, for each turn.
    private static final class Turns implements QmgrObserver {
        private final List<Integer> arrivals = new ArrayList<>();
        private int now;

        @Override
        public void happened(long nowMillis, QmgrEvent event) {
            now += event instanceof QmgrEvent.MessageQueued ? 1 : 0;
        }

        @Override
        public void pumps(long nowMillis) {
            arrivals.add(now);
            now = 0;
        }
    }

    /// A batch is what has arrived since the last turn: under load it grows by itself, and a single
    /// message waits for none.
    @Test
    @Tag("IM-19")
    void oneTurnTakesAllArrivalsThatWait() throws Exception {
        Turns turns = new Turns();
        LoopWorld world = new LoopWorld(100_000, turns);
        try (world) {
            CountDownLatch busy = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            world.loop.inspect(_ -> {
                busy.countDown();
                return awaitQuietly(goOn);
            });
            busy.await();
            onThreads(THREADS, () -> {
                for (int i = 0; i < 625; i++) {
                    world.inbox.offerArrival(world.commit());
                }
            });
            goOn.countDown();
            world.awaitRemoved(5_000);
            world.inbox.offerArrival(world.commit());
            world.awaitRemoved(5_001);
        }
        assertThat(turns.arrivals.stream().filter(count -> count > 0)).containsExactly(5_000, 1);
    }

    private static boolean awaitQuietly(CountDownLatch latch) {
        try {
            return latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException stop) {
            throw new IllegalStateException(stop);
        }
    }
}
