package org.slipstream.smtpout.wire;

import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;

/// The output of a wire: the socket's channel in clear text, a stream under TLS.
///
/// A call blocks until some bytes are written, and writes as many as possible at once. So a timeout
/// for each call limits the time without progress: a peer that reads slowly is served, and one that
/// stops is disconnected.
sealed interface Outlet {
    /// Writes some of the remaining bytes and returns how many.
    long write(ByteBuffer[] parts) throws IOException;

    /// Writes some of a file and returns how many bytes.
    ///
    /// @throws UncheckedIOException when the file cannot be read, as opposed to a network failure
    long write(FileChannel file, long at, long most) throws IOException;

    /// The number of bytes that the peer may have received although a call with so many bytes
    /// failed.
    long uncertain(long bytes);

    /// @return at least one byte
    private static ByteBuffer read(FileChannel file, long at, int most) {
        try {
            ByteBuffer block = ByteBuffer.allocate(most);
            if (file.read(block, at) <= 0) {
                throw new EOFException("stored content is truncated");
            }
            return block.flip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Several parts in one system call, and files by `sendfile`. The only copy of an array is the
    /// one into the socket.
    record Clear(SocketChannel channel) implements Outlet {
        private static final int BLOCK_BYTES = 4 * 1024;

        @Override
        public long write(ByteBuffer[] parts) throws IOException {
            return channel.write(parts);
        }

        /// A full socket makes `transferTo` return at once. A short write by copy blocks until the
        /// socket accepts bytes, and detects the end of the file.
        @Override
        public long write(FileChannel file, long at, long most) throws IOException {
            long count;
            try {
                count = file.transferTo(at, most, channel);
            } catch (IOException e) {
                read(file, at, 1);
                throw e;
            }
            return count > 0 ? count : channel.write(read(file, at, (int) Math.min(most, BLOCK_BYTES)));
        }

        /// The kernel rejects everything or reports what it took.
        @Override
        public long uncertain(long bytes) {
            return 0;
        }
    }

    /// Piece by piece, because a stream does not report how far it came.
    record Stream(OutputStream out) implements Outlet {
        private static final int BLOCK_BYTES = 32 * 1024;

        @Override
        public long write(ByteBuffer[] parts) throws IOException {
            for (ByteBuffer part : parts) {
                if (part.hasRemaining()) {
                    return write(part);
                }
            }
            return 0;
        }

        private int write(ByteBuffer part) throws IOException {
            int count = Math.min(part.remaining(), BLOCK_BYTES);
            out.write(part.array(), part.arrayOffset() + part.position(), count);
            part.position(part.position() + count);
            return count;
        }

        @Override
        public long write(FileChannel file, long at, long most) throws IOException {
            return write(read(file, at, (int) Math.min(most, BLOCK_BYTES)));
        }

        @Override
        public long uncertain(long bytes) {
            return Math.min(bytes, BLOCK_BYTES);
        }
    }
}
