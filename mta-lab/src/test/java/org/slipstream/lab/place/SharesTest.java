package org.slipstream.lab.place;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.WorkerBudget.Shares;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// How large envelopes share a hundred connections (vector V10).
class SharesTest {
    private static final int RECIPIENTS = 2_500;

    private static Cluster cluster() {
        return cluster(PlaceRules.defaults().messages());
    }

    private static Cluster cluster(Shares shares) {
        Cluster cluster = new Cluster(PlaceRules.defaults().withWorkers(100, 20)
                .with(shares, PlaceRules.defaults().verification())
                .with(new PlaceRules.Idle(0, Duration.ofMillis(0), Duration.ofMillis(300_000))), 5);
        IntStream.range(0, 2 * RECIPIENTS).forEach(i -> cluster.domain("d" + i + ".example", "mx" + i + ".example"));
        return cluster;
    }

    /// The domains of a list, each with a host of its own.
    private static List<String> list(int first) {
        return IntStream.range(first, first + RECIPIENTS).mapToObj(i -> "d" + i + ".example").toList();
    }

    /// Connections held for this message, opening or busy, sampled over time.
    private static double share(Cluster cluster, QueueId id, long fromMillis, long toMillis) {
        return IntStream.rangeClosed(0, 100).map(i -> {
            cluster.until(fromMillis + (toMillis - fromMillis) * i / 100);
            return cluster.busyFor(id);
        }).average().orElseThrow();
    }

    @Test
    @Tag("FI-02")
    void fi02AListAloneUses91OfAHundredConnections() {
        Cluster cluster = cluster();
        QueueId list = cluster.message(0, list(0));
        assertThat(share(cluster, list, 1_000, 2_000)).isEqualTo(91);
        cluster.run();
        assertThat(cluster.delivered).isEqualTo(RECIPIENTS);
    }

    @Test
    @Tag("FI-02")
    @Tag("FI-03")
    void fi03ASecondListTakesWhatIsFreeAtOnceAndHalfOfItAllInTheEnd() {
        Cluster cluster = cluster();
        QueueId first = cluster.message(0, list(0));
        QueueId second = cluster.message(1_000, list(RECIPIENTS));
        cluster.until(1_000);
        assertThat(cluster.busyFor(second)).as("the free remainder").isBetween(8, 9);
        cluster.until(1_050);
        int early = cluster.busyFor(second);
        cluster.until(1_200);
        assertThat(cluster.busyFor(second)).as("as the first one's deliveries end").isGreaterThan(early);
        double second47 = share(cluster, second, 2_000, 3_000);
        cluster.until(3_100);
        int first47 = cluster.busyFor(first);
        System.out.println("share of the second list " + second47 + ", of the first at one moment " + first47);
        assertThat(second47).isBetween(45.0, 49.0);
        assertThat(first47).isBetween(45, 51);
        cluster.run();
        assertThat(cluster.delivered).isEqualTo(2 * RECIPIENTS);
    }

    /// One of two simple rules that the source rejects, as a setting of the placement. A share without
    /// a limit is first come, first served.
    @Test
    @Tag("FI-04")
    void fi04FirstComeFirstServedLeavesNothingForASecondList() {
        Cluster firstCome = cluster(new Shares(100, 0));
        QueueId first = firstCome.message(0, list(0));
        QueueId second = firstCome.message(1_000, list(RECIPIENTS));
        firstCome.until(1_000);
        assertThat(firstCome.busyFor(first)).isEqualTo(100);
        assertThat(firstCome.busyFor(second)).isZero();
    }

    /// The other rule: a fixed share of a hundred connections among fifty messages is two connections,
    /// even for a list that is alone.
    @Test
    @Tag("FI-04")
    void fi04EqualPartsSlowDownAListThatIsAlone() {
        Cluster equalParts = cluster(new Shares(100 / 50, 0));
        QueueId list = equalParts.message(0, list(0));
        assertThat(share(equalParts, list, 1_000, 2_000)).isEqualTo(2);
        assertThat(equalParts.delivered).isLessThan(60);
    }

    /// With a hundred connections, rounding changes a share by percents, because connections are whole
    /// and the first list in the order of service chooses first. With a thousand it does not.
    @Test
    @Tag("FI-02")
    void fi02OfAThousandConnectionsTwoListsHave47PercentEach() {
        int each = 4_000;
        Cluster cluster = new Cluster(
                PlaceRules.defaults().withWorkers(1_000, 20)
                        .with(new PlaceRules.Idle(0, Duration.ofMillis(0), Duration.ofMillis(300_000))),
                5);
        cluster.deliverMillis = 1_000;
        IntStream.range(0, 2 * each).forEach(i -> cluster.domain("d" + i + ".example", "mx" + i + ".example"));
        QueueId first = cluster.message(0, IntStream.range(0, each).mapToObj(i -> "d" + i + ".example").toList());
        QueueId second = cluster.message(10,
                IntStream.range(each, 2 * each).mapToObj(i -> "d" + i + ".example").toList());
        cluster.until(3_000);
        double seconds = share(cluster, second, 4_000, 4_500);
        double firsts = share(cluster, first, 4_600, 5_100);
        System.out.println("of a thousand connections: " + firsts + " and " + seconds);
        assertThat(firsts).isBetween(466.0, 486.0);
        assertThat(seconds).isBetween(466.0, 486.0);
    }

    @Test
    void aSingleMessageAmongLargeListsGoesOutAtOnce() {
        Cluster cluster = cluster();
        cluster.message(0, list(0));
        cluster.message(0, list(RECIPIENTS));
        QueueId single = cluster.message(2_000, List.of("d2499.example"));
        cluster.until(4_000);
        assertThat(cluster.finishedMillis).containsKey(single);
        assertThat(cluster.finishedMillis.get(single)).as("connect and deliver").isLessThan(2_250);
    }
}
