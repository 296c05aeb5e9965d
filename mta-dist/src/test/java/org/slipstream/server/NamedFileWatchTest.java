package org.slipstream.server;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

/// A file that an operator edits while the server runs.
class NamedFileWatchTest {
    @TempDir
    Path home;
    private final AtomicInteger told = new AtomicInteger();

    @Test
    void aChangeIsToldOnceWhenTheFileRests() throws IOException {
        Path aliases = Files.writeString(home.resolve("aliases"), "a: b\n");
        NamedFileWatch watch = watch(aliases);
        watch.look();
        assertThat(told).hasValue(0);
        Files.writeString(aliases, "a: b\nc: ");
        watch.look();
        Files.writeString(aliases, "a: b\nc: d\n");
        watch.look();
        assertThat(told).as("still being written").hasValue(0);
        watch.look();
        watch.look();
        assertThat(told).hasValue(1);
    }

    @Test
    void aFileThatGoesAndComesAgainIsAChangeEachTime() throws IOException {
        Path aliases = Files.writeString(home.resolve("aliases"), "a: b\n");
        NamedFileWatch watch = watch(aliases);
        Files.delete(aliases);
        watch.look();
        watch.look();
        assertThat(told).hasValue(1);
        Files.writeString(aliases, "a: b\n");
        watch.look();
        watch.look();
        assertThat(told).hasValue(2);
    }

    @Test
    void anErrorOfAFileIsToldOnceAndLaterChangesAreNoticed() throws IOException {
        Path aliases = Files.writeString(home.resolve("aliases"), "a: b\n");
        NamedFileWatch watch = new NamedFileWatch(() -> List.of(aliases), () -> {
            if (told.incrementAndGet() == 1) {
                throw new StackOverflowError("of a file");
            }
        });
        Files.writeString(aliases, "a: [[[[[\n");
        for (int i = 0; i < 4; i++) {
            watch.lookOrTell();
        }
        assertThat(told).hasValue(1);
        Files.writeString(aliases, "a: bb\n");
        watch.lookOrTell();
        watch.lookOrTell();
        assertThat(told).hasValue(2);
    }

    private NamedFileWatch watch(Path file) {
        return new NamedFileWatch(() -> List.of(file), told::incrementAndGet);
    }
}
