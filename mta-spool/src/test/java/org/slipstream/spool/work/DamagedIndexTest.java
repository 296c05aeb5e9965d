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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Damage in the index of a running server.
class DamagedIndexTest {
    private static final Duration COMMIT_TIMEOUT = Duration.ofSeconds(60);

    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();

    @Test
    void anIndexOfWhichAPageMakesNoSenseIsMadeAgainWhileMailGoesOn() throws Exception {
        try (Spool spool = world.open(directory)) {
            QueueId queued = TestMessages.commit(spool, "bob@example.net", TestMessages.body(200_000, 1));
            TestMessages.done(then -> spool.defer(queued, 42, then));
            assertThat(spool.counts().messages()).isEqualTo(1);
            QueueId waits = TestMessages.commit(spool, "eve@example.net", new byte[100]);
            AtomicBoolean damaged = new AtomicBoolean(true);
            world.trouble = (call, _) -> {
                if (call.equals("index.makeAgain")) {
                    damaged.set(false);
                }
                if (call.equals("index.page") && damaged.get()) {
                    throw new IndexException("cannot read the index",
                            new SQLException("File corrupted", "90030", 90030));
                }
            };
            assertThatThrownBy(() -> spool.list(Optional.empty(), 10)).isInstanceOf(IOException.class);
            QueueId during = TestMessages.commit(spool, "joe@example.net", new byte[100]);
            Awaitility.await().atMost(COMMIT_TIMEOUT).ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> spool.list(Optional.empty(), 10) != null);
            assertThat(spool.list(Optional.empty(), 10)).extracting(each -> each.summary().id())
                    .containsExactly(queued, waits, during);
            assertThat(spool.details(queued).orElseThrow().nextAttemptMillis()).isEqualTo(42);
            assertThat(TestMessages.read(spool, queued)).hasSize(200_000);
            TestWorld.made(spool);
            assertThat(spool.list(Optional.empty(), 10)).extracting(each -> each.summary().id()).contains(queued);
            assertThat(directory.resolve("index-damaged.mv.db")).exists();
            assertThat(spool.troubles()).isEmpty();
        }
        try (Spool spool = world.open(directory)) {
            assertThat(spool.counts().messages()).isEqualTo(3);
        }
    }

    /// The disk may be full while the index is made again.
    @Test
    void anIndexThatCannotBeMadeAgainAtOnceIsMadeLater() throws Exception {
        try (Spool spool = world.open(directory)) {
            AtomicInteger made = new AtomicInteger();
            world.trouble = (call, _) -> {
                if (call.equals("index.makeAgain")) {
                    made.incrementAndGet();
                }
                if (call.equals("index.apply") && made.get() < 2) {
                    throw made.get() == 0
                            ? new IndexException("cannot write the index",
                                    new SQLException("Timeout trying to lock table", "HYT00", 50200))
                            : new IOException("No space left on device");
                }
            };
            QueueId queued = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            Awaitility.await().atMost(COMMIT_TIMEOUT).ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> spool.list(Optional.empty(), 10).size() == 1);
            TestWorld.made(spool);
            assertThat(made).hasValue(2);
            assertThat(spool.list(Optional.empty(), 10)).extracting(each -> each.summary().id())
                    .containsExactly(queued);
        }
    }

    /// A flipped bit can leave the lock of a session that never was.
    @Test
    void anIndexWithALockThatNobodyHoldsIsMadeAgain() throws Exception {
        try (Spool spool = world.open(directory)) {
            AtomicBoolean damaged = new AtomicBoolean(true);
            world.trouble = (call, _) -> {
                if (call.equals("index.makeAgain")) {
                    damaged.set(false);
                }
                if (call.equals("index.apply") && damaged.get()) {
                    throw new IndexException("cannot write the index",
                            new SQLException("Timeout trying to lock table", "HYT00", 50200));
                }
            };
            QueueId queued = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            Awaitility.await().atMost(COMMIT_TIMEOUT).ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> spool.list(Optional.empty(), 10).size() == 1);
            assertThat(spool.details(queued)).isPresent();
            TestWorld.made(spool);
            assertThat(spool.list(Optional.empty(), 10)).extracting(each -> each.summary().id()).contains(queued);
            assertThat(directory.resolve("index-damaged.mv.db")).exists();
            assertThat(spool.troubles()).isEmpty();
        }
    }
}
