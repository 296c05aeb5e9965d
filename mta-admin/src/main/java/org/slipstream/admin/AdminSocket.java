package org.slipstream.admin;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;

/// The UNIX domain socket of the admin API, `<home>/run/admin.sock`. Only the owner of the server
/// and root can connect.
///
/// The folder gets mode 0700 before the socket exists, so others can connect at no moment; the
/// socket itself has 0600.
public final class AdminSocket {
    /// `sun_path` has 108 bytes on Linux and 104 elsewhere, including the terminating zero.
    private static final int LONGEST_NAME_BYTES = 103;

    private AdminSocket() {}

    public static Path in(Path home) {
        return home.resolve("run", "admin.sock");
    }

    /// Listens at this path. The socket of a killed server is replaced.
    ///
    /// @throws IOException when another server is listening there, or the file system refuses
    static ServerSocketChannel listen(Path socket, int backlog) throws IOException {
        privateFolder(Objects.requireNonNull(socket.toAbsolutePath().getParent()));
        return listen(socket, backlog, "rw-------");
    }

    private static ServerSocketChannel listen(Path socket, int backlog, String permissions) throws IOException {
        if (Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
            if (isListening(socket)) {
                throw new IOException("another server is running for this home; stop it first");
            }
            Files.delete(socket);
        }
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            withShortName(socket, address -> channel.bind(address, backlog));
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString(permissions));
            return channel;
        } catch (IOException | RuntimeException refused) {
            channel.close();
            throw refused;
        }
    }

    /// Listens at this path for the owner and the group of the process. The folder decides who
    /// reaches it.
    static ServerSocketChannel listenToGroup(Path socket, int backlog) throws IOException {
        return listen(socket, backlog, "rw-rw----");
    }

    /// @throws ConnectException when the server that made the socket is gone
    static SocketChannel connect(Path socket) throws IOException {
        socket.getFileSystem().provider().checkAccess(socket);
        return withShortName(socket, SocketChannel::open);
    }

    private static boolean isListening(Path socket) throws IOException {
        try (SocketChannel _ = connect(socket)) {
            return true;
        } catch (SocketException refused) {
            return false;
        }
    }

    private static void privateFolder(Path folder) throws IOException {
        Files.createDirectories(folder.getParent());
        var ownerOnly = PosixFilePermissions.fromString("rwx------");
        try {
            Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(ownerOnly));
        } catch (FileAlreadyExistsException earlier) {
            Files.setPosixFilePermissions(folder, ownerOnly);
        }
    }

    @FunctionalInterface
    private interface Action<T> {
        T with(UnixDomainSocketAddress address) throws IOException;
    }

    /// The system call limits the length of a path, but follows symbolic links: a temporary link to
    /// the folder makes each path short. The socket itself is created in its proper folder.
    private static <T> T withShortName(Path socket, Action<T> action) throws IOException {
        if (socket.toString().getBytes(StandardCharsets.UTF_8).length <= LONGEST_NAME_BYTES) {
            return action.with(UnixDomainSocketAddress.of(socket));
        }
        Path aside = Files.createTempDirectory("mta");
        Path link = aside.resolve("run");
        try {
            Files.createSymbolicLink(link, socket.getParent());
            return action.with(UnixDomainSocketAddress.of(link.resolve(socket.getFileName())));
        } finally {
            Files.deleteIfExists(link);
            Files.delete(aside);
        }
    }
}
