package org.slipstream.spool.log;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.spool.log.MessageLog.ScannedRecord;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Scans of segments with every kind of damage: the end of the log, and the records found.
class SegmentScanTest {
    private static final int MESSAGES = 3;

    @TempDir
    Path spool;
    private Path file;
    private byte[] intact;
    private final List<RecordPlace> places = new ArrayList<>();

    @BeforeEach
    void threeSmallMessages() throws IOException {
        try (Segments log = log()) {
            for (int i = 1; i <= MESSAGES; i++) {
                places.add(log.append(message(i, ("body " + i).getBytes(StandardCharsets.US_ASCII))));
            }
            log.sync();
        }
        file = spool.resolve("log").resolve("0000000001.segment");
        intact = Files.readAllBytes(file);
    }

    private Segments log() throws IOException {
        Segments log = new Segments(spool, 1 << 20);
        log.startAfter(Position.START);
        return log;
    }

    private static NewMessage message(int number, byte[] body) {
        Envelope envelope = Envelope.of(Optional.empty(), List.of(Address.of("bob@example.net")));
        return new NewMessage(new QueueId(1000 + number), 5000 + number, envelope, EnvelopeCodec.encode(envelope),
                Optional.empty(),
                new NewMessage.Inline(body, body.length));
    }

    private List<ScannedRecord> scan(byte[] bytes) throws IOException {
        Files.write(file, bytes);
        List<ScannedRecord> found = new ArrayList<>();
        try (Segments log = new Segments(spool, 1 << 20)) {
            log.scan(Position.START, new Position(Long.MAX_VALUE, 0), found::add);
        }
        return found;
    }

    /// The numbers of the messages found.
    private static List<Long> seqs(List<ScannedRecord> found) {
        return found.stream().filter(ScannedRecord.Sound.class::isInstance)
                .map(each -> stored(each).id().value() - 1000)
                .toList();
    }

    private static LogRecord.Stored stored(ScannedRecord found) {
        return (LogRecord.Stored) ((ScannedRecord.Sound) found).record();
    }

    private long corruptFiles() throws IOException {
        try (var files = Files.list(spool.resolve("corrupt"))) {
            return files.count();
        }
    }

    @Test
    void appendedRecordsAreFoundInOrder() throws Exception {
        List<ScannedRecord> found = scan(intact);
        assertThat(seqs(found)).containsExactly(1L, 2L, 3L);
        assertThat(found).extracting(each -> stored(each).place()).isEqualTo(places);
        StoredMessage second = stored(found.get(1)).message();
        assertThat(second.id()).isEqualTo(new QueueId(1002));
        assertThat(second.createdMillis()).isEqualTo(5002);
        assertThat(second.sizeBytes()).isEqualTo(6);
    }

    @Test
    void aStopAtAnyByteOfTheLastRecordLosesThatRecordOnly() throws Exception {
        for (int end = (int) places.get(2).offset(); end < intact.length; end++) {
            List<ScannedRecord> found = scan(Arrays.copyOf(intact, end));
            assertThat(seqs(found)).as("cut at %d", end).containsExactly(1L, 2L);
            long torn = end - places.get(2).offset();
            assertThat(found.subList(2, found.size()))
                    .isEqualTo(
                            torn == 0 ? List.of() : List.of(new ScannedRecord.Torn(1, places.get(2).offset(), torn)));
        }
        assertThat(corruptFiles()).isZero();
    }

    @Test
    void aStopWhileTheSegmentIsMadeLeavesAnEmptyOne() throws Exception {
        for (int end = 0; end < RecordFormat.SEGMENT_HEADER; end++) {
            assertThat(scan(Arrays.copyOf(intact, end))).singleElement().isInstanceOf(ScannedRecord.Torn.class);
        }
        assertThat(scan(Arrays.copyOf(intact, RecordFormat.SEGMENT_HEADER))).isEmpty();
        assertThat(corruptFiles()).isZero();
    }

    @Test
    void anyFlippedBitInTheMiddleCostsThatRecordOnlyAndItsBytesAreKept() throws Exception {
        int from = (int) places.get(1).offset();
        int to = (int) places.get(2).offset();
        for (int at = from; at < to; at++) {
            for (int bit = 0; bit < 8; bit++) {
                byte[] damaged = intact.clone();
                damaged[at] ^= (byte) (1 << bit);
                List<ScannedRecord> found = scan(damaged);
                assertThat(seqs(found)).as("bit %d of byte %d", bit, at).containsExactly(1L, 3L);
                ScannedRecord.Damaged aside = (ScannedRecord.Damaged) found.get(1);
                assertThat(aside.offset()).isEqualTo(from);
                assertThat(aside.bytes()).isEqualTo(to - from);
                assertThat(Path.of(aside.copy())).hasBinaryContent(Arrays.copyOfRange(damaged, from, to));
                Files.delete(Path.of(aside.copy()));
            }
        }
    }

