package org.slipstream.qmgr.sched;

import org.junit.jupiter.api.Test;
import org.slipstream.qmgr.sched.JobsSnapshot.JobLine;
import org.slipstream.qmgr.sched.JobsSnapshot.PassedJob;
import org.slipstream.qmgr.sched.JobsSnapshot.TransportJobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.qmgr.sched.Counter.slots;

class JobsSnapshotTest {
    private static TransportJobs jobs(Counter counter, int most) {
        return counter.scheduler.jobs(most).transports().getFirst();
    }

    @Test
    void aJobThatPassesAnotherStandsBeforeItAndTheOtherHasPaid() {
        Counter counter = new Counter(slots(2, 0, 0, 3));
        counter.message(10);
        counter.message(2);
        for (int i = 0; i < 5; i++) {
            counter.serve();
        }

        TransportJobs jobs = jobs(counter, 10);
        JobLine small = jobs.first().getFirst();
        JobLine large = jobs.first().getLast();
        assertThat(jobs.first()).hasSize(2);
        assertThat(small.passed()).contains(large.id());
        assertThat(small).matches(job -> job.level() == 1 && job.selected() == 1 && job.left() == 1 && job.current());
        assertThat(large).matches(job -> job.level() == 0 && job.selected() == 4 && job.left() == 6 && !job.current());
        assertThat(large.balance()).isZero();
        assertThat(jobs.preemptions()).isEqualTo(1);
        assertThat(jobs.latest())
                .containsExactly(new PassedJob(1, 4_000, large.id(), small.id(), 1, large.balance()));
    }

    @Test
    void listAndMemoryOfPreemptionsHaveABound() {
        Counter counter = new Counter(slots(2, 0, 0, 0));
        counter.message(200);
        for (int i = 0; i < 40; i++) {
            counter.message(1);
        }
        while (jobs(counter, 3).preemptions() < 20) {
            counter.serve();
        }

        assertThat(jobs(counter, 3).first()).hasSize(3);
        assertThat(jobs(counter, 3).jobs()).isGreaterThan(3);
        assertThat(jobs(counter, 3).latest()).hasSize(16).first().matches(latest -> latest.number() == 20);
    }
}
