package org.slipstream.spool.work;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/// The memory that all drafts share for messages that are not on disk yet. A draft has a small
/// buffer of its own. A draft that needs more and finds no memory left goes to its own file at
/// once, like a large message. So the memory for drafts is bounded, whatever the number of sessions
/// times `inlineBytes` is. May be called by any thread.
///
/// Blocks are used again, the last one first: a new array must be zeroed and is not in the
/// processor's caches, which costs more than the copy into it.
public final class DraftMemory {
    /// Limit for the blocks that no draft uses.
    private static final int KEPT_BYTES = 2 << 20;

    private final AtomicLong left;
    // By length; guarded by this.
    private final Map<Integer, Deque<byte[]>> idle = new HashMap<>();
    private long idleBytes;

    public DraftMemory(long bytes) {
        left = new AtomicLong(bytes);
    }

    /// @return false when the memory that is left does not suffice
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

    /// A block of this length, with the bytes of its last user.
    byte[] borrow(int length) {
        return reused(length).orElseGet(() -> new byte[length]);
    }

    private synchronized Optional<byte[]> reused(int length) {
        Optional<byte[]> block = Optional.ofNullable(idle.get(length)).map(Deque::poll);
        idleBytes -= block.isPresent() ? length : 0;
        return block;
    }

    /// Returns a block; the draft does not use it any more.
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
