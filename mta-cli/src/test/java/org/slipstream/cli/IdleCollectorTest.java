package org.slipstream.cli;

import org.junit.jupiter.api.Test;
import org.slipstream.cli.run.IdleCollector;

import static org.assertj.core.api.Assertions.assertThat;

final class IdleCollectorTest {
    private static final long MIB = 1 << 20;

    private long used = 30 * MIB;
    private int collections;
    private final IdleCollector rest = new IdleCollector(() -> used, () -> {
        collections++;
        used = 12 * MIB;
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
        used = 100 * MIB;
        rest.look();
        used = 60 * MIB;
        assertThat(rest.look()).as("collected by itself before").isFalse();
        used += 20 * MIB;
        assertThat(rest.look()).as("growing").isFalse();
        assertThat(collections).isEqualTo(1);
    }

    @Test
    void afterABusyTimeItGivesBackWhatTheBusyTimeTook() {
        rest.look();
        used = 300 * MIB;
        rest.look();
        used += MIB / 8;
        assertThat(rest.look()).isTrue();
        assertThat(used).isEqualTo(12 * MIB);
    }
}
