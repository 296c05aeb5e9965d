package org.slipstream.spool.work;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.QueueId;
import org.slipstream.spool.Draft;
import org.slipstream.spool.NoSpaceException;
import org.slipstream.spool.Spool;
import org.slipstream.spool.index.IndexException;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// A slow disk, and a disk that has become read-only. The spool recovers from both by itself.
class SlowDiskTest {
    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();

    @Test
    void whileASyncTakesLongTheNextGroupGathersAndEverybodyIsAnsweredByTwoSyncs() throws Exception {
        try (Spool spool = world.open(directory)) {
            CountDownLatch syncing = new CountDownLatch(1);
            CountDownLatch done = new CountDownLatch(1);
            world.trouble = (call, _) -> {
                if (call.equals("log.sync")) {
                    syncing.countDown();
                    done.await(90, TimeUnit.SECONDS);
                }
            };
            List<CompletableFuture<QueueId>> commits = new java.util.ArrayList<>();
            commits.add(commit(spool));
            syncing.await(90, TimeUnit.SECONDS);
            CountDownLatch committing = new CountDownLatch(50);
            for (int i = 0; i < 50; i++) {
                commits.add(commit(spool, committing::countDown));
            }
            committing.await(90, TimeUnit.SECONDS);
            assertThat(commits).noneMatch(CompletableFuture::isDone);
            assertThat(spool.list(Optional.empty(), 10)).as("readers do not wait for the writer's disk")
                    .hasSizeLessThanOrEqualTo(1);
            world.calls.clear();
            done.countDown();
            for (CompletableFuture<QueueId> each : commits) {
                each.get(90, TimeUnit.SECONDS);
            }
            assertThat(world.count("log.sync")).isLessThan(20);
            assertThat(spool.counts().messages()).isEqualTo(51);
        }
    }

