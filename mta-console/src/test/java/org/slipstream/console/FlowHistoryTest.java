package org.slipstream.console;

import org.junit.jupiter.api.Test;
import org.slipstream.admin.ApiCaller;
import org.slipstream.core.order.Right;

import java.util.Arrays;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class FlowHistoryTest {
    private static final long SECOND = 1_000_000_000L;

    private final FlowHistory history = new FlowHistory(
            new Asking((_, _, _, _) -> {
                throw new AssertionError("no look");
            }, new ApiCaller("console", Right.READ, true)));

    private void at(long second, long accepted) {
        history.add(Map.of("mtaReceivedMessages", accepted), second * SECOND);
    }

    private double[] seconds() {
        return history.seconds().getFirst().values();
    }

    @Test
    void eachSecondHasItsMessages() {
        at(1_000, 10);
        at(1_001, 15);
        at(1_002, 15);
        at(1_003, 18);

        double[] last = Arrays.copyOfRange(seconds(), 896, 900);
        assertThat(last).containsExactly(0, 5, 0, 3);
    }

    @Test
    void aLookThatCameLateIsSpreadOverItsSeconds() {
        at(1_000, 0);
        at(1_010, 40);

        assertThat(Arrays.stream(seconds()).sum()).isEqualTo(40, within(0.001));
        assertThat(seconds()[899]).isEqualTo(4, within(0.001));
    }

    @Test
    void whatIsOlderThanAQuarterOfAnHourIsForgottenAndStandsInTheMinutes() {
        at(60_000, 0);
        at(60_001, 100);
        for (int i = 2; i < 1_000; i++) {
            at(60_000 + i, 100);
        }

        assertThat(Arrays.stream(seconds()).sum()).isZero();
        assertThat(Arrays.stream(history.minutes().getFirst().values()).sum()).isEqualTo(100, within(0.001));
    }

    @Test
    void aRestartOfTheCountersIsNoNegativeFlow() {
        at(1_000, 500);
        at(1_001, 3);

        assertThat(Arrays.stream(seconds()).allMatch(value -> value >= 0)).isTrue();
    }
}
