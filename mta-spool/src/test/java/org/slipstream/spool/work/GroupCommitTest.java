package org.slipstream.spool.work;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

class GroupCommitTest {
    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();

    @Test
    void aHundredMessagesThatWaitPayOneSyncTogether() throws Exception {
        try (Spool spool = world.open(directory);
                ExecutorService sessions = Executors.newVirtualThreadPerTaskExecutor()) {
            CountDownLatch allWait = new CountDownLatch(1);
            world.trouble = (call, _) -> {
                // Holds the sync of the first message until all the others wait.
                if (call.equals("log.sync")) {
                    allWait.await(90, TimeUnit.SECONDS);
                }
            };
            List<Future<?>> commits = new ArrayList<>();
            CountDownLatch committing = new CountDownLatch(100);
            for (int i = 0; i < 100; i++) {
                commits.add(sessions.submit(() -> {
                    try (Draft draft = spool.draft()) {
                        draft.write(new byte[100], 0, 100);
                        committing.countDown();
                        return draft.commit(TestMessages.envelope("bob@example.net"));
                    }
                }));
            }
            committing.await(90, TimeUnit.SECONDS);
            world.calls.clear();
            allWait.countDown();
            for (Future<?> commit : commits) {
                commit.get(90, TimeUnit.SECONDS);
            }
            assertThat(world.count("log.append")).isLessThanOrEqualTo(100);
            assertThat(world.count("log.sync")).isLessThan(20);
            assertThat(spool.counts().messages()).isEqualTo(100);
        }
    }

    @Test
    void aLoneMessageIsAGroupOfOneAndPaysOneSync() throws Exception {
        try (Spool spool = world.open(directory)) {
            for (int i = 0; i < 5; i++) {
                world.calls.clear();
                TestMessages.commit(spool, "bob@example.net", new byte[100]);
                assertThat(world.count("log.sync")).isEqualTo(1);
            }
        }
    }

    /// There is no setting for less.
    @Test
    @Tag("IM-34")
    void noClientGets250BeforeTheLogIsSynced() throws Exception {
        try (Spool spool = world.open(directory)) {
            world.calls.clear();
            TestMessages.commit(spool, "bob@example.net", new byte[100]);
            world.calls.add("250");
            assertThat(world.calls).containsSubsequence("log.append done", "log.sync", "log.sync done", "250");
        }
    }

    @Test
    void noClientWaitsForTheIndex() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        try (Spool spool = world.open(directory);
                ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
            TestMessages.commit(spool, "bob@example.net", new byte[100]);
            world.trouble = (call, _) -> {
                if (call.equals("index.apply")) {
                    hangs.countDown();
                    goesOn.await(90, TimeUnit.SECONDS);
                }
            };
            Future<Spool.Counts> counts = readers.submit(spool::counts);
            hangs.await(90, TimeUnit.SECONDS);
            QueueId id = TestMessages.commit(spool, "eve@example.net", new byte[100]);
            assertThat(spool.readRecipients(id, 0, 10).recipients()).hasSize(1);
            assertThat(spool.envelope(id)).isPresent();
            TestMessages.done(then -> spool.defer(id, 42, then));
            goesOn.countDown();
            assertThat(counts.get(90, TimeUnit.SECONDS).messages()).isEqualTo(1);
            assertThat(spool.counts().messages()).isEqualTo(2);
        }
    }

    @Test
    void outcomesAreAnsweredOnlyAfterTheirRecordsAreSynced() throws Exception {
        try (Spool spool = world.open(directory)) {
            var id = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            world.calls.clear();
            TestMessages.done(then -> spool.remove(id, () -> {
                world.calls.add("answered");
                then.run();
            }));
            assertThat(world.calls).containsSubsequence("log.append", "log.sync done", "answered");
        }
    }

    @Test
    void theIndexNeverGetsAMessageThatHasLeft() throws Exception {
        world.indexDelayMillis = TimeUnit.HOURS.toMillis(1);
        try (Spool spool = world.open(directory)) {
            world.calls.clear();
            for (int i = 0; i < 20; i++) {
                QueueId id = TestMessages.commit(spool, "bob@example.net",
                        TestMessages.body(i == 7 ? 300_000 : 100, i));
                TestMessages.done(then -> spool.remove(id, then));
            }
            assertThat(spool.counts()).isEqualTo(new Spool.Counts(0, 0, 0, 0));
            assertThat(world.count("index.apply")).isZero();
            Awaitility.await().atMost(Duration.ofSeconds(90))
                    .untilAsserted(() -> assertThat(directory.resolve("large")).isEmptyDirectory());
        }
    }

    @Test
    void aMessageThatEverybodyHasHadCostsOneGroupAfterItsOwn() throws Exception {
        Outcome taken = Outcome.of(Reply.of(250, "2.0.0", "taken"), "mx.example.net");
        try (Spool spool = world.open(directory)) {
            var id = TestMessages
                    .commit(spool, TestMessages.envelope("bob@example.net", "eve@example.net"), new byte[100]).id();
            TestMessages.done(then -> spool.record(id, List.of(new RecipientOutcome(2, taken)), then));
            assertThat(spool.details(id)).isPresent();
            world.calls.clear();
            TestMessages.done(then -> spool.record(id, List.of(new RecipientOutcome(1, taken)), then));
            assertThat(spool.details(id)).as("nothing is left to be known of it").isEmpty();
            TestMessages.done(then -> spool.remove(id, then));
            assertThat(world.count("log.sync")).isEqualTo(1);
            assertThat(spool.counts()).isEqualTo(new Spool.Counts(0, 0, 0, 0));
        }
    }
}
