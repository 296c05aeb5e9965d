package org.slipstream.spool.work;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.QueueId;
import org.slipstream.spool.Spool;
import org.slipstream.spool.index.IndexException;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

/// The index of a running server is made again while mail comes and goes.
class RunningRecoveryTest {
    private static final Duration RECOVERY = Duration.ofSeconds(60);

    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();

    /// The next `count` transactions fail with an error of H2.
    private void fail(int count, String text, String state, int code) {
        AtomicInteger left = new AtomicInteger(count);
        world.trouble = (call, _) -> {
            if (call.equals("index.apply") && left.getAndDecrement() > 0) {
                throw new IndexException("cannot write the index", new SQLException(text, state, code));
            }
        };
    }

    private static void up(Spool spool) {
        Awaitility.await().atMost(RECOVERY).ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> spool.counts() != null);
    }

    @Test
    void aMessageThatWasDeliveredMeanwhileDoesNotComeBackWithANewIndex() throws Exception {
        world.indexDelayMillis = TimeUnit.HOURS.toMillis(1);
        try (Spool spool = world.open(directory)) {
            QueueId entered = TestMessages.commit(spool, "joe@example.net", new byte[100]);
            assertThat(spool.counts().messages()).isEqualTo(1);
            QueueId delivered = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            QueueId queued = TestMessages.commit(spool, "eve@example.net", new byte[100]);
            TestMessages.done(then -> spool.remove(delivered, then));
            TestMessages.done(then -> spool.remove(entered, then));
            fail(1, "File corrupted", "90030", 90030);
            up(spool);
            TestWorld.made(spool);
            assertThat(world.count("index.makeAgain")).isEqualTo(1);
            assertThat(spool.ids(Optional.empty(), 10)).containsExactly(queued);
            assertThat(TestMessages.claim(spool, world.clock.millis(), 10, world.clock.millis() + 60_000))
                    .containsExactly(queued);
            assertThat(spool.counts().messages()).isEqualTo(1);
        }
    }

    @Test
    void anErrorThatOnlyLooksLikeDamageIsAskedAFreshConnectionFirst() throws Exception {
        world.indexDelayMillis = TimeUnit.HOURS.toMillis(1);
        try (Spool spool = world.open(directory)) {
            QueueId id = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            fail(1, "General error", "HY000", 50000);
            up(spool);
            assertThat(world.count("index.makeAgain")).isZero();
            TestMessages.done(then -> spool.defer(id, 42, then));
            fail(1, "General error", "HY000", 50000);
            up(spool);
            TestWorld.made(spool);
            assertThat(world.count("index.makeAgain")).as("the second time").isEqualTo(1);
            assertThat(spool.details(id).orElseThrow().nextAttemptMillis()).isEqualTo(42);
        }
    }
}
