package org.slipstream.bench.load.sustain;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;

/// A server that replies every millisecond, but for a gap.
class StallsTest {
    private static final long MILLI = 1_000_000;
    private final Stalls stalls = new Stalls();

    @Test
    void aGapIsShownWithWhatOverlapsIt() {
        stalls.begin(0);
        repliesFrom(1, 1_000);
        repliesFrom(1_400, 2_000);
        stalls.evidence().add(new Evidence(900 * MILLI, 1_300 * MILLI, "sync of the log"));
        stalls.evidence().add(new Evidence(1_390 * MILLI, 1_900 * MILLI, "compiler"));
        stalls.evidence().add(new Evidence(1_500 * MILLI, 1_900 * MILLI, "sync of the index"));
        assertThat(report())
                .contains("1 stalls of 200 ms", "| 1.00 | 250 | 400 | sync of the log 300 (1); compiler 10 (1) |")
                .contains("| sync of the index | 1 | 400 | 400 |");
    }

    @Test
    void shortGapsAndGapsBeforeTheSteadyPartAreNoStalls() {
        repliesFrom(0, 1);
        stalls.begin(5_000 * MILLI);
        repliesFrom(5_199, 5_300);
        repliesFrom(5_499, 5_500);
        assertThat(report()).contains("0 stalls");
    }

    private void repliesFrom(long fromMillis, long toMillis) {
        for (long at = fromMillis; at <= toMillis; at++) {
            stalls.taken(at * MILLI);
        }
    }

    private String report() {
        var out = new ByteArrayOutputStream();
        stalls.report(new PrintStream(out));
        return out.toString(StandardCharsets.UTF_8);
    }
}
