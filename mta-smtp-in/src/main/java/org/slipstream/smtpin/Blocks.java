package org.slipstream.smtpin;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/// The large buffers into which messages are read, lent to sessions for as long as a message comes in.
///
/// A fresh buffer for each message would be eight times as much garbage as a letter of usual size has itself, and all of it would be cleared
/// before it is read into. A few of them serve any number of sessions, because a message takes milliseconds and then waits for the disk
/// without a buffer. What is over the number kept is made when it is asked for and left to the collector: a crowd costs memory
/// only while it is there.
///
/// A buffer comes with what its last user left in it; a [SmtpStream] looks only at what it has read itself. For any number of threads.
final class Blocks {
    static final int BYTES = 32 << 10;

    private final BlockingQueue<byte[]> idle;

    /// @param kept at most so many are kept while nobody uses them
    Blocks(int kept) {
        idle = new ArrayBlockingQueue<>(kept);
    }

    byte[] borrow() {
        byte[] block = idle.poll();
        return block == null ? new byte[BYTES] : block;
    }

    /// Whoever gives a block back must not touch it again.
    void giveBack(byte[] block) {
        idle.offer(block);
    }
}
