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

/// A server that is down costs its mail one round of failures. Whatever else waits for it, or
/// arrives meanwhile, is deferred with the reason of those failures, and no connection is tried for
/// it.
class DeadDestinationsTest {
    private static final int WORLDS = Boolean.getBoolean("slipstream.long") ? 500 : 150;
    private static final String SUSPENDED = "delivery temporarily suspended: ";

    /// Remembers who is dead, and judges what is done for them.
    private static final class Undertaker implements Witness {
        private final Set<String> dead = new TreeSet<>();
        private Optional<QmgrEvent> last = Optional.empty();
        private int deaths;
        private int spared;
        private int told;

        /// A server that was killed has forgotten who was dead.
        void hears(String line) {
            if (line.endsWith("*** crash")) {
                dead.clear();
            }
        }

        @Override
        public void happened(long nowMillis, QmgrEvent event) {
            last = Optional.of(event);
        }

        @Override
        public void feedback(DestinationQueue line, FeedbackEvent event, int running, Destination.FlowFigures figures) {
            if (event == FeedbackEvent.FAIL_DEAD) {
                deaths++;
                dead.add(name(line));
            } else if (figures.window() > 0 || event == FeedbackEvent.TIMER_REVIVE_FORGET) {
                dead.remove(name(line));
            }
        }

        // With a window for each recipient the dead one is a recipient, whose next hop may well be
        // called.
        private static String name(DestinationQueue line) {
            return line.transport() + "/" + line.key();
        }

        @Override
        public void selected(Entry entry) {
            assertThat(dead).as("an entry of a dead destination is chosen").doesNotContain(name(entry.queue()));
        }

        @Override
        public void deferredWithoutAttempt(QueueId id, DestinationQueue line, List<Recipient> recipients) {
            assertThat(dead).as("who is spared a try").contains(name(line));
            spared += recipients.size();
        }

        @Override
        public void ordered(long nowMillis, QmgrOrder order) {
            // An entry that was chosen before the death and lost its connection is moved to
            // another.
            if (order instanceof QmgrOrder.Open open && !(last.orElseThrow() instanceof QmgrEvent.ConnectionLost)) {
                assertThat(dead).as("a dead destination is called: " + open)
                        .doesNotContain(open.route().transport() + "/" + open.route().nextHop());
            }
            if (order instanceof QmgrOrder.RecordOutcome record) {
                told += (int) record.outcomes().stream()
                        .filter(each -> each.outcome().reply().text().startsWith(SUSPENDED)).count();
            }
        }
    }

    @Test
    @Tag("PF-10")
    @Tag("PF-22")
    void theMailOfADeadDestinationIsDeferredWithTheReasonAndWithoutAConnect() {
        int deaths = 0;
        int spared = 0;
        for (long seed = 1; seed <= WORLDS; seed++) {
            Scenario scenario = RandomScenario.of(seed);
            Undertaker undertaker = new Undertaker();
            try {
                new World(scenario, undertaker).transcribe(undertaker::hears).run();
                if (scenario.deeds().isEmpty() && scenario.crashesMillis().isEmpty()) {
                    assertThat(undertaker.told).as("recipients who are told why").isEqualTo(undertaker.spared);
                }
            } catch (RuntimeException | AssertionError trouble) {
                throw new AssertionError("world of seed " + seed + ": " + trouble.getMessage(), trouble);
            }
            deaths += undertaker.deaths;
            spared += undertaker.spared;
        }
        // Else the worlds were too kind to say anything.
        assertThat(deaths).isGreaterThan(WORLDS / 5);
        assertThat(spared).isGreaterThan(WORLDS / 5);
    }
}
