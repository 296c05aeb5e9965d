package org.slipstream.spool.work;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.SenderTls;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueueName;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.MovableMessages.Exported;
import org.slipstream.spool.MovedCopies;
import org.slipstream.spool.MovingMessage;
import org.slipstream.spool.NoSpaceException;
import org.slipstream.spool.Spool;
import org.slipstream.spool.work.Moving.Known;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// A message moves from one spool into another with everything that is known of it.
class MovingMessageTest {
    private static final Outcome TAKEN = outcome(250, "2.0.0");
    private static final Outcome BUSY = outcome(451, "4.3.2");
    private static final Outcome REFUSED = outcome(550, "5.1.1");

    @TempDir
    Path directory;
    private final TestWorld oldWorld = new TestWorld();
    private final TestWorld newWorld = new TestWorld();
    private Spool from;
    private Spool to;

    private static Outcome outcome(int code, String status) {
        return Outcome.of(Reply.of(code, status, "so it is"), "mx.example.net[192.0.2.1]:25");
    }

    @BeforeEach
    void open() throws Exception {
        from = oldWorld.open(directory.resolve("old"));
        to = newWorld.open(directory.resolve("new"));
    }

    @AfterEach
    void close() {
        from.close();
        to.close();
    }

    private void record(Spool spool, QueueId id, boolean attempt, RecipientOutcome... outcomes) {
        TestMessages.done(then -> spool.record(id, List.of(outcomes), attempt, then));
    }

    private static RecipientOutcome tried(int number, Outcome outcome) {
        return new RecipientOutcome(number, outcome,
                new RecipientOutcome.Reached(Optional.of(QueuePhase.Code.RCPT), 40));
    }

    /// With a past: one recipient delivered, one failed and reported, one failed, one deferred, one
    /// deferred without an attempt, one untried.
    private QueueId experienced(int size) throws IOException {
        QueueId id = TestMessages.commit(from, TestMessages.envelope("a@example.net", "b@example.net",
                "c@example.net", "d@example.net", "e@example.net", "f@example.net"), TestMessages.body(size, 7)).id();
        record(from, id, true, tried(1, TAKEN), tried(2, REFUSED), tried(4, BUSY));
        TestMessages.done(then -> from.failuresReported(id, then));
        oldWorld.clock.advanceMillis(5_000);
        record(from, id, true, tried(3, REFUSED), tried(4, BUSY),
                RecipientOutcome.untried(5, BUSY, QueuePhase.Code.DEAD));
        TestMessages.done(then -> from.delayReported(id, 2, then));
        TestMessages.done(then -> from.instruct(id, new Instruction.Priority(4), then));
        TestMessages.done(then -> from.instruct(id, new Instruction.Reroute(Optional.of(new Route.Smtp(
                "[relay.example]:25", List.of(new Route.Host("relay.example", 25, 0))))), then));
        TestMessages.done(then -> from.defer(id, oldWorld.clock.millis() + 777_000, then));
        return id;
    }

    private void reopenWithoutIndex() throws Exception {
        to.close();
        Files.deleteIfExists(directory.resolve("new").resolve("index.mv.db"));
        to = newWorld.open(directory.resolve("new"));
    }

    /// The kill hit the first move of the message. Its second one comes while the index is made.
    @Test
    void theFileOfAMoveThatAKillCutOffIsNotTakenForThatOfTheNextMove() throws Exception {
        TestMessages.commit(to, "z@example.net", TestMessages.body(10, 3));
        oldWorld.clock.advanceMillis(1_000);
        QueueId id = experienced(400_000);
        Known before = Known.of(from, id);
        to.close();
        Files.write(directory.resolve("new/large/" + id + ".message"), new byte[100_000]);
        Files.delete(directory.resolve("new/index.mv.db"));
        boolean[] moved = {false};
        CountDownLatch opened = new CountDownLatch(1);
        newWorld.trouble = (call, _) -> {
            if (call.equals("log.ownFiles") && Thread.currentThread().getName().startsWith("spool-making")
                    && !moved[0]) {
                moved[0] = true;
                opened.await();
                Moving.move(from, to, id);
            }
        };
        to = newWorld.open(directory.resolve("new"));
        opened.countDown();
        TestWorld.made(to);
        assertThat(moved[0]).isTrue();
        assertThat(Known.of(to, id)).isEqualTo(before);
    }

