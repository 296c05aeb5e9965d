package org.slipstream.world;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/// When a stop explains that the server does something again.
class WorldLedgerTest {
    private static final long SECOND = 1_000_000_000L;

    private final WorldLedger ledger = new WorldLedger();

    @Test
    void aStopRightAfterAnOutcomeMayForgetIt() {
        ledger.stops.add(100 * SECOND);
        assertThat(ledger.mayBeForgotten(98 * SECOND)).isTrue();
        assertThat(ledger.mayBeForgotten(98 * SECOND - 1)).isFalse();
        assertThat(ledger.mayBeForgotten(100 * SECOND + 1)).isFalse();
    }

    @Test
    void aDiskInTroubleForgetsOnlyWithAStopUntilItHasRecovered() {
        ledger.diskTrouble(100 * SECOND, 200 * SECOND);
        assertThat(ledger.mayBeForgotten(150 * SECOND)).isFalse();
        ledger.stops.add(260 * SECOND);
        assertThat(ledger.mayBeForgotten(98 * SECOND)).isTrue();
        assertThat(ledger.mayBeForgotten(97 * SECOND)).isFalse();
        assertThat(ledger.mayBeForgotten(255 * SECOND)).isTrue();
        ledger.stops.set(0, 261 * SECOND);
        assertThat(ledger.mayBeForgotten(150 * SECOND)).isFalse();
    }
}
