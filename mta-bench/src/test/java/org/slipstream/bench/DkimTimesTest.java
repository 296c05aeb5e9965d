package org.slipstream.bench;

import org.junit.jupiter.api.Test;
import org.slipstream.auth.dkim.DkimAlgorithm;
import org.slipstream.auth.dkim.DkimVerdict;

import static org.assertj.core.api.Assertions.assertThat;

/// Verifies that the benchmark signs and verifies. Its speed is not measured here.
class DkimTimesTest {
    @Test
    void theBenchmarkVerifiesWhatItSigns() {
        DkimTimes times = new DkimTimes();
        times.octets = 4_096;
        times.algorithm = DkimAlgorithm.ED25519;
        times.make();
        assertThat(times.verify()).isEqualTo(DkimVerdict.PASS);
        assertThat(times.hash()).hasSize(32);
        assertThat(times.sign()).startsWith("DKIM-Signature: v=1; a=ed25519-sha256");
    }
}