    @Test
    void aWholeLastRecordWithAWrongChecksumIsDamageAndNotTheEnd() throws Exception {
        byte[] damaged = intact.clone();
        damaged[damaged.length - 1] ^= 1;
        assertThat(scan(damaged).getLast()).isInstanceOf(ScannedRecord.Damaged.class);
        assertThat(corruptFiles()).isEqualTo(1);
        // The next start finds the same damage and does not count it twice.
        scan(damaged);
        assertThat(corruptFiles()).isEqualTo(1);
    }

    @Test
    void noDamageInTheLastRecordIsTakenForTheEnd() throws Exception {
        int last = (int) places.get(2).offset();
        for (int at = last; at < intact.length; at++) {
            for (int bit = 0; bit < 8; bit++) {
                byte[] damaged = intact.clone();
                damaged[at] ^= (byte) (1 << bit);
                assertDamaged(damaged, last, "bit " + bit + " of byte " + at);
            }
        }
        Random random = new Random(1);
        for (int at = last - 20; at < intact.length; at++) {
            byte[] others = new byte[intact.length];
            random.nextBytes(others);
            for (byte[] wrong : List.of(new byte[intact.length], others)) {
                assertDamaged(overwritten(wrong, at, intact.length), Math.min(at, last), "from " + at);
                if (at >= last) {
                    assertDamaged(overwritten(wrong, last - 20, at + 1), last, "to " + at);
                }
            }
        }
    }

    private byte[] overwritten(byte[] with, int from, int to) {
        byte[] damaged = intact.clone();
        System.arraycopy(with, from, damaged, from, to - from);
        return damaged;
    }

    private void assertDamaged(byte[] damaged, int from, String how) throws IOException {
        if (Arrays.equals(damaged, intact)) {
            return;
        }
        ScannedRecord end = scan(damaged).getLast();
        assertThat(end).as(how).isInstanceOfSatisfying(ScannedRecord.Damaged.class, each -> {
            assertThat(each.offset()).as(how).isLessThanOrEqualTo(from);
            assertThat(each.offset() + each.bytes()).as(how).isEqualTo(intact.length);
        });
    }

    @Test
    void aFlippedBitInTheSegmentsHeaderCostsNothing() throws Exception {
        for (int bit = 0; bit < 8 * RecordFormat.SEGMENT_HEADER; bit++) {
            byte[] damaged = intact.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            List<ScannedRecord> found = scan(damaged);
            assertThat(seqs(found)).as("bit %d", bit).containsExactly(1L, 2L, 3L);
            ScannedRecord.Headless headless = (ScannedRecord.Headless) found.getFirst();
            assertThat(Path.of(headless.copy()))
                    .hasBinaryContent(Arrays.copyOf(damaged, RecordFormat.SEGMENT_HEADER));
            Files.delete(Path.of(headless.copy()));
            assertReadable(places);
        }
    }

    @Test
    void aHeaderOfWhichNothingIsLeftIsLearntFromTheFirstRecord() throws Exception {
        byte[] damaged = intact.clone();
        Arrays.fill(damaged, 0, RecordFormat.SEGMENT_HEADER, (byte) 0);
        assertThat(seqs(scan(damaged))).containsExactly(1L, 2L, 3L);
        assertReadable(places);
        try (Segments log = new Segments(spool, 1 << 20)) {
            log.mend(1);
        }
        byte[] mended = Files.readAllBytes(file);
        assertThat(scan(mended)).as("as if nothing had happened").hasSize(3)
                .allMatch(each -> each instanceof ScannedRecord.Sound);
        assertReadable(places);
    }

    @Test
    void aLonelyMessageSurvivesOneWrongByteOfTheHeader() throws Exception {
        byte[] lonely = Arrays.copyOf(intact, (int) places.get(1).offset());
        for (int at = 0; at < RecordFormat.SEGMENT_HEADER; at++) {
            byte[] damaged = lonely.clone();
            damaged[at] = (byte) ~damaged[at];
            assertThat(seqs(scan(damaged))).as("byte %d", at).containsExactly(1L);
        }
    }

    @Test
    void damageBehindADamagedHeaderCostsItsOwnRecordOnly() throws Exception {
        byte[] damaged = intact.clone();
        damaged[20] ^= 1;
        damaged[(int) places.get(1).offset() + 50] ^= 1;
        assertThat(seqs(scan(damaged))).containsExactly(1L, 3L);
        damaged = intact.clone();
        damaged[20] ^= 1;
        damaged[(int) places.get(0).offset() + 50] ^= 1;
        assertThat(seqs(scan(damaged))).containsExactly(2L, 3L);
    }

    private void assertReadable(List<RecordPlace> all) throws IOException {
        try (Segments log = new Segments(spool, 1 << 20)) {
            for (int i = 0; i < all.size(); i++) {
                assertThat(log.content(new QueueId(1001 + i), all.get(i), 6, () -> {}).open().readAllBytes())
                        .isEqualTo(("body " + (i + 1)).getBytes(StandardCharsets.US_ASCII));
            }
        }
    }

