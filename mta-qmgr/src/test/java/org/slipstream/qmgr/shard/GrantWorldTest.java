package org.slipstream.qmgr.shard;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.qmgr.shard.GrantWorld.Node;
import org.slipstream.qmgr.wake.LimitKey;

import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/// One set of limits for several nodes, whatever happens to nodes and messages.
class GrantWorldTest {
    private static final int WORLDS = Boolean.getBoolean("slipstream.long") ? 2_500 : 25;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void noFaultTakesMoreThanTheLimitAndEveryNodeIsServedInTheEnd(int part) {
        for (int seed = part * 100_000; seed < part * 100_000 + WORLDS; seed++) {
            try {
                world(seed);
            } catch (AssertionError | RuntimeException failed) {
                throw new AssertionError("seed " + seed, failed);
            }
        }
    }

    private static void world(int seed) {
        Random random = new Random(seed);
        GrantWorld world = new GrantWorld(random, 1 + random.nextInt(12), 1 + random.nextInt(3),
                2 + random.nextInt(3));
        world.loss = random.nextInt(4) == 0 ? 0 : random.nextDouble() * 0.4;
        world.doubled = random.nextDouble() * 0.3;
        world.delayMillis = random.nextInt(3) == 0 ? 3_000 : 1 + random.nextInt(300);
        world.longestDeliveryMillis = random.nextInt(3) == 0 ? 30_000 : 400;
        for (int i = 0; i < 12; i++) {
            world.until(world.now + random.nextInt(8_000));
            fault(world, random);
        }
        heal(world);
        world.until(world.now + 45_000);
        world.nodes.forEach(node -> node.served = 0);
        world.until(world.now + 40_000);
        long all = world.nodes.stream().mapToLong(node -> node.served).sum();
        for (Node node : world.nodes) {
            assertThat(node.served).as("node %s of %s, %s in all, limit %s", node.number, world.nodes.size(), all,
                    world.limit).isGreaterThanOrEqualTo(all / world.nodes.size() / 4).isPositive();
        }
    }

    private static void fault(GrantWorld world, Random random) {
        Node node = world.nodes.get(random.nextInt(world.nodes.size()));
        switch (random.nextInt(7)) {
            case 0 -> {
                if (node.alive) {
                    node.dies();
                } else {
                    node.start(random.nextInt(3_000));
                }
            }
            case 1 -> {
                if (node.alive && node.frozen) {
                    node.wakes();
                } else if (node.alive) {
                    node.freezes();
                }
            }
            case 2 -> node.cutOff = !node.cutOff;
            case 3 -> node.databaseGone = !node.databaseGone;
            case 4 -> node.busy = !node.busy;
            case 5 -> world.office().ifPresent(Node::dies);
            default -> world.delayMillis = 1 + random.nextInt(2_000);
        }
    }

    private static void heal(GrantWorld world) {
        // A lost message costs the two seconds after which a report is repeated.
        world.loss = 0;
        world.doubled = 0.02;
        world.delayMillis = 5;
        world.longestDeliveryMillis = 400;
        world.nodes.forEach(node -> {
            node.cutOff = false;
            node.databaseGone = false;
            node.busy = true;
            if (!node.alive) {
                node.start(10);
            } else if (node.frozen) {
                node.wakes();
            }
        });
    }

    private static GrantWorld quiet(int limit, int nodes) {
        GrantWorld world = new GrantWorld(new Random(7), limit, 2, nodes);
        world.until(20_000);
        return world;
    }

    private static int held(GrantWorld world, int node) {
        return world.nodes.get(node).holder.held(LimitKey.transport("smtp"));
    }

    @Test
    void aFirstBrokerLendsAtOnceAndTheWholeLimitIsInUse() {
        GrantWorld world = new GrantWorld(new Random(3), 6, 2, 3);
        world.until(3_000);
        assertThat(world.nodes).allSatisfy(node -> assertThat(node.served).isPositive());
        assertThat(world.most).isEqualTo(6);
    }

