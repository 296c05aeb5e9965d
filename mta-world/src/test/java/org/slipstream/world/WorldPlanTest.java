package org.slipstream.world;

import org.junit.jupiter.api.Test;
import org.slipstream.world.WorldPlan.FaultKind;

import java.util.List;
import java.util.stream.LongStream;

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
        assertThat(WorldPlan.read("slipstream-world 1\ncrowd 1000\n").shape().crowd()).isEqualTo(1_000);
        assertThatThrownBy(() -> WorldPlan.read("slipstream-world 1\ncrowd 1001\n"))
                .hasMessageContaining("a crowd of 1,000");
    }

    @Test
    void aFaultMayBeAimedAtAnAccessToTheDisk() {
        WorldPlan plan = WorldPlan.read("slipstream-world 1\nfault kill 10 5 1 1000000\nfault cut 20 5 1\n");
        assertThat(plan.faults()).extracting(WorldPlan.WorldFault::writes).containsExactly(1_000_000, 0);
        assertThatThrownBy(() -> WorldPlan.read("slipstream-world 1\nfault kill 10 5 1 1000001\n"))
                .hasMessageContaining("1,000,000 accesses");
    }

    @Test
    void stopsComeBesideOrdersAndBesideEachOther() {
        List<WorldPlan> plans = LongStream.range(0, 2_000).mapToObj(WorldPlan::drawn).toList();
        assertThat(plans).filteredOn(plan -> plan.faults().stream().filter(each -> each.kind().isStop())
                .anyMatch(stop -> plan.faults().stream().anyMatch(other -> other.kind() == FaultKind.DRAIN
                        && Math.abs(other.atSeconds() - stop.atSeconds()) <= 20)))
                .hasSizeGreaterThan(30);
        assertThat(plans).filteredOn(WorldPlan::isSmall).hasSizeGreaterThan(1_000);
    }

    @Test
    void aFaultCanBeDropped() {
        WorldPlan plan = WorldPlan.drawn(1);
        assertThat(plan.without(0).faults()).isEqualTo(plan.faults().subList(1, plan.faults().size()));
    }
}
