package org.slipstream.spool.work;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

class DiskTurnTest {
    @TempDir
    Path one;
    @TempDir
    Path other;

    @Test
    void spoolsOnOneDiskWriteInTurn() throws Exception {
        AtomicInteger writing = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger turns = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        assertThat(DiskTurn.of(one)).isSameAs(DiskTurn.of(other));
        DiskTurn turn = new DiskTurn(Long.MAX_VALUE);
        for (int spool = 0; spool < 2; spool++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 2_000; i++) {
                    turn.during(() -> {
                        most.accumulateAndGet(writing.incrementAndGet(), Math::max);
                        turns.incrementAndGet();
                        writing.decrementAndGet();
                    });
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(turns).hasValue(4_000);
        assertThat(most).hasValue(1);
    }

    @Test
    void aWriteThatHangsStopsNoOther() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch answers = new CountDownLatch(1);
        Thread hanging = Thread.ofPlatform().start(() -> DiskTurnTest.during(one, () -> {
            hangs.countDown();
            await(answers);
        }));
        await(hangs);
        AtomicInteger written = new AtomicInteger();
        for (int i = 0; i < 3; i++) {
            during(other, written::incrementAndGet);
        }
        assertThat(written).hasValue(3);
        answers.countDown();
        hanging.join();
        during(one, written::incrementAndGet);
        assertThat(written).hasValue(4);
    }

    private static void during(Path spool, Runnable work) {
        try {
            DiskTurn.of(spool).during(work);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
