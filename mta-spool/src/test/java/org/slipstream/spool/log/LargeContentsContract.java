package org.slipstream.spool.log;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.zip.CRC32C;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Each [LargeContents] keeps to this.
abstract class LargeContentsContract {
    private static final QueueId ID = new QueueId(77);

    private final long seed = Long.getLong("slipstream.seed", System.nanoTime());
    private final Random random = new Random(seed);

    abstract LargeContents contents() throws IOException;

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] read(LargeContents contents) throws IOException {
        try (InputStream stream = contents.open(ID)) {
            return stream.readAllBytes();
        }
    }

    private static byte[] joined(byte[] first, byte[] second, int from) {
        byte[] both = Arrays.copyOf(first, first.length + second.length - from);
        System.arraycopy(second, from, both, first.length, second.length - from);
        return both;
    }

    /// Any pieces, and starts that grow and shrink over the borders of the parts.
    @RepeatedTest(8)
    void itIsWhatWasWritten() throws Exception {
        LargeContents contents = contents();
        byte[] model = {};
        try (LargeContent content = contents.create(ID)) {
            for (int i = 0; i < 6; i++) {
                byte[] more = bytes(random.nextInt(2) == 0 ? random.nextInt(700_000) + 1 : 1 << random.nextInt(20));
                content.write(more, 0, more.length);
                model = joined(model, more, 0);
                if (random.nextInt(3) == 0) {
                    int replaced = random.nextInt(3) == 0 ? 0 : random.nextInt(model.length);
                    byte[] start = bytes(random.nextInt(5_000));
                    content.replaceStart(replaced, start);
                    model = joined(start, model, replaced);
                }
                if (random.nextInt(4) == 0) {
                    try (InputStream sofar = content.open()) {
                        assertThat(sofar.readAllBytes()).as("seed %d", seed).isEqualTo(model);
                    }
                }
            }
            CRC32C crc = new CRC32C();
            crc.update(model);
            assertThat(content.finish()).as("seed %d", seed)
                    .isEqualTo(new NewMessage.InOwnFile(model.length, (int) crc.getValue()));
        }
        contents.sync(Set.of(ID));
        assertThat(read(contents)).as("seed %d", seed).isEqualTo(model);
        contents.delete(ID);
    }

    @Test
    void aContentIsSetAsideAndComesBack() throws Exception {
        LargeContents contents = contents();
        assertThat(contents.has(ID)).isFalse();
        assertThatThrownBy(() -> contents.open(ID)).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> contents.file(ID)).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> contents.setAside(ID)).isInstanceOf(IOException.class);
        byte[] written = bytes(1_500_000);
        try (LargeContent content = contents.create(ID)) {
            content.write(written, 0, written.length);
            content.finish();
        }
        assertThat(contents.list()).containsExactly(ID);
        contents.setAside(ID);
        assertThat(contents.list()).isEmpty();
        assertThat(contents.has(ID)).isFalse();
        assertThat(contents.isAside(ID)).isTrue();
        contents.restore(ID);
        assertThat(contents.isAside(ID)).isFalse();
        assertThat(read(contents)).isEqualTo(written);
        contents.delete(ID);
        contents.delete(ID);
        assertThat(contents.has(ID)).isFalse();
    }

    @Test
    void aDiscardedContentIsGone() throws Exception {
        LargeContents contents = contents();
        LargeContent content = contents.create(ID);
        content.write(bytes(1_500_000), 0, 1_500_000);
        assertThat(contents.has(ID)).isTrue();
        content.discard();
        assertThat(contents.list()).isEmpty();
    }
}
