package org.slipstream.lab;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.lab.Scenario.ReplyScript;
import org.slipstream.lab.Scenario.SimulatedDomain;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.World.FinalState;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Message;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/// Small random worlds with one host for a destination and one delivery at a time on a connection.
/// In each world every message reaches the state that its script implies. There are 600 worlds,
/// or 10,000 with `-Dslipstream.long=true`, on all cores. `-Dslipstream.seed=N` runs one seed and
/// prints its transcript.
class RandomWorldsTest {
    private static final int WORLDS = Boolean.getBoolean("slipstream.long") ? 10_000 : 600;

    /// Counts events that must occur in this number of worlds.
    private static final class Variety implements WorldObserver {
        final LongAdder events = new LongAdder();
        final LongAdder preemptions = new LongAdder();
        final LongAdder recursions = new LongAdder();
        final LongAdder deaths = new LongAdder();
        final LongAdder untried = new LongAdder();
        final LongAdder pauses = new LongAdder();
        final LongAdder partialReads = new LongAdder();

        @Override
        public void happened(long nowMillis, QmgrEvent event) {
            events.increment();
            if (event instanceof QmgrEvent.RecipientsRead read && !read.end()) {
                partialReads.increment();
            }
        }

        @Override
        public void preempted(Message current, Message stepping, String transport, int level, int slots) {
            preemptions.increment();
            if (level > 1) {
                recursions.increment();
            }
        }

        @Override
        public void feedback(DestinationQueue destination, FeedbackEvent event, int running,
                Destination.FlowFigures figures) {
            if (event == FeedbackEvent.FAIL_DEAD) {
                deaths.increment();
            } else if (event == FeedbackEvent.SUSPEND) {
                pauses.increment();
            }
        }

        @Override
        public void deferredWithoutAttempt(QueueId id, DestinationQueue destination, List<Recipient> recipients) {
            untried.increment();
        }
    }

    @Test
    void everyMessageComesToItsEndInEveryWorld() {
        Long only = Long.getLong("slipstream.seed");
        if (only != null) {
            run(only, WorldObserver.NONE, true);
            return;
        }
        Variety variety = new Variety();
        Optional<AssertionError> first = LongStream.rangeClosed(1, WORLDS).parallel()
                .mapToObj(seed -> trouble(seed, variety)).flatMap(Optional::stream).findFirst();
        if (first.isPresent()) {
            throw first.get();
        }
        System.out.println(WORLDS + " worlds, events=" + variety.events + " preemptions=" + variety.preemptions
                + " within-preemptions=" + variety.recursions + " deaths=" + variety.deaths + " untried="
                + variety.untried + " pauses=" + variety.pauses + " partial-reads=" + variety.partialReads);
        assertThat(variety.preemptions.sum()).as("preemptions").isGreaterThan(WORLDS / 2);
        assertThat(variety.recursions.sum()).as("preemptions of preempting jobs").isPositive();
        assertThat(variety.deaths.sum()).as("deaths").isGreaterThan(WORLDS / 2);
        assertThat(variety.untried.sum()).as("deferrals without an attempt").isGreaterThan(WORLDS / 2);
        assertThat(variety.pauses.sum()).as("pauses").isGreaterThan(WORLDS / 2);
        assertThat(variety.partialReads.sum()).as("messages read in part").isGreaterThan(WORLDS / 2);
    }

    private static Optional<AssertionError> trouble(long seed, WorldObserver observer) {
        try {
            run(seed, observer, false);
            return Optional.empty();
        } catch (RuntimeException | AssertionError trouble) {
            return Optional.of(new AssertionError("world of seed " + seed + ": " + trouble.getMessage()
                    + "\nrun it with: mvn -o -pl mta-lab test -Dtest=RandomWorldsTest -Dslipstream.seed=" + seed,
                    trouble));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 7, 42, 1_001, 31_337})
    void theSameSeedGivesTheSameTranscriptByteForByte(long seed) {
        assertThat(transcript(seed)).isNotEmpty().isEqualTo(transcript(seed));
    }

    private static String transcript(long seed) {
        StringBuilder lines = new StringBuilder();
        new World(RandomScenario.of(seed)).transcribe(line -> lines.append(line).append('\n')).run();
        return lines.toString();
    }

    private static void run(long seed, WorldObserver observer, boolean verbose) {
        Scenario scenario = RandomScenario.of(seed);
        run(scenario, new World(scenario, observer), verbose);
    }

    static void run(Scenario scenario, World world, boolean verbose) {
        if (verbose) {
            world.transcribe(System.out::println);
        }
        world.run();
        Set<QueueId> touched = new TreeSet<>();
        Set<QueueId> deleted = new TreeSet<>();
        scenario.commands().forEach(command -> {
            switch (command.command()) {
                case OperatorCommand.OfMessage(QueueId id, MessageOrder.Hold _) -> touched.add(id);
                case OperatorCommand.OfMessage(QueueId id, MessageOrder.Delete _) -> deleted.add(id);
                case OperatorCommand.OfMessage(QueueId id, MessageOrder.Bounce _) -> touched.add(id);
                case OperatorCommand.OfMessage(QueueId id, MessageOrder.Expire _) -> touched.add(id);
                case OperatorCommand.OfMessage _,OperatorCommand.OfHost _,OperatorCommand.FlushAll _,OperatorCommand.Verify _,OperatorCommand.Begin _,OperatorCommand.End _ -> {
                    // These commands lose no mail.
                }
            }
        });
        for (SimulatedMail mail : scenario.mails()) {
            check(scenario, world, mail, touched.contains(mail.id()), deleted.contains(mail.id()));
        }
    }

    private static void check(Scenario scenario, World world, SimulatedMail mail, boolean touched, boolean deleted) {
        List<FinalState> states = world.states(mail.id());
        for (int i = 0; i < states.size(); i++) {
            int number = i + 1;
            FinalState state = states.get(i);
            int copies = world.copies(mail.id(), number);
            String who = "recipient " + number + " of " + mail.id() + ", " + mail.recipients().get(i);
            int unconfirmed = world.unconfirmed(mail.id(), number);
            assertThat(copies).as("copies for " + who)
                    .isLessThanOrEqualTo(1 + scenario.crashesMillis().size() + unconfirmed);
            if (state == FinalState.DELIVERED) {
                assertThat(copies).as(who).isPositive();
            } else if (scenario.crashesMillis().isEmpty() && unconfirmed == 0) {
                assertThat(copies).as(who).isZero();
            }
            if (state == FinalState.OPEN) {
                assertThat(world.isHeld(mail.id())).as(who + " is open and not held").isTrue();
            }
            if (!touched && !deleted) {
                assertThat(state).as(who).isIn(expected(scenario, mail, i));
            }
        }
    }

    private static List<FinalState> expected(Scenario scenario, SimulatedMail mail, int i) {
        SimulatedDomain target = scenario.domains().stream()
                .filter(p -> p.domain().equals(mail.recipients().get(i).address().domainKey())).findFirst()
                .orElseThrow();
        FinalState failed = mail.sender().isPresent() ? FinalState.REPORTED : FinalState.FAILED;
        // A server that repeatedly has no sockets may keep a message until it expires.
        if (!target.isReliable() || scenario.ownServer().ownFailures() > 0) {
            return List.of(FinalState.DELIVERED, failed);
        }
        return switch (mail.recipients().get(i).script()) {
            case ReplyScript.Welcome _,ReplyScript.Late _,ReplyScript.Until _ -> List.of(FinalState.DELIVERED);
            case ReplyScript.Refused _,ReplyScript.Never _ -> List.of(failed);
        };
    }
}
