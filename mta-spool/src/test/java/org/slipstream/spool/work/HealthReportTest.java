package org.slipstream.spool.work;

import org.junit.jupiter.api.Test;
import org.slipstream.spool.Spool;
import org.slipstream.spool.Spool.Trouble;
import org.slipstream.spool.Spool.What;
import org.slipstream.testkit.SimulatedClock;

import java.io.IOException;
import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;

class HealthReportTest {
    private final SimulatedClock clock = new SimulatedClock();
    private final HealthReport health = new HealthReport(clock::millis, clock::nanos);

    private void after(long seconds) {
        clock.advance(Duration.ofSeconds(seconds));
    }

    @Test
    void aTroubleIsToldSinceItBeganWithTheLatestReasonUntilItIsOver() {
        long since = clock.millis();
        health.met(What.LOG, new IOException("cannot write", new IOException("input/output error")));
        after(60);
        health.met(What.LOG, new IOException("No space left on device"));
        health.met(What.INDEX, new IllegalStateException());
        assertThat(health.now()).containsExactlyInAnyOrder(
                new Trouble(What.LOG, since, "No space left on device", true),
                new Trouble(What.INDEX, since + 60_000, "IllegalStateException", false));
        health.over(What.LOG);
        health.over(What.INDEX);
        assertThat(health.now()).isEmpty();
        health.met(What.LOG, new IOException("again"));
        assertThat(health.now()).containsExactly(new Trouble(What.LOG, since + 60_000, "again", false));
    }

    @Test
    void aWriteThatDoesNotComeBackIsToldThoughNothingHasFailed() {
        long since = clock.millis();
        health.begins(Spool.What.LOG);
        after(9);
        assertThat(health.now()).as("slow disks are no news").isEmpty();
        after(3);
        assertThat(health.now()).containsExactly(
                new Trouble(What.STALL, since, "a write has not returned for 12 s", false));
        health.ends(Spool.What.LOG);
        assertThat(health.now()).isEmpty();
        after(100);
        assertThat(health.now()).as("a writer with nothing to do").isEmpty();
    }

    @Test
    void aWriteOfAMinuteHangs() {
        health.begins(Spool.What.INDEX);
        after(59);
        assertThat(health.hangs()).isFalse();
        after(1);
        assertThat(health.hangs()).isTrue();
        health.begins(Spool.What.LOG);
        after(60);
        assertThat(health.hangs()).isTrue();
        health.ends(Spool.What.LOG);
        health.ends(Spool.What.INDEX);
        assertThat(health.hangs()).isFalse();
        health.broke();
        assertThat(health.hangs()).as("for good").isTrue();
    }
}
