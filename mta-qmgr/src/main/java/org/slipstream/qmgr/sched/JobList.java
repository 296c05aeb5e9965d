package org.slipstream.qmgr.sched;

/// The jobs of one transport in two orders: of service, which preemption rearranges, and of activation, which never changes.
///
/// The order of service is by activation except that a preempting job stands directly in front of the job it passed. A
/// new job is usually the youngest and goes to the end; a job that comes back after its recipients had to be read
/// again is older and finds its place by a walk from the end, past preempting jobs, whose place says nothing of their age
/// (PF-23).
///
/// The original walks to find which of two jobs is in front. Here each job carries a label that grows along the list, so
/// that the question costs one comparison and jobs can be kept in sorted sets. A job between two others gets a label
/// between theirs; when there is none left, all are written again. Preemption inserts again and again directly in front of
/// the same job, therefore a new label is put close to the lower neighbour and leaves most of the gap free.
final class JobList {
    private static final long GAP = 1L << 32;

    private final Blockers blockers;
    Job head;
    private Job tail;
    Job oldest;
    private Job youngest;
    private int size;

    JobList(Blockers blockers) {
        this.blockers = blockers;
    }

    /// Enters a job at level 0. True when `watched` is behind it now.
    boolean enter(Job job, Job watched) {
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

    /// Enters a job into the order of activation. True when `watched` is behind it now.
    boolean enterByAge(Job job, Job watched) {
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

    /// Moves a job directly in front of another.
    void moveInFrontOf(Job other, Job job) {
        unlink(job);
        insertBehind(other.previous, job);
    }

    /// Takes a job off both lists.
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

    private void insertBehind(Job before, Job job) {
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
