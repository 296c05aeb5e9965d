package org.slipstream.smtpout;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;

import static org.assertj.core.api.Assertions.assertThat;

/// The benchmark works. Its figures are not asserted here.
class FarAwayTest {
    @ParameterizedTest
    @EnumSource
    void messagesTravel(FarAway.Way way) throws IOException {
        FarAway run = new FarAway();
        run.perSecond(way, 2, 0.1);
        assertThat(run.delivered()).isPositive();
        assertThat(run.trouble()).isZero();
    }

    @Test
    void aLongWayMakesADeepPipe() throws IOException {
        FarAway run = new FarAway();
        // On a busy machine the connection needs more answers before it has measured the way.
        for (double seconds = 0.3; run.deepest() <= 4 && seconds < 40; seconds *= 2) {
            run.perSecond(FarAway.Way.BDAT_AHEAD, 50, seconds);
        }
        assertThat(run.deepest()).isGreaterThan(4);
    }
}