    @Test
    void theLanesOfADeadNodeAreLentAgainAfterSevenSeconds() {
        GrantWorld world = quiet(8, 2);
        Node office = world.office().orElseThrow();
        Node other = world.nodes.get(1 - office.number);
        int lost = held(world, other.number);
        assertThat(lost).isPositive();
        other.dies();
        world.until(world.now + 4_500);
        assertThat(held(world, office.number)).isLessThanOrEqualTo(8 - lost);
        world.until(world.now + 3_500);
        assertThat(held(world, office.number)).isGreaterThan(8 - lost);
    }

    @Test
    void theLanesOfADeadBrokerAreLentAgainWithinSevenSeconds() {
        GrantWorld world = quiet(8, 2);
        Node office = world.office().orElseThrow();
        Node other = world.nodes.get(1 - office.number);
        int lost = held(world, office.number);
        assertThat(lost).isPositive();
        office.dies();
        world.until(world.now + 4_500);
        assertThat(held(world, other.number)).isLessThanOrEqualTo(8 - lost);
        world.until(world.now + 2_500);
        assertThat(held(world, other.number)).isGreaterThan(8 - lost);
    }

    /// The database is gone for all, and comes back to one node after the other, to the last one before the new
    /// broker lends.
    @Test
    void withoutADatabaseEachNodeUsesItsPartAndTheSumIsNoMoreThanTheLimit() {
        for (int seed = 0; seed < (Boolean.getBoolean("slipstream.long") ? 1_000 : 6); seed++) {
            int count = 2 + seed % 3;
            GrantWorld world = new GrantWorld(new Random(seed), 2 * count + seed % 2, 3, count);
            world.keepsHere = true;
            world.longestDeliveryMillis = seed % 2 == 0 ? 400 : 60_000;
            world.until(20_000 + seed * 100);
            world.nodes.forEach(node -> node.databaseGone = true);
            world.until(world.now + 25_000);
            world.nodes.forEach(node -> node.served = 0);
            world.until(world.now + 70_000);
            assertThat(world.nodes).as("seed %s", seed).allSatisfy(node -> assertThat(node.served).isPositive());
            for (Node node : world.nodes) {
                node.databaseGone = false;
                world.until(world.now + 500 * (seed % 4));
            }
            world.longestDeliveryMillis = 400;
            world.until(world.now + 70_000);
            world.nodes.forEach(node -> node.served = 0);
            world.until(world.now + 30_000);
            assertThat(world.nodes).as("seed %s", seed).allSatisfy(node -> assertThat(node.served).isPositive());
        }
    }

    @Test
    void aChangeOfTheBrokerCutsNothing() {
        GrantWorld world = quiet(9, 3);
        world.longestDeliveryMillis = 60_000;
        world.until(world.now + 3_000);
        Node office = world.office().orElseThrow();
        int[] rounds = world.nodes.stream().mapToInt(node -> node.shards.getFirst().round).toArray();
        office.dies();
        world.until(world.now + 20_000);
        assertThat(world.office()).isPresent();
        world.nodes.stream().filter(node -> node.alive)
                .forEach(node -> assertThat(node.shards.getFirst().round).isEqualTo(rounds[node.number]));
    }

    @Test
    void aNodeWithoutAnAnswerStopsThenCutsAndGoesOnWhenTheNetworkIsBack() {
        GrantWorld world = quiet(8, 2);
        world.longestDeliveryMillis = 60_000;
        world.until(world.now + 3_000);
        Node away = world.nodes.get(1 - world.office().orElseThrow().number);
        assertThat(away.shards.stream().mapToInt(shard -> shard.running).sum()).isPositive();
        away.cutOff = true;
        world.until(world.now + 10_500);
        assertThat(away.holder.mayStart(away.clock())).isFalse();
        assertThat(away.shards.stream().mapToInt(shard -> shard.running).sum()).isZero();
        away.cutOff = false;
        world.longestDeliveryMillis = 400;
        long served = away.served;
        world.until(world.now + 70_000);
        assertThat(away.served).isGreaterThan(served);
    }
}
