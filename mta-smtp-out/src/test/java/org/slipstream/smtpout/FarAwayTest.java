package org.slipstream.smtpout;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.util.function.Predicate;

import static org.assertj.core.api.Assertions.assertThat;

/// The benchmark works. Its figures are not asserted here.
class FarAwayTest {
    @ParameterizedTest
    @EnumSource
    void messagesTravel(FarAway.Way way) throws IOException {
        FarAway run = run(way, 2, 0.1, done -> done.delivered() + done.trouble() > 0);
        assertThat(run.delivered()).isPositive();
        assertThat(run.trouble()).isZero();
    }

    @Test
    void aLongWayMakesADeepPipe() throws IOException {
        FarAway run = run(FarAway.Way.BDAT_AHEAD, 50, 0.3, done -> done.deepest() > 4);
        assertThat(run.deepest()).isGreaterThan(4);
    }

    /// On a busy machine the connection needs longer before its first answer, and more answers before
    /// it has measured the way.
    private static FarAway run(FarAway.Way way, int roundTripMillis, double seconds, Predicate<FarAway> enough)
            throws IOException {
        FarAway run = new FarAway();
        run.perSecond(way, roundTripMillis, seconds);
        return enough.test(run) || seconds > 20 ? run : run(way, roundTripMillis, 2 * seconds, enough);
    }
}
