package org.slipstream.qmgr.shard;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;
import org.slipstream.qmgr.shard.ShardRules.CountChange;
import org.slipstream.qmgr.shard.ShardRules.Growth;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/// The arithmetic of many queues.
class ShardRulesTest {
    private static final ShardRules DYNAMIC = new ShardRules(Growth.DYNAMIC, 20, 90);
    private static final ShardRules STATIC = new ShardRules(Growth.STATIC, 20, 90);

    private static ShardLoad load(int shard, String local, String remote) {
        return new ShardLoad(shard, ConcurrencyInUse.parse(local).orElseThrow(),
                ConcurrencyInUse.parse(remote).orElseThrow(), ShardMode.NORMAL, false);
    }

    private static ShardLoad empty(int shard) {
        return new ShardLoad(shard, new ConcurrencyInUse(0, 10), new ConcurrencyInUse(0, 20), ShardMode.NORMAL, true);
    }

    private static ShardLoad mode(ShardLoad load, ShardMode mode) {
        return new ShardLoad(load.shard(), load.local(), load.remote(), mode, load.empty());
    }

    private static Map<Integer, Integer> placed(ShardRules rules, List<ShardLoad> loads, int messages) {
        Random random = new Random(7);
        Map<Integer, Integer> counts = new TreeMap<>();
        for (int i = 0; i < messages; i++) {
            counts.merge(rules.place(loads, random).orElseThrow(), 1, Integer::sum);
        }
        return counts;
    }

    @Test
    @Tag("IM-04")
    void theLoadIsTheSumOfTheRatiosOfBothSides() {
        assertThat(load(1, "2/10", "5/20").percent()).isEqualTo(45);
        assertThat(load(1, "0/0", "5/20").percent()).as("a side that is held").isEqualTo(25);
    }

    @Test
    @Tag("IM-02")
    void aStaticServerPlacesUniformlyWhateverTheLoads() {
        List<ShardLoad> loads = List.of(load(1, "0/10", "0/20"), load(2, "10/10", "20/20"), load(3, "5/10", "0/20"),
                load(4, "0/10", "1/20"), load(5, "0/10", "0/20"));
        assertThat(placed(STATIC, loads, 10_000)).hasSize(5)
                .allSatisfy((_, count) -> assertThat(count).isCloseTo(2_000, within(200)));
    }

    @Test
    @Tag("IM-10")
    void theLeastLoadedShardTakesTheMessage() {
        List<ShardLoad> loads = new ArrayList<>(
                List.of(load(1, "2/10", "5/20"), load(2, "1/10", "6/20"), load(3, "9/10", "0/20")));
        assertThat(placed(DYNAMIC, loads, 100)).containsOnlyKeys(2);
        loads.add(empty(4));
        assertThat(placed(DYNAMIC, loads, 100)).as("a newcomer").containsOnlyKeys(4);
    }

    @Test
    @Tag("IM-11")
    void theRatioCountsAndNotTheNumberInUse() {
        assertThat(placed(DYNAMIC, List.of(load(1, "0/10", "10/100"), load(2, "0/10", "9/10")), 10))
                .containsOnlyKeys(1);
    }

    @Test
    @Tag("IM-11")
    void equalLoadsAreDrawnByLot() {
        assertThat(placed(DYNAMIC, List.of(empty(1), empty(2), load(3, "1/10", "0/20")), 10_000))
                .containsOnlyKeys(1, 2).allSatisfy((_, count) -> assertThat(count).isCloseTo(5_000, within(500)));
    }

    @Test
    @Tag("IM-11")
    @Tag("IM-21")
    @Tag("IM-22")
    void disabledDrainedAndHeldShardsGetNoMail() {
        List<ShardLoad> loads = List.of(mode(empty(1), ShardMode.DISABLED), mode(empty(2), ShardMode.DRAINED),
                load(3, "0/0", "0/0"), load(4, "9/10", "19/20"));
        assertThat(placed(DYNAMIC, loads, 100)).containsOnlyKeys(4);
        assertThat(placed(STATIC, loads, 100)).containsOnlyKeys(4);
        assertThat(DYNAMIC.place(loads.subList(0, 3), new Random(1))).isEmpty();
    }

    @ParameterizedTest(name = "{0} of 20 in use: grows {1}")
    @CsvSource({"18, false", "19, true"})
    @Tag("IM-05")
    void aServerGrowsAboveTheThresholdAndNotAtIt(int used, boolean grows) {
        List<ShardLoad> loads = List.of(load(1, "9/10", used + "/20"), load(2, "9/10", "18/20"));
        assertThat(DYNAMIC.change(loads)).isEqualTo(grows ? new CountChange.Add(3) : new CountChange.None());
    }

