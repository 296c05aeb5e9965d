package org.slipstream.spool.work;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// A draft that is read before it is committed, and whose first bytes are replaced: in memory, in a
/// file, and from one into the other.
class DraftStartTest {
    private static final Envelope ENVELOPE = Envelope.of(Optional.empty(), List.of(Address.of("bob@example.net")));
    private final TestWorld world = new TestWorld();

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"5000, 0, 10", "5000, 100, 0", "5000, 5000, 1", "0, 0, 3", "131000, 10, 9000", "131000, 9000, 10",
            "700000, 0, 1", "700000, 1, 0", "700000, 100, 100", "700000, 10, 200000", "700000, 300000, 10",
            "700000, 700000, 5"})
    void theRestStays(int size, int replaced, int fresh) throws Exception {
        byte[] body = TestMessages.body(size, 1);
        byte[] start = TestMessages.body(fresh, 2);
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        expected.writeBytes(start);
        expected.write(body, replaced, size - replaced);
        QueueId id;
        try (Spool spool = world.open(directory); Draft draft = spool.draft()) {
            id = draft.id();
            draft.write(body, 0, size);
            assertThat(read(draft.content())).isEqualTo(body);
            draft.replaceStart(replaced, start);
            assertThat(read(draft.content())).isEqualTo(expected.toByteArray());
            draft.write(body, 0, size);
            draft.commit(ENVELOPE);
        }
        expected.writeBytes(body);
        try (Spool spool = world.open(directory)) {
            assertThat(TestMessages.read(spool, id)).isEqualTo(expected.toByteArray());
        }
    }

    /// The memory of a draft serves the next one.
    @Test
    void whatWasOpenedBeforeTheCommitDoesNotShowAnotherMessage() throws Exception {
        byte[] body = TestMessages.body(5000, 1);
        try (Spool spool = world.open(directory)) {
            InputStream early;
            try (Draft draft = spool.draft()) {
                draft.write(body, 0, body.length);
                early = draft.content().open();
                draft.commit(ENVELOPE);
            }
            try (Draft next = spool.draft()) {
                byte[] other = new byte[5000];
                Arrays.fill(other, (byte) 'x');
                next.write(other, 0, other.length);
                assertThat(early.readAllBytes()).isEqualTo(body);
            }
        }
    }

    private static byte[] read(Content content) throws Exception {
        try (InputStream in = content.open()) {
            byte[] all = in.readAllBytes();
            assertThat(content.sizeBytes()).isEqualTo(all.length);
            return all;
        }
    }
}
