package org.slipstream.server.route;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.place.WorkerBudget;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

/// The stage with real threads.
class LookupsTest {
    private static final WorkerBudget.Shares SHARES = new WorkerBudget.Shares(2, 3);

    private final Map<String, String> answers = new ConcurrentHashMap<>();
    private final CountDownLatch gate = new CountDownLatch(1);
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    @Test
    @Tag("FI-06")
    void whileAListWaitsForItsDomainsOthersAreAnswered() {
        try (var lookups = new Lookups<String>(8, SHARES, this::find, answers::put, _ -> "defect")) {
            for (int i = 0; i < 50; i++) {
                lookups.ask(new QueueId(1), "slow" + i);
            }
            lookups.ask(new QueueId(2), "quick");
            Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> answers.containsKey("quick"));
            assertThat(answers).hasSize(1);
            gate.countDown();
            Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> answers.size() == 51);
            assertThat(most.get()).isLessThanOrEqualTo(8);
        }
    }

    @Test
    void aLookupThatIsBrokenIsAnsweredAndGivesItsWorkerBack() {
        try (var lookups = new Lookups<String>(1, SHARES, this::find, answers::put, domain -> "no " + domain)) {
            lookups.ask(new QueueId(1), "broken");
            lookups.ask(new QueueId(1), "quick");
            Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> answers.size() == 2);
            assertThat(answers).containsEntry("broken", "no broken").containsEntry("quick", "route to quick");
        }
    }

    @Test
    void afterTheEndNothingIsAskedAnyMore() {
        var lookups = new Lookups<String>(8, SHARES, this::find, answers::put, _ -> "defect");
        lookups.close();
        lookups.ask(new QueueId(1), "quick");
        assertThat(running.get()).isZero();
        assertThat(answers).isEmpty();
    }

    private String find(String domain) {
        most.accumulateAndGet(running.incrementAndGet(), Math::max);
        try {
            if (domain.startsWith("slow")) {
                gate.await();
            }
            if (domain.equals("broken")) {
                throw new IllegalStateException("broken");
            }
            return "route to " + domain;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            running.decrementAndGet();
        }
    }
}
