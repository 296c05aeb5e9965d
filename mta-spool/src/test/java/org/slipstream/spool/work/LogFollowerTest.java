package org.slipstream.spool.work;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.DataSize;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.follow.MessageChange;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/// Programs are told what became of mail, from the log and from nothing else.
class LogFollowerTest {
    private static final boolean ALL = Boolean.getBoolean("slipstream.long");
    private static final RecipientOutcome.Reached TRIED = new RecipientOutcome.Reached(Optional.empty(), 12);

    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();
    private FollowingSink sink = new FollowingSink();

    private Spool open() throws Exception {
        world.changes = Optional.of(sink);
        return world.openMade(new SpoolConfig(directory, DataSize.of(30_000), DataSize.ofKibibytes(128),
                DataSize.ZERO));
    }

    private static RecipientOutcome outcome(int number, int code) {
        return new RecipientOutcome(number, Outcome.of(Reply.of(code, "so it is"), "mx.example.net"), TRIED);
    }

    private void record(Spool spool, QueueId id, RecipientOutcome... outcomes) {
        world.clock.advanceMillis(1_000);
        TestMessages.done(then -> spool.record(id, List.of(outcomes), then));
    }

    private static QueueId commit(Spool spool, String... recipients) throws IOException {
        return TestMessages.commit(spool, TestMessages.envelope(recipients), new byte[100]).id();
    }

    /// As the queue manager does with a message that has no open recipient.
    private static void remove(Spool spool, QueueId id) {
        TestMessages.done(then -> spool.remove(id, then));
    }

    @Test
    void aMessageThatIsDeliveredAtOnceIsAcceptedAndDelivered() throws Exception {
        QueueId id;
        try (Spool spool = open()) {
            id = commit(spool, "bob@example.net");
            record(spool, id, outcome(1, 250));
            remove(spool, id);
        }
        assertThat(sink.told()).containsExactly(id + " accepted [bob@example.net]",
                id + " bob@example.net 250 attempt 1");
    }

    /// The message is no longer in memory: its facts and its attempts come from the index.
    @Test
    void aLaterAttemptKnowsItsNumberAfterARestart() throws Exception {
        world.indexDelayMillis = TimeUnit.HOURS.toMillis(1);
        QueueId id;
        try (Spool spool = open()) {
            id = commit(spool, "bob@example.net", "carol@example.net");
            record(spool, id, outcome(1, 250), outcome(2, 451));
        }
        try (Spool spool = open()) {
            record(spool, id, outcome(2, 451));
            TestMessages.done(then -> spool.hold(id, true, then));
            TestMessages.done(then -> spool.hold(id, false, then));
            record(spool, id, outcome(2, 550));
            remove(spool, id);
        }
        assertThat(sink.told()).containsExactly(id + " accepted [bob@example.net, carol@example.net]",
                id + " bob@example.net 250 attempt 1", id + " carol@example.net 451 attempt 1",
                id + " carol@example.net 451 attempt 2", id + " held", id + " released",
                id + " carol@example.net 550 attempt 3");
    }

    /// Its outcome was not written before the stop, and the index has forgotten the message.
    @Test
    void aMessageThatHasLeftTheQueueIsFoundInTheLog() throws Exception {
        QueueId id;
        try (Spool spool = open()) {
            id = commit(spool, "bob@example.net");
            record(spool, id, outcome(1, 451));
        }
        try (Spool spool = open()) {
            sink.failing = true;
            record(spool, id, outcome(1, 250));
            remove(spool, id);
        }
        sink.failing = false;
        try (Spool spool = open()) {
            assertThat(spool.details(id)).isEmpty();
        }
        assertThat(sink.told()).last().isEqualTo(id + " bob@example.net 250");
        assertThat(sink.told()).hasSize(3);
    }

    @Test
    void aMessageThatAnOperatorDeletesIsDeletedAndOneThatIsFinishedIsNot() throws Exception {
        QueueId deleted;
        try (Spool spool = open()) {
            deleted = commit(spool, "bob@example.net");
            TestMessages.done(then -> spool.delete(deleted, then));
            QueueId sent = commit(spool, "bob@example.net");
            record(spool, sent, outcome(1, 250));
            remove(spool, sent);
        }
        assertThat(sink.told()).filteredOn(each -> each.endsWith("deleted")).containsExactly(deleted + " deleted");
    }

