package org.slipstream.qmgr.sched;

import java.util.Optional;

/// Searches the job that should preempt the current one.
///
/// The best candidate is the one that has waited longest for its size: the highest ratio of age to
/// number of entries. The age is in whole seconds since activation, and the number is the *total*,
/// not the rest (PF-46). Of equal candidates the first on the list wins. A candidate is a job
/// behind the current one that
///
/// - preempts for no other job (a leaf of the tree),
/// - is not known to be blocked,
/// - and has no more remaining entries than the current job can pay for, now or later (PF-45).
///
/// If the best candidate is too expensive *at present*, no job preempts, even if a cheaper one
/// would be affordable. That protects mail of medium size from a stream of single messages.
///
/// An implementation is notified of every change that can change an answer.
interface CandidateSearch {
    /// Creates the search of one list of jobs.
    interface Factory {
        CandidateSearch of(JobList jobs, Blockers blockers);
    }

    /// @param fit entries that the current job can let pass, now or later
    Optional<Job> best(Job current, int fit, long nowSecond);

    /// A job is about to leave its place in the list.
    void leaves(Job job);

    /// A job may have become a candidate or stopped being one: its place, its number of entries or
    /// its children changed.
    void changed(Job job);

    /// An entry of this job is taken. Its rest changes with every entry, until another job is
    /// served.
    void serves(Job job);

    /// The marks of blocked jobs are void.
    void unblocked();

    /// Age in seconds; one more than the difference, so that none is 0.
    static long age(Job job, long nowSecond) {
        return nowSecond - job.activatedSecond + 1;
    }
}
