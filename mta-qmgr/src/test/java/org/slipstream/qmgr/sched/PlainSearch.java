package org.slipstream.qmgr.sched;

import java.util.Optional;

/// The candidate search of Postfix: a walk over all jobs behind the current one.
///
/// It is slow with many jobs and as simple as the rule: the reference for [SizeSearch].
final class PlainSearch implements CandidateSearch {
    private final Blockers blockers;

    PlainSearch(Blockers blockers) {
        this.blockers = blockers;
    }

    @Override
    public Optional<Job> best(Job current, int fit, long nowSecond) {
        Job best = null;
        double bestScore = 0;
        for (Job job = current.next; fit > 0 && job != null; job = job.next) {
            if (!job.isLeaf() || blockers.isMarked(job)) {
                continue;
            }
            int total = job.mostEntries();
            int need = total - job.selected;
            long age = CandidateSearch.age(job, nowSecond);
            if (need > 0 && need <= fit) {
                double score = age / (double) total;
                if (score > bestScore) {
                    best = job;
                    bestScore = score;
                }
            }
            // All following jobs are younger, and each has at least one entry.
            if (age <= bestScore && job.level == 0) {
                break;
            }
        }
        return Optional.ofNullable(best);
    }

    @Override
    public void changed(Job job) {
        // It looks at everything anyway.
    }

    @Override
    public void leaves(Job job) {
        // It looks at everything anyway.
    }

    @Override
    public void serves(Job job) {
        // It looks at everything anyway.
    }

    @Override
    public void unblocked() {
        // It looks at everything anyway.
    }
}
