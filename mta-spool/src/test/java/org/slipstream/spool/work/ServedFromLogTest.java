package org.slipstream.spool.work;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.core.Address;
import org.slipstream.core.AddressPattern;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.SenderTls;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.PastAttempt;
import org.slipstream.core.queue.QueueFilter;
import org.slipstream.core.queue.QueueName;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.DamagedException;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;
import org.slipstream.spool.index.Search;
import org.slipstream.spool.log.HostRecord;
import org.slipstream.spool.log.LogRecord;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// A killed server starts again: it knows the same of its queue from the log as from the index, at once and later.
class ServedFromLogTest {
    private static final Outcome TAKEN = Outcome.of(Reply.of(250, "2.0.0", "taken"), "mx.example.net[192.0.2.1]:25");
    private static final Outcome BUSY = Outcome.of(new Reply(451, Optional.empty(), List.of("busy", "", "später")),
            "mx.example.net");
    private static final Outcome REFUSED = Outcome.of(Reply.of(550, "5.1.1", "no such user"), "mx.example.org");
    private static final List<Outcome> OUTCOMES = List.of(TAKEN, BUSY, BUSY, REFUSED);
    private static final List<QueueFilter> FILTERS = List.of(
            filter(Optional.empty(), List.of("*@example.net"), Optional.empty(), 0),
            filter(Optional.of("ann@example.org"), List.of(), Optional.empty(), 0),
            filter(Optional.empty(), List.of("b@*"), Optional.of(QueueFilter.State.DEFERRED), 1),
            filter(Optional.empty(), List.of(), Optional.of(QueueFilter.State.HELD), 0));

    private static QueueFilter filter(Optional<String> sender, List<String> recipients,
            Optional<QueueFilter.State> state, int attempts) {
        return new QueueFilter(sender.map(ServedFromLogTest::pattern),
                recipients.stream().map(ServedFromLogTest::pattern).toList(), state, OptionalLong.empty(),
                OptionalLong.empty(), attempts);
    }

    private static AddressPattern pattern(String text) {
        return AddressPattern.parse(text).orElseThrow();
    }

    /// The queue as a server and its operator see it.
    private record Picture(List<MessageDetails> queue, Spool.Counts counts, Set<HostRecord> hosts,
            Map<QueueId, Integer> contents, Map<QueueId, List<PastAttempt>> attempts, List<Set<QueueId>> found,
            List<QueueId> all) {
        static Picture of(Spool spool) throws Exception {
            Map<QueueId, Integer> contents = new TreeMap<>();
            Map<QueueId, List<PastAttempt>> attempts = new TreeMap<>();
            List<MessageDetails> queue = spool.list(Optional.empty(), 1000);
            for (MessageDetails each : queue) {
                QueueId id = each.summary().id();
                contents.put(id, java.util.Arrays.hashCode(TestMessages.read(spool, id)));
                attempts.put(id, spool.attempts(id));
                assertThat(spool.details(id)).contains(each);
                assertThat(spool.readRecipients(id, 0, 100).recipients()).isEqualTo(each.openRecipients());
            }
            List<Set<QueueId>> found = new ArrayList<>();
            for (QueueFilter filter : FILTERS) {
                found.add(new TreeSet<>(spool.find(Search.of(filter), Optional.empty(), 1000).ids()));
            }
            return new Picture(queue, spool.counts(), Set.copyOf(spool.hosts()), contents, attempts, found,
                    spool.ids(Optional.empty(), 1000));
        }
    }

    private void assertSame(String when, Picture actual, Picture expected) {
        String as = when + ", seed " + seed;
        assertThat(actual.all()).as(as).isEqualTo(expected.all());
        for (int i = 0; i < expected.queue().size(); i++) {
            MessageDetails one = actual.queue().get(i);
            MessageDetails other = expected.queue().get(i);
            assertThat(one.summary()).as(as).isEqualTo(other.summary());
            assertThat(one.envelope()).as(as).isEqualTo(other.envelope());
            assertThat(one.recipients()).as(as).isEqualTo(other.recipients());
            assertThat(one.nextAttemptMillis()).as("%s, %s", as, one).isEqualTo(other.nextAttemptMillis());
            QueueId id = one.summary().id();
            assertThat(actual.attempts().get(id)).as(as).isEqualTo(expected.attempts().get(id));
        }
        assertThat(actual.found()).as(as).isEqualTo(expected.found());
        assertThat(actual).as(as).isEqualTo(expected);
    }

