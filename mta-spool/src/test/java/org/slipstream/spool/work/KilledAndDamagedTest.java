package org.slipstream.spool.work;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.DataSize;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.index.IndexDatabase;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.tools.SpoolTools;
import org.slipstream.testkit.Folders;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/// The process is killed, and a part of the log is lost: as after a power cut, when the check of the file system puts a
/// segment into `lost+found`. The index is made again then, and the old one is the only witness.
class KilledAndDamagedTest {
    private static final Outcome TAKEN = Outcome.of(Reply.of(250, "2.0.0", "taken"), "mx.example.net");
    private static final String INDEX = "index.mv.db";

    @TempDir
    Path temporary;
    private Path directory;
    private SpoolConfig config;
    private final TestWorld world = new TestWorld();

    @BeforeEach
    void place() {
        directory = temporary.resolve("spool");
        config = new SpoolConfig(directory, DataSize.ofMebibytes(1), DataSize.ofKibibytes(128), DataSize.ZERO);
    }

    /// Each in a segment of its own.
    private List<QueueId> queued(int... sizes) throws Exception {
        List<QueueId> ids = new ArrayList<>();
        for (int size : sizes) {
            try (Spool spool = world.openMade(config)) {
                ids.add(TestMessages.commit(spool, TestMessages.envelope("bob@example.net", "carol@example.com"),
                        TestMessages.body(size, size)).id());
            }
        }
        return ids;
    }

    /// The mark of a running server stays, so the next start does not trust the index.
    private void kill() throws IOException {
        new OpenMark(directory).set();
    }

    private Path segment(int number) {
        return directory.resolve("log").resolve(String.format("%010d.segment", number));
    }

    private Path index() {
        return directory.resolve(INDEX);
    }

    private Path takeAway(Path file) throws IOException {
        return Files.move(file, temporary.resolve("away-" + file.getFileName()));
    }

    private SpoolTools.Report verify() throws Exception {
        return SpoolTools.verify(config, world.clock::millis);
    }

    private SpoolTools.Report repair() throws Exception {
        return SpoolTools.repair(config, world.clock::millis);
    }

    private static List<QueueId> listed(Spool spool) throws IOException {
        return spool.list(Optional.empty(), 1000).stream().map(each -> each.summary().id()).toList();
    }

    private static List<QueueId> setAside(Spool spool) throws IOException {
        return spool.setAside(Optional.empty(), 1000).stream().map(Spool.SetAside::id).toList();
    }

    private void start(Map<String, List<QueueId>> expected) throws Exception {
        start(expected, 0);
    }

