package org.slipstream.spool.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;

/// The file `reserve`: space for records that make the queue shorter when the disk is full.
///
/// A removal needs a few octets of the log, and only removals give space back. So a disk that is full to its last octet
/// would keep its queue: each message would be delivered and could not leave. The log gives this file up then, and new
/// mail waits until the file can be made again.
final class SpaceReserve {
    /// Some 10,000 removals.
    static final int BYTES = 1 << 20;

    private final Path file;
    private boolean there;

    SpaceReserve(Path directory) throws IOException {
        file = directory.resolve("reserve");
        there = Files.exists(file) && Files.size(file) == BYTES;
    }

    /// @throws IOException when the disk has no space for it
    void keep() throws IOException {
        if (there) {
            return;
        }
        // A file system that compresses would keep no space for zeros.
        byte[] bytes = new byte[BYTES];
        new Random().nextBytes(bytes);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer left = ByteBuffer.wrap(bytes);
            while (left.hasRemaining()) {
                channel.write(left);
            }
            channel.force(false);
            there = true;
        } finally {
            if (!there) {
                Files.deleteIfExists(file);
            }
        }
    }

    void release() throws IOException {
        there = false;
        Files.deleteIfExists(file);
    }
}
