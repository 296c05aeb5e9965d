package org.slipstream.lab.place;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.qmgr.place.PlaceRules;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/// Hosts under load: the share of each host, the number of connections, and the effect of a bad host.
class ClusterTest {
    private static final PlaceRules RULES = PlaceRules.defaults();
    private static final String[] FOUR = {"mx1.example", "mx2.example", "mx3.example", "mx4.example"};

    private static Cluster four(PlaceRules rules, int messages, long everyMillis, long seed) {
        Cluster cluster = new Cluster(rules, seed);
        cluster.domain("big.example", FOUR);
        for (int i = 0; i < messages; i++) {
            cluster.message(i * everyMillis, List.of("big.example"));
        }
        return cluster;
    }

    private static void assertEven(Cluster cluster) {
        double even = cluster.delivered / 4.0;
        assertThat(cluster.deliveredAt).hasSize(4);
        assertThat(cluster.deliveredAt.values())
                .allSatisfy(n -> assertThat(n.doubleValue()).isBetween(even * 0.9, even * 1.1));
    }

    @Test
    void underFullLoadFourHostsGetTheSameWithinATenth() {
        Cluster cluster = four(RULES, 10_000, 4, 1).run();
        System.out.println("full load: " + cluster.deliveredAt + ", connections opened " + cluster.opened
                + ", most at once " + cluster.mostConnections);
        assertEven(cluster);
    }

    @Test
    void underALightLoadHostsTakeTurns() {
        // With a message a second one connection suffices. It is closed between messages or when it
        // is too old.
        Cluster cluster = four(RULES.with(new PlaceRules.Idle(2, Duration.ofMillis(10_000), Duration.ofMillis(60_000))),
                10_000, 1_000, 2).run();
        System.out.println("light load: " + cluster.deliveredAt + ", connections opened " + cluster.opened
                + ", most at once " + cluster.mostConnections);
        assertEven(cluster);
    }

    @Test
    void oneBadHostOfFourCostsNoConcurrency() {
        Cluster good = four(RULES, 4_000, 4, 3).run();
        Cluster bad = four(RULES, 4_000, 4, 3);
        bad.down.put("mx3.example", true);
        bad.run();
        System.out.println("four good: " + good.now + " ms, most " + good.mostConnections + "; one of them bad: "
                + bad.now + " ms, most " + bad.mostConnections + ", connections opened " + bad.opened);
        assertThat(bad.failures).as("failures in the window").isZero();
        assertThat(bad.deliveredAt).doesNotContainKey("mx3.example");
        assertThat(bad.delivered).isEqualTo(4_000);
        assertThat(bad.finishedMillis).hasSize(4_000);
        assertThat(bad.mostConnections).isGreaterThanOrEqualTo(good.mostConnections - 1);
        long lastGood = good.finishedMillis.values().stream().mapToLong(n -> n).max().orElseThrow();
        long lastBad = bad.finishedMillis.values().stream().mapToLong(n -> n).max().orElseThrow();
        assertThat(lastBad).isLessThan(lastGood + lastGood / 10);
    }

    @Test
    @Tag("FI-38")
    void fi38HostsThatCloseAfterEverySeventhMessageGetEachMessageOnce() {
        Cluster cluster = four(RULES, 2_000, 4, 8);
        cluster.closesAfter = 7;
        cluster.depth = 10;
        cluster.run();
        assertThat(cluster.delivered).isEqualTo(2_000);
        assertThat(cluster.finishedMillis).hasSize(2_000);
        assertThat(cluster.failures).as("closing after replies is not a failure").isZero();
        assertThat(cluster.opened).isGreaterThanOrEqualTo(2_000 / 7);
    }

    @Test
    @Tag("FI-35")
    void fi35ConnectionsGrowWithTheLoadAndLeaveWithIt() {
        Cluster cluster = new Cluster(RULES, 4);
        cluster.domain("big.example", FOUR);
        List<Integer> connections = new ArrayList<>();
        long at = 0;
        for (int perSecond : new int[]{2, 10, 50, 100, 50, 10, 2}) {
            for (int i = 0; i < perSecond * 30; i++) {
                cluster.message(at + i * 1_000L / perSecond, List.of("big.example"));
            }
            at += 30_000;
            long end = at;
            cluster.at(end - 1, () -> connections.add(cluster.connections()));
        }
        cluster.run();
        System.out.println("connections at 2, 10, 50, 100, 50, 10, 2 messages a second: " + connections);
        assertThat(connections.subList(0, 4)).isSorted();
        assertThat(connections.get(3)).isBetween(8, 20);
        assertThat(connections.getLast()).isLessThanOrEqualTo(2);
        cluster.until(cluster.now + 11_000);
        assertThat(cluster.connections()).isZero();
    }

    @Test
    void tenThousandMessagesToAHundredHostsNeedFewConnections() {
        Cluster placed = hundred(new Cluster(RULES, 6)).run();
        Cluster single = hundred(
                new Cluster(RULES.with(PlaceRules.Depth.ONE), 6)).run();
        System.out.println("connections for 10,000 messages to 100 hosts: " + placed.opened + " (most "
                + placed.mostConnections + " at once, " + placed.now + " ms), with one delivery at a time "
                + single.opened + " (most " + single.mostConnections + " at once, " + single.now + " ms)");
        assertThat(placed.delivered).isEqualTo(10_000);
        assertThat(placed.opened).isLessThan(single.opened);
    }

    private static Cluster hundred(Cluster cluster) {
        for (int i = 0; i < 100; i++) {
            cluster.domain("d" + i + ".example", "mx" + i + ".example");
        }
        Random random = new Random(7);
        for (int i = 0; i < 10_000; i++) {
            cluster.message(i * 10L, List.of("d" + random.nextInt(100) + ".example"));
        }
        return cluster;
    }
}