    /// @param parts of the log that may have had messages without a name
    private void start(Map<String, List<QueueId>> expected, int parts) throws Exception {
        try (Spool spool = world.openMade(config)) {
            assertThat(listed(spool)).as("queued").containsExactlyElementsOf(expected.get("queued"));
            assertThat(setAside(spool)).as("set aside").containsExactlyElementsOf(expected.get("set aside"));
            assertThat(spool.counts().corrupt()).isEqualTo(expected.get("set aside").size() + parts);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aMessageWhoseSegmentIsGoneAfterAKillIsSetAsideAndNoLaterKillForgetsIt(int number) throws Exception {
        List<QueueId> ids = queued(100, 200, 300);
        kill();
        takeAway(segment(number));
        QueueId lost = ids.get(number - 1);
        List<QueueId> others = ids.stream().filter(id -> !id.equals(lost)).toList();
        assertThat(verify().findings()).anySatisfy(each -> assertThat(each).contains(lost.toString(),
                "from <ann@example.org> to <bob@example.net>, <carol@example.com>", "is missing"));
        int parts = number == 3 ? 1 : 0;
        for (int start = 0; start < 3; start++) {
            start(Map.of("queued", others, "set aside", List.of(lost)), parts);
            kill();
            if (start == 1) {
                // Then the log alone must know the message.
                Files.deleteIfExists(index());
                Files.delete(directory.resolve("index-not-closed.mv.db"));
            }
        }
        assertThat(verify().findings()).hasSize(1 + parts)
                .anySatisfy(each -> assertThat(each).contains(lost.toString(), "<carol@example.com>"));
        assertThat(directory.resolve("corrupt").resolve(LostMessages.LIST)).content().contains(lost.toString(),
                "<carol@example.com>");
    }

    @Test
    void aKillInTheMiddleOfTheNewIndexDoesNotCostTheWitness() throws Exception {
        List<QueueId> ids = queued(100, 200, 300);
        kill();
        takeAway(segment(2));
        Files.move(index(), directory.resolve("old-index-not-closed.mv.db"));
        // The killed start had made this one until then.
        Path other = temporary.resolve("other");
        world.openMade(other).close();
        Files.copy(other.resolve(INDEX), index());
        start(Map.of("queued", List.of(ids.get(0), ids.get(2)), "set aside", List.of(ids.get(1))));
        assertThat(directory.resolve("index-not-closed.mv.db")).exists();
        assertThat(directory.resolve("old-index-not-closed.mv.db")).doesNotExist();
    }

    @Test
    void aWitnessThatCannotBeReadIsNoObstacleAndTheLostSegmentIsReportedAsUnknown() throws Exception {
        List<QueueId> ids = queued(100, 200, 300);
        kill();
        takeAway(segment(2));
        Files.write(index(), TestMessages.body(10_000, 1));
        for (int start = 0; start < 2; start++) {
            try (Spool spool = world.openMade(config)) {
                assertThat(listed(spool)).containsExactly(ids.get(0), ids.get(2));
                assertThat(spool.counts().corrupt()).as("the segment").isEqualTo(1);
            }
        }
        assertThat(directory.resolve("corrupt/segment-2-lost.txt")).content().contains("Segment 2 is missing",
                "mta spool repair");
        assertThat(verify().findings()).isNotEmpty();
        Files.delete(directory.resolve("corrupt/segment-2-lost.txt"));
        assertThat(verify().findings()).as("the operator knows it").isEmpty();
    }

    /// The index is applied some seconds after the log.
    @Test
    void aRemovalThatOnlyTheLogHasIsNoLossAndAnOutcomeOfThoseSecondsIsKept() throws Exception {
        List<QueueId> ids = queued(100, 200, 300);
        Path before = Files.copy(index(), temporary.resolve("before"));
        try (Spool spool = world.openMade(config)) {
            TestMessages.done(then -> spool.remove(ids.get(0), then));
            TestMessages.done(then -> spool.record(ids.get(1), List.of(new RecipientOutcome(1, TAKEN)), then));
        }
        Files.copy(before, index(), StandardCopyOption.REPLACE_EXISTING);
        kill();
        takeAway(segment(1));
        takeAway(segment(2));
        start(Map.of("queued", List.of(ids.get(2)), "set aside", List.of(ids.get(1))));
        assertThat(verify().findings()).singleElement().asString().contains("to <carol@example.com> is set aside");
    }

    @Test
    void aMessageWhoseSegmentWasDeletedInOrderIsNoLossForAnOldWitness() throws Exception {
        List<QueueId> ids = queued(100, 200);
        Path before = Files.copy(index(), temporary.resolve("before"));
        for (QueueId id : ids) {
            try (Spool spool = world.openMade(config)) {
                TestMessages.done(then -> spool.remove(id, then));
                TestMessages.commit(spool, "bob@example.net", TestMessages.body(300, 1));
            }
        }
        try (Spool spool = world.openMade(config)) {
            assertThat(spool.counts().messages()).isEqualTo(2);
            Awaitility.await().atMost(Duration.ofSeconds(60))
                    .until(() -> Files.notExists(segment(1)) && Files.notExists(segment(2)));
        }
        Files.copy(before, index(), StandardCopyOption.REPLACE_EXISTING);
        kill();
        try (Spool spool = world.openMade(config)) {
            assertThat(listed(spool)).hasSize(2).doesNotContainAnyElementsOf(ids);
            assertThat(spool.counts().corrupt()).isZero();
        }
    }

    @Test
    void aSegmentThatIsCutOrEmptiedAfterAKillIsDamageAndNotTheEndOfTheLog() throws Exception {
        List<QueueId> ids = new ArrayList<>();
        try (Spool spool = world.openMade(config)) {
            for (int i = 0; i < 3; i++) {
                ids.add(TestMessages.commit(spool, "bob@example.net", TestMessages.body(1000, i)));
            }
        }
        ids.addAll(queued(100));
        for (long length : new long[]{2500, 2000, 31, 0}) {
            Path image = temporary.resolve("cut-" + length);
            TestWorld.copy(directory, image);
            new OpenMark(image).set();
            cut(image.resolve("log/0000000001.segment"), length);
            SpoolConfig cut = SpoolConfig.at(image);
            assertThat(SpoolTools.verify(cut, world.clock::millis).findings()).as("cut at %d", length)
                    .anySatisfy(each -> assertThat(each).contains(ids.get(2).toString()))
                    .anySatisfy(each -> assertThat(each).startsWith("Segment 1 "));
            try (Spool spool = world.openMade(cut)) {
                Set<QueueId> all = new HashSet<>(listed(spool));
                assertThat(all).contains(ids.get(3)).doesNotContain(ids.get(2));
                all.addAll(setAside(spool));
                assertThat(all).as("cut at %d", length).containsExactlyInAnyOrderElementsOf(ids);
            }
        }
    }

    /// The index of a killed server is some seconds behind the log, so it does not say what the end of the log had.
    @Test
    void theLastSegmentIsReportedBecauseItMayHaveMessagesThatTheWitnessDoesNotName() throws Exception {
        Path killed = temporary.resolve("killed");
        QueueId known;
        try (Spool spool = world.openMade(config)) {
            QueueId first = TestMessages.commit(spool, "bob@example.net", TestMessages.body(1000, 1));
            known = first;
            assertThat(spool.counts().messages()).isEqualTo(1);
            Awaitility.await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> isNamedOnDisk(first));
            TestWorld.copy(directory, killed);
            TestMessages.commit(spool, "eve@example.net", TestMessages.body(1000, 2));
        }
        for (long length : new long[]{0, 31, 300}) {
            Path image = temporary.resolve("image-" + length);
            TestWorld.copy(killed, image);
            cut(image.resolve("log/0000000001.segment"), length);
            try (Spool spool = world.openMade(image)) {
                assertThat(setAside(spool)).containsExactly(known);
                assertThat(spool.counts().corrupt()).as("the message, the segment, octets of the record")
                        .isEqualTo(length == 300 ? 3 : 2);
            }
            assertThat(image.resolve("corrupt/segment-1-lost.txt")).content().contains("no index names");
        }
    }

    /// H2 writes a transaction to its file a moment later. A copy of the file that it writes may be unreadable.
    private boolean isNamedOnDisk(QueueId id) throws Exception {
        Path copy = temporary.resolve("copy.mv.db");
        Files.copy(index(), copy, StandardCopyOption.REPLACE_EXISTING);
        try (QueueIndex witness = IndexDatabase.openOld(copy)) {
            return witness.ids(Optional.empty(), 10).contains(id);
        }
    }

    private static void cut(Path file, long length) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.setLength(length);
        }
    }

    /// No index knows of it.
    @Test
    void theLastSegmentIsMissedWithoutAnyIndex() throws Exception {
        queued(100, 200);
        takeAway(segment(2));
        Files.deleteIfExists(index());
        assertThat(verify().findings()).containsExactly("Segment 2 is missing or empty.");
        world.openMade(config).close();
        assertThat(verify().findings()).singleElement().asString().contains("1 damaged pieces of the log");
        assertThat(directory.resolve("corrupt/segment-2-lost.txt")).exists();
    }

    @Test
    void numbersThatNoSegmentEverHadAreNotMissed() throws Exception {
        for (int start = 0; start < 3; start++) {
            world.openMade(config).close();
        }
        queued(100);
        world.openMade(config).close();
        try (Spool spool = world.openMade(config)) {
            world.trouble = (call, _) -> {
                if (call.equals("log.sync")) {
                    throw new IOException("No space left on device");
                }
            };
            assertThat(catchThrowableOfType(IOException.class,
                    () -> TestMessages.commit(spool, "bob@example.net", new byte[10]))).isNotNull();
            world.trouble = (_, _) -> {};
            world.clock.advanceMillis(2_000);
            Awaitility.await().atMost(Duration.ofSeconds(60)).ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> TestMessages.commit(spool, "bob@example.net", new byte[10]) != null);
        }
        kill();
        world.openMade(config).close();
        assertThat(verify().findings()).isEmpty();
    }

    @Test
    void aFolderWithoutALogIsRefusedAlthoughTheIndexIsEmpty() throws Exception {
        queued(100);
        Files.deleteIfExists(index());
        kill();
        Path logFolder = takeAway(directory.resolve("log"));
        SpoolException missing = catchThrowableOfType(SpoolException.class, () -> world.openMade(config));
        assertThat(missing.getMessage()).contains("has no message log", "mounted");
        Files.createDirectory(directory.resolve("log"));
        SpoolException empty = catchThrowableOfType(SpoolException.class, () -> world.openMade(config));
        assertThat(empty.getMessage()).as("a mount point").contains("has no message log");
        Files.delete(directory.resolve("log"));
        Files.move(logFolder, directory.resolve("log"));
        try (Spool spool = world.openMade(config)) {
            assertThat(spool.counts().messages()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSegmentThatIsPutBackBringsItsMessagesBackOnceAndTheLargeOnesToo(boolean witness) throws Exception {
        List<QueueId> ids = queued(100);
        QueueId removed;
        try (Spool spool = world.openMade(config)) {
            ids.add(TestMessages.commit(spool, "bob@example.net", TestMessages.body(200_000, 1)));
            ids.add(TestMessages.commit(spool, "bob@example.net", TestMessages.body(500, 2)));
            removed = TestMessages.commit(spool, "bob@example.net", TestMessages.body(600, 3));
        }
        ids.addAll(queued(300));
        kill();
        Path away = takeAway(segment(2));
        if (!witness) {
            Files.deleteIfExists(index());
        }
        try (Spool spool = world.openMade(config)) {
            assertThat(listed(spool)).containsExactly(ids.get(0), ids.get(3));
            assertThat(setAside(spool)).hasSize(witness ? 3 : 0);
            // An operator gives it up, and it is delivered by hand, say.
            TestMessages.done(then -> spool.remove(removed, then));
        }
        Files.move(away, segment(2));
        assertThat(verify().findings()).anySatisfy(each -> assertThat(each).contains("Segment 2 is back", "repair"));
        world.openMade(config).close();
        assertThat(segment(2)).as("neither a tool nor a start deletes it").exists();
        repair();
        try (Spool spool = world.openMade(config)) {
            assertThat(listed(spool)).containsExactlyElementsOf(ids);
            assertThat(setAside(spool)).isEmpty();
            assertThat(TestMessages.read(spool, ids.get(1))).isEqualTo(TestMessages.body(200_000, 1));
            for (QueueId id : ids) {
                TestMessages.done(then -> spool.remove(id, then));
            }
        }
        kill();
        try (Spool spool = world.openMade(config)) {
            assertThat(listed(spool)).as("removed for good").isEmpty();
            assertThat(setAside(spool)).isEmpty();
        }
    }

    /// No scan reads so far back, so a later kill would forget them.
    @Test
    void messagesOfASegmentBeforeTheBeginningOfTheLogGetAPlaceInIt() throws Exception {
        List<QueueId> ids = queued(100, 20_000, 300, 400);
        kill();
        Path away = takeAway(segment(2));
        try (Spool spool = world.openMade(config)) {
            TestMessages.done(then -> spool.remove(ids.get(0), then));
            TestMessages.done(then -> spool.remove(ids.get(2), then));
            Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> Files.notExists(segment(3)));
        }
        Files.move(away, segment(2));
        int before = newest();
        // The copy is made by the repair already, or by the server after it.
        repair();
        try (Spool spool = world.openMade(config)) {
            assertThat(listed(spool)).containsExactly(ids.get(1), ids.get(3));
            Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> aSegmentAfter(before, 20_000));
        }
        Files.delete(segment(2));
        kill();
        try (Spool spool = world.openMade(config)) {
            assertThat(listed(spool)).containsExactly(ids.get(1), ids.get(3));
            assertThat(TestMessages.read(spool, ids.get(1))).isEqualTo(TestMessages.body(20_000, 20_000));
        }
    }

    private int newest() throws IOException {
        return Collections.max(numbers());
    }

    private boolean aSegmentAfter(int number, long bytes) throws IOException {
        return numbers().stream().anyMatch(each -> each > number && segment(each).toFile().length() > bytes);
    }

    private List<Integer> numbers() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("log"))) {
            return files.map(each -> each.getFileName().toString()).filter(name -> name.endsWith(".segment"))
                    .map(name -> Integer.parseInt(name.substring(0, 10))).toList();
        }
    }

    @Test
    void theNumberOfALostSegmentIsNotUsedAgain() throws Exception {
        List<QueueId> ids = new ArrayList<>(queued(100, 200));
        Path away = takeAway(segment(2));
        Files.deleteIfExists(index());
        world.clock.advanceMillis(10_000);
        ids.addAll(queued(300));
        Files.move(away, segment(2));
        repair();
        try (Spool spool = world.openMade(config)) {
            assertThat(listed(spool)).containsExactlyElementsOf(ids);
        }
    }

    @Test
    void aDraftThatAKillLeavesIsStillDeletedFromASoundSpool() throws Exception {
        queued(100);
        Path draft = Files.write(directory.resolve("large/" + new QueueId(77) + ".message"), new byte[10]);
        kill();
        world.openMade(config).close();
        assertThat(draft).doesNotExist();
        assertThat(verify().findings()).isEmpty();
    }

    @Test
    void aRecordOfALostMessageOutlivesTheSegmentThatItIsIn() throws Exception {
        List<QueueId> ids = queued(100, 200);
        kill();
        takeAway(segment(1));
        start(Map.of("queued", List.of(ids.get(1)), "set aside", List.of(ids.get(0))));
        try (Spool spool = world.openMade(config)) {
            TestMessages.done(then -> spool.remove(ids.get(1), then));
            for (int i = 0; i < 6; i++) {
                QueueId id = TestMessages.commit(spool, "bob@example.net", TestMessages.body(100_000, i));
                TestMessages.done(then -> spool.remove(id, then));
            }
        }
        for (int i = 0; i < 3; i++) {
            try (Spool spool = world.openMade(config)) {
                for (int j = 0; j < 12; j++) {
                    QueueId id = TestMessages.commit(spool, "bob@example.net", TestMessages.body(100_000, j));
                    TestMessages.done(then -> spool.remove(id, then));
                }
                Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> Files.notExists(segment(3)));
            }
        }
        Files.deleteIfExists(index());
        start(Map.of("queued", List.of(), "set aside", List.of(ids.get(0))));
    }

    /// A disk may have had 150,000 of them.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void manyLostMessagesAreWrittenAPageAtATime(boolean killed) throws Exception {
        int most = Math.max(LostMessages.PAGE, Cleaner.AT_ONCE) + 1;
        List<QueueId> lost = new ArrayList<>();
        try (Spool spool = world.openMade(config)) {
            for (int i = 0; i < most; i++) {
                lost.add(TestMessages.commit(spool, "bob@example.net", new byte[10]));
            }
        }
        QueueId other = queued(100).getFirst();
        if (killed) {
            kill();
        }
        takeAway(segment(1));
        AtomicInteger group = new AtomicInteger();
        AtomicInteger largest = new AtomicInteger();
        AtomicInteger written = new AtomicInteger();
        world.trouble = (call, arguments) -> {
            if (call.equals("log.sync")) {
                group.set(0);
            } else if (call.equals("log.append") && arguments[0] instanceof List<?> records) {
                int count = (int) records.stream().filter(LogRecord.Lost.class::isInstance).count();
                largest.accumulateAndGet(group.addAndGet(count), Math::max);
                written.addAndGet(count);
            }
        };
        try (Spool spool = world.openMade(config)) {
            assertThat(setAside(spool)).containsExactlyElementsOf(lost);
            assertThat(largest).as("of a start").hasValue(LostMessages.PAGE);
            largest.set(0);
            TestMessages.done(then -> spool.remove(other, then));
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> Files.notExists(segment(2)));
            assertThat(largest).as("of the cleaner").hasValue(Cleaner.AT_ONCE);
            assertThat(written).as("all, twice").hasValue(2 * most);
        }
        Files.deleteIfExists(index());
        start(Map.of("queued", List.of(), "set aside", lost));
    }

    @Test
    void aMessageThatAReaderFoundDamagedIsKnownToALogWithoutAnIndex() throws Exception {
        List<QueueId> ids = queued(1000, 200);
        try (RandomAccessFile bytes = new RandomAccessFile(segment(1).toFile(), "rw")) {
            bytes.seek(700);
            int octet = bytes.read();
            bytes.seek(700);
            bytes.write(octet ^ 1);
        }
        try (Spool spool = world.openMade(config)) {
            assertThat(catchThrowableOfType(IOException.class, () -> TestMessages.read(spool, ids.get(0)))).isNotNull();
            TestMessages.done(then -> spool.hold(new QueueId(1), false, then));
        }
        Files.deleteIfExists(index());
        try (Spool spool = world.openMade(config)) {
            assertThat(setAside(spool)).containsExactly(ids.get(0));
            assertThat(spool.details(ids.get(0)).orElseThrow().envelope())
                    .isEqualTo(TestMessages.envelope("bob@example.net", "carol@example.com"));
        }
    }

    @Test
    void toolsThatLookChangeNothing() throws Exception {
        List<QueueId> ids = queued(100, 200_000, 300);
        kill();
        takeAway(segment(2));
        cut(segment(3), 200);
        Map<String, String> before = picture();
        assertThat(verify().findings()).isNotEmpty();
        SpoolTools.setAside(config, world.clock::millis);
        SpoolTools.view(config, world.clock::millis, Spool::counts);
        SpoolTools.read(config, world.clock::millis, ids.get(0), (_, _) -> {});
        SpoolTools.export(config, world.clock::millis, temporary.resolve("export"));
        assertThat(picture()).isEqualTo(before);
    }

    private Map<String, String> picture() throws IOException {
        Map<String, String> picture = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                if (!file.endsWith("lock")) {
                    picture.put(file.toString(), Files.isDirectory(file)
                            ? ""
                            : Files.getLastModifiedTime(file) + " " + Arrays.hashCode(Files.readAllBytes(file)));
                }
            }
        }
        return picture;
    }

    @Test
    void repairNamesWhatItDidNotFindAndSoDoesEachLaterLook() throws Exception {
        List<QueueId> ids = queued(100, 200, 300);
        takeAway(segment(2));
        assertThat(repair().findings()).anySatisfy(each -> assertThat(each).contains(ids.get(1).toString()));
        kill();
        for (int look = 0; look < 2; look++) {
            assertThat(verify().findings()).singleElement().asString().contains(ids.get(1).toString(),
                    "from <ann@example.org>");
            start(Map.of("queued", List.of(ids.get(0), ids.get(2)), "set aside", List.of(ids.get(1))));
        }
        assertThat(directory.resolve("corrupt").resolve(LostMessages.LIST)).content().contains(ids.get(1).toString());
    }

    @Test
    void countsDoNotDependOnTheFolderOfDamagedPieces() throws Exception {
        queued(100);
        try (Spool spool = world.openMade(config)) {
            Folders.delete(directory.resolve("corrupt"));
            assertThat(spool.counts()).isEqualTo(new Spool.Counts(1, 0, 0, 100));
            assertThat(spool.troubles()).singleElement()
                    .satisfies(each -> assertThat(each.what()).isEqualTo(Spool.What.CORRUPT));
            Files.createDirectory(directory.resolve("corrupt"));
            spool.counts();
            assertThat(spool.troubles()).isEmpty();
        }
    }
}
