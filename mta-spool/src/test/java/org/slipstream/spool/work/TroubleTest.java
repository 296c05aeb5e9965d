package org.slipstream.spool.work;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.DataSize;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueueName;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.Draft;
import org.slipstream.spool.NoSpaceException;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.index.IndexException;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.NewMessage;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Full disks, failing databases, and their effect on the mail.
class TroubleTest {
    private static final Duration COMMIT_TIMEOUT = Duration.ofSeconds(20);
    private static final Outcome DEFERRED = Outcome.of(Reply.of(451, "4.3.0", "later"), "mx.example.net");

    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();

    private static IOException full() {
        return new IOException("No space left on device");
    }

    private static IndexException indexFull() {
        return new IndexException("cannot write the index",
                new SQLException("IO Exception: \"No space left on device\"", "90031"));
    }

    private void fail(String wanted, Exception trouble) {
        world.trouble = (call, _) -> {
            if (call.equals(wanted)) {
                throw trouble;
            }
        };
    }

    private void noTrouble() {
        world.trouble = (_, _) -> {};
    }

    /// As a client does it: comes again until it is accepted.
    private static QueueId commitAtLast(Spool spool) {
        return Awaitility.await().atMost(COMMIT_TIMEOUT).ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> TestMessages.commit(spool, "bob@example.net", TestMessages.body(100, 9)),
                        id -> id != null);
    }

    @Test
    @Tag("IM-28")
    void aDiskBelowTheMinimumRefusesDraftsAndTakesThemAgainWhenThereIsSpace() throws Exception {
        world.usableBytes.set((256L << 20) - 1);
        try (Spool spool = world.open(directory)) {
            assertThatThrownBy(spool::draft).isInstanceOf(NoSpaceException.class);
            assertThat(spool.troubles()).singleElement().satisfies(trouble -> {
                assertThat(trouble.what()).isEqualTo(Spool.What.SPACE);
                assertThat(trouble.noSpace()).isTrue();
            });
            world.usableBytes.set(256L << 20);
            commitAtLast(spool);
            assertThat(spool.troubles()).isEmpty();
        }
    }

    /// `since` and the words are what an operator reads; that they outlive a second is
    /// [SpaceGuardTest]'s.
    @Test
    void aWriteWithoutSpaceOnADiskThatHasSomeIsReportedAsInodesOrQuota() throws Exception {
        try (Spool spool = world.open(directory)) {
            fail("log.ownFile", full());
            assertThatThrownBy(() -> TestMessages.commit(spool, "bob@example.net", TestMessages.body(300_000, 1)))
                    .isInstanceOf(NoSpaceException.class);
            commitAtLast(spool);
            assertThat(spool.troubles()).as("a small message needs no file").singleElement().satisfies(trouble -> {
                assertThat(trouble.what()).isEqualTo(Spool.What.INODES);
                assertThat(trouble.reason()).contains("no free inodes", "quota");
                assertThat(trouble.noSpace()).isTrue();
            });
            noTrouble();
            Awaitility.await().atMost(COMMIT_TIMEOUT).ignoreExceptionsInstanceOf(NoSpaceException.class)
                    .until(() -> TestMessages.commit(spool, "bob@example.net", TestMessages.body(300_000, 1)) != null);
            assertThat(spool.troubles()).isEmpty();
        }
    }

    /// The configured minimum applies, and not a smaller one.
    @Test
    void aMinimumThatWasSetMeansWhatItSays() throws Exception {
        world.totalBytes.set(10L << 30);
        world.usableBytes.set((1L << 30) - 1);
        SpoolConfig config = new SpoolConfig(directory, DataSize.ofMebibytes(64), DataSize.ofKibibytes(128),
                DataSize.of(1L << 30));
        try (Spool spool = world.open(config)) {
            assertThatThrownBy(spool::draft).isInstanceOf(NoSpaceException.class);
            world.usableBytes.set(1L << 30);
            commitAtLast(spool);
        }
    }

    @Test
    void aSmallDiskMayBeFilledToItsLastTwentieth() throws Exception {
        world.totalBytes.set(1L << 30);
        world.usableBytes.set((1L << 30) / 20 - 1);
        try (Spool spool = world.open(directory)) {
            assertThatThrownBy(spool::draft).isInstanceOf(NoSpaceException.class);
            world.usableBytes.set((1L << 30) / 20);
            commitAtLast(spool);
        }
    }

    @Test
    void aLargeMessageStopsWhenTheDiskGetsFullOnTheWayAndLeavesNothing() throws Exception {
        try (Spool spool = world.open(directory)) {
            Draft draft = spool.draft();
            world.usableBytes.set(0);
            Awaitility.await().atMost(COMMIT_TIMEOUT).until(() -> {
                try {
                    draft.write(new byte[1 << 20], 0, 1 << 20);
                    return false;
                } catch (NoSpaceException e) {
                    return true;
                }
            });
            assertThatThrownBy(() -> draft.commit(TestMessages.envelope("bob@example.net")))
                    .isInstanceOf(NoSpaceException.class);
            assertThat(directory.resolve("large")).isEmptyDirectory();
        }
    }

    @Test
    @Tag("IM-28")
    void aFullLogRefusesMessagesAndKeepsOutcomesUntilThereIsSpace() throws Exception {
        try (Spool spool = world.open(directory)) {
            QueueId id = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            fail("log.append", full());
            assertThatThrownBy(() -> TestMessages.commit(spool, "bob@example.net", new byte[100]))
                    .isInstanceOf(NoSpaceException.class);
            CompletableFuture<Void> recorded = new CompletableFuture<>();
            spool.record(id, List.of(new RecipientOutcome(1, DEFERRED)), () -> recorded.complete(null));
            assertThatThrownBy(() -> TestMessages.commit(spool, "bob@example.net", new byte[100]))
                    .isInstanceOf(NoSpaceException.class);
            assertThat(recorded).isNotDone();
            noTrouble();
            recorded.get(90, TimeUnit.SECONDS);
            assertThat(spool.details(id).orElseThrow().summary().attempts()).isEqualTo(1);
            commitAtLast(spool);
            assertThat(spool.counts().messages()).isEqualTo(2);
        }
        try (Spool spool = world.open(directory)) {
            assertThat(spool.counts().messages()).isEqualTo(2);
        }
    }

    /// Only removals give space back, so the log keeps some for them.
    @Test
    @Tag("IM-28")
    void onAFullDiskMessagesLeaveAndNoneIsTaken() throws Exception {
        AtomicBoolean reserve = new AtomicBoolean(true);
        try (Spool spool = world.open(directory)) {
            QueueId first = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            QueueId second = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            assertThat(directory.resolve("reserve")).hasSize(1 << 20);
            world.trouble = (call, arguments) -> {
                switch (call) {
                    case "log.releaseReserve" -> reserve.set(false);
                    case "log.keepReserve" -> {
                        if (!reserve.get()) {
                            throw full();
                        }
                    }
                    case "log.append" -> {
                        if (reserve.get() || arguments[0] instanceof NewMessage) {
                            throw full();
                        }
                    }
                    default -> {
                        // Works on a full disk.
                    }
                }
            };
            TestMessages.done(then -> spool.remove(first, then));
            TestMessages.done(then -> spool.record(second, List.of(new RecipientOutcome(1, DEFERRED)), then));
            assertThat(directory.resolve("reserve")).doesNotExist();
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> TestMessages.commit(spool, "bob@example.net", new byte[100]))
                        .isInstanceOf(NoSpaceException.class);
            }
            noTrouble();
            commitAtLast(spool);
            assertThat(directory.resolve("reserve")).hasSize(1 << 20);
            assertThat(spool.counts().messages()).isEqualTo(2);
        }
    }

    /// It could be made again at once in the space that it has just given, and the changes would not fit.
    @Test
    void theReserveIsNotMadeAgainBeforeTheChangesAreWritten() throws Exception {
        AtomicBoolean space = new AtomicBoolean();
        try (Spool spool = world.open(directory)) {
            QueueId id = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            try (Draft begunBefore = spool.draft()) {
                begunBefore.write(new byte[100], 0, 100);
                world.trouble = (call, _) -> {
                    if (call.equals("log.append") && !space.get()) {
                        throw full();
                    }
                };
                CompletableFuture<Void> removed = new CompletableFuture<>();
                spool.remove(id, () -> removed.complete(null));
                Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> world.count("log.releaseReserve") > 0);
                long kept = world.count("log.keepReserve");
                assertThatThrownBy(() -> begunBefore.commit(TestMessages.envelope("bob@example.net")))
                        .isInstanceOf(NoSpaceException.class);
                assertThat(world.count("log.keepReserve")).as("as long as the removal waits").isEqualTo(kept);
                space.set(true);
                removed.get(90, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void aLogThatCannotSyncGoesOnInAFreshSegment() throws Exception {
        try (Spool spool = world.open(directory)) {
            TestMessages.commit(spool, "bob@example.net", new byte[100]);
            fail("log.sync", new IOException("input/output error"));
            assertThatThrownBy(() -> TestMessages.commit(spool, "bob@example.net", new byte[100]))
                    .isInstanceOf(IOException.class).isNotInstanceOf(NoSpaceException.class);
            assertThat(spool.counts().messages()).as("nothing of the refused one is left").isEqualTo(1);
            long since = world.clock.millis();
            world.clock.advanceMillis(5000);
            assertThatThrownBy(() -> TestMessages.commit(spool, "bob@example.net", new byte[100]))
                    .isInstanceOf(IOException.class);
            assertThat(spool.troubles()).as("since the first failure").containsExactly(
                    new Spool.Trouble(Spool.What.LOG, since, "input/output error", false));
            noTrouble();
            TestMessages.commit(spool, "bob@example.net", new byte[100]);
            assertThat(spool.troubles()).isEmpty();
            assertThat(directory.resolve("log").resolve("0000000002.segment")).exists();
        }
        // The refused message was cut off the first segment.
        try (Spool spool = world.open(directory)) {
            assertThat(spool.counts().messages()).isEqualTo(2);
        }
    }

    @Test
    void anIndexThatFailsKeepsNoClientWaitingAndHasEverythingAfterwards() throws Exception {
        try (Spool spool = world.open(directory)) {
            QueueId one = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            QueueId two = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            assertThat(spool.counts().messages()).isEqualTo(2);
            fail("index.apply", indexFull());
            TestMessages.done(then -> spool.record(one, List.of(new RecipientOutcome(1, DEFERRED)), then));
            TestMessages.done(then -> spool.remove(two, then));
            QueueId three = TestMessages.commit(spool, "bob@example.net", TestMessages.body(300_000, 1));
            assertThat(spool.readRecipients(three, 0, 10).recipients()).hasSize(1);
            assertThat(TestMessages.read(spool, three)).hasSize(300_000);
            assertThatThrownBy(spool::counts).isInstanceOf(IOException.class);
            assertThat(spool.troubles()).singleElement().satisfies(trouble -> {
                assertThat(trouble.what()).isEqualTo(Spool.What.INDEX);
                assertThat(trouble.sinceMillis()).isEqualTo(world.clock.millis());
                assertThat(trouble.reason()).contains("No space left on device");
            });
            noTrouble();
            Awaitility.await().atMost(COMMIT_TIMEOUT).until(() -> spool.troubles().isEmpty());
            assertThat(spool.list(Optional.empty(), 10)).extracting(each -> each.summary().id()).containsExactly(one,
                    three);
            assertThat(spool.details(one).orElseThrow().summary().attempts()).isEqualTo(1);
        }
    }

    @Test
    void newMailIsRefusedWhenTheIndexIsTooFarBehindAndOutcomesNever() throws Exception {
        world.tailMessages = 4;
        world.indexDelayMillis = TimeUnit.HOURS.toMillis(1);
        try (Spool spool = world.open(directory)) {
            fail("index.apply", indexFull());
            QueueId first = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            for (int i = 1; i < 4; i++) {
                TestMessages.commit(spool, "bob@example.net", new byte[100]);
            }
            assertThatThrownBy(spool::draft).isInstanceOf(IOException.class).isNotInstanceOf(NoSpaceException.class)
                    .hasMessageContaining("behind the message log");
            TestMessages.done(then -> spool.record(first, List.of(new RecipientOutcome(1, DEFERRED)), then));
            TestMessages.done(then -> spool.remove(first, then));
            assertThat(TestMessages.commit(spool, "eve@example.net", new byte[100])).as("one has left").isNotNull();
            assertThatThrownBy(spool::counts).isInstanceOf(IOException.class);
            noTrouble();
            Awaitility.await().atMost(COMMIT_TIMEOUT).until(() -> spool.troubles().isEmpty());
            commitAtLast(spool);
            assertThat(spool.counts().messages()).isEqualTo(5);
        }
    }

    @Test
    void aScanWaitsForTheIndexAndItsLeasesStandBeforeItsAnswer() throws Exception {
        try (Spool spool = world.open(directory)) {
            QueueId id = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            fail("index.due", indexFull());
            CompletableFuture<Spool.Claimed> claimed = new CompletableFuture<>();
            spool.claimDue(QueueName.INCOMING, world.clock.millis(), 10, world.clock.millis() + 60_000, 0,
                    Long.MAX_VALUE, claimed::complete);
            Awaitility.await().atMost(COMMIT_TIMEOUT).until(() -> !spool.troubles().isEmpty());
            TestMessages.commit(spool, "bob@example.net", new byte[100]);
            assertThat(claimed).isNotDone();
            noTrouble();
            assertThat(TestMessages.ids(claimed.get(90, TimeUnit.SECONDS).messages())).contains(id);
            assertThat(spool.counts().messages()).isEqualTo(2);
            assertThat(spool.details(id).orElseThrow().nextAttemptMillis())
                    .isEqualTo(world.clock.millis() + 60_000);
        }
    }

    @Test
    void aDatabaseThatDiesIsOpenedAgainAndNothingAcknowledgedIsMissing() throws Exception {
        try (Spool spool = world.open(directory)) {
            QueueId before = TestMessages.commit(spool, "bob@example.net", TestMessages.body(100, 1));
            try {
                TestWorld.sql(directory, "shutdown immediately");
            } catch (SQLException e) {
                // It closes our connection, too.
            }
            CompletableFuture<Void> deferred = new CompletableFuture<>();
            spool.defer(before, 42, () -> deferred.complete(null));
            QueueId after = commitAtLast(spool);
            deferred.get(90, TimeUnit.SECONDS);
            Awaitility.await().atMost(COMMIT_TIMEOUT).ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> spool.counts() != null);
            assertThat(spool.list(Optional.empty(), 10)).extracting(each -> each.summary().id())
                    .containsExactly(before, after);
            assertThat(spool.details(before).orElseThrow().nextAttemptMillis()).isEqualTo(42);
        }
    }

    @Test
    void aRecordThatTheDatabaseDoesNotTakeSetsItsOwnMessageAsideAndNoOther() throws Exception {
        try (Spool spool = world.open(directory)) {
            QueueId poisoned = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            QueueId healthy = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            world.trouble = (call, arguments) -> {
                if (call.equals("index.apply") && ((List<?>) arguments[0])
                        .contains(new LogRecord.NextAttempt(poisoned, 42))) {
                    throw new IndexException("cannot write the index",
                            new SQLException("value too long", "22001"));
                }
            };
            TestMessages.done(then -> spool.defer(poisoned, 42, then));
            TestMessages.done(then -> spool.defer(healthy, 43, then));
            assertThat(spool.list(Optional.empty(), 10)).singleElement()
                    .satisfies(each -> assertThat(each.nextAttemptMillis()).isEqualTo(43));
            assertThat(spool.counts().messages()).isEqualTo(1);
            assertThat(spool.troubles()).isEmpty();
        }
    }

    @Test
    void theWriterSurvivesACallbackThatThrows() throws Exception {
        try (Spool spool = world.open(directory)) {
            QueueId id = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            spool.defer(id, 1, () -> {
                throw new IllegalStateException("not our day");
            });
            TestMessages.commit(spool, "bob@example.net", new byte[100]);
        }
    }

    @Test
    void theWriterSurvivesUnforeseenFailures() throws Exception {
        try (Spool spool = world.open(directory)) {
            fail("log.append", new IllegalStateException("not our day"));
            assertThatThrownBy(() -> TestMessages.commit(spool, "bob@example.net", new byte[100]))
                    .isInstanceOf(IOException.class);
            fail("index.apply", new IllegalStateException("not our day"));
            commitAtLast(spool);
            assertThatThrownBy(spool::counts).isInstanceOf(IOException.class);
            noTrouble();
            Awaitility.await().atMost(COMMIT_TIMEOUT).until(() -> spool.troubles().isEmpty());
            assertThat(spool.counts().messages()).isEqualTo(1);
        }
    }

    /// Without the thread each client would wait, and no later one could be served.
    @Test
    void aLogThreadThatFailsEndsTheProcess() throws Exception {
        try (Spool spool = world.open(directory)) {
            fail("log.end", new IllegalStateException("not our day"));
            spool.remove(new QueueId(1), () -> {});
            assertThat(world.ended.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"log.sync", "index.apply"})
    void aWriteThatHangsOnADiskThatWorksEndsTheProcess(String hanging) throws Exception {
        world.watchdogMillis = 60;
        CountDownLatch released = new CountDownLatch(1);
        try (Spool spool = world.open(directory)) {
            world.trouble = (call, _) -> {
                if (call.equals(hanging)) {
                    released.await();
                }
            };
            CompletableFuture<QueueId> message = CompletableFuture
                    .supplyAsync(() -> commitAtLast(spool), task -> Thread.ofPlatform().daemon().start(task));
            try {
                world.ended.await();
                assertThat(message.isDone()).as("only the log keeps a client waiting")
                        .isEqualTo(hanging.startsWith("index"));
            } finally {
                noTrouble();
                released.countDown();
            }
            message.get(90, TimeUnit.SECONDS);
        }
    }
}
