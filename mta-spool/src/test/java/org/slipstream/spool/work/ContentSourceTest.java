package org.slipstream.spool.work;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.ContentSource;
import org.slipstream.core.QueueId;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.log.DamagedMessageException;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The octets that a sender gets which reads a content in place, without scanning it.
class ContentSourceTest {
    private static final ContentFacts FACTS = new ContentFacts(false, true, 77, 4_000);
    private static final int LARGE = 300_000;

    @TempDir
    Path temporary;
    private final TestWorld world = new TestWorld();

    private SpoolConfig config() {
        return SpoolConfig.at(temporary.resolve("spool"));
    }

    private static QueueId commit(Spool spool, byte[] body) throws IOException {
        try (Draft draft = spool.draft()) {
            draft.write(body, 0, body.length);
            return draft.commit(TestMessages.envelope("bob@example.net"), Optional.of(FACTS)).id();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5_000, LARGE})
    void factsAndBytesAreThereAtOnceAndAfterARestart(int size) throws Exception {
        byte[] body = TestMessages.body(size, 1);
        QueueId id;
        try (Spool spool = world.open(config())) {
            id = commit(spool, body);
            requireThere(spool.content(id), body);
        }
        try (Spool spool = world.open(config())) {
            requireThere(spool.content(id), body);
        }
    }

    private static void requireThere(Content content, byte[] body) throws IOException {
        assertThat(content.facts()).contains(FACTS);
        try (ContentSource source = content.source().orElseThrow()) {
            assertThat(source.sizeBytes()).isEqualTo(body.length);
            assertThat(bytes(source)).isEqualTo(body);
        }
        assertThat(TestMessages.read(content)).as("it can also be read").isEqualTo(body);
    }

    private static byte[] bytes(ContentSource source) throws IOException {
        return switch (source) {
            case ContentSource.InMemory(byte[] bytes, int offset, int length) ->
                Arrays.copyOfRange(bytes, offset, offset + length);
            case ContentSource.InFile(var file, long offset, long sizeBytes) -> {
                ByteBuffer all = ByteBuffer.allocate((int) sizeBytes);
                assertThat(file.read(all, offset)).isEqualTo((int) sizeBytes);
                yield all.array();
            }
        };
    }

    /// Before a sender has sent any of it to a peer.
    @Test
    void aLargeContentThatIsDamagedOrGoneIsNotOffered() throws Exception {
        try (Spool spool = world.open(config())) {
            Content flipped = spool.content(commit(spool, TestMessages.body(LARGE, 1)));
            Path file = onlyFile();
            try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
                bytes.seek(LARGE - 1);
                int last = bytes.read();
                bytes.seek(LARGE - 1);
                bytes.write(last ^ 1);
            }
            assertThatThrownBy(flipped::source).isInstanceOf(DamagedMessageException.class);
            Files.delete(file);
            assertThatThrownBy(flipped::source).isInstanceOf(NoSuchFileException.class);

            Content shorter = spool.content(commit(spool, TestMessages.body(LARGE, 2)));
            try (RandomAccessFile bytes = new RandomAccessFile(onlyFile().toFile(), "rw")) {
                bytes.setLength(LARGE - 1);
            }
            assertThatThrownBy(shorter::source).isInstanceOf(DamagedMessageException.class);
        }
    }

    private Path onlyFile() throws IOException {
        try (var files = Files.list(temporary.resolve("spool").resolve("large"))) {
            return files.reduce((one, other) -> {
                throw new AssertionError("more than one");
            }).orElseThrow();
        }
    }
}
