package org.slipstream.spool.log;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

/// A large content whose size and checksum are compared at its end. All but the last bytes are returned
/// before that. A reader that must not pass on damaged content waits for the end of the stream, where the
/// exception is thrown.
final class CheckedContent extends FilterInputStream {
    private static final String DAMAGED = "wrong checksum or size of a large message";
    private static final int BLOCK_BYTES = 64 * 1024;

    private final CRC32C sum = new CRC32C();
    private final NewMessage.InOwnFile expected;
    private final Runnable damaged;
    private long size;

    CheckedContent(InputStream input, NewMessage.InOwnFile expected, Runnable damaged) {
        super(input);
        this.expected = expected;
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
        } else if (got < 0 && (size != expected.sizeBytes() || (int) sum.getValue() != expected.crc())) {
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

    /// A file whose checksum is right. All of it was just read, so a sender need not read it and
    /// can leave it to the kernel.
    static FileChannel verified(FileChannel file, NewMessage.InOwnFile expected, Runnable damaged)
            throws IOException {
        try {
            if (file.size() != expected.sizeBytes() || checksum(file) != expected.crc()) {
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
}
