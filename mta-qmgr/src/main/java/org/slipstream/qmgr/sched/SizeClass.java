package org.slipstream.qmgr.sched;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/// Candidates with the same number of remaining entries and the same total, in the order of the
/// list. [SizeSearch] examines one of them.
final class SizeClass {
    private static final Comparator<Job> BY_PLACE = (one, other) -> Long.compare(one.label, other.label);

    final int need;
    final int total;
    final Long key;

    /// By place; no job is older than one before it.
    final TreeSet<Job> inOrder = new TreeSet<>(BY_PLACE);

    /// The other jobs.
    final List<Job> outOfOrder = new ArrayList<>(0);

    SizeClass(int need, int total) {
        this.need = need;
        this.total = total;
        this.key = key(need, total);
    }

    void add(Job job) {
        if (fits(job)) {
            inOrder.add(job);
        } else {
            outOfOrder.add(job);
        }
    }

    private boolean fits(Job job) {
        Job before = inOrder.isEmpty() ? null : inOrder.getLast();
        if (before == null || before.label < job.label) {
            return before == null || before.activatedSecond <= job.activatedSecond;
        }
        before = inOrder.lower(job);
        return (before == null || before.activatedSecond <= job.activatedSecond)
                && job.activatedSecond <= inOrder.higher(job).activatedSecond;
    }

    void remove(Job job) {
        if (!inOrder.remove(job)) {
            outOfOrder.remove(job);
        }
    }

    boolean isEmpty() {
        return inOrder.isEmpty() && outOfOrder.isEmpty();
    }

    static long key(int need, int total) {
        return (long) need << 32 | total;
    }
}
