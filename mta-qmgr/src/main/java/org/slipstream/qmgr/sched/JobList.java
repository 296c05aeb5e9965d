package org.slipstream.qmgr.sched;

import org.jspecify.annotations.Nullable;

/// The jobs of one transport in two orders: the order of service, which preemption rearranges, and
/// the order of activation, which never changes.
///
/// The order of service is by activation, except that a preempting job is directly before the job
/// that it passed. A new job is usually the youngest and goes to the end. A job that returns after
/// its recipients were read is older and finds its place by a walk from the end, past preempting
/// jobs, whose place does not depend on their age (PF-23).
///
/// Postfix walks the list to compare the places of two jobs. Here each job has a label that grows
/// along the list, so the comparison is O(1) and jobs can be in sorted sets. A job between two
/// others gets a label between theirs; when there is none left, all labels are rewritten.
/// Preemption inserts repeatedly directly before the same job, therefore a new label is close to
/// the lower neighbour and leaves most of the gap free.
final class JobList {
    private static final long GAP = 1L << 32;

    private final Blockers blockers;
    @Nullable
    Job head;
    private @Nullable Job tail;
    @Nullable
    Job oldest;
    private @Nullable Job youngest;
    private int size;

    JobList(Blockers blockers) {
        this.blockers = blockers;
    }

    /// Inserts a job at level 0. True when `watched` is behind it now.
    boolean enter(Job job, @Nullable Job watched) {
        boolean passed = false;
        Job after = tail;
        while (after != null && (after.parent != null || isYounger(after, job))) {
            passed |= after == watched;
            after = after.previous;
        }
        insertBehind(after, job);
        job.level = 0;
        return passed;
    }

    /// Inserts a job into the order of activation. True when `watched` is behind it now.
    boolean enterByAge(Job job, @Nullable Job watched) {
        boolean passed = false;
        Job after = youngest;
        while (after != null && isYounger(after, job)) {
            passed |= after == watched;
            after = after.older;
        }
        job.older = after;
        job.younger = after == null ? oldest : after.younger;
        if (after == null) {
            oldest = job;
        } else {
            after.younger = job;
        }
        if (job.younger == null) {
            youngest = job;
        } else {
            job.younger.older = job;
        }
        return passed;
    }

    /// Moves a job directly before another.
    void moveInFrontOf(Job other, Job job) {
        unlink(job);
        insertBehind(other.previous, job);
    }

    /// Removes a job from both lists.
    void leave(Job job) {
        unlink(job);
        if (job.older == null) {
            oldest = job.younger;
        } else {
            job.older.younger = job.younger;
        }
        if (job.younger == null) {
            youngest = job.older;
        } else {
            job.younger.older = job.older;
        }
        job.older = null;
        job.younger = null;
        job.level = Job.OFF;
    }

    int size() {
        return size;
    }

    private static boolean isYounger(Job one, Job other) {
        return one.message.activatedMillis > other.message.activatedMillis;
    }

    private void insertBehind(@Nullable Job before, Job job) {
        Job behind = before == null ? head : before.next;
        BlockedRun.separate(before, behind);
        job.previous = before;
        job.next = behind;
        if (before == null) {
            head = job;
        } else {
            before.next = job;
        }
        if (behind == null) {
            tail = job;
        } else {
            behind.previous = job;
        }
        size++;
        label(job);
    }

    private void unlink(Job job) {
        blockers.leaves(job);
        if (job.previous == null) {
            head = job.next;
        } else {
            job.previous.next = job.next;
        }
        if (job.next == null) {
            tail = job.previous;
        } else {
            job.next.previous = job.previous;
        }
        job.previous = null;
        job.next = null;
        size--;
    }

    private void label(Job job) {
        if (job.next == null) {
            job.label = job.previous == null ? 0 : job.previous.label + GAP;
        } else if (job.previous == null) {
            job.label = job.next.label - GAP;
        } else {
            long room = job.next.label - job.previous.label;
            job.label = job.previous.label + Math.max(1, room >> 6);
            if (job.label >= job.next.label) {
                labelAll();
            }
        }
    }

    private void labelAll() {
        long label = 0;
        for (Job job = head; job != null; job = job.next) {
            job.label = label;
            label += GAP;
        }
    }
}
