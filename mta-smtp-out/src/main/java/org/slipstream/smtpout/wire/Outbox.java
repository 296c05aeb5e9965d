package org.slipstream.smtpout.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Bytes to be written together. Commands and short contents are copied into one block; longer
/// contents are only referenced, so that the only copy of them is the one into the socket.
final class Outbox {
    /// The size of the block for copies.
    static final int BLOCK_BYTES = 32 * 1024;
    /// A whole message of 64 KiB with its commands. Most sockets accept no more at once.
    private static final int MOST_BYTES = 128 * 1024;
    /// Copying so few bytes costs less than another part in the write.
    private static final int COPIED_BYTES = 8 * 1024;

    private final List<ByteBuffer> parts = new ArrayList<>(4);
    private byte[] block = new byte[1024];
    /// The block from here to `to` is not among the parts yet.
    private int from;
    private int to;
    private int referred;

    /// True when these bytes must wait until the present ones are written.
    boolean isFullFor(int length, boolean stays) {
        boolean copied = isCopied(length, stays);
        return to + referred > 0 && (copied && to + length > BLOCK_BYTES || to + referred + length > MOST_BYTES);
    }

    /// @param stays the bytes do not change later
    /// @return false when this must be written before the bytes change
    boolean put(byte[] bytes, int offset, int length, boolean stays) {
        if (isCopied(length, stays)) {
            copy(bytes, offset, length);
            return true;
        }
        seal();
        parts.add(ByteBuffer.wrap(bytes, offset, length));
        referred += length;
        return stays;
    }

    private static boolean isCopied(int length, boolean stays) {
        return length <= (stays ? COPIED_BYTES : BLOCK_BYTES);
    }

    private void copy(byte[] bytes, int offset, int length) {
        if (block.length < to + length) {
            // Sealed parts keep the old block.
            block = Arrays.copyOf(block, Math.min(BLOCK_BYTES, 2 * (to + length)));
        }
        System.arraycopy(bytes, offset, block, to, length);
        to += length;
    }

    private void seal() {
        if (to > from) {
            parts.add(ByteBuffer.wrap(block, from, to - from));
            from = to;
        }
    }

    /// Everything to be written, in order. The outbox is empty then, and must not be filled until
    /// that is written.
    ByteBuffer[] take() {
        seal();
        ByteBuffer[] all = parts.toArray(ByteBuffer[]::new);
        parts.clear();
        from = 0;
        to = 0;
        referred = 0;
        return all;
    }
}
