package org.slipstream.cli;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.cli.log.LogFile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;

/// The file of the log, and what rotation does to it.
class LogFileTest {
    @TempDir
    Path folder;

    private static void line(LogFile log, String text) throws IOException {
        log.write((text + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void aFileThatWasRenamedIsCreatedAgainAndNoLineIsLost() throws IOException {
        Path file = folder.resolve("mta.log");
        Path old = folder.resolve("mta.log.1");
        try (LogFile log = new LogFile(file)) {
            line(log, "first");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-r-----");
            Files.move(file, old);
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
                line(log, "later");
                return Files.exists(file);
            });
            assertThat(Files.readAllLines(old)).first().isEqualTo("first");
            assertThat(Files.readAllLines(file)).containsExactly("later");
        }
    }

    @Test
    void aFileThatWasTruncatedGoesOnFromItsBeginning() throws IOException {
        Path file = folder.resolve("mta.log");
        try (LogFile log = new LogFile(file)) {
            line(log, "first");
            Files.write(file, new byte[0], StandardOpenOption.TRUNCATE_EXISTING);
            line(log, "second");
            assertThat(Files.readString(file)).isEqualTo("second\n");
        }
    }
}