    private record Due(Set<QueueId> ids, boolean more, OptionalLong nextMillis) {
        static Due of(Spool spool, QueueName queue, long nowMillis, int limit) {
            Spool.Claimed claimed = TestMessages.claim(spool, queue, nowMillis, limit, nowMillis + 1_000_000);
            return new Due(new TreeSet<>(TestMessages.ids(claimed.messages())), claimed.more(),
                    claimed.nextDueMillis());
        }
    }

    @TempDir
    Path directory;
    @TempDir
    Path temporary;
    private final TestWorld world = new TestWorld();
    private final long seed = Long.getLong("slipstream.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final List<QueueId> ids = new ArrayList<>();
    private int copies;

    private long now() {
        return world.clock.millis();
    }

    private QueueId any() {
        return ids.get(random.nextInt(ids.size()));
    }

    private QueueId commit(Spool spool) throws IOException {
        List<Address> recipients = IntStream.range(0, 1 + random.nextInt(4))
                .mapToObj(i -> Address.of("abcd".charAt(i) + "@" + List.of("example.net", "Example.Org").get(i % 2)))
                .toList();
        Envelope envelope = Envelope.of(random.nextInt(5) == 0
                ? Optional.empty()
                : Optional.of(Address.of(random.nextBoolean() ? "ann@example.org" : "eve@example.net")), recipients);
        if (random.nextInt(4) == 0) {
            envelope = new Envelope(envelope.sender(), envelope.body(), envelope.smtpUtf8(), envelope.envelopeId(),
                    envelope.returns(), envelope.recipients(), new DeliveryOptions(
                            OptionalLong.of(now() + random.nextInt(100_000)), Optional.empty(), 3, SenderTls.USUAL),
                    envelope.origin());
        }
        return TestMessages.commit(spool, envelope, TestMessages.body(random.nextInt(12) == 0 ? 200_000 : 300, seed))
                .id();
    }

    private void step(Spool spool) throws IOException {
        if (ids.isEmpty() || random.nextInt(4) == 0) {
            ids.add(commit(spool));
            return;
        }
        QueueId id = any();
        switch (random.nextInt(14)) {
            case 0, 1, 2 -> {
                List<RecipientOutcome> outcomes = new ArrayList<>();
                for (int number = 1; number <= 4; number++) {
                    if (random.nextBoolean()) {
                        outcomes.add(new RecipientOutcome(number, OUTCOMES.get(random.nextInt(OUTCOMES.size()))));
                    }
                }
                TestMessages.done(then -> spool.record(id,
                        random.nextBoolean() ? RecipientOutcome.timed(outcomes, 5) : outcomes, then));
            }
            case 3, 4 -> TestMessages.done(then -> spool.defer(id, now() + random.nextInt(200_000), then));
            case 5, 6 -> report(spool, id);
            case 7 -> TestMessages.done(then -> spool.hold(id, random.nextBoolean(), then));
            case 8 -> TestMessages.done(then -> spool.instruct(id, instruction(), then));
            case 9 -> {
                TestMessages.done(then -> spool.remove(id, then));
                ids.remove(id);
            }
            case 10 -> TestMessages.done(then -> spool.makeDue(
                    random.nextBoolean() ? Optional.of(id) : Optional.empty(), Optional.empty(), now(), then));
            case 11 -> TestMessages.done(then -> spool.keepHost(new HostRecord("[192.0.2." + random.nextInt(5) + "]:25",
                    "RETRY", "mx.example", 1, random.nextInt(9), 3, "421 no", ""), then));
            case 12 -> TestMessages.done(then -> spool.forgetHost("[192.0.2." + random.nextInt(5) + "]:25", "RETRY",
                    then));
            default -> {
                world.clock.advanceMillis(random.nextInt(20_000));
                if (random.nextBoolean()) {
                    TestMessages.claim(spool, random.nextBoolean() ? QueueName.INCOMING : QueueName.DEFERRED, now(),
                            3, now() + 50_000);
                }
            }
        }
    }

    private void report(Spool spool, QueueId id) throws IOException {
        switch (random.nextInt(5)) {
            case 0 -> TestMessages.done(then -> spool.failuresReported(id, then));
            case 1 -> TestMessages.done(then -> spool.delayReported(id, 1 + random.nextInt(3), then));
            case 2 -> ids.add(reportWith(spool, new LogRecord.FailuresReported(id)));
            case 3 -> ids.add(reportWith(spool, new LogRecord.DelayReported(id, random.nextInt(3))));
            default -> {
                ids.add(reportWith(spool, new LogRecord.Remove(id)));
                // The queue manager orders the removal in any case.
                TestMessages.done(then -> spool.remove(id, then));
                ids.remove(id);
            }
        }
    }

    private static QueueId reportWith(Spool spool, LogRecord.OfMessage change) throws IOException {
        try (Draft draft = spool.draftAbout(change)) {
            draft.write(TestMessages.body(300, 1), 0, 300);
            return draft.commit(TestMessages.envelope("ann@example.org")).id();
        }
    }

    private Instruction instruction() {
        return switch (random.nextInt(4)) {
            case 0 -> new Instruction.Priority(random.nextInt(9));
            case 1 -> new Instruction.Return(Instruction.Cause.CANCELLED, "no longer wanted");
            case 2 -> new Instruction.Hold(Optional.of(new Instruction.HoldNote("ann", now(), "to look at")));
            default -> new Instruction.Hold(Optional.empty());
        };
    }

    /// A server works, and is killed.
    private Path killed() throws Exception {
        try (Spool spool = world.open(directory)) {
            for (int i = 0; i < 200; i++) {
                step(spool);
            }
            return copy(directory);
        }
    }

    private Path copy(Path from) throws IOException {
        Path to = Files.createDirectory(temporary.resolve("copy-" + ++copies));
        TestWorld.copy(from, to);
        return to;
    }

    private Picture fromIndex(Path spool) throws Exception {
        world.servesFromLog = false;
        try (Spool open = world.open(spool)) {
            assertThat(TestWorld.isMaking(open)).isFalse();
            return Picture.of(open);
        } finally {
            world.servesFromLog = true;
        }
    }

    private Picture fromLog(Path spool) throws Exception {
        world.noSpaceForIndex = true;
        try (Spool open = world.open(spool)) {
            assertThat(TestWorld.isMaking(open)).isTrue();
            return Picture.of(open);
        } finally {
            world.noSpaceForIndex = false;
        }
    }

    @RepeatedTest(6)
    void theLogTellsWhatTheIndexTells() throws Exception {
        Path killed = killed();
        Picture expected = fromIndex(copy(killed));
        assertSame("from the log", fromLog(copy(killed)), expected);
        try (Spool spool = world.open(killed)) {
            TestWorld.made(spool);
            assertSame("made beside the service", Picture.of(spool), expected);
        }
        try (Spool spool = world.open(killed)) {
            assertThat(TestWorld.isMaking(spool)).isFalse();
            assertSame("the next start", Picture.of(spool), expected);
        }
    }

    @RepeatedTest(4)
    void theSameMessagesAreDue() throws Exception {
        Path killed = killed();
        Path again = copy(killed);
        long later = now() + random.nextInt(150_000);
        for (QueueName queue : QueueName.values()) {
            Due expected;
            world.servesFromLog = false;
            try (Spool spool = world.open(killed)) {
                expected = Due.of(spool, queue, later, 1000);
            }
            world.servesFromLog = true;
            world.noSpaceForIndex = true;
            try (Spool spool = world.open(again)) {
                assertThat(Due.of(spool, queue, later, 1000)).as("%s, seed %d", queue, seed).isEqualTo(expected);
            }
            world.noSpaceForIndex = false;
        }
    }

    /// The work goes on while the index is made, and the index has it.
    @Test
    void theIndexThatIsMadeBesideTheServiceHasWhatHappenedInTheMeantime() throws Exception {
        Path killed = killed();
        Picture before;
        try (Spool spool = world.open(killed)) {
            for (int i = 0; i < 200; i++) {
                step(spool);
            }
            TestWorld.made(spool);
            for (int i = 0; i < 20; i++) {
                step(spool);
            }
            before = Picture.of(spool);
        }
        try (Spool spool = world.open(killed)) {
            assertSame("from the log", Picture.of(spool), before);
        }
        assertSame("from the log", fromLog(withoutIndex(killed)), before);
    }

    /// A question may find a message in the log whose record still waits to be applied.
    @Test
    void aMessageThatIsFinishedWhileItsRecordWaitsIsNotDue() throws Exception {
        Path killed = killed();
        world.noSpaceForIndex = true;
        try (Spool spool = world.open(killed)) {
            List<QueueId> late = new ArrayList<>();
            world.trouble = (call, _) -> {
                if (call.equals("log.changes") && late.isEmpty()) {
                    late.add(commit(spool));
                }
            };
            commit(spool);
            spool.counts();
            assertThat(late).hasSize(1);
            TestMessages.done(then -> spool.remove(late.getFirst(), then));
            assertThat(Due.of(spool, QueueName.INCOMING, now() + 200_000, 1000).ids()).isNotEmpty()
                    .doesNotContainAnyElementsOf(late);
        }
    }

    @Test
    void aQueueThatIsTooLongForTheMemoryWaitsForItsIndex() throws Exception {
        Path killed = killed();
        Picture expected = fromIndex(copy(killed));
        world.messagesInMemory = expected.all().size() - 1;
        try (Spool spool = world.open(killed)) {
            assertThat(TestWorld.isMaking(spool)).isFalse();
            assertSame("too long", Picture.of(spool), expected);
        }
    }

    /// An empty answer would look like a finished message.
    @Test
    void aMessageThatFindsNoRoomLaterIsNotTakenForFinished() throws Exception {
        Path killed;
        try (Spool spool = world.open(directory)) {
            // No removal: a queue that was longer than at its end would have no room for the first one.
            for (int i = 0; i < 20; i++) {
                commit(spool);
            }
            killed = copy(directory);
        }
        world.messagesInMemory = 21;
        world.noSpaceForIndex = true;
        QueueId last;
        try (Spool spool = world.open(killed)) {
            QueueId first = commit(spool);
            last = commit(spool);
            spool.counts();
            assertThat(spool.readRecipients(first, 0, 10).recipients()).isNotEmpty();
            assertThatThrownBy(() -> spool.readRecipients(last, 0, 10)).isInstanceOf(IOException.class)
                    .isNotInstanceOf(DamagedException.class);
            assertThatThrownBy(() -> spool.known(List.of(first, last))).isInstanceOf(IOException.class);
        }
        world.noSpaceForIndex = false;
        try (Spool spool = world.openMade(killed)) {
            assertThat(spool.readRecipients(last, 0, 10).recipients()).isNotEmpty();
        }
    }

    private static Path withoutIndex(Path spool) throws IOException {
        Files.delete(spool.resolve("index.mv.db"));
        return spool;
    }

    private enum Hint {
        MISSING, EMPTY, TORN, CHANGED, OF_ANOTHER_LOG, LONGER_THAN_THE_SEGMENT, OLD
    }

    /// Hints are only a help: whatever becomes of them, the log says what is in the queue.
    @ParameterizedTest
    @EnumSource
    void brokenHintsChangeNothing(Hint how) throws Exception {
        try (Spool spool = world.open(directory)) {
            for (int i = 0; i < 150; i++) {
                step(spool);
            }
        }
        Path old = copy(directory);
        try (Spool spool = world.open(directory)) {
            for (int i = 0; i < 150; i++) {
                step(spool);
            }
        }
        Picture expected = fromIndex(directory);
        Path spool = withoutIndex(copy(directory));
        List<Path> hints = hints(spool);
        assertThat(hints).hasSizeGreaterThan(1);
        for (Path hint : hints) {
            byte[] bytes = Files.readAllBytes(hint);
            switch (how) {
                case MISSING -> Files.delete(hint);
                case EMPTY -> Files.write(hint, new byte[0]);
                case TORN -> Files.write(hint, java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length)));
                case CHANGED -> {
                    bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                    Files.write(hint, bytes);
                }
                case OF_ANOTHER_LOG -> {
                    Path other = Files.createDirectories(temporary.resolve("other"));
                    if (Files.notExists(other.resolve("log"))) {
                        try (Spool another = world.open(other)) {
                            TestMessages.commit(another, "x@example.net", new byte[10]);
                        }
                    }
                    Files.write(hint, Files.readAllBytes(hints(other).getFirst()));
                }
                case LONGER_THAN_THE_SEGMENT -> {
                    try (FileChannel channel = FileChannel.open(hint, StandardOpenOption.WRITE)) {
                        channel.write(ByteBuffer.allocate(4).putInt(0, Integer.MAX_VALUE), 28);
                    }
                }
                case OLD -> {
                    Path before = old.resolve("log").resolve(hint.getFileName());
                    if (Files.exists(before)) {
                        Files.write(hint, Files.readAllBytes(before));
                    } else {
                        Files.delete(hint);
                    }
                }
            }
        }
        assertSame("from the log", fromLog(spool), expected);
        assertSame("the hints that the start made", fromLog(spool), expected);
    }

    private static List<Path> hints(Path spool) throws IOException {
        try (Stream<Path> files = Files.list(spool.resolve("log"))) {
            return files.filter(file -> file.toString().endsWith(".hint")).sorted().toList();
        }
    }
}
