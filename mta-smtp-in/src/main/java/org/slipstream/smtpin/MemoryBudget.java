package org.slipstream.smtpin;

import java.util.concurrent.atomic.AtomicLong;

/// The memory that the open transactions of all ports share: for recipients, and for headers that a
/// check reads.
///
/// A limit per session multiplies with the number of sessions, which anyone can open. So each
/// transaction has a small allowance of its own ([#ALLOWANCE_BYTES]), enough for a dozen ordinary
/// recipients, and everything beyond it comes out of one budget. When the budget is spent, larger
/// requests get 452 4.3.1, and mail of usual size continues to be accepted.
///
/// Thread-safe.
public final class MemoryBudget {
    /// Of each transaction, independent of the budget.
    static final int ALLOWANCE_BYTES = 8 << 10;
    private static final long STANDARD_BYTES = 32 << 20;

    private volatile long bytes;
    private final AtomicLong taken = new AtomicLong();

    public MemoryBudget(long bytes) {
        this.bytes = bytes;
    }

    /// Another limit. Memory that is taken stays taken.
    public void change(long limit) {
        bytes = limit;
    }

    public static MemoryBudget standard() {
        return new MemoryBudget(STANDARD_BYTES);
    }

    /// The part of one transaction, used by its session's thread.
    Share share() {
        return new Share();
    }

    /// The bytes taken beyond the allowances.
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

        /// Releases everything. Idempotent.
        @Override
        public void close() {
            taken.addAndGet(-beyondAllowance());
            used = 0;
        }
    }
}
