package org.slipstream.spool;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.QueueName;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.spool.register.Change;
import org.slipstream.spool.register.RegisterException;

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

/// Full disks, failing databases, and what becomes of the mail.
class TroubleTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Outcome DEFERRED = Outcome.of(Reply.of(451, "4.3.0", "later"), "mx.example.net");

    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();

    private static IOException full() {
        return new IOException("No space left on device");
    }

    private static RegisterException registerFull() {
        return new RegisterException("cannot write the register",
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

    /// As a client does it: comes again until it is taken.
    private static QueueId commitAtLast(Spool spool) {
        return Awaitility.await().atMost(PATIENCE).ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> Letters.commit(spool, "bob@example.net", Letters.body(100, 9)), id -> id != null);
    }

    @Test
    @Tag("IM-28")
    void aDiskBelowTheMinimumRefusesDraftsAndTakesThemAgainWhenThereIsRoom() throws Exception {
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

    /// `since` and the words are what an operator reads; that they outlive a second is [SpaceGuardTest]'s.
    @Test
    void aWriteWithoutRoomOnADiskThatHasSomeIsToldAsInodesOrQuota() throws Exception {
        try (Spool spool = world.open(directory)) {
            fail("box.ownFile", full());
            assertThatThrownBy(() -> Letters.commit(spool, "bob@example.net", Letters.body(300_000, 1)))
                    .isInstanceOf(NoSpaceException.class);
            commitAtLast(spool);
            assertThat(spool.troubles()).as("a small letter needs no file").singleElement().satisfies(trouble -> {
                assertThat(trouble.what()).isEqualTo(Spool.What.INODES);
                assertThat(trouble.reason()).contains("no free inodes", "quota");
                assertThat(trouble.noSpace()).isTrue();
            });
            noTrouble();
            Awaitility.await().atMost(PATIENCE).ignoreExceptionsInstanceOf(NoSpaceException.class)
                    .until(() -> Letters.commit(spool, "bob@example.net", Letters.body(300_000, 1)) != null);
            assertThat(spool.troubles()).isEmpty();
        }
    }

    /// Nobody is surprised by a smaller number than the one that was written.
    @Test
    void aMinimumThatWasSetMeansWhatItSays() throws Exception {
        world.totalBytes.set(10L << 30);
        world.usableBytes.set((1L << 30) - 1);
        SpoolConfig config = new SpoolConfig(directory, 64 << 20, 128 << 10, 1L << 30, 60_000);
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
    void aLargeLetterStopsWhenTheDiskGetsFullOnTheWayAndLeavesNothing() throws Exception {
        try (Spool spool = world.open(directory)) {
            Draft draft = spool.draft();
            world.usableBytes.set(0);
            Awaitility.await().atMost(PATIENCE).until(() -> {
                try {
                    draft.write(new byte[1 << 20], 0, 1 << 20);
                    return false;
                } catch (NoSpaceException e) {
                    return true;
                }
            });
            assertThatThrownBy(() -> draft.commit(Letters.envelope("bob@example.net")))
                    .isInstanceOf(NoSpaceException.class);
            assertThat(directory.resolve("large")).isEmptyDirectory();
        }
    }

    @Test
    @Tag("IM-28")
    void aFullBoxRefusesLettersButOutcomesLand() throws Exception {
        try (Spool spool = world.open(directory)) {
            QueueId id = Letters.commit(spool, "bob@example.net", new byte[100]);
            fail("box.append", full());
            assertThatThrownBy(() -> Letters.commit(spool, "bob@example.net", new byte[100]))
                    .isInstanceOf(NoSpaceException.class);
            Letters.done(then -> spool.record(id, List.of(new RecipientOutcome(1, DEFERRED)), then));
            assertThat(spool.details(id).orElseThrow().summary().attempts()).isEqualTo(1);
            noTrouble();
            commitAtLast(spool);
            assertThat(spool.counts().messages()).isEqualTo(2);
        }
        try (Spool spool = world.open(directory)) {
            assertThat(spool.counts().messages()).isEqualTo(2);
        }
    }

    @Test
    void aBoxThatCannotSyncGoesOnInAFreshSegment() throws Exception {
        try (Spool spool = world.open(directory)) {
            Letters.commit(spool, "bob@example.net", new byte[100]);
            fail("box.barrier", new IOException("input/output error"));
            assertThatThrownBy(() -> Letters.commit(spool, "bob@example.net", new byte[100]))
                    .isInstanceOf(IOException.class).isNotInstanceOf(NoSpaceException.class);
            assertThat(spool.counts().messages()).as("the register had taken it, and has given it back").isEqualTo(1);
            long since = world.nowMillis.getAndAdd(5000);
            assertThatThrownBy(() -> Letters.commit(spool, "bob@example.net", new byte[100]))
                    .isInstanceOf(IOException.class);
            assertThat(spool.troubles()).as("since the first failure").containsExactly(
                    new Spool.Trouble(Spool.What.BOX, since, "input/output error", false));
            noTrouble();
            Letters.commit(spool, "bob@example.net", new byte[100]);
            assertThat(spool.troubles()).isEmpty();
            assertThat(directory.resolve("box").resolve("0000000002.segment")).exists();
        }
        // The refused one was cut off the first segment.
        try (Spool spool = world.open(directory)) {
            assertThat(spool.counts().messages()).isEqualTo(2);
        }
    }

    @Test
    void aFullRegisterRefusesLettersAndKeepsOutcomesUntilThereIsRoom() throws Exception {
        try (Spool spool = world.open(directory)) {
            QueueId one = Letters.commit(spool, "bob@example.net", new byte[100]);
            QueueId two = Letters.commit(spool, "bob@example.net", new byte[100]);
            fail("register.write", registerFull());
            CompletableFuture<Void> recorded = new CompletableFuture<>();
            CompletableFuture<Void> removed = new CompletableFuture<>();
            spool.record(one, List.of(new RecipientOutcome(1, DEFERRED)), () -> recorded.complete(null));
            spool.remove(two, () -> removed.complete(null));
            assertThatThrownBy(() -> Letters.commit(spool, "bob@example.net", Letters.body(300_000, 1)))
                    .isInstanceOf(NoSpaceException.class);
            Awaitility.await().atMost(PATIENCE).until(() -> world.count("register.write") >= 3);
            assertThat(recorded).isNotDone();
            assertThat(spool.troubles()).anySatisfy(trouble -> {
                assertThat(trouble.what()).isEqualTo(Spool.What.REGISTER);
                assertThat(trouble.sinceMillis()).isEqualTo(world.nowMillis.get());
                assertThat(trouble.reason()).contains("No space left on device");
                assertThat(trouble.noSpace()).isTrue();
            });
            assertThat(directory.resolve("large")).isEmptyDirectory();
            noTrouble();
            recorded.get(90, TimeUnit.SECONDS);
            removed.get(90, TimeUnit.SECONDS);
            QueueId three = commitAtLast(spool);
            assertThat(spool.troubles()).isEmpty();
            assertThat(spool.list(Optional.empty(), 10)).extracting(each -> each.summary().id()).containsExactly(one,
                    three);
            assertThat(spool.details(one).orElseThrow().summary().attempts()).isEqualTo(1);
        }
    }

    @Test
    void aLetterRefusedBecauseOfTheRegisterDoesNotComeBackAfterACrash() throws Exception {
        Path kept;
        try (Spool spool = world.open(directory)) {
            Letters.commit(spool, "bob@example.net", new byte[100]);
            fail("register.write", registerFull());
            assertThatThrownBy(() -> Letters.commit(spool, "bob@example.net", new byte[100]))
                    .isInstanceOf(IOException.class);
            // The register never gets better before the stop: only the box knows that the letter was refused.
            kept = directory.resolve("box").resolve("0000000001.segment");
            assertThat(kept).exists();
        }
        noTrouble();
        try (Spool spool = world.open(directory)) {
            assertThat(spool.counts().messages()).isEqualTo(1);
        }
    }

    @Test
    void aRegisterThatCannotSyncHasNotTakenTheLetter() throws Exception {
        try (Spool spool = world.open(directory)) {
            QueueId id = Letters.commit(spool, "bob@example.net", new byte[100]);
            fail("register.barrier", registerFull());
            CompletableFuture<Spool.Claimed> claimed = new CompletableFuture<>();
            spool.claimDue(QueueName.INCOMING, world.nowMillis.get(), 10, world.nowMillis.get() + 60_000, 0,
                    Long.MAX_VALUE, claimed::complete);
            assertThatThrownBy(() -> Letters.commit(spool, "bob@example.net", new byte[100]))
                    .isInstanceOf(IOException.class);
            assertThat(claimed).isNotDone();
            noTrouble();
            // What the claim found is not forgotten, although its leases had been written already.
            assertThat(Letters.ids(claimed.get(90, TimeUnit.SECONDS).messages())).contains(id);
            commitAtLast(spool);
            assertThat(spool.counts().messages()).isEqualTo(2);
            assertThat(spool.details(id).orElseThrow().nextAttemptMillis())
                    .isEqualTo(world.nowMillis.get() + 60_000);
        }
    }

    @Test
    void aRemovalThatTheRegisterForgetsAndHearsAgainFreesItsPlaceOnce() throws Exception {
        try (Spool spool = world.open(directory)) {
            QueueId gone = Letters.commit(spool, "bob@example.net", new byte[100]);
            QueueId stays = Letters.commit(spool, "bob@example.net", Letters.body(100, 9));
            fail("register.barrier", registerFull());
            Letters.done(then -> spool.remove(gone, then));
            assertThat(world.count("box.released")).as("not synced yet").isZero();
            Awaitility.await().atMost(PATIENCE).until(() -> world.count("register.recover") >= 2);
            noTrouble();
            Awaitility.await().atMost(PATIENCE).until(() -> world.count("box.released") > 0);
            commitAtLast(spool);
            assertThat(world.count("box.released")).isEqualTo(1);
            assertThat(Letters.read(spool, stays)).isEqualTo(Letters.body(100, 9));
        }
    }

    @Test
    void aDatabaseThatDiesIsOpenedAgainAndNothingAcknowledgedIsMissing() throws Exception {
        try (Spool spool = world.open(directory)) {
            QueueId before = Letters.commit(spool, "bob@example.net", Letters.body(100, 1));
            try {
                TestWorld.sql(directory, "shutdown immediately");
            } catch (SQLException e) {
                // It takes our connection along.
            }
            CompletableFuture<Void> deferred = new CompletableFuture<>();
            spool.defer(before, 42, () -> deferred.complete(null));
            QueueId after = commitAtLast(spool);
            deferred.get(90, TimeUnit.SECONDS);
            assertThat(spool.list(Optional.empty(), 10)).extracting(each -> each.summary().id())
                    .containsExactly(before, after);
            assertThat(spool.details(before).orElseThrow().nextAttemptMillis()).isEqualTo(42);
        }
    }

    @Test
    void aChangeThatCanNeverSucceedKeepsOnlyItsOwnMessageWaiting() throws Exception {
        try (Spool spool = world.open(directory)) {
            QueueId poisoned = Letters.commit(spool, "bob@example.net", new byte[100]);
            QueueId healthy = Letters.commit(spool, "bob@example.net", new byte[100]);
            world.trouble = (call, arguments) -> {
                if (call.equals("register.write") && ((List<?>) arguments[0])
                        .contains(new Change.NextAttempt(poisoned, 42))) {
                    throw new RegisterException("cannot write the register",
                            new SQLException("value too long", "22001"));
                }
            };
            CompletableFuture<Void> stuck = new CompletableFuture<>();
            CompletableFuture<Void> behind = new CompletableFuture<>();
            spool.defer(poisoned, 42, () -> stuck.complete(null));
            spool.defer(healthy, 43, () -> {});
            spool.hold(poisoned, true, () -> behind.complete(null));
            Awaitility.await().atMost(PATIENCE)
                    .until(() -> spool.details(healthy).orElseThrow().nextAttemptMillis() == 43);
            Letters.commit(spool, "bob@example.net", new byte[100]);
            assertThat(stuck).isNotDone();
            assertThat(behind).isNotDone();
            noTrouble();
            stuck.get(90, TimeUnit.SECONDS);
            behind.get(90, TimeUnit.SECONDS);
        }
    }

    @Test
    void theWriterSurvivesACallbackThatThrows() throws Exception {
        try (Spool spool = world.open(directory)) {
            QueueId id = Letters.commit(spool, "bob@example.net", new byte[100]);
            spool.defer(id, 1, () -> {
                throw new IllegalStateException("not our day");
            });
            Letters.commit(spool, "bob@example.net", new byte[100]);
        }
    }

    @Test
    void theWriterSurvivesWhatNobodyForesaw() throws Exception {
        try (Spool spool = world.open(directory)) {
            fail("box.sweep", new IllegalStateException("not our day"));
            Letters.commit(spool, "bob@example.net", new byte[100]);
            fail("box.append", new IllegalStateException("not our day"));
            assertThatThrownBy(() -> Letters.commit(spool, "bob@example.net", new byte[100]))
                    .isInstanceOf(IOException.class);
            fail("register.write", new IllegalStateException("not our day"));
            assertThatThrownBy(() -> Letters.commit(spool, "bob@example.net", new byte[100]))
                    .isInstanceOf(IOException.class);
            noTrouble();
            commitAtLast(spool);
        }
    }

    @Test
    void aWriterThatHangsOnADiskThatWorksEndsTheProcess() throws Exception {
        world.watchdogMillis = 60;
        CountDownLatch released = new CountDownLatch(1);
        try (Spool spool = world.open(directory)) {
            world.trouble = (call, _) -> {
                if (call.equals("register.write")) {
                    released.await();
                }
            };
            CompletableFuture<QueueId> letter = CompletableFuture
                    .supplyAsync(() -> commitAtLast(spool), task -> Thread.ofPlatform().daemon().start(task));
            world.ended.await();
            assertThat(letter).isNotDone();
            noTrouble();
            released.countDown();
            letter.get(90, TimeUnit.SECONDS);
        }
    }
}
