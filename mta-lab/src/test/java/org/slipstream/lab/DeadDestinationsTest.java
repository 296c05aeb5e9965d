package org.slipstream.lab;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Entry;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;

/// A server that is down causes one round of failures. All other mail for that server is deferred
/// with the reason of those failures, and no connection is tried.
class DeadDestinationsTest {
    private static final int WORLDS = Boolean.getBoolean("slipstream.long") ? 500 : 150;
    private static final String SUSPENDED = "delivery temporarily suspended: ";

    /// Records the dead destinations and checks the orders for them.
    private static final class DeadDestinationCheck implements WorldObserver {
        private final Set<String> dead = new TreeSet<>();
        private Optional<QmgrEvent> last = Optional.empty();
        private int deaths;
        private int untried;
        private int withReason;

        /// The queue manager forgets dead destinations when the server is killed.
        void read(String line) {
            if (line.endsWith("*** crash")) {
                dead.clear();
            }
        }

        @Override
        public void happened(long nowMillis, QmgrEvent event) {
            last = Optional.of(event);
        }

        @Override
        public void feedback(DestinationQueue destination, FeedbackEvent event, int running,
                Destination.FlowFigures figures) {
            if (event == FeedbackEvent.FAIL_DEAD) {
                deaths++;
                dead.add(name(destination));
            } else if (figures.window() > 0 || event == FeedbackEvent.TIMER_REVIVE_FORGET) {
                dead.remove(name(destination));
            }
        }

        // A transport with a window for each recipient has dead recipients. Their next hop may still
        // be used.
        private static String name(DestinationQueue destination) {
            return destination.transport() + "/" + destination.key();
        }

        @Override
        public void selected(Entry entry) {
            assertThat(dead).as("an entry of a dead destination is chosen").doesNotContain(name(entry.queue()));
        }

        @Override
        public void deferredWithoutAttempt(QueueId id, DestinationQueue destination, List<Recipient> recipients) {
            assertThat(dead).as("the destination of mail that was deferred without an attempt")
                    .contains(name(destination));
            untried += recipients.size();
        }

        @Override
        public void ordered(long nowMillis, QmgrOrder order) {
            // An entry that was chosen before the destination was dead, and then lost its
            // connection, is moved to another connection.
            if (order instanceof QmgrOrder.Open open && !(last.orElseThrow() instanceof QmgrEvent.ConnectionLost)) {
                assertThat(dead).as("a connection to a dead destination: " + open)
                        .doesNotContain(open.route().transport() + "/" + open.route().nextHop());
            }
            if (order instanceof QmgrOrder.RecordOutcome record) {
                withReason += (int) record.outcomes().stream()
                        .filter(each -> each.outcome().reply().text().startsWith(SUSPENDED)).count();
            }
        }
    }

    @Test
    @Tag("PF-10")
    @Tag("PF-22")
    void theMailOfADeadDestinationIsDeferredWithTheReasonAndWithoutAConnect() {
        int deaths = 0;
        int untried = 0;
        for (long seed = 1; seed <= WORLDS; seed++) {
            Scenario scenario = RandomScenario.of(seed);
            DeadDestinationCheck check = new DeadDestinationCheck();
            try {
                new World(scenario, check).transcribe(check::read).run();
                if (scenario.commands().isEmpty() && scenario.crashesMillis().isEmpty()) {
                    assertThat(check.withReason).as("recipients with the reason").isEqualTo(check.untried);
                }
            } catch (RuntimeException | AssertionError trouble) {
                throw new AssertionError("world of seed " + seed + ": " + trouble.getMessage(), trouble);
            }
            deaths += check.deaths;
            untried += check.untried;
        }
        // With fewer, the worlds would prove nothing.
        assertThat(deaths).isGreaterThan(WORLDS / 5);
        assertThat(untried).isGreaterThan(WORLDS / 5);
    }
}
