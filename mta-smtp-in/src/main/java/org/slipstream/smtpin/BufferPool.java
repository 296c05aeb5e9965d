package org.slipstream.smtpin;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/// The pool of large buffers into which sessions read messages.
///
/// A session borrows a block while a message arrives and returns it before the commit to disk. A
/// buffer of its own for each message would be eight times as much garbage as a message of usual
/// size makes, and would be cleared before use. A message arrives within milliseconds, so a few
/// blocks serve any number of sessions. A block beyond the kept number is allocated on demand and
/// left to the garbage collector.
///
/// A borrowed block still holds the bytes of its last use; [SmtpStream] looks only at bytes that it
/// has read itself. Thread-safe.
final class BufferPool {
    static final int BYTES = 32 << 10;

    private final BlockingQueue<byte[]> idle;

    /// @param kept number of idle blocks that are kept
    BufferPool(int kept) {
        idle = new ArrayBlockingQueue<>(kept);
    }

    byte[] borrow() {
        byte[] block = idle.poll();
        return block == null ? new byte[BYTES] : block;
    }

    /// The caller must not use the block afterwards.
    void giveBack(byte[] block) {
        idle.offer(block);
    }
}
