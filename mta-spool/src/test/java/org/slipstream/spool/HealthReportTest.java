package org.slipstream.spool;

import org.junit.jupiter.api.Test;
import org.slipstream.spool.Spool.Trouble;
import org.slipstream.spool.Spool.What;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

class HealthReportTest {
    private final AtomicLong millis = new AtomicLong(1_800_000_000_000L);
    private final AtomicLong nanos = new AtomicLong(-5);
    private final HealthReport health = new HealthReport(millis::get, nanos::get);

    private void after(long seconds) {
        millis.addAndGet(TimeUnit.SECONDS.toMillis(seconds));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void aTroubleIsToldSinceItBeganWithTheLatestReasonUntilItIsOver() {
        long since = millis.get();
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
        long since = millis.get();
        health.begins(Spool.What.LOG);
        after(9);
        assertThat(health.now()).as("slow disks are no news").isEmpty();
        after(3);
        assertThat(health.now()).containsExactly(
                new Trouble(What.STALL, since, "a write has not come back for 12 s", false));
        health.ends(Spool.What.LOG);
        assertThat(health.now()).isEmpty();
        after(100);
        assertThat(health.now()).as("a writer with nothing to do").isEmpty();
    }
}
