package org.slipstream.dist.admin;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;

/// `<home>/run/admin.port` and `<home>/run/admin.token`: how the command line finds the server of a home folder and
/// proves that it may give orders.
///
/// The folder has mode 0700 and the token 0600 from the moment they exist, not after a later chmod. Each file appears
/// whole (written aside and renamed), the token before the port: whoever reads a port finds the token that belongs to it.
/// Write them only when the spool is ours, lest a second server of the same home, about to be refused, takes the first
/// one's away.
public final class AdminFiles {
    private static final int TOKEN_BYTES = 32;

    /// Where a running server can be asked.
    public record Door(int port, String token) {}

    private AdminFiles() {}

    /// Leaves port and a fresh random token of 256 bits for the command line.
    ///
    /// @return the token, for the server to compare
    public static String write(Path home, int port) throws IOException {
        byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        String token = HexFormat.of().formatHex(random);
        Path run = directory(home);
        writeWhole(run.resolve("admin.token"), token);
        writeWhole(run.resolve("admin.port"), Integer.toString(port));
        return token;
    }

    /// Empty when no server has left its port, or the files make no sense.
    public static Optional<Door> read(Path home) throws IOException {
        Path run = home.resolve("run");
        try {
            int port = Integer.parseInt(Files.readString(run.resolve("admin.port")).strip());
            String token = Files.readString(run.resolve("admin.token")).strip();
            return token.isEmpty() || port < 1 || port > 65535 ? Optional.empty() : Optional.of(new Door(port, token));
        } catch (NoSuchFileException | NumberFormatException none) {
            return Optional.empty();
        }
    }

    /// Takes both away, the port first. Nothing happens when there are none.
    public static void remove(Path home) throws IOException {
        Path run = home.resolve("run");
        Files.deleteIfExists(run.resolve("admin.port"));
        Files.deleteIfExists(run.resolve("admin.token"));
    }

    private static Path directory(Path home) throws IOException {
        Path run = home.resolve("run");
        Files.createDirectories(home);
        try {
            Files.createDirectory(run, mode(run, "rwx------"));
        } catch (FileAlreadyExistsException earlier) {
            if (isPosix(run)) {
                Files.setPosixFilePermissions(run, PosixFilePermissions.fromString("rwx------"));
            }
        }
        return run;
    }

    private static void writeWhole(Path file, String text) throws IOException {
        Path aside = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(aside);
        try (FileChannel channel = FileChannel.open(aside,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), mode(aside, "rw-------"))) {
            var bytes = StandardCharsets.US_ASCII.encode(text + "\n");
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
        try {
            Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException odd) {
            Files.move(aside, file, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static FileAttribute<?>[] mode(Path path, String permissions) {
        Set<PosixFilePermission> set = PosixFilePermissions.fromString(permissions);
        return isPosix(path)
                ? new FileAttribute<?>[]{PosixFilePermissions.asFileAttribute(set)}
                : new FileAttribute<?>[0];
    }

    private static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}
