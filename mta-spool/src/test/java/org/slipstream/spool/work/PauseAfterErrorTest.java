package org.slipstream.spool.work;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.QueueId;
import org.slipstream.spool.Spool;
import org.slipstream.spool.index.IndexException;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/// A database or a disk that fails is tried again after a pause, and not in a busy loop. indimail
/// sleeps for `ERROR_INTERVAL` (5 s); here the pause is half a second, because clients wait.
@Tag("IM-26")
class PauseAfterErrorTest {
    private static final Duration PAUSE = Duration.ofMillis(450);
    private static final Duration END = Duration.ofSeconds(90);

    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();
    private final List<Long> attempts = new CopyOnWriteArrayList<>();

    /// This call fails, and the times of its attempts are noted.
    private void fail(String wanted, Exception trouble) {
        world.trouble = (call, _) -> {
            if (call.equals(wanted)) {
                attempts.add(System.nanoTime());
                throw trouble;
            }
        };
    }

    private void requirePauses() {
        Awaitility.await().atMost(END).until(() -> attempts.size() >= 4);
        List<Long> times = List.copyOf(attempts);
        for (int i = 1; i < times.size(); i++) {
            assertThat(Duration.ofNanos(times.get(i) - times.get(i - 1))).as("pause " + i)
                    .isGreaterThanOrEqualTo(PAUSE);
        }
        world.trouble = (_, _) -> {};
    }

    @Test
    void anIndexThatFailsIsTriedAgainAfterAPause() throws Exception {
        try (Spool spool = world.open(directory)) {
            QueueId id = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            assertThat(spool.counts().messages()).isEqualTo(1);
            fail("index.apply", new IndexException("cannot write the index", new SQLException("out of memory")));
            spool.defer(id, 42, () -> {});
            requirePauses();
            Awaitility.await().atMost(END).until(() -> spool.troubles().isEmpty());
            assertThat(spool.details(id).orElseThrow().nextAttemptMillis()).isEqualTo(42);
        }
    }

    @Test
    void aLogThatFailsIsTriedAgainAfterAPause() throws Exception {
        try (Spool spool = world.open(directory)) {
            QueueId id = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            CompletableFuture<Void> deferred = new CompletableFuture<>();
            fail("log.append", new IOException("too many open files"));
            spool.defer(id, 42, () -> deferred.complete(null));
            requirePauses();
            deferred.get(90, TimeUnit.SECONDS);
            assertThat(spool.details(id).orElseThrow().nextAttemptMillis()).isEqualTo(42);
        }
    }
}