    /// Two messages in a hundred stay for so long that the cleaner copies them.
    @Test
    void copiesOfTheCleanerAreNoNews() throws Exception {
        Set<String> expected = new HashSet<>();
        try (Spool spool = open()) {
            for (int i = 0; i < 400; i++) {
                QueueId id = TestMessages.commit(spool, "bob@example.net", new byte[1500]);
                expected.add(id + " accepted [bob@example.net]");
                if (i % 50 == 7) {
                    record(spool, id, outcome(1, 451));
                    expected.add(id + " bob@example.net 451 attempt 1");
                } else if (i % 50 != 8) {
                    record(spool, id, outcome(1, 250));
                    expected.add(id + " bob@example.net 250 attempt 1");
                    remove(spool, id);
                }
            }
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> world.calls.contains("log.delete"));
            assertThat(spool.counts().messages()).isEqualTo(16);
        }
        assertThat(sink.told()).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(expected);
    }

    /// The disk of the events is full: the log waits for it up to a ceiling, and mail never does.
    @Test
    void theLogKeepsWhatWasNotWrittenUpToTheCeiling() throws Exception {
        try (Spool spool = open()) {
            sink.failing = true;
            sink.ceilingBytes = 10 * 30_000;
            for (int i = 0; i < 100; i++) {
                QueueId id = TestMessages.commit(spool, "bob@example.net", new byte[1500]);
                record(spool, id, outcome(1, 250));
                remove(spool, id);
            }
            assertThat(world.calls).doesNotContain("log.delete");
            assertThat(sink.losses).isEmpty();
            for (int i = 0; i < 400; i++) {
                QueueId id = TestMessages.commit(spool, "bob@example.net", new byte[1500]);
                record(spool, id, outcome(1, 250));
                remove(spool, id);
            }
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> world.calls.contains("log.delete"));
            sink.failing = false;
            QueueId last = commit(spool, "carol@example.net");
            Awaitility.await().atMost(Duration.ofMinutes(1))
                    .until(() -> sink.told().contains(last + " accepted [carol@example.net]"));
        }
        assertThat(sink.losses).isNotEmpty();
        long lost = sink.losses.stream().mapToLong(each -> Long.parseLong(each.substring(0, each.indexOf(' ')))).sum();
        // Each fact is written or counted.
        assertThat(sink.told().size() + lost).isEqualTo(2 * 500 + 1);
    }

    /// @param asked before that moment of the disk, nothing of it can be on it; @param answered from then on, it is
    private record Fact(String text, int asked, int answered) {}

    /// Wherever the machine stops, what programs had read and what they read after the start is all that happened.
    @Test
    void whereverARunIsCutOffEveryFactIsToldOnce() throws Exception {
        long seed = Long.getLong("crash.seed", System.nanoTime());
        System.out.println("LogFollowerTest seed " + seed);
        Random random = new Random(seed);
        DiskLog log = new DiskLog(Files.createDirectory(directory.resolve("run")), true);
        List<Fact> facts = new ArrayList<>();
        FollowingSink first = new FollowingSink(Optional.empty(), List.of(), log::now);
        try (CrashWorld crash = new CrashWorld(log)) {
            crash.changes = Optional.of(first);
            for (int run = 0; run < 2; run++) {
                try (Spool spool = crash.open()) {
                    for (int i = 0; i < 25; i++) {
                        someMail(spool, crash, random, facts, log);
                    }
                }
            }
        }
        int cuts = 0;
        List<String> broken = new ArrayList<>();
        int begun = facts.getFirst().asked();
        for (int at = begun; at <= log.now(); at++) {
            if (ALL || random.nextInt(12) == 0) {
                DiskLog.Cut cut = random.nextBoolean() ? new DiskLog.Cut.Process() : new DiskLog.Cut.Power();
                broken.addAll(check(log, at, cut, first, facts));
                cuts++;
            }
        }
        System.out.println("LogFollowerTest " + facts.size() + " facts, " + cuts + " cuts");
        assertThat(broken).as("seed %d", seed).isEmpty();
    }

    private static void someMail(Spool spool, CrashWorld crash, Random random, List<Fact> facts, DiskLog log)
            throws IOException {
        crash.clock.advanceMillis(1_000);
        int asked = log.now();
        QueueId id = TestMessages.commit(spool, "bob@example.net", new byte[random.nextInt(1_500)]);
        facts.add(new Fact(id + " accepted [bob@example.net]", asked, log.now()));
        int code = random.nextInt(4) == 0 ? 451 : 250;
        int then = log.now();
        TestMessages.done(done -> spool.record(id, List.of(outcome(1, code)), done));
        facts.add(new Fact(id + " bob@example.net " + code, then, log.now()));
        if (code == 250) {
            remove(spool, id);
        }
    }

    private List<String> check(DiskLog log, int at, DiskLog.Cut cut, FollowingSink first, List<Fact> facts)
            throws Exception {
        int durable = first.syncs.stream().filter(each -> each.at() < at).mapToInt(FollowingSink.Synced::count).max()
                .orElse(0);
        List<MessageChange> had = List.copyOf(first.taken.subList(0, durable));
        FollowingSink second = new FollowingSink(first.begin(), had, () -> 0);
        Path image = Files.createTempDirectory(directory, "image");
        log.image(at, cut).copyTo(image);
        try (CrashWorld crash = new CrashWorld(new DiskLog(image, false))) {
            crash.changes = Optional.of(second);
            crash.open().close();
        }
        List<String> told = second.told().stream().map(each -> each.replaceFirst(" attempt .*", "")).toList();
        List<String> broken = new ArrayList<>();
        facts.stream().filter(each -> each.answered() <= at && !told.contains(each.text()))
                .forEach(each -> broken.add("at " + at + " " + cut + ": not told: " + each));
        facts.stream().filter(each -> each.asked() >= at && told.contains(each.text()))
                .forEach(each -> broken.add("at " + at + " " + cut + ": told too early: " + each));
        if (new HashSet<>(told).size() < told.size()) {
            broken.add("at " + at + " " + cut + ": told twice: " + told);
        }
        return broken;
    }
}
