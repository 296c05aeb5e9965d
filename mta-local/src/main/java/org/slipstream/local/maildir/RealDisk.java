package org.slipstream.local.maildir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/// [Disk] through java.nio. Its threads must not be interrupted: an interrupt closes the file.
final class RealDisk implements Disk {
    private static final FileAttribute<?> OWN_FOLDER = PosixFilePermissions
            .asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<?> OWN_FILE = PosixFilePermissions
            .asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    @Override
    public void makeFolder(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        try {
            Files.createDirectory(folder, OWN_FOLDER);
        } catch (FileAlreadyExistsException e) {
            // Another delivery created it first.
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        }
    }

    @Override
    public Output create(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE),
                OWN_FILE);
        return new Output() {
            @Override
            public void write(int b) throws IOException {
                write(new byte[]{(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                ByteBuffer rest = ByteBuffer.wrap(bytes, offset, length);
                while (rest.hasRemaining()) {
                    channel.write(rest);
                }
            }

            @Override
            void force() throws IOException {
                channel.force(false);
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void forceFolder(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public void delete(Path file) throws IOException {
        Files.deleteIfExists(file);
    }
}
