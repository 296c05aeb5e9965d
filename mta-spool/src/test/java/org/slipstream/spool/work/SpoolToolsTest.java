package org.slipstream.spool.work;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.DataSize;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.log.HostRecord;
import org.slipstream.spool.tools.SpoolTools;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The operator's commands on a spool while no server runs.
class SpoolToolsTest {
    private static final Outcome TAKEN = Outcome.of(Reply.of(250, "2.0.0", "taken"), "mx.example.net");

    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();

    private SpoolConfig config(String name) {
        return SpoolConfig.at(directory.resolve(name));
    }

    @Test
    void mailMovesFromOneServerToAnotherWithItsEnvelopeAndWithoutFinishedRecipients() throws Exception {
        byte[] large = TestMessages.body(300_000, 3);
        Envelope two = TestMessages.envelope("a@example.net", "b@example.net");
        try (Spool spool = world.open(config("old"))) {
            TestMessages.commit(spool, TestMessages.richEnvelope(), TestMessages.body(2000, 1));
            QueueId partly = TestMessages.commit(spool, two, large).id();
            TestMessages.done(then -> spool.record(partly, List.of(new RecipientOutcome(1, TAKEN)), then));
        }
        Path files = directory.resolve("files");
        assertThat(SpoolTools.export(config("old"), world.clock::millis, files))
                .isEqualTo(new SpoolTools.Report(2, 2, List.of()));
        assertThat(SpoolTools.importFrom(config("new"), world.clock::millis, files))
                .isEqualTo(new SpoolTools.Report(2, 2, List.of()));
        try (Spool spool = world.open(config("new"))) {
            List<MessageDetails> queue = spool.list(Optional.empty(), 10);
            assertThat(queue.get(0).envelope()).isEqualTo(TestMessages.richEnvelope());
            assertThat(TestMessages.read(spool, queue.get(0).summary().id())).isEqualTo(TestMessages.body(2000, 1));
            assertThat(queue.get(1).envelope()).isEqualTo(TestMessages.envelope("b@example.net"));
            assertThat(TestMessages.read(spool, queue.get(1).summary().id())).isEqualTo(large);
        }
        assertThat(SpoolTools.importFrom(config("new"), world.clock::millis, files).records())
                .as("a repeated import takes nothing twice").isZero();
    }

