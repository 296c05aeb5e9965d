package org.slipstream.guard.login;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
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
    private static final FileAttribute<?> OWNER_ALONE = PosixFilePermissions
            .asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    /// The new lines, made while the lock is held.
    interface NewLines {
        List<String> lines() throws IOException, UserFileException;
    }

    void change(NewLines change) throws IOException, UserFileException {
        Files.createDirectories(folder());
        try (FileChannel channel = FileChannel.open(beside(".lock"),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), attributes())) {
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
        Path temporary = beside(".tmp");
        Files.deleteIfExists(temporary);
        try (FileChannel channel = FileChannel.open(temporary,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), attributes())) {
            String text = lines.isEmpty() ? "" : String.join("\n", lines) + "\n";
            ByteBuffer buffer = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            channel.force(true);
        }
        Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
    }

    /// @throws java.nio.file.NoSuchFileException when there is no file
    boolean isOpenToOthers() throws IOException {
        return hasPermissions(path) && Files.getPosixFilePermissions(path).stream().anyMatch(OTHERS::contains);
    }

    private Path folder() {
        return Objects.requireNonNull(path.getParent());
    }

    private Path beside(String ending) {
        return path.resolveSibling(path.getFileName() + ending);
    }

    private FileAttribute<?>[] attributes() throws IOException {
        return hasPermissions(folder())
                ? new FileAttribute<?>[]{OWNER_ALONE}
                : new FileAttribute<?>[0];
    }

    private static boolean hasPermissions(Path path) throws IOException {
        return Files.getFileStore(path).supportsFileAttributeView("posix");
    }
}
