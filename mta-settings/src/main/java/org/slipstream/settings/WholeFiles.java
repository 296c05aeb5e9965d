package org.slipstream.settings;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;

/// Writes files that are there as a whole or not at all: keys, certificates, logins.
///
/// The content goes to a temporary file, which is synced and renamed. A reader sees the old or the
/// new file, also after a power cut.
public final class WholeFiles {
    private WholeFiles() {}

    /// The permissions are set before the first octet is written, so other users can never read a
    /// secret.
    ///
    /// @param permissions `rw-------`; without effect on a file system that has none
    public static void write(Path file, byte[] content, String permissions) throws IOException {
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        Files.deleteIfExists(temporary);
        try (FileChannel channel = FileChannel.open(temporary,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), attributes(file, permissions))) {
            ByteBuffer buffer = ByteBuffer.wrap(content);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            channel.force(true);
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /// For a new file beside this one.
    public static FileAttribute<?>[] attributes(Path file, String permissions) throws IOException {
        return hasPermissions(Objects.requireNonNull(file.toAbsolutePath().getParent()))
                ? new FileAttribute<?>[]{
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))}
                : new FileAttribute<?>[0];
    }

    /// False for a file system without permissions.
    public static boolean hasPermissions(Path path) throws IOException {
        return Files.getFileStore(path).supportsFileAttributeView("posix");
    }
}