    /// The server would have deleted them within a second, but after it has made its events of them.
    @Test
    void aToolKeepsSegmentsOfWhichEventsMayStillBeMade() throws Exception {
        SpoolConfig small = new SpoolConfig(directory.resolve("old"), DataSize.of(30_000), DataSize.ofKibibytes(128),
                DataSize.ZERO);
        List<QueueId> finished = new ArrayList<>();
        world.indexDelayMillis = TimeUnit.HOURS.toMillis(1);
        try (Spool spool = world.open(small)) {
            for (int i = 0; i < 40; i++) {
                finished.add(TestMessages.commit(spool, "bob@example.net", TestMessages.body(9000, i)));
            }
        }
        Path more = Files.createDirectories(directory.resolve("files"));
        for (int i = 0; i < 1500; i++) {
            Files.writeString(more.resolve(i + ".eml"), "X-Slipstream-From: <>\r\nX-Slipstream-To: <bob@example.net>"
                    + "\r\nSubject: hello\r\n\r\nHello.\r\n");
        }
        List<Path> segments;
        try (Spool spool = world.open(small)) {
            finished.forEach(id -> spool.remove(id, () -> {}));
            segments = files(directory.resolve("old/log"));
            assertThat(segments).hasSizeGreaterThan(8);
        }
        assertThat(SpoolTools.importFrom(small, world.clock::millis, more).findings()).isEmpty();
        assertThat(files(directory.resolve("old/log"))).containsAll(segments);
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(each -> each.toString().endsWith(".segment")).toList();
        }
    }

    @Test
    void aFileWithoutAnEnvelopeIsNamedAndLeft() throws Exception {
        Path files = Files.createDirectories(directory.resolve("files"));
        Files.writeString(files.resolve("x.eml"), "Subject: hello\r\n\r\nWhere to?\r\n");
        SpoolTools.Report report = SpoolTools.importFrom(config("new"), world.clock::millis, files);
        assertThat(report.records()).isZero();
        assertThat(report.findings()).singleElement().asString().contains("x.eml", "X-Slipstream-From");
        assertThat(files.resolve("x.eml")).exists();
    }

    @Test
    void aSpoolInUseIsNotTouched() throws Exception {
        try (Spool _ = world.open(config("old"))) {
            assertThatThrownBy(() -> SpoolTools.verify(config("old"), world.clock::millis))
                    .isInstanceOf(SpoolException.class).hasMessageContaining("in use");
            assertThatThrownBy(() -> SpoolTools.repair(config("old"), world.clock::millis))
                    .isInstanceOf(SpoolException.class).hasMessageContaining("in use");
        }
    }

    @Test
    void aSoundSpoolVerifiesAndADamagedOneIsNamedPieceByPiece() throws Exception {
        QueueId damaged;
        try (Spool spool = world.open(config("old"))) {
            damaged = TestMessages.commit(spool, "bob@example.net", TestMessages.body(5000, 1));
            TestMessages.commit(spool, "bob@example.net", TestMessages.body(5000, 2));
        }
        assertThat(SpoolTools.verify(config("old"), world.clock::millis))
                .isEqualTo(new SpoolTools.Report(2, 2, List.of()));
        try (RandomAccessFile segment = new RandomAccessFile(
                directory.resolve("old/log/0000000001.segment").toFile(), "rw")) {
            segment.seek(2000);
            segment.write(segment.read() ^ 1);
        }
        SpoolTools.Report report = SpoolTools.verify(config("old"), world.clock::millis);
        assertThat(report.findings()).anySatisfy(each -> assertThat(each).contains("Segment 1", "corrupt"))
                .anySatisfy(each -> assertThat(each).contains(damaged.toString()));
    }

    @Test
    void aDamagedBeginningOfASegmentIsNamedAndPutRightAndLosesNothing() throws Exception {
        List<QueueId> queued = new ArrayList<>();
        try (Spool spool = world.open(config("old"))) {
            queued.add(TestMessages.commit(spool, "bob@example.net", TestMessages.body(5000, 1)));
            queued.add(TestMessages.commit(spool, "bob@example.net", TestMessages.body(5000, 2)));
        }
        Path segment = directory.resolve("old/log/0000000001.segment");
        byte[] sound = Files.readAllBytes(segment);
        try (RandomAccessFile header = new RandomAccessFile(segment.toFile(), "rw")) {
            header.write(new byte[32]);
        }
        SpoolTools.Report report = SpoolTools.verify(config("old"), world.clock::millis);
        assertThat(report.records()).isEqualTo(2);
        assertThat(report.findings()).anySatisfy(
                each -> assertThat(each).contains("beginning of segment 1", "corrupt", "read nevertheless"));
        SpoolTools.repair(config("old"), world.clock::millis);
        assertThat(SpoolTools.verify(config("old"), world.clock::millis).findings()).singleElement().asString()
                .as("what lies in corrupt/").contains("1 damaged pieces of the log lie in corrupt/");
        try (Spool spool = world.open(config("old"))) {
            assertThat(TestMessages.read(spool, queued.get(0))).isEqualTo(TestMessages.body(5000, 1));
            assertThat(TestMessages.read(spool, queued.get(1))).isEqualTo(TestMessages.body(5000, 2));
        }
        assertThat(Arrays.copyOfRange(Files.readAllBytes(segment), 32, sound.length)).as("records stay as they are")
                .isEqualTo(Arrays.copyOfRange(sound, 32, sound.length));
    }

    /// H2 opens such a file: no query of a start reads the page.
    @Test
    void aDamagedPageOfTheIndexIsToldWithItsWayOut() throws Exception {
        List<QueueId> queued = new ArrayList<>();
        try (Spool spool = world.open(config("old"))) {
            for (int i = 0; i < 2_000; i++) {
                queued.add(TestMessages.commit(spool, "user" + i + "@example.net", new byte[10]));
            }
        }
        damage(directory.resolve("old/index.mv.db"), "user1000");
        assertThatThrownBy(() -> SpoolTools.verify(config("old"), world.clock::millis))
                .isInstanceOf(SpoolException.class)
                .hasMessageContainingAll("index.mv.db is damaged", "mta spool repair");
        SpoolTools.Report repaired = SpoolTools.repair(config("old"), world.clock::millis);
        assertThat(repaired.findings()).isEmpty();
        assertThat(repaired.queued()).isEqualTo(queued.size());
    }

    /// The bytes around each place where the text lies.
    private static void damage(Path file, String text) throws Exception {
        byte[] bytes = Files.readAllBytes(file);
        String content = new String(bytes, StandardCharsets.ISO_8859_1);
        for (int at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + 1)) {
            Arrays.fill(bytes, at - 300, at + 300, (byte) 0xff);
        }
        Files.write(file, bytes);
    }

    @Test
    void aMessageThatAServerSetAsideIsQueuedByRepairWhenItsContentIsBack() throws Exception {
        QueueId damaged;
        try (Spool spool = world.open(config("old"))) {
            damaged = TestMessages.commit(spool, "bob@example.net", TestMessages.body(5000, 1));
        }
        Path segment = directory.resolve("old/log/0000000001.segment");
        byte[] sound = Files.readAllBytes(segment);
        byte[] flipped = sound.clone();
        flipped[2000] ^= 1;
        Files.write(segment, flipped);
        try (Spool spool = world.open(config("old"))) {
            assertThatThrownBy(() -> TestMessages.read(spool, damaged)).isInstanceOf(IOException.class);
            // The log thread sets messages aside, and this comes after it.
            TestMessages.commit(spool, "bob@example.net", new byte[10]);
            assertThat(spool.counts().corrupt()).isEqualTo(1);
        }
        Files.write(segment, sound);
        assertThat(SpoolTools.verify(config("old"), world.clock::millis).findings()).singleElement().asString()
                .contains(damaged.toString(), "can be read", "spool repair");
        assertThat(SpoolTools.repair(config("old"), world.clock::millis).findings()).isEmpty();
        try (Spool spool = world.open(config("old"))) {
            assertThat(TestMessages.read(spool, damaged)).isEqualTo(TestMessages.body(5000, 1));
            assertThat(spool.counts()).isEqualTo(new Spool.Counts(2, 0, 0, 5010));
        }
    }

    @Test
    void repairBringsBackFromTheLogWhatIsKnownOfMessagesAndHosts() throws Exception {
        long now = world.clock.millis();
        HostRecord host = new HostRecord("192.0.2.1:25", "rest", "mx.example.net", now - 1000, now + 1000, 3,
                "421 busy", "");
        QueueId later;
        try (Spool spool = world.open(config("old"))) {
            later = TestMessages.commit(spool, "bob@example.net", new byte[10]);
            TestMessages.done(then -> spool.defer(later, now + 600_000, then));
            TestMessages.done(then -> spool.delayReported(later, 1, then));
            spool.keepHost(host);
        }
        assertThat(SpoolTools.repair(config("old"), world.clock::millis).findings()).isEmpty();
        try (Spool spool = world.open(config("old"))) {
            MessageDetails details = spool.details(later).orElseThrow();
            assertThat(details.nextAttemptMillis()).isEqualTo(now + 600_000);
            assertThat(details.summary().delayNotified()).isTrue();
            assertThat(spool.hosts()).containsExactly(host);
        }
    }

    @Test
    void repairRebuildsTheIndexAndKeepsTheOldOne() throws Exception {
        QueueId queued;
        try (Spool spool = world.open(config("old"))) {
            queued = TestMessages.commit(spool, "bob@example.net", new byte[10]);
            QueueId gone = TestMessages.commit(spool, "bob@example.net", new byte[10]);
            TestMessages.done(then -> spool.remove(gone, then));
        }
        assertThat(SpoolTools.repair(config("old"), world.clock::millis).findings()).isEmpty();
        assertThat(directory.resolve("old/index-replaced-" + world.clock.millis() + ".mv.db")).exists();
        try (Spool spool = world.open(config("old"))) {
            assertThat(spool.list(Optional.empty(), 10)).extracting(each -> each.summary().id())
                    .containsExactly(queued);
        }
    }
}
