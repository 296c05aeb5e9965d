package org.slipstream.smtpout.wire;

import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;

/// The way out of a wire: the socket's channel in the clear, a stream under TLS.
///
/// A call blocks until something went, and writes what can go at once. So a limit of time for each call is one for the peer's
/// progress: a peer that reads slowly is served, and one that stops is left.
sealed interface Outlet {
    /// Writes some of what remains and returns how much.
    long write(ByteBuffer[] parts) throws IOException;

    /// Writes some of a file and returns how much.
    ///
    /// @throws UncheckedIOException when it is the file that cannot be read, and not the network
    long write(FileChannel file, long at, long most) throws IOException;

    /// When a call with so many bytes fails, how many of them the peer may have received all the same.
    long uncertain(long bytes);

    /// @return at least one byte
    private static ByteBuffer read(FileChannel file, long at, int most) {
        try {
            ByteBuffer block = ByteBuffer.allocate(most);
            if (file.read(block, at) <= 0) {
                throw new EOFException("a stored content has become shorter");
            }
            return block.flip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Several parts in one system call, and files by the kernel's own way (`sendfile`). The copy of an array into the socket is the
    /// only one.
    record Clear(SocketChannel channel) implements Outlet {
        private static final int BLOCK_BYTES = 4 * 1024;

        @Override
        public long write(ByteBuffer[] parts) throws IOException {
            return channel.write(parts);
        }

        /// A socket without room makes `transferTo` return at once. A short write by hand waits for room, and finds out whether the
        /// file has ended.
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

        /// The kernel refuses all or says what it took.
        @Override
        public long uncertain(long bytes) {
            return 0;
        }
    }

    /// Piece by piece, because a stream does not say how far it came.
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