    /// The first message makes the reserve, which is a write like any other.
    @Test
    void aReserveThatIsNotWrittenMakesTheDiskSlow() throws Exception {
        try (Spool spool = world.open(directory)) {
            CountDownLatch done = new CountDownLatch(1);
            world.trouble = (call, _) -> {
                if (call.equals("log.keepReserve")) {
                    done.await(90, TimeUnit.SECONDS);
                }
            };
            CompletableFuture<QueueId> message = commit(spool);

            Awaitility.await().atMost(Duration.ofSeconds(90)).until(spool::isSlow);

            done.countDown();
            message.get(90, TimeUnit.SECONDS);
            Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> !spool.isSlow());
        }
    }

    @Test
    void aMessageThatWaitsTooLongGets451AndOneInTheSyncIsWaitedFor() throws Exception {
        world.commitTimeoutMillis = 500;
        try (Spool spool = world.open(directory)) {
            CountDownLatch syncing = new CountDownLatch(1);
            CountDownLatch done = new CountDownLatch(1);
            world.trouble = (call, _) -> {
                if (call.equals("log.sync")) {
                    syncing.countDown();
                    done.await(90, TimeUnit.SECONDS);
                }
            };
            CompletableFuture<QueueId> taken = commit(spool);
            syncing.await(90, TimeUnit.SECONDS);
            // Small and large: neither has been written, so no part of them may remain.
            for (int size : new int[]{100, 300_000}) {
                assertThatThrownBy(() -> TestMessages.commit(spool, "bob@example.net", new byte[size]))
                        .isInstanceOf(IOException.class).isNotInstanceOf(NoSpaceException.class)
                        .hasMessageContaining("disk is too slow");
            }
            assertThat(taken).as("it is unknown whether it is on the disk: no answer yet").isNotDone();
            assertThat(directory.resolve("large")).isEmptyDirectory();
            done.countDown();
            QueueId first = taken.get(90, TimeUnit.SECONDS);
            QueueId next = Awaitility.await().atMost(Duration.ofSeconds(90))
                    .ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> TestMessages.commit(spool, "bob@example.net", new byte[100]), each -> each != null);
            assertThat(spool.list(Optional.empty(), 10)).extracting(each -> each.summary().id())
                    .containsExactly(first, next);
        }
        try (Spool spool = world.open(directory)) {
            assertThat(spool.counts().messages()).as("the abandoned message is not in the log either").isEqualTo(2);
        }
    }

    @Test
    void aSpoolThatIsGivenUpAnswersAllThatWaitAndKeepsNoMessageThatItsClientSendsAgain() throws Exception {
        QueueId before;
        world.indexDelayMillis = TimeUnit.HOURS.toMillis(1);
        try (Spool spool = world.open(directory)) {
            before = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            CountDownLatch syncing = new CountDownLatch(1);
            CountDownLatch answers = new CountDownLatch(1);
            world.trouble = (call, _) -> {
                if (call.equals("log.sync")) {
                    syncing.countDown();
                    answers.await();
                }
                if (call.equals("index.apply")) {
                    answers.await();
                }
            };
            CompletableFuture<QueueId> inTheSync = commit(spool);
            syncing.await(90, TimeUnit.SECONDS);
            CompletableFuture<QueueId> behindIt = commit(spool);
            CompletableFuture<Long> reader = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> {
                try {
                    reader.complete(spool.counts().messages());
                } catch (IOException e) {
                    reader.completeExceptionally(e);
                }
            });
            CompletableFuture<Void> deferred = new CompletableFuture<>();
            spool.defer(before, Long.MAX_VALUE, () -> deferred.complete(null));
            spool.giveUp();
            for (CompletableFuture<?> each : List.of(inTheSync, behindIt, reader)) {
                assertThatThrownBy(() -> each.get(90, TimeUnit.SECONDS)).hasRootCauseInstanceOf(IOException.class)
                        .rootCause().isNotInstanceOf(NoSpaceException.class);
            }
            assertThatThrownBy(spool::draft).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> spool.list(Optional.empty(), 1)).isInstanceOf(IOException.class);
            assertThat(deferred).as("it is in memory only").isNotDone();
            answers.countDown();
        }
        try (Spool spool = world.open(directory)) {
            assertThat(spool.list(Optional.empty(), 10)).singleElement().satisfies(message -> {
                assertThat(message.summary().id()).isEqualTo(before);
                assertThat(message.nextAttemptMillis()).as("the change waited for the disk").isEqualTo(Long.MAX_VALUE);
            });
        }
    }

    private static CompletableFuture<QueueId> commit(Spool spool) {
        return commit(spool, () -> {});
    }

    private static CompletableFuture<QueueId> commit(Spool spool, Runnable before) {
        CompletableFuture<QueueId> answer = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try (Draft draft = spool.draft()) {
                draft.write(new byte[100], 0, 100);
                before.run();
                answer.complete(draft.commit(TestMessages.envelope("bob@example.net")).id());
            } catch (IOException e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    @Test
    void aFileSystemThatTurnedReadOnlyRefusesMessagesAtOnceAndTakesThemAgainAfterwards() throws Exception {
        try (Spool spool = world.open(directory)) {
            QueueId before = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            world.trouble = (call, _) -> {
                switch (call) {
                    case "log.append" -> throw new IOException("Read-only file system");
                    case "index.apply", "index.sync" ->
                        throw new IndexException("Read-only file system", new SQLException("cannot write"));
                    default -> {
                        // Reading goes on.
                    }
                }
            };
            CompletableFuture<Void> deferred = new CompletableFuture<>();
            spool.defer(before, 42, () -> deferred.complete(null));
            assertThatThrownBy(() -> TestMessages.commit(spool, "bob@example.net", new byte[100]))
                    .isInstanceOf(IOException.class).isNotInstanceOf(NoSpaceException.class)
                    .hasMessageContaining("Read-only");
            assertThat(TestMessages.read(spool, before)).as("what is queued can still be read and delivered")
                    .hasSize(100);
            assertThat(deferred).isNotDone();
            world.trouble = (_, _) -> {};
            deferred.get(90, TimeUnit.SECONDS);
            Awaitility.await().atMost(Duration.ofSeconds(90)).ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> TestMessages.commit(spool, "bob@example.net", new byte[100]), each -> each != null);
        }
    }
}
