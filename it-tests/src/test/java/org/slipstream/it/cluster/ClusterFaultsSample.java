package org.slipstream.it.cluster;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Workbench;

import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/// A short run of the faults of docs/cluster-faults.md: two nodes, a PostgreSQL with two standbys.
@RequiresPrograms({"pg_ctlcluster", "openssl"})
class ClusterFaultsSample {
    private static final long PACE = TimeUnit.MILLISECONDS.toNanos(100);
    @RegisterExtension
    final Workbench bench = new Workbench();

    @Test
    void nothingIsLostWhenAStandbyThePrimaryAndANodeAreKilled() {
        long seed = System.nanoTime();
        System.out.println("ClusterFaultsSample seed " + seed);
        try (FaultyCluster cluster = new FaultyCluster(bench.folder(), 2, PACE, false, false)) {
            cluster.startClients(0);
            FaultRun run = new FaultRun(cluster, seed, true, System.out::println);
            List.of(FaultKind.STANDBY_KILLED, FaultKind.PRIMARY_KILLED, FaultKind.NODE_KILLED).forEach(run::make);
            HistoryCheck check = run.finish();
            assertThat(check.violations()).isEmpty();
            assertThat(cluster.history().acknowledged()).hasSizeGreaterThan(100);
            assertThat(cluster.history().open()).isEmpty();
            assertThat(run.faults().getLast().goesOn()).isPresent();
        }
    }
}
