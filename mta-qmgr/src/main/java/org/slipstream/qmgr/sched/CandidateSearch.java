package org.slipstream.qmgr.sched;

import java.util.Optional;

/// Which job should step in front of the current one, if any may?
///
/// The best candidate is the one that has waited longest for its size: the highest ratio of age to number of entries, where
/// age is in whole seconds since activation and the number is the *total*, not the rest (PF-46). Of equals the
/// first on the list wins. Only jobs behind the current one are looked at that
///
/// - preempt for no other job (leaves of the tree),
/// - are not known to be blocked,
/// - and whose remaining entries fit into what the current job has or may still earn (PF-45).
///
/// The best candidate may be too expensive *right now*; then none steps forward, even where a cheaper one would fit. That
/// protects mail of middle size from a stream of singles.
///
/// An implementation is told of every change that could change an answer.
interface CandidateSearch {
    /// Makes the search of one list of jobs.
    interface Factory {
        CandidateSearch of(JobList jobs, Blockers blockers);
    }

    /// @param fit entries that the current job can afford to let pass, now or later
    Optional<Job> best(Job current, int fit, long nowSecond);

    /// This job is about to leave its place in the list.
    void leaves(Job job);

    /// This job may be a candidate now, or may have ceased to be one: it has come to a new place, has more or less to do, has
    /// got or lost children.
    void changed(Job job);

    /// An entry of this job is taken. From now on its rest changes with every entry, until another is served.
    void serves(Job job);

    /// Marks of blocked jobs are void.
    void unblocked();

    /// Age in seconds; one more than the difference, so that none is 0.
    static long age(Job job, long nowSecond) {
        return nowSecond - job.activatedSecond + 1;
    }
}
