package org.slipstream.spool.log;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.Spools;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/// Records that this program did not write: of a newer program, and of earlier ones.
class NewerLogTest {
    @TempDir
    Path directory;
    private Path segment;
    private QueueId queued;

    @BeforeEach
    void aSegment() throws Exception {
        try (Spool spool = open(); Draft draft = spool.draft()) {
            draft.write(new byte[100], 0, 100);
            queued = draft.commit(envelope()).id();
        }
        try (Stream<Path> files = Files.list(directory.resolve("box"))) {
            segment = files.filter(each -> each.toString().endsWith(".segment")).findFirst().orElseThrow();
        }
    }

    private Spool open() throws SpoolException {
        return Spools.open(SpoolConfig.at(directory), () -> 1_800_000_000_000L);
    }

    private static Envelope envelope() {
        return Envelope.of(Optional.empty(), List.of(Address.of("a@example.net"), Address.of("b@example.net"),
                Address.of("c@example.net")));
    }

    /// With the checksum that the segment's salt requires.
    private void append(int kind, long seq, long id, long createdMillis, byte[] envelope, ByteBuffer rest)
            throws IOException {
        byte[] bytes = Files.readAllBytes(segment);
        long salt = ByteBuffer.wrap(bytes).getLong(RecordFormat.SALT_OFFSET);
        int length = envelope.length + rest.capacity();
        ByteBuffer record = ByteBuffer.allocate(RecordFormat.RECORD_HEADER + length).putInt(RecordFormat.RECORD_MAGIC)
                .putInt(length).putInt(0).putInt(kind).putLong(seq).putLong(id).putLong(createdMillis)
                .putInt(envelope.length).put(envelope).put(rest.array());
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(8).putLong(0, salt));
        crc.update(record.array(), 0, RecordFormat.CRC_OFFSET);
        crc.update(record.array(), RecordFormat.AFTER_CRC, record.capacity() - RecordFormat.AFTER_CRC);
        record.putInt(RecordFormat.CRC_OFFSET, (int) crc.getValue());
        Files.write(segment, record.array(), StandardOpenOption.APPEND);
    }

    private void append(int kind, ByteBuffer rest) throws IOException {
        append(kind, 0, 0, 0, new byte[0], rest);
    }

    /// But the index's own file, which its database writes when it opens it.
    private Map<String, Integer> picture() throws IOException {
        Map<String, Integer> picture = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                if (!file.endsWith("register.mv.db")) {
                    picture.put(file.toString(), java.util.Arrays.hashCode(Files.readAllBytes(file)));
                }
            }
        }
        return picture;
    }

    /// A record of a kind of its own, and a kind of record without content.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLogOfANewerProgramIsRefusedAndNotTouched(boolean wholeRecord) throws Exception {
        byte[] sound = Files.readAllBytes(segment);
        if (wholeRecord) {
            append(99, ByteBuffer.allocate(12));
        } else {
            append(RecordFormat.Kind.RECORDS.code, ByteBuffer.allocate(9).put((byte) 99));
        }
        Map<String, Integer> before = picture();
        for (boolean withIndex : new boolean[]{true, false}) {
            if (!withIndex) {
                Files.delete(directory.resolve("register.mv.db"));
            }
            SpoolException refusal = catchThrowableOfType(SpoolException.class, this::open);
            assertThat(refusal.reason()).isEqualTo(SpoolException.Reason.NEWER_VERSION);
            assertThat(refusal.getMessage()).contains("newer Slipstream", "kind 99").doesNotContain("\n");
            assertThat(picture()).isEqualTo(before);
        }
        Files.write(segment, sound);
        try (Spool spool = open()) {
            assertThat(spool.list(Optional.empty(), 10)).extracting(each -> each.summary().id())
                    .containsExactly(queued);
        }
    }

    /// A message, records about it, a withdrawal and finished messages, as versions before the
    /// records had them.
    @Test
    void recordsOfEarlierVersionsAreRead() throws Exception {
        byte[] envelope = EnvelopeCodec.encode(envelope());
        List<Long> ids = new ArrayList<>();
        for (int seq = 1; seq <= 4; seq++) {
            ids.add(queued.value() + seq);
            append(1, seq, queued.value() + seq, 1_700_000_000_000L, envelope,
                    ByteBuffer.allocate(50).put(0, (byte) seq));
        }
        append(3, ByteBuffer.allocate(16).putLong(2).putLong(2));
        append(4, ByteBuffer.allocate(8).putLong(ids.get(2)));
        append(5, notes(ids.get(0), 2, 1, 3, 2, 4, 0, 5, 0));
        append(5, notes(ids.get(3), 5, 0, 6, 0, 3, 3));
        for (int start = 0; start < 2; start++) {
            try (Spool spool = open()) {
                List<Spool.Details> queue = spool.list(Optional.empty(), 10);
                assertThat(queue).extracting(each -> each.summary().id().value()).containsExactly(queued.value(),
                        ids.get(0), ids.get(3));
                assertThat(queue.get(1).recipients()).extracting(Spool.RecipientState::state).containsExactly(
                        Spool.MessageState.DELIVERED, Spool.MessageState.FAILED_AND_REPORTED, Spool.MessageState.OPEN);
                assertThat(queue.get(1).summary().held()).isTrue();
                assertThat(queue.get(1).summary().createdMillis()).isEqualTo(1_700_000_000_000L);
                assertThat(queue.get(2).summary().held()).isFalse();
                assertThat(queue.get(2).recipients()).extracting(Spool.RecipientState::state).containsExactly(
                        Spool.MessageState.OPEN, Spool.MessageState.OPEN, Spool.MessageState.FAILED);
                try (var content = spool.content(new QueueId(ids.get(0))).open()) {
                    assertThat(content.readAllBytes()).hasSize(50).startsWith(1);
                }
                assertThat(spool.content(new QueueId(ids.get(0))).facts()).isEmpty();
            }
            Files.delete(directory.resolve("register.mv.db"));
        }
    }

    /// @param whatAndRecipient pairs
    private static ByteBuffer notes(long id, int... whatAndRecipient) {
        ByteBuffer notes = ByteBuffer.allocate(RecordFormat.NOTE_BYTES * whatAndRecipient.length / 2);
        for (int i = 0; i < whatAndRecipient.length; i += 2) {
            notes.putLong(id).put((byte) whatAndRecipient[i]).putInt(whatAndRecipient[i + 1]);
        }
        return notes;
    }
}
