package org.slipstream.spool.log;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/// The file for the content of a large message, written by one session thread. The log thread makes
/// its name durable, once for all large messages of a group.
public final class OwnFile implements AutoCloseable {
    private final Path file;
    private final RandomAccessFile output;
    private final CRC32C crc = new CRC32C();
    private long size;

    OwnFile(Path file) throws IOException {
        this.file = file;
        Files.newByteChannel(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE).close();
        output = new RandomAccessFile(file.toFile(), "rw");
    }

    public void write(byte[] bytes, int offset, int length) throws IOException {
        output.write(bytes, offset, length);
        crc.update(bytes, offset, length);
        size += length;
    }

    /// Syncs the file; nothing may be written afterwards.
    public NewMessage.InOwnFile finish() throws IOException {
        output.getFD().sync();
        output.close();
        return new NewMessage.InOwnFile(size, (int) crc.getValue());
    }

    /// Deletes the file.
    public void discard() throws IOException {
        close();
        Files.deleteIfExists(file);
    }

    @Override
    public void close() throws IOException {
        output.close();
    }
}
