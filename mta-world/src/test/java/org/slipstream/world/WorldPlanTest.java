package org.slipstream.world;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The file of a world.
class WorldPlanTest {
    @Test
    void theTextOfAPlanIsThePlan() {
        for (long seed = 0; seed < 200; seed++) {
            WorldPlan plan = WorldPlan.drawn(seed);
            assertThat(WorldPlan.read(plan.text() + "history\nfault is text here\n")).isEqualTo(plan);
        }
    }

    @Test
    void aFileThatIsNoPlanIsRefused() {
        assertThatThrownBy(() -> WorldPlan.read("slipstream-world 1\nshards 17\n")).hasMessageContaining("16 shards");
        assertThatThrownBy(() -> WorldPlan.read("seed 1\n")).hasMessageContaining("slipstream-world 1");
        assertThatThrownBy(() -> WorldPlan.read("slipstream-world 1\nfault rain 1 2 3\n"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> WorldPlan.read("slipstream-world 1\nmessages 100001\n"))
                .hasMessageContaining("100,000");
    }

    @Test
    void aFaultCanBeDropped() {
        WorldPlan plan = WorldPlan.drawn(1);
        assertThat(plan.without(0).faults()).isEqualTo(plan.faults().subList(1, plan.faults().size()));
    }
}
