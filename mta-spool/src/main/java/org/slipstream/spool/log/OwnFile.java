package org.slipstream.spool.log;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/// The file for the content of a large message. The log thread makes its name durable, once for all large
/// messages of a group.
final class OwnFile implements LargeContent {
    private static final int BLOCK_BYTES = 64 * 1024;

    private final Path file;
    private final RandomAccessFile output;
    private final CRC32C crc = new CRC32C();
    private long size;

    OwnFile(Path file) throws IOException {
        this.file = file;
        Files.newByteChannel(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE).close();
        output = new RandomAccessFile(file.toFile(), "rw");
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        output.write(bytes, offset, length);
        crc.update(bytes, offset, length);
        size += length;
    }

    @Override
    public InputStream open() throws IOException {
        return new FileInputStream(file.toFile());
    }

    @Override
    public void replaceStart(int bytes, byte[] start) throws IOException {
        long shift = (long) start.length - bytes;
        byte[] block = new byte[BLOCK_BYTES];
        long rest = size - bytes;
        for (long done = 0; shift != 0 && done < rest; done += BLOCK_BYTES) {
            int length = (int) Math.min(BLOCK_BYTES, rest - done);
            // Each block moves into space whose bytes have moved already.
            long from = shift > 0 ? size - done - length : bytes + done;
            output.seek(from);
            output.readFully(block, 0, length);
            output.seek(from + shift);
            output.write(block, 0, length);
        }
        output.seek(0);
        output.write(start);
        size += shift;
        output.setLength(size);
        sum(block);
        output.seek(size);
    }

    private void sum(byte[] block) throws IOException {
        crc.reset();
        output.seek(0);
        for (int got = output.read(block); got >= 0; got = output.read(block)) {
            crc.update(block, 0, got);
        }
    }

    @Override
    public NewMessage.InOwnFile finish() throws IOException {
        output.getFD().sync();
        output.close();
        return new NewMessage.InOwnFile(size, (int) crc.getValue());
    }

    @Override
    public void discard() throws IOException {
        close();
        Files.deleteIfExists(file);
    }

    @Override
    public void close() throws IOException {
        output.close();
    }
}
