package org.slipstream.spool.log;

import org.slipstream.core.QueueId;

import java.io.FileInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/// The folder with the contents of large messages, named by their queue ids.
final class OwnFiles {
    private static final String SUFFIX = ".message";
    private static final String DAMAGED = "wrong checksum or size of a large message";
    private static final int BLOCK_BYTES = 64 * 1024;

    private final Path directory;

    OwnFiles(Path directory) {
        this.directory = directory;
    }

    Path file(QueueId id) {
        return directory.resolve(id + SUFFIX);
    }

    OwnFile create(QueueId id) throws IOException {
        return new OwnFile(file(id));
    }

    void sync() throws IOException {
        Directories.sync(directory);
    }

    boolean has(QueueId id) {
        return Files.exists(file(id));
    }

    List<QueueId> list() throws IOException {
        List<QueueId> ids = new ArrayList<>();
        if (Files.notExists(directory)) {
            return ids;
        }
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                String name = file.getFileName().toString();
                if (name.endsWith(SUFFIX)) {
                    Optional<QueueId> id = QueueId.parse(name.substring(0, name.length() - SUFFIX.length()));
                    id.ifPresent(ids::add);
                }
            }
        }
        return ids;
    }

    /// Returns all but the last bytes before the checksum is known. A reader that must not pass on
    /// damaged content waits for the end of the stream, where the exception is thrown.
    InputStream open(QueueId id, long sizeBytes, int crc, Runnable damaged) throws IOException {
        FileInputStream input = new FileInputStream(present(id, damaged).toFile());
        return new Checked(input, sizeBytes, crc, damaged);
    }

    /// A file whose checksum is right. All of it was just read, so a sender need not read it and
    /// can leave it to the kernel.
    FileChannel verified(QueueId id, long sizeBytes, int crc, Runnable damaged) throws IOException {
        FileChannel file = FileChannel.open(present(id, damaged));
        try {
            if (file.size() != sizeBytes || checksum(file) != crc) {
                damaged.run();
                throw new DamagedMessageException(DAMAGED);
            }
            return file;
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    private static int checksum(FileChannel file) throws IOException {
        CRC32C sum = new CRC32C();
        ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES);
        for (long at = 0; file.read(block, at) > 0; block.clear()) {
            at += block.position();
            sum.update(block.flip());
        }
        return (int) sum.getValue();
    }

    private Path present(QueueId id, Runnable damaged) throws NoSuchFileException {
        Path file = file(id);
        if (Files.notExists(file) && Files.isDirectory(directory)) {
            damaged.run();
            throw new NoSuchFileException(file.toString());
        }
        return file;
    }

    private static final class Checked extends FilterInputStream {
        private final CRC32C sum = new CRC32C();
        private final long expectedSize;
        private final int expectedCrc;
        private final Runnable damaged;
        private long size;

        Checked(InputStream input, long expectedSize, int expectedCrc, Runnable damaged) {
            super(input);
            this.expectedSize = expectedSize;
            this.expectedCrc = expectedCrc;
            this.damaged = damaged;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int got = super.read(bytes, offset, length);
            if (got > 0) {
                sum.update(bytes, offset, got);
                size += got;
            } else if (got < 0 && (size != expectedSize || (int) sum.getValue() != expectedCrc)) {
                damaged.run();
                throw new DamagedMessageException(DAMAGED);
            }
            return got;
        }

        @Override
        public long skip(long count) throws IOException {
            // Skipped bytes count for the checksum, too.
            byte[] bytes = new byte[(int) Math.max(0, Math.min(count, 8192))];
            int got = bytes.length == 0 ? 0 : read(bytes, 0, bytes.length);
            return Math.max(0, got);
        }

        @Override
        public boolean markSupported() {
            return false;
        }
    }
}
