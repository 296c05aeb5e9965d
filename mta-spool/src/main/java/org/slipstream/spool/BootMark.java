package org.slipstream.spool;

import org.slipstream.spool.index.IndexDatabase;
import org.slipstream.spool.log.Directories;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// The file `index-open`: it exists while the embedded index is open, and names the boot of the machine.
/// An index whose file still has the mark of another boot is not trusted.
///
/// Such an index was open when the power failed or the kernel stopped. H2 writes a chunk of pages in one go and
/// checks only the chunk's beginning and end when it opens the file. A disk stores unsynced sectors in any order,
/// so a chunk may have both ends and a hole between them. Rows are then missing without an error. The log is synced
/// before each reply and has a checksum for each record, so the index is made again from it. A killed process leaves
/// no hole, because the operating system has all its writes: then the mark names the present boot.
final class BootMark {
    private static final String FILE = "index-open";
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private final Path directory;
    private final String boot;

    /// @param boot differs for each boot of the machine
    BootMark(Path directory, String boot) {
        this.directory = directory;
        this.boot = boot;
    }

    /// The boot of this machine. Where the kernel does not tell it, each start counts as a new boot.
    static String bootOfMachine() throws IOException {
        return Files.exists(BOOT_ID)
                ? Files.readString(BOOT_ID).strip()
                : "start " + System.currentTimeMillis() + " " + ProcessHandle.current().pid();
    }

    /// True when the machine went down while the index was open.
    boolean isOfAnotherBoot() throws IOException {
        try {
            return !Files.readString(directory.resolve(FILE)).strip().equals(boot);
        } catch (NoSuchFileException closed) {
            return false;
        }
    }

    /// Durable before the first write of the index.
    void set() throws IOException {
        try (FileChannel mark = FileChannel.open(directory.resolve(FILE), StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            mark.write(StandardCharsets.UTF_8.encode(boot + "\n"));
            mark.force(true);
        }
        Directories.sync(directory);
    }

    /// After the index is closed.
    void clear() throws IOException {
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
