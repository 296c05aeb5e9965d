package org.slipstream.server.dispatch;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

/// Local deliveries whose disk hangs.
@Timeout(60)
@Tag("ZM-18")
class IoThreadsTest {
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final CountDownLatch disk = new CountDownLatch(1);
    private final AtomicInteger hanging = new AtomicInteger();
    private final IoThreads threads = new IoThreads(1, Duration.ofMillis(200));

    @AfterEach
    void close() {
        disk.countDown();
        threads.close();
    }

    private String hangs() {
        hanging.incrementAndGet();
        try {
            disk.await();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException("a thread that uses files is never interrupted", interrupted);
        }
        return "filed after all";
    }

    /// Each has its late answer. On a busy machine the time of one may end before it has started, so others follow.
    private void hang(int deliveries) throws InterruptedException {
        while (hanging.get() < deliveries) {
            threads.file(this::hangs, () -> "late", answers::add);
            assertThat(answers.take()).isEqualTo("late");
        }
    }

    @Test
    void otherMailboxesGetTheirMailWhileOneHangs() throws InterruptedException {
        hang(4);
        String answer = "late";
        for (int i = 0; i < 20 && answer.equals("late"); i++) {
            threads.file(() -> "filed", () -> "late", answers::add);
            answer = answers.take();
        }
        assertThat(answer).isEqualTo("filed");
        disk.countDown();
        threads.close();
        assertThat(List.copyOf(answers)).as("each delivery has one answer").isEmpty();
    }

    @Test
    void aDeliveryWhoseTimeEndsInTheQueueDoesNotStart() throws InterruptedException {
        hang(4 + IoThreads.MOST_SPARE);
        AtomicInteger run = new AtomicInteger();
        threads.file(() -> "filed " + run.incrementAndGet(), () -> "late", answers::add);
        assertThat(answers.take()).as("no thread is left").isEqualTo("late");
        disk.countDown();
        String answer = "late";
        for (int i = 0; i < 20 && answer.equals("late"); i++) {
            threads.file(() -> "filed", () -> "late", answers::add);
            answer = answers.take();
        }
        assertThat(answer).isEqualTo("filed");
        assertThat(run).hasValue(0);
    }
}
