package org.slipstream.cluster;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/// The claims of nodes in simulated worlds. A failure names the seed of its world.
///
/// `-Dslipstream.long=true` runs ten thousand of them.
class OwnershipWorldsTest {
    private static final int WORLDS = Boolean.getBoolean("slipstream.long") ? 10_000 : 200;

    @Test
    void noShardHasTwoWritersOfAnEpochAndNoneStaysWithoutAnOwner() {
        long fenced = 0;
        long delivered = 0;
        long takeovers = 0;
        for (int seed = 0; seed < WORLDS; seed++) {
            OwnershipWorld world = new OwnershipWorld(seed);
            world.run();
            fenced += world.fenced;
            delivered += world.delivered;
            takeovers += world.takeovers;
        }
        System.out.printf("%d worlds: %d takeovers, %d deliveries, %d groups of the log refused%n", WORLDS, takeovers,
                delivered, fenced);
        assertThat(fenced).isGreaterThan(WORLDS);
        assertThat(takeovers).isGreaterThan(5L * WORLDS);
        assertThat(delivered).isGreaterThan(100L * WORLDS);
    }
}
