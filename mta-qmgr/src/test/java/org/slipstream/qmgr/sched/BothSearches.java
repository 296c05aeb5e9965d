package org.slipstream.qmgr.sched;

import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// Compares the plain search with the search by size for every question.
final class BothSearches implements CandidateSearch {
    private final PlainSearch plain;
    private final SizeSearch quick;
    int asked;
    int found;

    BothSearches(JobList jobs, Blockers blockers) {
        plain = new PlainSearch(blockers);
        quick = new SizeSearch(jobs, blockers);
    }

    @Override
    public Optional<Job> best(Job current, int fit, long nowSecond) {
        Optional<Job> best = plain.best(current, fit, nowSecond);
        assertThat(quick.best(current, fit, nowSecond)).isEqualTo(best);
        asked++;
        found += best.isPresent() ? 1 : 0;
        return best;
    }

    @Override
    public void leaves(Job job) {
        quick.leaves(job);
    }

    @Override
    public void changed(Job job) {
        quick.changed(job);
    }

    @Override
    public void serves(Job job) {
        quick.serves(job);
    }

    @Override
    public void unblocked() {
        quick.unblocked();
    }
}
