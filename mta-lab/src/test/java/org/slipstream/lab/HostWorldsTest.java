package org.slipstream.lab;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Message;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/// Random worlds with several hosts for a domain, shared hosts, several deliveries on a connection,
/// operators, crashes and failures of this server. In each world every message reaches the state
/// that its script implies, and no entry waits that could start. There are 600 worlds, or 10,000
/// with `-Dslipstream.long=true`. `-Dslipstream.seed=N` runs one seed and prints its transcript.
class HostWorldsTest {
    private static final int WORLDS = Boolean.getBoolean("slipstream.long") ? 10_000 : 600;

    /// Counts events that must occur in this number of worlds.
    private static final class Variety {
        final LongAdder events = new LongAdder();
        final LongAdder preemptions = new LongAdder();
        final LongAdder deaths = new LongAdder();
        final LongAdder untried = new LongAdder();
        final LongAdder deep = new LongAdder();
        final LongAdder shared = new LongAdder();
        final LongAdder backups = new LongAdder();
        final LongAdder returned = new LongAdder();
        final LongAdder lost = new LongAdder();
    }

    private static final class Counter implements WorldObserver {
        private final Variety variety;
        private final Scenario scenario;
        private final Map<Long, Integer> underWay = new TreeMap<>();
        private final Map<Long, String> domains = new TreeMap<>();

        Counter(Variety variety, Scenario scenario) {
            this.variety = variety;
            this.scenario = scenario;
        }

        @Override
        public void happened(long nowMillis, QmgrEvent event) {
            variety.events.increment();
            switch (event) {
                case QmgrEvent.DeliveryDone(DeliveryResult.Unanswered _) -> variety.returned.increment();
                case QmgrEvent.DeliveryDone done -> underWay.merge(done.connection(), -1, Integer::sum);
                case QmgrEvent.ConnectionLost _ -> variety.lost.increment();
                default -> {
                    // Counted as an event.
                }
            }
        }

        @Override
        public void ordered(long nowMillis, QmgrOrder order) {
            switch (order) {
                case QmgrOrder.Open(long _, Route.Smtp(String _, String domain, List<Route.Host> hosts)) -> {
                    Route.Smtp whole = (Route.Smtp) scenario.domains().stream()
                            .filter(target -> target.route().nextHop().equals(domain)).findFirst().orElseThrow()
                            .route();
                    if (hosts.getFirst().preference() > whole.hosts().getFirst().preference()) {
                        variety.backups.increment();
                    }
                }
                case QmgrOrder.Deliver deliver -> {
                    if (underWay.merge(deliver.connection(), 1, Integer::sum) > 1) {
                        variety.deep.increment();
                    }
                    String before = domains.put(deliver.connection(), deliver.route().nextHop());
                    if (before != null && !before.equals(deliver.route().nextHop())) {
                        variety.shared.increment();
                    }
                }
                default -> {
                    // The invariants check these orders.
                }
            }
        }

        @Override
        public void preempted(Message current, Message stepping, String transport, int level, int slots) {
            variety.preemptions.increment();
        }

        @Override
        public void feedback(DestinationQueue destination, FeedbackEvent event, int running,
                Destination.FlowFigures figures) {
            if (event == FeedbackEvent.FAIL_DEAD) {
                variety.deaths.increment();
            }
        }

        @Override
        public void deferredWithoutAttempt(QueueId id, DestinationQueue destination, List<Recipient> recipients) {
            variety.untried.increment();
        }
    }

    @Test
    void everyMessageComesToItsEndInEveryWorld() {
        Variety variety = new Variety();
        Long only = Long.getLong("slipstream.seed");
        if (only != null) {
            run(only, variety, true);
            return;
        }
        run(WORLDS, seed -> run(seed, variety, false));
        System.out.println(WORLDS + " worlds with hosts, events=" + variety.events + " preemptions="
                + variety.preemptions + " deaths=" + variety.deaths + " untried=" + variety.untried
                + " several-under-way="
                + variety.deep + " shared-connections=" + variety.shared + " backup-hosts=" + variety.backups
                + " unanswered=" + variety.returned + " lost=" + variety.lost);
        for (LongAdder each : List.of(variety.preemptions, variety.deaths, variety.untried, variety.deep,
                variety.shared, variety.backups, variety.returned, variety.lost)) {
            assertThat(each.sum()).isGreaterThan(WORLDS / 4);
        }
    }

    /// An operator narrows limits for a while, closes the transport, sets rates, and takes them back.
    @Test
    void settingsThatChangeInTheMiddleLoseNoMailAndLeaveNoEntryWaiting() {
        run(WORLDS / 4, seed -> {
            Scenario scenario = RandomScenario.withHosts(seed);
            RandomWorldsTest.run(scenario,
                    ChangedSettingsTest.changing(seed, scenario, new World(scenario)), false);
        });
    }

    private static void run(int worlds, LongConsumer world) {
        Optional<AssertionError> first = LongStream.rangeClosed(1, worlds).parallel()
                .mapToObj(seed -> trouble(seed, world)).flatMap(Optional::stream).findFirst();
        if (first.isPresent()) {
            throw first.get();
        }
    }

    private static Optional<AssertionError> trouble(long seed, LongConsumer world) {
        try {
            world.accept(seed);
            return Optional.empty();
        } catch (RuntimeException | AssertionError trouble) {
            return Optional.of(new AssertionError("world of seed " + seed + ": " + trouble.getMessage()
                    + "\nrun it with: mvn -o -pl mta-lab test -Dtest=HostWorldsTest -Dslipstream.seed=" + seed,
                    trouble));
        }
    }

    private static void run(long seed, Variety variety, boolean verbose) {
        Scenario scenario = RandomScenario.withHosts(seed);
        RandomWorldsTest.run(scenario, new World(scenario, new Counter(variety, scenario)), verbose);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 7, 42, 1_001, 31_337})
    void theSameSeedGivesTheSameTranscriptByteForByte(long seed) {
        assertThat(transcript(seed)).isNotEmpty().isEqualTo(transcript(seed));
    }

    private static String transcript(long seed) {
        StringBuilder lines = new StringBuilder();
        new World(RandomScenario.withHosts(seed)).transcribe(line -> lines.append(line).append('\n'))
                .run();
        return lines.toString();
    }
}
