package org.slipstream.cli;

import org.junit.jupiter.api.Test;
import org.slipstream.cli.run.HeapCollector;

import static org.assertj.core.api.Assertions.assertThat;

final class HeapCollectorTest {
    private static final long MIB = 1 << 20;

    private long used = 30 * MIB;
    private long live = 12 * MIB;
    private int collections;
    private final HeapCollector rest = new HeapCollector(() -> used, () -> {
        collections++;
        used = live;
    });

    @Test
    void theGarbageOfAStartIsCollectedInQuiet() {
        used += 5 * MIB;
        assertThat(rest.look()).as("still starting").isFalse();
        assertThat(rest.look()).as("quiet").isTrue();
        assertThat(collections).isEqualTo(1);
    }

    @Test
    void aQuietServerIsNotCollectedAgainAndAgain() {
        rest.look();
        for (int hour = 0; hour < 30; hour++) {
            used += MIB / 10;
            rest.look();
        }
        assertThat(collections).isEqualTo(1);
    }

    @Test
    void aBusyServerIsLeftAloneAlsoWhenItsOwnCollectionsMakeTheHeapLookStill() {
        rest.look();
        used = 70 * MIB;
        rest.look();
        used = 40 * MIB;
        assertThat(rest.look()).as("collected by itself before").isFalse();
        used += 20 * MIB;
        assertThat(rest.look()).as("growing").isFalse();
        assertThat(collections).isEqualTo(1);
    }

    @Test
    void aHeapThatHasGrownIsCollectedAlsoWhileTheServerIsBusy() {
        rest.look();
        used = 92 * MIB;
        assertThat(rest.look()).as("at the limit").isFalse();
        used += 1;
        assertThat(rest.look()).as("beyond it").isTrue();
    }

    @Test
    void aHeapThatIsLargeForGoodReasonMayDouble() {
        live = 200 * MIB;
        rest.look();
        used = 400 * MIB;
        assertThat(rest.look()).as("twice as large").isFalse();
        used += 1;
        assertThat(rest.look()).as("larger").isTrue();
        assertThat(used).isEqualTo(200 * MIB);
    }

    @Test
    void afterABusyTimeItGivesBackWhatTheBusyTimeTook() {
        rest.look();
        used = 80 * MIB;
        rest.look();
        used += MIB / 8;
        assertThat(rest.look()).isTrue();
        assertThat(used).isEqualTo(12 * MIB);
    }
}