    @Test
    void everythingThatIsKnownOfAMessageMovesWithItAndSurvivesARebuiltIndex() throws Exception {
        for (int size : new int[]{1, 3_000, 400_000}) {
            QueueId id = experienced(size);
            Known before = Known.of(from, id);
            Moving.move(from, to, id);

            assertThat(Known.of(to, id)).isEqualTo(before);
            assertThat(from.details(id)).isEmpty();
            assertThat(to.readRecipients(id, 0, 10).recipients()).hasSize(3);
            reopenWithoutIndex();
            assertThat(Known.of(to, id)).isEqualTo(before);
        }
        assertThat(from.counts().messages()).isZero();
        try (Stream<Path> files = Files.list(directory.resolve("old").resolve("large"))) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void anUntriedMessageStaysInTheIncomingQueueAndARichEnvelopeIsKept() throws Exception {
        Envelope envelope = TestMessages.richEnvelope();
        QueueId id = TestMessages.commit(from, envelope, new byte[100]).id();
        Known before = Known.of(from, id);
        Moving.move(from, to, id);

        assertThat(Known.of(to, id)).isEqualTo(before);
        assertThat(TestMessages.ids(TestMessages.claim(to, QueueName.INCOMING, newWorld.clock.millis(), 10,
                newWorld.clock.millis() + 1_000).messages())).containsExactly(id);
    }

    @Test
    void holdEndingAndAWantedDelayAreKept() throws Exception {
        QueueId held = TestMessages.commit(from, "a@example.net", new byte[10]);
        TestMessages.done(then -> from.hold(held, true, then));
        TestMessages.done(then -> from.instruct(held,
                new Instruction.Return(Instruction.Cause.CANCELLED, "no such domain"), then));
        long later = oldWorld.clock.millis() + 3_600_000;
        Envelope wanted = TestMessages.envelope("b@example.net").withOptions(
                new DeliveryOptions(OptionalLong.of(later), Optional.empty(), 0, SenderTls.USUAL));
        QueueId delayed = TestMessages.commit(from, wanted, new byte[10]).id();
        for (QueueId id : List.of(held, delayed)) {
            Known before = Known.of(from, id);
            Moving.move(from, to, id);
            assertThat(Known.of(to, id)).isEqualTo(before);
            reopenWithoutIndex();
            assertThat(Known.of(to, id)).isEqualTo(before);
        }
        assertThat(to.details(held).orElseThrow().summary().held()).isTrue();
        assertThat(to.details(delayed).orElseThrow().nextAttemptMillis()).isEqualTo(later);
    }

    @Test
    void theDueTimeOfTheQueueManagerReplacesThatOfTheDisk() throws Exception {
        QueueId id = experienced(10);
        long due = oldWorld.clock.millis() + 5;
        assertThat(Moving.take(to, Moving.ready(from, id, OptionalLong.of(due)))).isEmpty();
        assertThat(to.details(id).orElseThrow().nextAttemptMillis()).isEqualTo(due);

        QueueId leased = TestMessages.commit(from, "a@example.net", new byte[10]);
        TestMessages.claim(from, oldWorld.clock.millis(), 10, oldWorld.clock.millis() + 300_000);
        assertThat(Moving.take(to, Moving.ready(from, leased, OptionalLong.of(oldWorld.clock.millis())))).isEmpty();
        to.arrived(leased);
        assertThat(TestMessages.ids(TestMessages.claim(to, QueueName.INCOMING, oldWorld.clock.millis(), 10,
                oldWorld.clock.millis() + 1_000).messages())).containsExactly(leased);
    }

    @Test
    void changesThatWereOrderedBeforeAreInTheCopy() throws Exception {
        QueueId id = TestMessages.commit(from, TestMessages.envelope("a@example.net", "b@example.net"), new byte[9])
                .id();
        from.record(id, List.of(tried(1, TAKEN)), true, () -> {});
        from.instruct(id, new Instruction.Priority(5), () -> {});
        from.hold(id, true, () -> {});
        MovingMessage message = Moving.ready(from, id, OptionalLong.empty());
        assertThat(message.summary().open()).isEqualTo(1);
        assertThat(message.summary().held()).isTrue();
        assertThat(message.summary().options().priority()).isEqualTo(5);
    }

    @Test
    void aScanDoesNotClaimAMessageThatIsBeingCopied() throws Exception {
        QueueId id = TestMessages.commit(from, "a@example.net", new byte[10]);
        Moving.ready(from, id, OptionalLong.empty());
        assertThat(TestMessages.claim(from, oldWorld.clock.millis(), 10, oldWorld.clock.millis() + 1_000)).isEmpty();
        from.stays(id);
        assertThat(TestMessages.claim(from, oldWorld.clock.millis(), 10, oldWorld.clock.millis() + 1_000))
                .containsExactly(id);
    }

    /// Otherwise a message that is delivered there could come back from the old log.
    @Test
    void aScanOfTheNewSpoolFindsAMessageOnlyWhenTheOldOneHasItNoMore() throws Exception {
        QueueId id = TestMessages.commit(from, "a@example.net", new byte[10]);
        assertThat(Moving.take(to, Moving.ready(from, id, OptionalLong.empty()))).isEmpty();
        assertThat(TestMessages.claim(to, newWorld.clock.millis(), 10, newWorld.clock.millis() + 1_000)).isEmpty();
        TestMessages.done(then -> from.left(id, then));
        to.arrived(id);
        assertThat(TestMessages.claim(to, newWorld.clock.millis(), 10, newWorld.clock.millis() + 1_000))
                .containsExactly(id);
    }

    @Test
    void aMessageMovesThereAndBackAndThereAgain() throws Exception {
        QueueId small = experienced(300);
        QueueId large = experienced(300_000);
        for (QueueId id : List.of(small, large)) {
            Known before = Known.of(from, id);
            for (int i = 0; i < 3; i++) {
                Moving.move(from, to, id);
                assertThat(Known.of(to, id)).isEqualTo(before);
                if (i == 1) {
                    // The index applies the departure first; in the other rounds they come together.
                    to.counts();
                    from.counts();
                }
                Moving.move(to, from, id);
                assertThat(Known.of(from, id)).isEqualTo(before);
            }
            from.close();
            Files.deleteIfExists(directory.resolve("old").resolve("index.mv.db"));
            from = oldWorld.open(directory.resolve("old"));
            assertThat(Known.of(from, id)).isEqualTo(before);
            assertThat(from.setAside(Optional.empty(), 10)).isEmpty();
        }
    }

    @Test
    void aFullTargetRefusesAndTheMessageStays() throws Exception {
        QueueId id = experienced(400_000);
        Known before = Known.of(from, id);
        newWorld.totalBytes.set(100L << 30);
        newWorld.usableBytes.set(10);
        MovingMessage message = Moving.ready(from, id, OptionalLong.empty());
        assertThat(Moving.take(to, message)).get().isInstanceOf(NoSpaceException.class);
        from.stays(id);

        assertThat(Known.of(from, id)).isEqualTo(before);
        assertThat(to.details(id)).isEmpty();
        try (Stream<Path> files = Files.list(directory.resolve("new").resolve("large"))) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void aWriteThatFailsIsRefusedAndTheMessageCanComeLater() throws Exception {
        QueueId id = experienced(400_000);
        Known before = Known.of(from, id);
        newWorld.trouble = (call, _) -> {
            if (call.equals("log.sync")) {
                throw new IOException("No space left on device");
            }
        };
        assertThat(Moving.take(to, Moving.ready(from, id, OptionalLong.empty()))).get()
                .isInstanceOf(NoSpaceException.class);
        newWorld.trouble = (_, _) -> {};
        Awaitility.await().atMost(Duration.ofSeconds(90))
                .until(() -> Moving.take(to, Moving.ready(from, id, OptionalLong.empty())).isEmpty());

        assertThat(Known.of(to, id)).isEqualTo(before);
        reopenWithoutIndex();
        assertThat(Known.of(to, id)).isEqualTo(before);
    }

    /// The bytes of a group whose sync failed stay, because the disk does not cut them off either.
    @Test
    void aRefusedMessageDoesNotComeBackFromBytesThatAreOnDisk() throws Exception {
        QueueId id = experienced(100);
        MovingMessage message = Moving.ready(from, id, OptionalLong.empty());
        newWorld.trouble = (call, _) -> {
            if (call.equals("log.sync")) {
                throw new IOException("input/output error");
            }
        };
        newWorld.keepsAbandoned = true;
        assertThat(Moving.take(to, message)).isPresent();
        newWorld.trouble = (_, _) -> {};
        TestMessages.commit(to, "other@example.net", new byte[10]);
        reopenWithoutIndex();
        assertThat(to.details(id)).isEmpty();
        assertThat(to.counts().messages()).isEqualTo(1);
    }

    @Test
    void aClosedTargetRefuses() throws Exception {
        QueueId id = experienced(100);
        MovingMessage message = Moving.ready(from, id, OptionalLong.empty());
        to.close();
        assertThat(Moving.take(to, message)).isPresent();
        from.close();
        assertThat(Moving.export(from, id, OptionalLong.empty())).isInstanceOf(Exported.Unavailable.class);
    }

    @Test
    void aMessageIsNotTakenTwice() throws Exception {
        QueueId id = experienced(300_000);
        MovingMessage message = Moving.ready(from, id, OptionalLong.empty());
        assertThat(Moving.take(to, message)).isEmpty();
        assertThat(Moving.take(to, message)).get().asString().contains("on its way already");
        to.arrived(id);
        assertThat(Moving.take(to, message)).get().asString().contains("in this spool already");
        assertThat(TestMessages.read(to, id)).hasSize(300_000);
    }

    @Test
    void aMessageThatIsGoneIsNotExported() {
        assertThat(Moving.export(from, new QueueId(17), OptionalLong.empty())).isInstanceOf(Exported.Gone.class);
    }

    @Test
    void damagedContentStaysAndIsSetAside() throws Exception {
        QueueId small = TestMessages.commit(from, "a@example.net", TestMessages.body(3_000, 1));
        QueueId large = TestMessages.commit(from, "b@example.net", TestMessages.body(300_000, 2));
        from.close();
        try (Stream<Path> files = Files.walk(directory.resolve("old"))) {
            for (Path file : files.filter(each -> each.toString().endsWith(".segment")
                    || each.toString().endsWith(".message")).toList()) {
                try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
                    bytes.seek(file.toString().endsWith(".message") ? 100_000 : 1_500);
                    bytes.write(new byte[]{1, 2, 3, 4, 5, 6, 7, 8});
                }
            }
        }
        from = oldWorld.open(directory.resolve("old"));
        assertThat(Moving.export(from, small, OptionalLong.empty())).isInstanceOf(Exported.Damaged.class);
        assertThat(Moving.take(to, Moving.ready(from, large, OptionalLong.empty()))).get().asString()
                .contains("checksum");

        assertThat(to.counts().messages()).isZero();
        Awaitility.await().atMost(Duration.ofSeconds(90))
                .untilAsserted(() -> assertThat(from.setAside(Optional.empty(), 10))
                        .extracting(Spool.SetAside::id).containsExactly(small, large));
        assertThat(from.ids(Optional.empty(), 10)).as("a list for the operator").containsExactly(small, large);
    }

    @Test
    void aMessageThatIsSetAsideAndCanBeReadMovesAndStaysSetAside() throws Exception {
        QueueId id = TestMessages.commit(from, "a@example.net", new byte[10]);
        from.counts();
        from.close();
        TestWorld.sql(directory.resolve("old"), "update message set state = 2", "shutdown");
        from = oldWorld.open(directory.resolve("old"));
        Moving.move(from, to, id);
        assertThat(to.setAside(Optional.empty(), 10)).extracting(Spool.SetAside::id).containsExactly(id);
        assertThat(from.counts().corrupt()).isZero();
    }

    @Test
    void copiesOfACrashAreFoundAndRemovedFromTheOldSpool() throws Exception {
        QueueId moved = experienced(100);
        QueueId stays = experienced(100);
        Moving.take(to, Moving.ready(from, moved, OptionalLong.empty()));
        assertThat(MovedCopies.sweep(1, from, List.of(to))).isEqualTo(1);
        assertThat(from.ids(Optional.empty(), 10)).containsExactly(stays);
        assertThat(to.ids(Optional.empty(), 10)).containsExactly(moved);
        assertThat(to.ids(Optional.of(moved), 10)).isEmpty();
    }

    @Test
    void aCopyThatIsOlderOrUnreadableIsRemovedInPlaceOfTheMessage() throws Exception {
        QueueId refused = experienced(100);
        QueueId unreadable = experienced(200_000);
        for (QueueId id : List.of(refused, unreadable)) {
            Moving.take(to, Moving.ready(from, id, OptionalLong.empty()));
        }
        record(from, refused, true, tried(4, TAKEN));
        to.close();
        try (Stream<Path> files = Files.list(directory.resolve("new").resolve("large"))) {
            Files.delete(files.findFirst().orElseThrow());
        }
        to = newWorld.open(directory.resolve("new"));
        assertThat(MovedCopies.sweep(1, from, List.of(to))).isEqualTo(2);
        assertThat(from.ids(Optional.empty(), 10)).containsExactly(refused, unreadable);
        assertThat(to.ids(Optional.empty(), 10)).isEmpty();
    }
}