    @ParameterizedTest(name = "local {0}, remote {1}: grows {2}")
    @CsvSource({"0/10, 19/20, true", "10/10, 0/20, true", "0/0, 20/20, true", "9/10, 18/20, false",
            "0/10, 18/20, false"})
    @Tag("IM-05")
    void oneBusySideIsEnoughSoARelayGrows(String local, String remote, boolean grows) {
        assertThat(DYNAMIC.change(List.of(load(1, local, remote))))
                .isEqualTo(grows ? new CountChange.Add(2) : new CountChange.None());
    }

    @Test
    @Tag("IM-05")
    void aServerGrowsWheneverIndimailDoes() {
        Random random = new Random(4);
        for (int i = 0; i < 10_000; i++) {
            List<ShardLoad> loads = new ArrayList<>();
            double sum = 0;
            for (int shard = 1; shard <= 1 + random.nextInt(4); shard++) {
                loads.add(load(shard, random.nextInt(11) + "/10", random.nextInt(21) + "/20"));
                sum += loads.getLast().percent();
            }
            if (sum > 2.0 * loads.size() * DYNAMIC.threshold()) {
                assertThat(DYNAMIC.change(loads)).isInstanceOf(CountChange.Add.class);
            }
        }
    }

    @Test
    @Tag("IM-20")
    void aHeldShardTakesMailAndOtherShardsAreChosenFirst() {
        List<ShardLoad> loads = List.of(mode(empty(1), ShardMode.HELD), load(2, "5/10", "10/20"));
        assertThat(placed(DYNAMIC, loads, 100)).containsOnlyKeys(2);
        assertThat(placed(DYNAMIC, loads.subList(0, 1), 100)).containsOnlyKeys(1);
        assertThat(placed(STATIC, loads, 1_000)).containsOnlyKeys(1, 2);
    }

    @Test
    @Tag("IM-03")
    @Tag("IM-05")
    void aServerGrowsToItsMaximum() {
        ShardRules rules = new ShardRules(Growth.DYNAMIC, 3, 50);
        List<ShardLoad> loads = new ArrayList<>(List.of(load(1, "10/10", "20/20")));
        List<CountChange> changes = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            CountChange change = rules.change(loads);
            changes.add(change);
            if (change instanceof CountChange.Add(int shard)) {
                loads.add(load(shard, "10/10", "20/20"));
            }
        }
        assertThat(changes).containsExactly(new CountChange.Add(2), new CountChange.Add(3), new CountChange.None(),
                new CountChange.None());
    }

    @Test
    @Tag("IM-06")
    void emptyShardsGoFromTheTopUntilOneHasMail() {
        assertThat(DYNAMIC.change(List.of(empty(1), empty(2), empty(3), load(4, "1/10", "0/20"), empty(5))))
                .isEqualTo(new CountChange.Remove(List.of(5)));
        assertThat(DYNAMIC.change(List.of(empty(1), empty(2), empty(3)))).as("one stays")
                .isEqualTo(new CountChange.Remove(List.of(3, 2)));
        assertThat(DYNAMIC.change(List.of(empty(1)))).isEqualTo(new CountChange.None());
    }

    @Test
    @Tag("IM-07")
    void aKeptNumberStaysAndTheChangeThatIsDueIsTold() {
        ShardRules kept = new ShardRules(Growth.KEEP_COUNT, 3, 50);
        List<ShardLoad> busy = List.of(load(1, "10/10", "20/20"), load(2, "10/10", "20/20"));
        assertThat(kept.change(busy)).isEqualTo(new CountChange.Kept(new CountChange.Add(3)));
        assertThat(kept.change(List.of(empty(1), empty(2))))
                .isEqualTo(new CountChange.Kept(new CountChange.Remove(List.of(2))));
        assertThat(kept.change(List.of(load(1, "1/10", "0/20"), load(2, "1/10", "0/20"))))
                .isEqualTo(new CountChange.None());
    }

    @Test
    @Tag("IM-02")
    void aStaticServerKeepsItsShards() {
        assertThat(STATIC.change(List.of(load(1, "10/10", "20/20")))).isEqualTo(new CountChange.None());
        assertThat(STATIC.change(List.of(empty(1), empty(2)))).isEqualTo(new CountChange.None());
    }

    @Test
    @Tag("IM-23")
    void aLoadThatAnOperatorSetsMakesTheServerGrow() {
        ShardLoad set = load(1, "0/10", "0/20").with(ConcurrencyInUse.parse("10/10").orElseThrow(),
                ConcurrencyInUse.parse("20/20").orElseThrow());
        assertThat(DYNAMIC.change(List.of(set))).isEqualTo(new CountChange.Add(2));
        assertThat(ConcurrencyInUse.parse("2 of 10")).isEmpty();
    }
}
