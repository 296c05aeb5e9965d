package org.slipstream.spool.work;

import org.slipstream.spool.index.IndexDatabase;
import org.slipstream.spool.log.Directories;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// The file `index-open`: it exists while the embedded index is open. An index whose file still has
/// the mark was not closed in an orderly way, and is not trusted.
///
/// H2 writes a chunk of pages in one go and checks only the chunk's beginning and end when it opens
/// the file. A disk stores unsynced sectors in any order, so after a power cut a chunk may have both
/// ends and a hole between them. After a killed process, tables and their indexes were seen in
/// different states. Rows are then missing without an error. The log is synced before each reply and
/// has a checksum for each record, so the index is made again from it.
public final class OpenMark {
    public static final String FILE = "index-open";

    private final Path directory;
    private final boolean wasSet;

    public OpenMark(Path directory) {
        this.directory = directory;
        wasSet = Files.exists(directory.resolve(FILE));
    }

    /// True when the last run did not close the index.
    public boolean wasSet() {
        return wasSet;
    }

    /// Durable before the first write of the index.
    public void set() throws IOException {
        try (FileChannel mark = FileChannel.open(directory.resolve(FILE), StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            mark.force(true);
        }
        Directories.sync(directory);
    }

    /// After the index is closed.
    public void clear() throws IOException {
        Path file = directory.resolve(IndexDatabase.FILE_NAME);
        if (Files.exists(file)) {
            try (FileChannel index = FileChannel.open(file, StandardOpenOption.WRITE)) {
                index.force(true);
            }
        }
        Files.deleteIfExists(directory.resolve(FILE));
        Directories.sync(directory);
    }
}
