package org.slipstream.spool.work;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.DataSize;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.Instructions;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.PastAttempt;
import org.slipstream.core.queue.QueueName;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.MessageLog.ScannedRecord;
import org.slipstream.spool.log.Position;
import org.slipstream.spool.log.Segments;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// Many messages pass and a few wait for long: the size of the log follows the queue.
class CleanerTest {
    private static final Instruction.HoldNote NOTE = new Instruction.HoldNote("ann", 5, "until they have answered");
    private static final int RUNS = Boolean.getBoolean("slipstream.long") ? 6 : 2;
    private static final Outcome TAKEN = Outcome.of(Reply.of(250, "2.0.0", "taken"), "mx.example.net");
    private static final Outcome BUSY = Outcome.of(Reply.of(451, "4.3.2", "busy"), "mx.example.net");

    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();
    private final Map<QueueId, byte[]> waiting = new TreeMap<>();
    private QueueId partly;
    private final List<PastAttempt> attempts = new ArrayList<>();

    private SpoolConfig config() {
        return new SpoolConfig(directory, DataSize.of(30_000), DataSize.ofKibibytes(128), DataSize.ZERO);
    }

    /// Two messages in a hundred stay, one in two hundred is large.
    private void churn(Spool spool, int messages, Random random) throws IOException {
        for (int i = 0; i < messages; i++) {
            byte[] body = TestMessages.body(random.nextInt(200) == 0 ? 150_000 : 1 + random.nextInt(4000),
                    random.nextLong());
            QueueId id = TestMessages.commit(spool, "bob@example.net", body);
            if (i % 50 == 7) {
                waiting.put(id, body);
                spool.record(id, List.of(new RecipientOutcome(1, BUSY)), () -> {});
            } else {
                spool.record(id, List.of(new RecipientOutcome(1, TAKEN)), () -> {});
                spool.remove(id, () -> {});
            }
        }
        TestMessages.done(then -> spool.hold(partly, true, then));
    }

