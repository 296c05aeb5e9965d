package org.slipstream.qmgr.flow;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

class SpacingTest {
    private final Spacing spacing = new Spacing(5, 3);

    private void took(long... millis) {
        LongStream.of(millis).forEach(spacing::took);
    }

    /// Starts as early as permitted, this number of times.
    private List<Long> starts(long fromMillis, int slots, int count) {
        List<Long> starts = new ArrayList<>();
        long now = fromMillis;
        for (int i = 0; i < count; i++) {
            now = Math.max(now, spacing.turnMillis());
            starts.add(now);
            spacing.started(now, slots);
        }
        return starts;
    }

    @Test
    void noStartIsHeldBackBeforeADurationIsKnown() {
        assertThat(starts(5_000, 20, 100)).containsOnly(5_000L);
    }

    @Test
    void twentyStartsAreSpreadOverTheTimeOfOneDelivery() {
        took(1_200);

        List<Long> starts = starts(5_000, 20, 20);

        assertThat(starts.getFirst()).isEqualTo(5_000);
        assertThat(starts.getLast()).isBetween(6_000L, 6_200L);
        assertThat(IntStream.range(2, 20).mapToLong(i -> starts.get(i) - starts.get(i - 1)))
                .allMatch(gap -> gap >= 56 && gap <= 58);
    }

    @Test
    void aServerThatIsQuickHasNoTurnsAndNoTimers() {
        took(199, 150, 3);
        assertThat(spacing.isOfUse(20)).isFalse();
        assertThat(starts(5_000, 20, 1_000)).containsOnly(5_000L);
    }

    @Test
    void oneSlotHasNothingToSpreadAndAHundredAreTooDenseForAClockOfMilliseconds() {
        took(800);
        assertThat(spacing.isOfUse(1)).isFalse();
        assertThat(spacing.isOfUse(20)).isTrue();
        assertThat(spacing.isOfUse(100)).isFalse();
    }

    @Test
    void afterAPauseThereIsNoBurst() {
        took(2_000);
        starts(0, 20, 1);
        // Half a turn is made up for, a minute of them is not.
        assertThat(starts(60_000, 20, 3)).containsExactly(60_000L, 60_048L, 60_143L);
    }

    @Test
    void theMoreTimesVaryTheMoreMissedTurnsAreMadeUpFor() {
        IntStream.range(0, 100).forEach(_ -> spacing.took(1_000));
        assertThat(startsAtOnce(spacing)).isEqualTo(1);

        Spacing uneven = new Spacing(5, 3);
        IntStream.range(0, 100).forEach(i -> uneven.took(i % 2 == 0 ? 500 : 1_500));
        assertThat(startsAtOnce(uneven)).isBetween(4, 7);
    }

    private static int startsAtOnce(Spacing of) {
        int count = 0;
        for (; of.turnMillis() <= 50_000 && count < 100; count++) {
            of.started(50_000, 20);
        }
        return count;
    }

    @Test
    void aServerThatHasBecomeQuickIsNoticedAfterAFewDeliveries() {
        took(1_200, 1_200, 1_200, 1_200);
        IntStream.range(0, 20).forEach(_ -> spacing.took(50));
        assertThat(spacing.isOfUse(10)).isFalse();
    }

    @Test
    void singleMessagesPassUntilTheirPriceIsNotPaid() {
        took(1_200);
        int passed = 0;
        for (; spacing.maySinglePass(); passed++) {
            spacing.singlePassed();
        }
        assertThat(passed).isEqualTo(3);

        starts(0, 20, 4);
        assertThat(spacing.maySinglePass()).isFalse();
        starts(10_000, 20, 1);
        assertThat(spacing.maySinglePass()).isTrue();
    }
}
