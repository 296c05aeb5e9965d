package org.slipstream.server;

import org.junit.jupiter.api.Test;
import org.slipstream.testkit.SimulatedClock;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import static org.assertj.core.api.Assertions.assertThat;

/// A stop with a clock that the steps themselves move.
class ShutdownTest {
    private final SimulatedClock clock = new SimulatedClock();
    private final List<String> seen = Collections.synchronizedList(new ArrayList<>());
    private final Shutdown shutdown = new Shutdown(clock::nanos, Duration.ofSeconds(9));

    @Test
    void slowStepsShareOneTimeAndTheSpoolIsClosedLastInWhatWasKeptForIt() {
        push("spool", 0, 100);
        push("queue manager", 750, 10);
        push("connections", 1_500, 60_000);
        push("ports", 2_500, 60_000);
        shutdown.close();
        assertThat(seen).containsExactly("ports 6500", "connections 1000", "queue manager 750", "spool 1490");
    }

    @Test
    void quickStepsLeaveTheirTimeToTheOthers() {
        push("spool", 0, 1);
        push("connections", 1_500, 5_000);
        push("ports", 2_500, 1);
        shutdown.close();
        assertThat(seen).containsExactly("ports 6500", "connections 7499", "spool 3999");
    }

    @Test
    void aStepThatFailsOrHangsDoesNotKeepTheOthersOpen() {
        CountDownLatch over = new CountDownLatch(1);
        push("spool", 0, 1);
        shutdown.push("hangs", Duration.ofSeconds(9), _ -> over.await());
        shutdown.push("fails", Duration.ZERO, _ -> {
            throw new IOException("no disk");
        });
        shutdown.close();
        assertThat(seen).containsExactly("spool 9000");
        shutdown.close();
        assertThat(seen).hasSize(1);
        over.countDown();
    }

    /// A step that would take this long but ends at its time limit.
    private void push(String name, long keptBackMillis, long wouldTakeMillis) {
        shutdown.push(name, Duration.ofMillis(keptBackMillis), limit -> {
            seen.add(name + " " + limit.toMillis());
            clock.advanceMillis(Math.min(wouldTakeMillis, limit.toMillis()));
        });
    }
}