    private long logBytes() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("log"))) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        }
    }

    /// Two recipients are deferred with different replies, and then one of them.
    private void attempt(Spool spool, int... recipients) {
        world.clock.advanceMillis(1_000);
        List<RecipientOutcome> outcomes = new ArrayList<>();
        for (int number : recipients) {
            Outcome later = Outcome.of(Reply.of(450, "4.2." + number, "later"), "mx.example.net");
            outcomes.add(new RecipientOutcome(number, later, new RecipientOutcome.Reached(Optional.empty(), 5)));
        }
        attempts.addAll(0, outcomes.stream().map(each -> new PastAttempt(world.clock.millis(), "mx.example.net",
                Optional.empty(), each.outcome().reply(), 5, 1)).toList());
        spool.record(partly, outcomes, true, () -> {});
    }

    private void verify(Spool spool) throws Exception {
        assertThat(spool.list(Optional.empty(), 1000)).extracting(each -> each.summary().id())
                .containsExactlyInAnyOrderElementsOf(waiting.keySet());
        for (Map.Entry<QueueId, byte[]> each : waiting.entrySet()) {
            assertThat(TestMessages.read(spool, each.getKey())).isEqualTo(each.getValue());
        }
        assertThat(spool.details(partly).orElseThrow().recipients()).extracting(RecipientState::state)
                .containsExactly(RecipientStatus.DELIVERED, RecipientStatus.OPEN);
        assertThat(spool.attempts(partly)).isEqualTo(attempts);
        assertThat(spool.counts().messages()).isEqualTo(waiting.size());
        assertThat(spool.counts().sizeBytes())
                .isEqualTo(waiting.values().stream().mapToLong(body -> body.length).sum());
    }

    @Test
    void waitingMessagesAreCopiedAndNothingIsLostOrComesBack() throws Exception {
        long seed = System.nanoTime();
        System.out.println("CleanerTest seed " + seed);
        Random random = new Random(seed);
        for (int run = 0; run < RUNS; run++) {
            try (Spool spool = world.open(config())) {
                if (run == 0) {
                    partly = TestMessages
                            .commit(spool, TestMessages.envelope("a@example.net", "b@example.net"), new byte[99])
                            .id();
                    waiting.put(partly, new byte[99]);
                    attempt(spool, 1, 2);
                    attempt(spool, 2);
                    spool.record(partly, List.of(new RecipientOutcome(1, TAKEN)), () -> {});
                    spool.instruct(partly, new Instruction.Return(Instruction.Cause.CANCELLED, "by hand"), () -> {});
                    spool.instruct(partly, new Instruction.Reroute(Optional.of(new Route.Discard("x"))), () -> {});
                    spool.instruct(partly, new Instruction.Priority(-3), () -> {});
                    spool.instruct(partly, new Instruction.Hold(Optional.of(NOTE)), () -> {});
                }
                churn(spool, 400, random);
                verify(spool);
                long live = waiting.values().stream().mapToLong(body -> body.length).sum();
                // 800 KB were written in each run. Four segments spare, one open, twice what waits,
                // and the last being filled. The cleaner looks every second, and again after ten
                // when what it left out had changed.
                Awaitility.await("seed " + seed + ", run " + run + ", live " + live).atMost(Duration.ofSeconds(90))
                        .untilAsserted(() -> assertThat(logBytes()).isLessThan(2 * live + 8 * 34_000));
            }
            try (Spool spool = world.open(config())) {
                verify(spool);
            }
            // The index is lost: the log alone has the same facts, although its beginning has been
            // deleted.
            Files.deleteIfExists(directory.resolve("index.mv.db"));
            try (Spool spool = world.open(config())) {
                verify(spool);
                assertThat(spool.details(partly).orElseThrow().summary().held()).isTrue();
                assertThat(spool.details(partly).orElseThrow().summary().instructions()).isEqualTo(new Instructions(
                        Optional.of(new Instruction.Return(Instruction.Cause.CANCELLED, "by hand")),
                        Optional.of(new Route.Discard("x")), OptionalInt.of(-3), Optional.of(NOTE)));
            }
        }
    }

    /// The counts of the log do not show it: no segment becomes empty, and none is opened.
    @Test
    void deletedMailLeavesTheLogThoughNoMailComesAfterIt() throws Exception {
        try (Spool spool = world.open(config())) {
            List<QueueId> ids = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                ids.add(TestMessages.commit(spool, "bob@example.net", TestMessages.body(2000, i)));
            }
            assertThat(logBytes()).isGreaterThan(800_000);
            for (int i = 0; i < ids.size(); i++) {
                if (i % 10 != 0) {
                    spool.remove(ids.get(i), () -> {});
                }
            }
            Awaitility.await().atMost(Duration.ofSeconds(90)).untilAsserted(
                    () -> assertThat(logBytes()).isLessThan(2 * 80_000 + 8 * 34_000));
            for (int i = 0; i < ids.size(); i += 10) {
                assertThat(TestMessages.read(spool, ids.get(i))).isEqualTo(TestMessages.body(2000, i));
            }
        }
    }

    /// The removal follows the cleaner's task into the same group of the log thread.
    @Test
    void aMessageThatIsRemovedAfterItsCopyWasOrderedDoesNotComeBack() throws Exception {
        AtomicBoolean filled = new AtomicBoolean();
        CountDownLatch copying = new CountDownLatch(1);
        CountDownLatch syncing = new CountDownLatch(1);
        CountDownLatch removed = new CountDownLatch(1);
        QueueId gone;
        QueueId other;
        try (Spool spool = world
                .open(new SpoolConfig(directory, DataSize.of(10_000), DataSize.ofKibibytes(128), DataSize.ZERO))) {
            gone = TestMessages.commit(spool, "bob@example.net", TestMessages.body(3000, 1));
            other = TestMessages.commit(spool, "bob@example.net", TestMessages.body(3000, 2));
            world.trouble = (call, _) -> {
                if (call.equals("log.read")) {
                    copying.countDown();
                    syncing.await(90, TimeUnit.SECONDS);
                } else if (call.equals("log.sync") && filled.get() && copying.getCount() == 0) {
                    syncing.countDown();
                    removed.await(90, TimeUnit.SECONDS);
                }
            };
            for (int i = 0; i < 40; i++) {
                QueueId id = TestMessages.commit(spool, "bob@example.net", TestMessages.body(3000, i));
                spool.remove(id, () -> {});
            }
            filled.set(true);
            copying.await(90, TimeUnit.SECONDS);
            CompletableFuture<Void> held = new CompletableFuture<>();
            spool.hold(new QueueId(1), true, () -> held.complete(null));
            syncing.await(90, TimeUnit.SECONDS);
            // The index thread answers one after the other: when it has searched, the copy has been
            // ordered.
            world.calls.clear();
            spool.claimDue(QueueName.DEFERRED, 0, 1, 0, 0, Long.MAX_VALUE, _ -> {});
            Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> world.calls.contains("index.due done"));
            CompletableFuture<Void> answered = new CompletableFuture<>();
            spool.remove(gone, () -> answered.complete(null));
            removed.countDown();
            CompletableFuture.allOf(held, answered).get(90, TimeUnit.SECONDS);
            // The earlier records are gone, so a new index would have only the copy.
            Path first = directory.resolve("log").resolve("0000000001.segment");
            Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> Files.notExists(first));
        }
        List<QueueId> stored = new ArrayList<>();
        try (Segments log = new Segments(directory, 10_000)) {
            log.scan(Position.START, new Position(Long.MAX_VALUE, 0), found -> {
                if (found instanceof ScannedRecord.Sound(LogRecord.Stored copy, Position _)) {
                    stored.add(copy.id());
                }
            });
        }
        assertThat(stored).as("behind its removal").contains(other).doesNotContain(gone);
    }

    @Test
    void aSegmentThatVanishesUnderTheServerKeepsItsMailNamed() throws Exception {
        try (Spool spool = world.open(config())) {
            QueueId lost = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            TestMessages.done(then -> spool.defer(lost, Long.MAX_VALUE / 2, then));
            for (int i = 0; i < 80; i++) {
                QueueId gone = TestMessages.commit(spool, "bob@example.net", TestMessages.body(1_000, i));
                TestMessages.done(then -> spool.remove(gone, then));
            }
            assertThat(spool.counts().messages()).isEqualTo(1);
            Files.delete(directory.resolve("log").resolve("0000000001.segment"));
            world.calls.clear();
            Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> world.count("index.named done") >= 4);
            assertThat(world.calls).doesNotContain("log.delete");
        }
        try (Spool spool = world.open(config())) {
            assertThat(spool.counts().messages()).isZero();
            assertThat(spool.counts().corrupt()).isEqualTo(1);
        }
    }

    @Test
    void changesOfTheIndexDuringATaskAreNewsUntilTheTaskIsDone() {
        Tail tail = new Tail(10, 10_000, Position.START, 0);
        QueueId id = new QueueId(7);
        tail.taskWaits();
        tail.taskWaits();
        tail.add(List.of(new LogRecord.Hold(id, true)), new Position(1, 100), 1);
        assertThat(tail.hasNews(id)).isTrue();
        tail.take(2, 10);
        tail.applied();
        assertThat(tail.mentions(id)).isFalse();
        tail.taskDone();
        assertThat(tail.hasNews(id)).as("another task waits").isTrue();
        tail.taskDone();
        assertThat(tail.hasNews(id)).isFalse();
    }
}
