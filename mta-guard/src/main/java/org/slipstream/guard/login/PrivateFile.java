package org.slipstream.guard.login;

import org.slipstream.settings.WholeFiles;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/// A file of lines with secrets, which only its owner may read. It is changed as a whole, by one
/// process at a time.
///
/// A change writes a new file and renames it over the old one, so a server that reads at the same
/// moment sees either the old or the new file. A change holds the lock of a file beside it;
/// otherwise the later of two changes would undo the earlier one.
record PrivateFile(Path path) {
    private static final Set<PosixFilePermission> OTHERS = EnumSet.of(PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE, PosixFilePermission.GROUP_EXECUTE, PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE, PosixFilePermission.OTHERS_EXECUTE);
    private static final String OWNER_ALONE = "rw-------";

    /// The new lines, made while the lock is held.
    interface NewLines {
        List<String> lines() throws IOException, UserFileException;
    }

    void change(NewLines change) throws IOException, UserFileException {
        Files.createDirectories(folder());
        try (FileChannel channel = FileChannel.open(lockFile(),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                WholeFiles.attributes(path, OWNER_ALONE))) {
            // The lock belongs to the process: for a second thread it would fail and not wait.
            synchronized (PrivateFile.class) {
                FileLock lock = channel.lock();
                try {
                    write(change.lines());
                } finally {
                    lock.release();
                }
            }
        }
    }

    private void write(List<String> lines) throws IOException {
        String text = lines.isEmpty() ? "" : String.join("\n", lines) + "\n";
        WholeFiles.write(path, text.getBytes(StandardCharsets.UTF_8), OWNER_ALONE);
    }

    /// @throws java.nio.file.NoSuchFileException when there is no file
    boolean isOpenToOthers() throws IOException {
        return WholeFiles.hasPermissions(path)
                && Files.getPosixFilePermissions(path).stream().anyMatch(OTHERS::contains);
    }

    private Path folder() {
        return Objects.requireNonNull(path.getParent());
    }

    private Path lockFile() {
        return path.resolveSibling(path.getFileName() + ".lock");
    }
}
