package org.slipstream.spool.log;

import org.junit.jupiter.api.BeforeEach;
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
import org.slipstream.spool.tools.Spools;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/// Records of a newer program.
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
        try (Stream<Path> files = Files.list(directory.resolve("log"))) {
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
    private void append(int kind, ByteBuffer rest) throws IOException {
        byte[] bytes = Files.readAllBytes(segment);
        long salt = ByteBuffer.wrap(bytes).getLong(RecordFormat.SALT_OFFSET);
        ByteBuffer record = ByteBuffer.allocate(RecordFormat.RECORD_HEADER + rest.capacity())
                .putInt(RecordFormat.RECORD_MAGIC).putInt(rest.capacity()).putInt(0).putInt(kind)
                .position(RecordFormat.RECORD_HEADER).put(rest.array());
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(8).putLong(0, salt));
        crc.update(record.array(), 0, RecordFormat.CRC_OFFSET);
        crc.update(record.array(), RecordFormat.AFTER_CRC, record.capacity() - RecordFormat.AFTER_CRC);
        record.putInt(RecordFormat.CRC_OFFSET, (int) crc.getValue());
        Files.write(segment, record.array(), StandardOpenOption.APPEND);
    }

    /// All files but two: the database writes the index when it opens it, and a mark says who has the log.
    private Map<String, Integer> picture() throws IOException {
        Map<String, Integer> picture = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                if (!file.endsWith("index.mv.db") && !file.toString().endsWith(".epoch")) {
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
                Files.deleteIfExists(directory.resolve("index.mv.db"));
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
}
