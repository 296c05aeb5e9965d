package org.slipstream.qmgr.flow;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class SpacingTest {
    private final Spacing spacing = new Spacing();

    private void took(long... millis) {
        LongStream.of(millis).forEach(spacing::took);
    }

    /// Starts as early as it may, so many times.
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
    void nobodyIsHeldBackBeforeOneDeliveryHasShownHowLongItTakes() {
        assertThat(starts(5_000, 20, 100)).containsOnly(5_000L);
    }

    @Test
    void twentyStartsAreSpreadOverTheTimeOfOneDelivery() {
        took(1_200);

        List<Long> starts = starts(5_000, 20, 20);

        assertThat(starts.getFirst()).isEqualTo(5_000);
        assertThat(starts.getLast()).isBetween(5_900L, 6_200L);
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
    void whoeverIsLateDoesNotMakeTheOthersLateButDebtsAreForgottenSoon() {
        took(2_000);
        starts(0, 20, 1);
        spacing.started(60_000, 20);
        // One turn was missed and is made up for, a minute of them is not.
        assertThat(starts(60_000, 20, 2)).containsExactly(60_000L, 60_095L);
    }

    @Test
    void equalTimesAreLearnedExactlyAndTimesThatVaryMuchAreLearnedShort() {
        IntStream.range(0, 500).forEach(_ -> spacing.took(1_000));
        assertThat(spacing.distanceMillis(10)).isCloseTo(95, within(0.01));

        Random chance = new Random(4);
        double mean = 0;
        for (int i = 0; i < 2_000; i++) {
            spacing.took(Math.round(-1_000 * Math.log(1 - chance.nextDouble())));
            mean += spacing.distanceMillis(10) / 2_000;
        }
        assertThat(mean).isBetween(45.0, 65.0);
    }

    @Test
    void aServerThatHasBecomeQuickIsNoticedAfterAFewDeliveries() {
        took(30_000);
        IntStream.range(0, 20).forEach(_ -> spacing.took(50));
        assertThat(spacing.isOfUse(10)).isFalse();
    }

    @Test
    void lettersMayGoInFrontUntilThePriceIsNotPaid() {
        took(1_200);
        int passed = 0;
        for (; spacing.letsLetterPass(); passed++) {
            spacing.letterPassed();
        }
        assertThat(passed).isEqualTo(Spacing.LOAN);

        starts(0, 20, Spacing.COST - 1);
        assertThat(spacing.letsLetterPass()).isFalse();
        starts(10_000, 20, 1);
        assertThat(spacing.letsLetterPass()).isTrue();
    }
}
