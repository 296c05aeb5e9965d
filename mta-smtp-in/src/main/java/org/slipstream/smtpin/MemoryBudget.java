package org.slipstream.smtpin;

import java.util.concurrent.atomic.AtomicLong;

/// What the open transactions of all ports may keep in memory together: recipients, and headers that a check wants to read.
///
/// Limits of a session multiply with the number of sessions, which come from anywhere. So each transaction has an allowance of its own
/// ([#ALLOWANCE_BYTES]), enough for a dozen ordinary recipients, and what goes beyond it comes out of one budget. When that is spent,
/// whoever wants more is asked to come again (452 4.3.1), and mail of the usual size goes on.
///
/// Called by all sessions.
public final class MemoryBudget {
    /// Of each transaction, whatever the others have taken.
    static final int ALLOWANCE_BYTES = 8 << 10;
    private static final long STANDARD_BYTES = 32 << 20;

    private final long bytes;
    private final AtomicLong taken = new AtomicLong();

    public MemoryBudget(long bytes) {
        this.bytes = bytes;
    }

    public static MemoryBudget standard() {
        return new MemoryBudget(STANDARD_BYTES);
    }

    /// What one transaction has taken. Belongs to its session's thread.
    Share share() {
        return new Share();
    }

    /// What all have taken beyond their allowance.
    long takenBytes() {
        return taken.get();
    }

    private boolean take(long more) {
        long before = taken.get();
        while (before + more <= bytes) {
            if (taken.compareAndSet(before, before + more)) {
                return true;
            }
            before = taken.get();
        }
        return false;
    }

    final class Share implements AutoCloseable {
        private long used;

        /// @return false when the budget is spent; then nothing was taken
        boolean take(long more) {
            long beyond = Math.max(0, used + more - ALLOWANCE_BYTES) - beyondAllowance();
            if (beyond > 0 && !MemoryBudget.this.take(beyond)) {
                return false;
            }
            used += more;
            return true;
        }

        private long beyondAllowance() {
            return Math.max(0, used - ALLOWANCE_BYTES);
        }

        /// Gives everything back. May be called twice.
        @Override
        public void close() {
            taken.addAndGet(-beyondAllowance());
            used = 0;
        }
    }
}
