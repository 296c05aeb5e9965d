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
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/// Local deliveries whose disk hangs.
@Timeout(60)
@Tag("ZM-18")
class IoThreadsTest {
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final CountDownLatch disk = new CountDownLatch(1);
    private final CountDownLatch started = new CountDownLatch(4);
    private IoThreads threads = new IoThreads(1, Duration.ofMillis(200));

    @AfterEach
    void close() {
        disk.countDown();
        threads.close();
    }

    private String hangs() {
        started.countDown();
        try {
            disk.await();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException("a thread that uses files is never interrupted", interrupted);
        }
        return "filed after all";
    }

    @Test
    void otherMailboxesGetTheirMailWhileOneHangs() throws InterruptedException {
        for (int i = 0; i < 4; i++) {
            threads.file(this::hangs, () -> "late", answers::add);
        }
        started.await();
        for (int i = 0; i < 4; i++) {
            assertThat(answers.take()).isEqualTo("late");
        }
        threads.file(() -> "filed", () -> "late", answers::add);
        assertThat(answers.take()).isEqualTo("filed");
        disk.countDown();
        threads.close();
        assertThat(List.copyOf(answers)).as("each delivery has one answer").isEmpty();
    }

    @Test
    void aDeliveryWhoseTimeEndsInTheQueueDoesNotStart() throws InterruptedException {
        for (int i = 0; i < 4 + IoThreads.MOST_SPARE; i++) {
            threads.file(this::hangs, () -> "late", answers::add);
        }
        for (int i = 0; i < 4 + IoThreads.MOST_SPARE; i++) {
            assertThat(answers.take()).isEqualTo("late");
        }
        BlockingQueue<String> run = new LinkedBlockingQueue<>();
        threads.file(() -> {
            run.add("it ran");
            return "filed";
        }, () -> "late", answers::add);
        assertThat(answers.take()).as("no thread is left").isEqualTo("late");
        disk.countDown();
        threads.file(() -> "filed", () -> "late", answers::add);
        assertThat(answers.poll(30, TimeUnit.SECONDS)).isEqualTo("filed");
        assertThat(run).isEmpty();
    }
}
