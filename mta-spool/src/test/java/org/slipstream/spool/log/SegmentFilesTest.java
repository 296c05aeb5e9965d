package org.slipstream.spool.log;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SegmentFilesTest extends LogStoreContract {
    @TempDir
    Path spool;

    @Override
    LogStore claim() throws IOException {
        return SegmentFiles.claim(spool.resolve("log"));
    }

    @Override
    LogStore toLook() throws IOException {
        return SegmentFiles.toLook(spool.resolve("log"));
    }

    @Test
    void aLookMakesNoFolder() throws Exception {
        try (LogStore looks = toLook()) {
            assertThat(looks.segments()).isEmpty();
            assertThat(looks.marks()).isEmpty();
        }
        assertThat(spool.resolve("log")).doesNotExist();
    }

    /// A disk that is not mounted is not a lost message.
    @Test
    void aMissingFolderIsNotAMissingSegment() throws Exception {
        try (LogStore store = claim()) {
            store.begin(1, ByteBuffer.wrap(new byte[8]));
            Files.move(spool.resolve("log"), spool.resolve("away"));
            assertThatThrownBy(() -> store.open(1)).isInstanceOf(java.io.FileNotFoundException.class);
            assertThatThrownBy(store::commit).hasMessageContaining("is its disk mounted?");
        }
    }
}
