package org.slipstream.spool;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/// The memory that all drafts share for letters that are not on disk yet. A draft has a small buffer of its own; one that needs more and
/// finds nothing left goes to its own file at once, as a large letter does. So the number of sessions times
/// `inlineBytes` is not what their letters can take. Any thread.
///
/// Blocks are used again, the last one first: a new array is zeroed and lies outside of the processor's caches, which costs more than
/// the copy that it is for.
final class DraftMemory {
    /// Of blocks that no draft uses.
    private static final int KEPT_BYTES = 2 << 20;

    private final AtomicLong left;
    // Guarded by this: by their length.
    private final Map<Integer, Deque<byte[]>> idle = new HashMap<>();
    private long idleBytes;

    DraftMemory(long bytes) {
        left = new AtomicLong(bytes);
    }

    /// @return false when so much is not left
    boolean take(long bytes) {
        if (left.addAndGet(-bytes) >= 0) {
            return true;
        }
        left.addAndGet(bytes);
        return false;
    }

    void giveBack(long bytes) {
        left.addAndGet(bytes);
    }

    /// A block of this length, with what its last user left in it.
    byte[] borrow(int length) {
        return reused(length).orElseGet(() -> new byte[length]);
    }

    private synchronized Optional<byte[]> reused(int length) {
        Optional<byte[]> block = Optional.ofNullable(idle.get(length)).map(Deque::poll);
        idleBytes -= block.isPresent() ? length : 0;
        return block;
    }

    /// The draft does not touch the block any more.
    synchronized void giveBack(byte[] block) {
        if (block.length > 0 && idleBytes + block.length <= KEPT_BYTES) {
            idle.computeIfAbsent(block.length, _ -> new ArrayDeque<>()).push(block);
            idleBytes += block.length;
        }
    }

    long leftBytes() {
        return left.get();
    }
}
