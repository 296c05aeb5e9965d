package org.slipstream.spool;

import java.util.concurrent.atomic.AtomicLong;

/// The memory that all drafts share for letters that are not on disk yet. A draft has a small buffer of its own; one that needs more and
/// finds nothing left goes to its own file at once, as a large letter does. So the number of sessions times
/// `inlineBytes` is not what their letters can take. Any thread.
final class DraftMemory {
    private final AtomicLong left;

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

    long leftBytes() {
        return left.get();
    }
}