    @Test
    void aSegmentWithoutHeaderAndFirstRecordIsSetAsideWhole() throws Exception {
        byte[] damaged = intact.clone();
        Arrays.fill(damaged, 0, RecordFormat.SEGMENT_HEADER, (byte) 0);
        damaged[(int) places.get(0).offset()] ^= 1;
        assertThat(scan(damaged)).singleElement().isInstanceOf(ScannedRecord.Damaged.class);
        assertThat(file).exists();
    }

    @Test
    void recordsInsideAMailDoNotGiveTheSalt() throws Exception {
        // A log made by the sender, whose records agree with each other, as the text of a mail.
        byte[] images = Arrays.copyOfRange(intact, (int) places.get(0).offset(), intact.length);
        RecordPlace carrier;
        try (Segments log = log()) {
            carrier = log.append(message(10, images));
            log.append(message(11, new byte[5]));
            log.sync();
        }
        file = spool.resolve("log").resolve("0000000002.segment");
        byte[] damaged = Files.readAllBytes(file);
        Arrays.fill(damaged, 0, RecordFormat.SEGMENT_HEADER, (byte) 0);
        assertThat(seqs(scan(damaged))).containsExactly(1L, 2L, 3L, 10L, 11L);
        damaged[(int) carrier.offset()] ^= 1;
        assertThat(seqs(scan(damaged))).as("set aside whole").containsExactly(1L, 2L, 3L);
    }

    @Test
    void aRecordInsideAMailIsNotTakenForAMessage() throws Exception {
        // A mail whose text is the image of a record, taken from a log made by the sender.
        byte[] image = Arrays.copyOfRange(intact, (int) places.get(1).offset(), (int) places.get(2).offset());
        RecordPlace carrier;
        try (Segments log = log()) {
            carrier = log.append(message(10, image));
            log.append(message(11, new byte[5]));
            log.sync();
        }
        file = spool.resolve("log").resolve("0000000002.segment");
        byte[] damaged = Files.readAllBytes(file);
        // Damage in the carrier's head makes the scan look for a record inside its body.
        damaged[(int) carrier.offset()] ^= 1;
        assertThat(seqs(scan(damaged))).containsExactly(1L, 2L, 3L, 11L);
    }

    @Test
    void anAbandonedRecordIsCutOffAndTheNextMessageGoesToAFreshSegment() throws Exception {
        try (Segments log = log()) {
            RecordPlace safe = log.append(message(4, new byte[10]));
            log.sync();
            log.append(message(5, new byte[10]));
            log.append(message(6, new byte[2_000_000]));
            log.abandon();
            RecordPlace next = log.append(message(7, new byte[10]));
            log.sync();
            assertThat(next.segment()).isGreaterThan(safe.segment());
        }
        assertThat(seqs(scan(intact))).containsExactly(1L, 2L, 3L, 4L, 7L);
    }

    @Test
    void aMessageIsReadOnlyFromItsOwnSoundRecord() throws Exception {
        try (Segments log = new Segments(spool, 1 << 20)) {
            List<String> damage = new ArrayList<>();
            Runnable told = () -> damage.add("damaged");
            assertThat(log.content(new QueueId(1002), places.get(1), 6, told).open().readAllBytes())
                    .isEqualTo("body 2".getBytes(StandardCharsets.US_ASCII));
            assertThatThrownBy(() -> log.content(new QueueId(1002), places.get(0), 6, told).open())
                    .isInstanceOf(DamagedMessageException.class);
            byte[] damaged = intact.clone();
            damaged[(int) places.get(2).offset() - 1] ^= 1;
            Files.write(file, damaged);
            assertThatThrownBy(() -> log.content(new QueueId(1002), places.get(1), 6, told).open())
                    .isInstanceOf(DamagedMessageException.class);
            assertThat(damage).hasSize(2);
        }
    }

    @Test
    void aLargeMessageTellsDamageAtItsEnd() throws Exception {
        try (Segments log = log()) {
            QueueId id = new QueueId(77);
            LargeContent content = log.ownFile(id);
            content.write(new byte[300_000], 0, 300_000);
            NewMessage.InOwnFile finished = content.finish();
            Envelope envelope = Envelope.of(Optional.empty(), List.of(Address.of("bob@example.net")));
            RecordPlace place = log.append(
                    new NewMessage(id, 1, envelope, EnvelopeCodec.encode(envelope), Optional.empty(), finished));
            log.sync();
            List<String> damage = new ArrayList<>();
            try (var input = log.content(id, place, 300_000, () -> damage.add("damaged")).open()) {
                assertThat(input.readAllBytes()).hasSize(300_000);
            }
            Path own = spool.resolve("large").resolve(id + ".message");
            byte[] bytes = Files.readAllBytes(own);
            bytes[1234] = 1;
            Files.write(own, bytes);
            try (var input = log.content(id, place, 300_000, () -> damage.add("damaged")).open()) {
                assertThatThrownBy(input::readAllBytes).isInstanceOf(DamagedMessageException.class);
            }
            assertThat(damage).hasSize(1);
        }
    }
}
