package org.slipstream.settings;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Files whose owner is not the operator.
class BoundedFilesTest {
    @TempDir
    Path home;

    @Test
    void aFileIsReadUpToItsBound() throws IOException {
        Path file = Files.write(home.resolve("list"), new byte[1 << 20]);
        assertThat(BoundedFiles.bytes(file, 1 << 20)).hasSize(1 << 20);
        Files.write(file, new byte[(1 << 20) + 1]);
        assertThatThrownBy(() -> BoundedFiles.bytes(file, 1 << 20)).hasMessage(file + ": larger than 1 MiB");
        Files.writeString(file, "a\r\nb\n");
        assertThat(BoundedFiles.lines(file, 1 << 20)).containsExactly("a", "b");
        Files.write(file, new byte[]{(byte) 0xff});
        assertThatThrownBy(() -> BoundedFiles.lines(file, 1 << 20)).isInstanceOf(CharacterCodingException.class);
    }

    @Test
    void onlyRegularFilesAreOpened() throws Exception {
        Path fifo = fifo();
        assertThatThrownBy(() -> BoundedFiles.bytes(fifo, 10)).hasMessageEndingWith("not a regular file");
        assertThatThrownBy(() -> BoundedFiles.bytes(Path.of("/dev/zero"), 10))
                .hasMessage("/dev/zero: not a regular file");
        assertThatThrownBy(() -> BoundedFiles.bytes(home, 10)).hasMessageEndingWith("Is a directory");
        Path link = Files.createSymbolicLink(home.resolve("link"), Path.of("/dev/zero"));
        assertThatThrownBy(() -> BoundedFiles.bytes(link, 10)).hasMessageEndingWith("not a regular file");
    }

    /// After the look at its type the file becomes another one.
    @Test
    void aFileThatIsReplacedBetweenLookAndOpeningHoldsNothingUp() throws Exception {
        Path fifo = fifo();
        assertThatThrownBy(() -> BoundedFiles.inTime(fifo, 10, Duration.ofMillis(50)))
                .hasMessage(fifo + ": not read within 50 ms");
        assertThatThrownBy(() -> BoundedFiles.inTime(Path.of("/dev/zero"), 1 << 20, Duration.ofSeconds(60)))
                .hasMessage("/dev/zero: larger than 1 MiB");
        // Frees the thread that waits for a writer.
        Files.newOutputStream(fifo).close();
    }

    private Path fifo() throws IOException, InterruptedException {
        Path fifo = home.resolve("fifo");
        assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
        return fifo;
    }
}
