package org.slipstream.spool;

import org.junit.jupiter.api.Test;
import org.slipstream.spool.Spool.Trouble;
import org.slipstream.spool.Spool.What;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

class TroublesTest {
    private final AtomicLong millis = new AtomicLong(1_800_000_000_000L);
    private final AtomicLong nanos = new AtomicLong(-5);
    private final Troubles troubles = new Troubles(millis::get, nanos::get);

    private void after(long seconds) {
        millis.addAndGet(TimeUnit.SECONDS.toMillis(seconds));
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void aTroubleIsToldSinceItBeganWithTheLatestReasonUntilItIsOver() {
        long since = millis.get();
        troubles.met(What.LOG, new IOException("cannot write", new IOException("input/output error")));
        after(60);
        troubles.met(What.LOG, new IOException("No space left on device"));
        troubles.met(What.INDEX, new IllegalStateException());
        assertThat(troubles.now()).containsExactlyInAnyOrder(
                new Trouble(What.LOG, since, "No space left on device", true),
                new Trouble(What.INDEX, since + 60_000, "IllegalStateException", false));
        troubles.over(What.LOG);
        troubles.over(What.INDEX);
        assertThat(troubles.now()).isEmpty();
        troubles.met(What.LOG, new IOException("again"));
        assertThat(troubles.now()).containsExactly(new Trouble(What.LOG, since + 60_000, "again", false));
    }

    @Test
    void aWriteThatDoesNotComeBackIsToldThoughNothingHasFailed() {
        long since = millis.get();
        troubles.begins(Spool.What.LOG);
        after(9);
        assertThat(troubles.now()).as("slow disks are no news").isEmpty();
        after(3);
        assertThat(troubles.now()).containsExactly(
                new Trouble(What.STALL, since, "a write has not come back for 12 s", false));
        troubles.ends(Spool.What.LOG);
        assertThat(troubles.now()).isEmpty();
        after(100);
        assertThat(troubles.now()).as("a writer with nothing to do").isEmpty();
    }
}
