package org.slipstream.bench.load.sustain;

import org.junit.jupiter.api.Test;
import org.slipstream.bench.load.sustain.Trend.TrendDirection;

import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/// Eight minutes of lines, one every ten seconds, and the trends that an operator would name.
class TrendTest {
    @Test
    void aLeakOfTwoMebibytesAMinuteGrows() {
        var trend = of(48, minute -> 200 + 2 * minute);
        assertThat(trend.perMinute()).isCloseTo(2, within(1e-9));
        assertThat(trend.gain()).isCloseTo(2 * 47 / 6.0, within(1e-9));
        assertThat(trend.direction(5)).isEqualTo(TrendDirection.GROWS);
    }

    @Test
    void aLeakIsSeenThroughNoise() {
        var random = new Random(1);
        assertThat(of(48, minute -> 200 + 4 * minute + 10 * random.nextGaussian()).direction(5))
                .isEqualTo(TrendDirection.GROWS);
    }

    /// Segments of 64 MiB that are deleted whole, and heaps that are collected.
    @Test
    void aSawDoesNotGrowWhereverItIsCut() {
        for (double teeth = 3; teeth < 12; teeth += 0.1) {
            double period = 8 / teeth;
            assertThat(of(48, minute -> 100 + 60 * (minute % period) / period).direction(5)).as("%.1f teeth", teeth)
                    .isEqualTo(TrendDirection.STEADY);
        }
    }

    @Test
    void aNegligibleRiseIsNone() {
        assertThat(of(48, minute -> 30 + minute / 4).direction(3)).isEqualTo(TrendDirection.STEADY);
        assertThat(of(48, minute -> 1_000 + minute).direction(5)).as("a hundredth").isEqualTo(TrendDirection.STEADY);
    }

    @Test
    void warmingUpFalls() {
        assertThat(of(48, minute -> 2 - minute / 10).direction(0.1)).isEqualTo(TrendDirection.FALLS);
    }

    @Test
    void elevenLinesSayNothing() {
        assertThat(of(11, minute -> 200 + 50 * minute).direction(5)).isEqualTo(TrendDirection.TOO_SHORT);
    }

    private static Trend of(int lines, DoubleUnaryOperator figure) {
        double[] minutes = IntStream.rangeClosed(1, lines).mapToDouble(line -> 2 + line / 6.0).toArray();
        return Trend.of(minutes,
                IntStream.range(0, lines).mapToDouble(i -> figure.applyAsDouble(minutes[i])).toArray());
    }
}
