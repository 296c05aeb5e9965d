package org.slipstream.server;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;

import static org.assertj.core.api.Assertions.assertThat;

/// Files that a crash left: unfinished messages in the spool of each shard, and unfinished deliveries
/// in mailboxes.
class LeftoversTest {
    @TempDir
    Path home;

    private static Path old(Path file) throws Exception {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "half a mess");
        return Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofHours(37))));
    }

    @Test
    @Tag("IM-33")
    void aStartSweepsTheSpoolsOfAllShardsAndTheMailboxes() throws Exception {
        SmallServer.start(home, "shard.count=2").close();
        Path first = old(home.resolve("spool/large/0123456789a.message"));
        Path second = old(home.resolve("spool-2/large/0123456789b.message"));
        Path delivery = old(home.resolve("mail/here.example/ann/tmp/1.unfinished"));
        Path read = old(home.resolve("mail/here.example/ann/cur/1.read"));
        try (SmallServer server = SmallServer.start(home, "shard.count=2")) {
            assertThat(first).doesNotExist();
            assertThat(second).doesNotExist();
            assertThat(delivery).doesNotExist();
            assertThat(read).exists();
            assertThat(server.ask("GET", "status")).contains("\"unannounced\":0");
        }
    }
}
