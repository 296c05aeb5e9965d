package org.slipstream.qmgr.sched;

import org.jspecify.annotations.Nullable;

/// A run of adjacent jobs on the list that are blocked by the same [Blocker] only, usually a destination. One mark
/// blocks all of them.
///
/// **Reason.** When ten thousand messages wait for one slow server, each delivery there voids every
/// mark, and the next search walks past all ten thousand to mark them again, with the same result
/// each time. So adjacent jobs that are blocked by the same destination only form a run. A search
/// that reaches a run while its destination is full marks all of it at once and continues behind
/// it.
///
/// **Members.** A job that is completely read and has waiting entries at one destination only: as
/// long as that destination is full, a search could only mark the job. A job that gains or loses
/// entries leaves the run.
///
/// **Adjacency.** Members are adjacent on the list. When a member leaves the list, the others stay
/// adjacent. When another job is inserted between them, or a member in the middle stays on the list
/// and waits for another destination, the run is dissolved: its marks remain valid, but a search
/// examines each of its jobs again and forms new runs.
final class BlockedRun {
    final Blocker blocker;
    Job last;
    private boolean dissolved;

    /// Equal to the transport's tag: all members are marked.
    int blockerTag;

    BlockedRun(Job only, Blocker blocker) {
        this.blocker = blocker;
        this.last = only;
        only.run = this;
    }

    /// Appends a job.
    void append(Job job) {
        last = job;
        job.run = this;
    }

    /// True when all members are blocked, because their destination or limit is full.
    boolean isBlocked() {
        return !dissolved && !blocker.isOpen();
    }

    boolean isDissolved() {
        return dissolved;
    }

    boolean endsWith(Job job, Blocker other) {
        return !dissolved && last == job && blocker == other;
    }

    /// A member leaves the list, or stays there and now waits for another destination.
    void leave(Job job, boolean theList) {
        job.run = null;
        Job before = job.previous;
        if (before == null || before.run != this) { // it is the first
            dissolved |= job == last;
        } else if (job == last) {
            last = before;
        } else if (!theList) {
            dissolved = true;
        }
    }

    /// Another job is about to be inserted between these two, either of which may be null.
    static void separate(@Nullable Job front, @Nullable Job behind) {
        if (front != null && behind != null && front.run != null && front.run == behind.run) {
            front.run.dissolved = true;
        }
    }
}
