package org.slipstream.spool.work;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.QueueName;
import org.slipstream.spool.NoSpaceException;
import org.slipstream.spool.Spool;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// A server is killed, and its disk has no space for the index that the next start makes again.
class FullDiskStartTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    @TempDir
    Path directory;
    @TempDir
    Path killed;
    private final TestWorld world = new TestWorld();
    private QueueId deferred;
    private QueueId due;

    @BeforeEach
    void killOnAFullDisk() throws Exception {
        try (Spool spool = world.open(directory)) {
            deferred = TestMessages.commit(spool, "bob@example.net", TestMessages.body(100, 1));
            due = TestMessages.commit(spool, "eve@example.net", TestMessages.body(100, 2));
            TestMessages.done(then -> spool.defer(deferred, Long.MAX_VALUE / 2, then));
            assertThat(spool.counts().messages()).isEqualTo(2);
            TestWorld.copy(directory, killed);
        }
        world.noSpaceForIndex = true;
        world.usableBytes.set(0);
    }

    @Test
    void theServerStartsDeliversAndTakesNoMailAndTheIndexMovesToTheDiskWhenThereIsSpace() throws Exception {
        try (Spool spool = world.open(killed)) {
            assertThatThrownBy(spool::draft).isInstanceOf(NoSpaceException.class);
            Awaitility.await().atMost(LIMIT).until(() -> spool.troubles().stream()
                    .anyMatch(trouble -> trouble.what() == Spool.What.MAKING && trouble.noSpace()));
            CompletableFuture<Spool.Claimed> claimed = new CompletableFuture<>();
            spool.claimDue(QueueName.INCOMING, world.clock.millis(), 10, world.clock.millis() + 60_000, 0,
                    Long.MAX_VALUE, claimed::complete);
            assertThat(TestMessages.ids(claimed.get(60, TimeUnit.SECONDS).messages())).contains(due);
            TestMessages.done(then -> spool.remove(due, then));
            assertThat(listed(spool)).containsExactly(deferred);
            assertThat(killed.resolve("index.mv.db")).doesNotExist();
            world.noSpaceForIndex = false;
            world.usableBytes.set(Long.MAX_VALUE);
            TestWorld.made(spool);
            Awaitility.await().atMost(LIMIT).until(() -> spool.troubles().isEmpty());
            assertThat(killed.resolve("index.mv.db")).exists();
            assertThat(listed(spool)).containsExactly(deferred);
            TestMessages.commit(spool, "bob@example.net", new byte[100]);
            assertThat(spool.counts().messages()).isEqualTo(2);
        }
        try (Spool spool = world.open(killed)) {
            assertThat(spool.counts().messages()).isEqualTo(2);
            assertThat(spool.counts().corrupt()).isZero();
        }
    }

    /// The old index stays a witness of what the log has lost, until a start can ask it.
    @Test
    void aSecondKillBeforeThereIsSpaceLosesNothing() throws Exception {
        try (Spool spool = world.open(killed)) {
            TestMessages.done(then -> spool.remove(due, then));
        }
        try (var files = Files.list(killed)) {
            assertThat(files.map(file -> file.getFileName().toString())).contains("old-index-not-closed.mv.db");
        }
        world.noSpaceForIndex = false;
        world.usableBytes.set(Long.MAX_VALUE);
        try (Spool spool = world.open(killed)) {
            assertThat(listed(spool)).containsExactly(deferred);
            TestWorld.made(spool);
            assertThat(listed(spool)).containsExactly(deferred);
            assertThat(spool.counts().corrupt()).isZero();
            assertThat(killed.resolve("old-index-not-closed.mv.db")).doesNotExist();
        }
    }

    private static List<QueueId> listed(Spool spool) throws Exception {
        return spool.list(Optional.empty(), 10).stream().map(each -> each.summary().id()).toList();
    }
}
