package org.slipstream.qmgr.journal.file;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/// The file names of a journal: `decisions.jsonl` with the beginning of the run, then
/// `decisions.jsonl.1` and `decisions.jsonl.2`, which alternate. The run before has `.old` in its
/// names.
///
/// @param first the file of the setting
public record JournalParts(Path first) {
    /// Files that alternate after the first one.
    private static final int ALTERNATING = 2;
    private static final String START = "{\"record\":";

    /// @param part from 0
    public Path file(int part) {
        return part == 0 ? first : named("." + (1 + (part - 1) % ALTERNATING));
    }

    /// Part 0 takes half of the size, the others share the rest.
    static long bytes(int part, long size) {
        return part == 0 ? size / 2 : size / 2 / ALTERNATING;
    }

    /// The files of the run before.
    public JournalParts before() {
        return new JournalParts(named(".old"));
    }

    /// Gives the files of the latest run the names of the run before.
    ///
    /// @throws IOException also when a file of another kind has the name
    void setAside() throws IOException {
        requireJournal();
        JournalParts old = before();
        for (int part = 0; part <= ALTERNATING; part++) {
            Files.deleteIfExists(old.file(part));
            if (Files.exists(file(part))) {
                Files.move(file(part), old.file(part), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private void requireJournal() throws IOException {
        if (Files.exists(first) && !isJournal()) {
            throw new IOException("it exists and is no journal; set journal.file to another name");
        }
    }

    private boolean isJournal() throws IOException {
        if (!Files.isRegularFile(first, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        try (InputStream in = Files.newInputStream(first)) {
            String start = new String(in.readNBytes(START.length()), StandardCharsets.UTF_8);
            return START.startsWith(start);
        }
    }

    private Path named(String suffix) {
        return first.resolveSibling(first.getFileName() + suffix);
    }
}
