package org.slipstream.spool.work;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.DataSize;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.spool.DamagedException;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.log.HostRecord;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Restarts after which log and index disagree.
class RestartTest {
    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();

    private Path index() {
        return directory.resolve("index.mv.db");
    }

    private Path keepIndex() throws IOException {
        return Files.copy(index(), directory.resolveSibling("kept-" + System.nanoTime()));
    }

    private void bringBack(Path kept) throws IOException {
        Files.copy(kept, index(), StandardCopyOption.REPLACE_EXISTING);
    }

    private List<Path> segments() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("log"))) {
            return files.filter(each -> each.toString().endsWith(".segment")).sorted().toList();
        }
    }

    private Path segment() throws IOException {
        assertThat(segments()).hasSize(1);
        return segments().getFirst();
    }

    private static List<QueueId> listed(Spool spool) throws IOException {
        return spool.list(Optional.empty(), 1000).stream().map(each -> each.summary().id()).toList();
    }

    @Test
    @Tag("FI-39")
    void theKnowledgeOfHostsSurvives() throws Exception {
        HostRecord broken = new HostRecord("[192.0.2.1]:25/may", "RETRY", "mx.example", 1, 2, 3, "421 4.3.2 no\0w", "");
        HostRecord suspended = new HostRecord("[192.0.2.1]:25/may", "SUSPENDED", "mx.example", 1, Long.MAX_VALUE, 0,
                "moving house", "ann");
        try (Spool spool = world.openMade(directory)) {
            spool.keepHost(broken);
            spool.keepHost(suspended);
            spool.keepHost(new HostRecord("[192.0.2.2]:25/may", "RETRY", "mx2.example", 1, 2, 1, "x", ""));
            spool.keepHost(new HostRecord("[192.0.2.1]:25/may", "RETRY", "mx.example", 1, 9, 4, "421 4.3.2 later", ""));
            spool.forgetHost("[192.0.2.2]:25/may", "RETRY");
            spool.forgetHost("[192.0.2.3]:25/may", "RETRY");
        }
        try (Spool spool = world.openMade(directory)) {
            assertThat(spool.hosts()).containsExactly(
                    new HostRecord("[192.0.2.1]:25/may", "RETRY", "mx.example", 1, 9, 4, "421 4.3.2 later", ""),
                    suspended);
            spool.keepHost(broken);
        }
        try (Spool spool = world.openMade(directory)) {
            assertThat(spool.hosts().getFirst().words()).isEqualTo("421 4.3.2 no w");
        }
    }

    @Test
    void messagesYoungerThanTheIndexAreEnteredAgain() throws Exception {
        QueueId known;
        try (Spool spool = world.openMade(directory)) {
            known = TestMessages.commit(spool, "bob@example.net", TestMessages.body(100, 0));
        }
        Path kept = keepIndex();
        MessageSummary rich;
        QueueId large;
        try (Spool spool = world.openMade(directory)) {
            rich = TestMessages.commit(spool, TestMessages.richEnvelope(), TestMessages.body(5000, 1));
            large = TestMessages.commit(spool, "bob@example.net", TestMessages.body(400_000, 2));
        }
        bringBack(kept);
        world.clock.advanceMillis(100_000);
        for (int start = 0; start < 2; start++) {
            try (Spool spool = world.openMade(directory)) {
                assertThat(listed(spool)).containsExactly(known, rich.id(), large);
                // Its age is that of the message, not of the replay.
                assertThat(spool.details(rich.id()).orElseThrow().summary()).isEqualTo(rich);
                assertThat(spool.envelope(rich.id())).contains(TestMessages.richEnvelope());
                assertThat(TestMessages.read(spool, rich.id())).isEqualTo(TestMessages.body(5000, 1));
                assertThat(TestMessages.read(spool, large)).isEqualTo(TestMessages.body(400_000, 2));
            }
        }
        try (Spool spool = world.openMade(directory)) {
            assertThat(TestMessages.claim(spool, world.clock.millis(), 10, Long.MAX_VALUE))
                    .containsExactly(known, rich.id(), large);
            assertThat(TestMessages.commit(spool, "bob@example.net", new byte[1])).isGreaterThan(large);
        }
    }

    @Test
    void aTornTailIsTheEndOfTheLog() throws Exception {
        world.openMade(directory).close();
        Path empty = keepIndex();
        List<QueueId> ids = new ArrayList<>();
        try (Spool spool = world.openMade(directory)) {
            ids.add(TestMessages.commit(spool, "bob@example.net", TestMessages.body(50, 0)));
            ids.add(TestMessages.commit(spool, "bob@example.net", TestMessages.body(50, 1)));
        }
        bringBack(empty);
        try (RandomAccessFile segment = new RandomAccessFile(segment().toFile(), "rw")) {
            segment.setLength(segment.length() - 7);
        }
        try (Spool spool = world.openMade(directory)) {
            assertThat(listed(spool)).containsExactly(ids.getFirst());
            assertThat(spool.counts().corrupt()).isZero();
            // Never append after a crash.
            TestMessages.commit(spool, "bob@example.net", new byte[10]);
            assertThat(segments()).hasSize(2);
        }
    }

    @Test
    @Tag("PF-27")
    void aDamagedRecordIsSetAsideAndTheRestRuns() throws Exception {
        world.openMade(directory).close();
        Path empty = keepIndex();
        List<QueueId> ids = new ArrayList<>();
        try (Spool spool = world.openMade(directory)) {
            for (int i = 0; i < 3; i++) {
                ids.add(TestMessages.commit(spool, "bob@example.net", TestMessages.body(5000, i)));
            }
        }
        bringBack(empty);
        flip(segment(), 7000);
        for (int start = 0; start < 2; start++) {
            try (Spool spool = world.openMade(directory)) {
                assertThat(listed(spool)).containsExactly(ids.get(0), ids.get(2));
                assertThat(spool.counts().corrupt()).isEqualTo(1);
                assertThat(directory.resolve("corrupt")).isNotEmptyDirectory();
                assertThat(TestMessages.read(spool, ids.get(2))).isEqualTo(TestMessages.body(5000, 2));
            }
        }
    }

    private static void flip(Path file, long at) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(at);
            int old = bytes.read();
            bytes.seek(at);
            bytes.write(old ^ 0x10);
        }
    }

    @Test
    @Tag("PF-27")
    void aQueuedMessageThatWasDamagedIsSetAsideWhenItIsRead() throws Exception {
        QueueId damaged;
        QueueId sound;
        try (Spool spool = world.openMade(directory)) {
            damaged = TestMessages.commit(spool, "bob@example.net", TestMessages.body(5000, 1));
            sound = TestMessages.commit(spool, "bob@example.net", TestMessages.body(5000, 2));
        }
        flip(segment(), 3000);
        try (Spool spool = world.openMade(directory)) {
            assertThatThrownBy(() -> TestMessages.read(spool, damaged)).isInstanceOf(IOException.class);
            assertThat(TestMessages.read(spool, sound)).isEqualTo(TestMessages.body(5000, 2));
            assertThat(TestMessages.claim(spool, world.clock.millis(), 10, Long.MAX_VALUE))
                    .containsExactly(sound);
            assertThat(spool.counts()).isEqualTo(new Spool.Counts(1, 0, 1, 5000));
            assertThat(spool.details(damaged)).isPresent();
        }
    }

    @Test
    void aLostIndexIsRebuiltFromTheLogWithoutFinishedMessages() throws Exception {
        List<QueueId> ids = new ArrayList<>();
        SpoolConfig small = new SpoolConfig(directory, DataSize.of(10_000), DataSize.ofKibibytes(128), DataSize.ZERO);
        try (Spool spool = world.openMade(small)) {
            for (int i = 0; i < 20; i++) {
                ids.add(TestMessages.commit(spool, "bob@example.net", TestMessages.body(i == 7 ? 300_000 : 3000, i)));
            }
            for (int i = 0; i < 20; i += 2) {
                QueueId id = ids.get(i);
                TestMessages.done(then -> spool.remove(id, then));
            }
        }
        Files.delete(index());
        try (Spool spool = world.openMade(small)) {
            List<QueueId> queued = new ArrayList<>();
            for (int i = 1; i < 20; i += 2) {
                queued.add(ids.get(i));
                assertThat(TestMessages.read(spool, ids.get(i)))
                        .isEqualTo(TestMessages.body(i == 7 ? 300_000 : 3000, i));
            }
            assertThat(listed(spool)).isEqualTo(queued);
        }
    }

    @Test
    void messagesFinishedInTheIndexAreNotEnteredAgain() throws Exception {
        try (Spool spool = world.openMade(directory)) {
            QueueId id = TestMessages.commit(spool, "bob@example.net", new byte[100]);
            TestMessages.done(then -> spool.remove(id, then));
        }
        try (Spool spool = world.openMade(directory)) {
            assertThat(spool.counts().messages()).isZero();
        }
    }

    @Test
    @Tag("IM-33")
    void filesOfDraftsThatACrashLeftBehindAreSwept() throws Exception {
        QueueId queued;
        try (Spool spool = world.openMade(directory)) {
            queued = TestMessages.commit(spool, "bob@example.net", TestMessages.body(300_000, 1));
        }
        Path leftover = directory.resolve("large").resolve("0123456789a.message");
        Files.write(leftover, new byte[200_000]);
        try (Spool spool = world.openMade(directory)) {
            assertThat(leftover).doesNotExist();
            assertThat(TestMessages.read(spool, queued)).isEqualTo(TestMessages.body(300_000, 1));
        }
    }

    @Test
    void aLargeMessageThatOnlyTheLogKnowsIsNoLeftover() throws Exception {
        world.openMade(directory).close();
        Path empty = keepIndex();
        QueueId id;
        try (Spool spool = world.openMade(directory)) {
            id = TestMessages.commit(spool, "bob@example.net", TestMessages.body(300_000, 1));
        }
        bringBack(empty);
        try (Spool spool = world.openMade(directory)) {
            assertThat(TestMessages.read(spool, id)).isEqualTo(TestMessages.body(300_000, 1));
        }
    }

    @Test
    @Tag("PF-27")
    void rowsThatMakeNoSenseAreSetAsideAndTheRestRuns() throws Exception {
        List<QueueId> ids = new ArrayList<>();
        try (Spool spool = world.openMade(directory)) {
            for (int i = 0; i < 8; i++) {
                ids.add(TestMessages
                        .commit(spool, TestMessages.envelope("a@example.net", "b@example.net"), new byte[10]).id());
                QueueId id = ids.getLast();
                // From its first deferral on a message has a row for each recipient.
                TestMessages.done(then -> spool.defer(id, world.clock.millis(), then));
            }
        }
        TestWorld.sql(directory,
                "update recipient set local_part = '' where number = 2 and message_id = " + ids.get(0).value(),
                "delete from recipient where number = 1 and message_id = " + ids.get(1).value(),
                "update message set sender_domain = null where id = " + ids.get(2).value(),
                "update recipient set notify_bits = 64 where message_id = " + ids.get(3).value(),
                "delete from recipient where message_id = " + ids.get(4).value(),
                "update recipient set state = 42 where message_id = " + ids.get(6).value(),
                "update recipient set domain = 'no domain' where number = 1 and message_id = " + ids.get(7).value(),
                "shutdown");
        try (Spool spool = world.openMade(directory)) {
            assertThatThrownBy(() -> spool.readRecipients(ids.get(0), 0, 10)).isInstanceOf(DamagedException.class);
            assertThatThrownBy(() -> spool.readRecipients(ids.get(1), 0, 10)).isInstanceOf(DamagedException.class);
            assertThatThrownBy(() -> spool.readRecipients(ids.get(7), 0, 10)).isInstanceOf(DamagedException.class);
            assertThat(TestMessages.claim(spool, world.clock.millis(), 10, Long.MAX_VALUE))
                    .as("one without a single recipient in a known state must not pass for settled")
                    .containsExactly(ids.get(3), ids.get(5));
            assertThat(spool.list(Optional.empty(), 1)).extracting(each -> each.summary().id())
                    .containsExactly(ids.get(5));
            TestMessages.done(then -> spool.defer(ids.get(5), 0, then));
            assertThat(spool.counts()).isEqualTo(new Spool.Counts(1, 0, 7, 10));
            assertThatThrownBy(() -> spool.details(ids.get(4))).isInstanceOf(IOException.class);
            assertThat(spool.readRecipients(ids.get(5), 0, 10).recipients()).hasSize(2);
        }
        assertThat(TestWorld.number(directory, "select count(*) from message")).isEqualTo(8);
        TestWorld.sql(directory, "shutdown");
    }
}
