package org.slipstream.lab;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.lab.Mailing.Result;
import org.slipstream.qmgr.lane.LaneSeating;

import static org.assertj.core.api.Assertions.assertThat;

/// A mailing of a thousand deliveries over twenty connections, 1.2 seconds each, and a letter to the same place every second.
class SpacedStartsTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aLetterFindsAConnectionAtOnceAndTheMailingHardlyNotices(long seed) {
        Result alone = Mailing.USUAL.alone(seed, LaneSeating::new);
        Result mixed = Mailing.USUAL.mixed(seed, LaneSeating::new);

        assertThat(mixed.median()).isLessThanOrEqualTo(50);
        assertThat(mixed.percentile(99)).isLessThanOrEqualTo(200);
        assertThat(mixed.mailingMillis() / (double) alone.mailingMillis()).isLessThanOrEqualTo(1.05);
    }
}
