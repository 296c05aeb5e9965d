package org.slipstream.spool;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;

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
    void aHundredLettersThatWaitPayOneSyncTogether() throws Exception {
        try (Spool spool = world.open(directory);
                ExecutorService sessions = Executors.newVirtualThreadPerTaskExecutor()) {
            CountDownLatch allWait = new CountDownLatch(1);
            world.trouble = (call, _) -> {
                // Holds the first letter's sync until all the others wait.
                if (call.equals("box.barrier")) {
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
                        return draft.commit(Letters.envelope("bob@example.net"));
                    }
                }));
            }
            committing.await(90, TimeUnit.SECONDS);
            world.calls.clear();
            allWait.countDown();
            for (Future<?> commit : commits) {
                commit.get(90, TimeUnit.SECONDS);
            }
            assertThat(world.count("box.append")).isLessThanOrEqualTo(100);
            assertThat(world.count("register.barrier")).isLessThan(20);
            assertThat(world.count("register.write")).isEqualTo(world.count("register.barrier"));
            assertThat(spool.counts().messages()).isEqualTo(100);
        }
    }

    @Test
    void aLoneLetterIsAGroupOfOneAndWaitsForNobody() throws Exception {
        try (Spool spool = world.open(directory)) {
            for (int i = 0; i < 5; i++) {
                world.calls.clear();
                Letters.commit(spool, "bob@example.net", new byte[100]);
                assertThat(world.count("register.write")).isEqualTo(1);
            }
        }
    }

    @Test
    void nobodyHears250BeforeBoxAndRegisterAreSynced() throws Exception {
        try (Spool spool = world.open(directory)) {
            world.calls.clear();
            Letters.commit(spool, "bob@example.net", new byte[100]);
            world.calls.add("250");
            assertThat(world.calls.stream().filter(call -> call.matches("box\\.(append|barrier).*|register\\..*|250")))
                    .containsSubsequence("box.append done", "box.barrier", "box.barrier done", "250")
                    .containsSubsequence("box.append done", "register.write", "register.write done", "register.barrier",
                            "register.barrier done", "250")
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void outcomesAreAnsweredOnlyAfterTheirNotesAreSynced() throws Exception {
        try (Spool spool = world.open(directory)) {
            var id = Letters.commit(spool, "bob@example.net", new byte[100]);
            world.calls.clear();
            Letters.done(then -> spool.remove(id, () -> {
                world.calls.add("answered");
                then.run();
            }));
            assertThat(world.calls).containsSubsequence("box.note", "box.barrier done", "answered")
                    .containsSubsequence("register.write done", "answered");
            Awaitility.await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> assertThat(world.calls)
                    .as("later than the answer: the notes say it again after a power cut")
                    .containsSubsequence("answered", "register.barrier done"));
            assertThat(world.count("register.barrier")).isEqualTo(1);
        }
    }

    /// A process that is killed takes nothing from the operating system: its files are copied while it runs.
    @Test
    void anOutcomeSurvivesAKillAlthoughTheWriterHangsInTheSyncOfAGroup() throws Exception {
        Outcome taken = Outcome.of(Reply.of(250, "2.0.0", "taken"), "mx.example.net");
        Path killed = directory.resolve("killed");
        try (Spool spool = world.open(directory.resolve("running"));
                ExecutorService sessions = Executors.newVirtualThreadPerTaskExecutor()) {
            var whole = Letters.commit(spool, "bob@example.net", new byte[100]);
            var half = Letters.commit(spool, Letters.envelope("a@example.net", "b@example.net"), new byte[100]).id();
            CountDownLatch hangs = new CountDownLatch(1);
            CountDownLatch goesOn = new CountDownLatch(1);
            world.trouble = (call, _) -> {
                if (call.equals("register.barrier")) {
                    hangs.countDown();
                    goesOn.await(90, TimeUnit.SECONDS);
                }
            };
            Future<?> commit = sessions.submit(() -> Letters.commit(spool, "eve@example.net", new byte[100]));
            hangs.await(90, TimeUnit.SECONDS);
            CountDownLatch answered = new CountDownLatch(2);
            spool.record(whole, List.of(new RecipientOutcome(1, taken)), answered::countDown);
            spool.record(half, List.of(new RecipientOutcome(2, taken)), answered::countDown);
            Awaitility.await().atMost(Duration.ofSeconds(90))
                    .until(() -> world.count("box.noteEarly done") > 0 && copied(killed, half, whole));
            assertThat(answered.getCount()).as("safe from a kill is not yet safe").isEqualTo(2);
            goesOn.countDown();
            commit.get(90, TimeUnit.SECONDS);
            assertThat(answered.await(90, TimeUnit.SECONDS)).isTrue();
        }
    }

    /// @return true when what a killed process would leave knows of both outcomes
    private boolean copied(Path killed, QueueId half, QueueId whole) throws Exception {
        TestWorld.copy(directory.resolve("running"), killed);
        try (Spool spool = new TestWorld().open(killed)) {
            return spool.details(whole).isEmpty() && spool.readRecipients(half, 0, 10).recipients().stream()
                    .map(each -> each.number()).toList().equals(List.of(1));
        }
    }

    @Test
    void aLetterThatEverybodyHasHadCostsOneGroupAfterItsOwn() throws Exception {
        Outcome taken = Outcome.of(Reply.of(250, "2.0.0", "taken"), "mx.example.net");
        try (Spool spool = world.open(directory)) {
            var id = Letters.commit(spool, Letters.envelope("bob@example.net", "eve@example.net"), new byte[100]).id();
            Letters.done(then -> spool.record(id, List.of(new RecipientOutcome(2, taken)), then));
            assertThat(spool.details(id)).isPresent();
            world.calls.clear();
            Letters.done(then -> spool.record(id, List.of(new RecipientOutcome(1, taken)), then));
            assertThat(spool.details(id)).as("nothing is left to be known of it").isEmpty();
            Letters.done(then -> spool.remove(id, then));
            assertThat(world.count("register.write")).isEqualTo(1);
            assertThat(world.count("box.barrier")).isEqualTo(1);
            assertThat(spool.counts()).isEqualTo(new Spool.Counts(0, 0, 0, 0));
        }
    }
}
