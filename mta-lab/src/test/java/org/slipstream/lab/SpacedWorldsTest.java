package org.slipstream.lab;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.lab.Scenario.ReplyScript;
import org.slipstream.lab.Scenario.SimulatedDomain;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.Scenario.SimulatedRecipient;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.settings.TransportTable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

import static org.assertj.core.api.Assertions.assertThat;

/// Random worlds with mailings, in which starts wait for their turn while servers fail, operators
/// give commands and the machine crashes. No entry is forgotten: the invariants fail when mail waits
/// and no event is scheduled. `-Dslipstream.seed=N` runs one seed.
class SpacedWorldsTest {
    private static final int WORLDS = Boolean.getBoolean("slipstream.long") ? 400 : 100;

    @Test
    void everyStartThatWaitsGetsItsTurnInEveryWorld() {
        Long only = Long.getLong("slipstream.seed");
        LongAdder held = new LongAdder();
        for (long seed = only == null ? 1 : only; seed <= (only == null ? WORLDS : only); seed++) {
            Scenario scenario = withMailings(RandomScenario.of(2 * seed), seed);
            try {
                RandomWorldsTest.run(scenario, new World(scenario, new Turns(held)), only != null);
            } catch (RuntimeException | AssertionError trouble) {
                throw new AssertionError("world of seed " + seed + ": " + trouble.getMessage(), trouble);
            }
        }
        System.out.println(WORLDS + " worlds, held-starts=" + held);
        assertThat(held.sum()).isGreaterThan(only == null ? 4 * WORLDS : 0);
    }

    /// Checks that no start waits longer than the longest delivery of these worlds.
    private record Turns(LongAdder held) implements WorldObserver {
        private static final long LONGEST_DELIVERY_MILLIS = 20_000;

        @Override
        public void startHeld(DestinationQueue destination, long nowMillis, long turnMillis) {
            held.increment();
            assertThat(turnMillis - nowMillis).as("wait at " + destination).isBetween(1L,
                    LONGEST_DELIVERY_MILLIS / destination.allowed());
        }
    }

    private static Scenario withMailings(Scenario usual, long seed) {
        List<SimulatedMail> mails = new ArrayList<>(usual.mails());
        for (SimulatedDomain target : usual.domains()) {
            QueueId id = new QueueId(mails.size() + 1L);
            List<SimulatedRecipient> list = new ArrayList<>();
            for (int i = 0; i < 40 + 10 * seed % 7; i++) {
                list.add(
                        new SimulatedRecipient(Address.of("l" + i + "@" + target.domain()), new ReplyScript.Welcome()));
            }
            mails.add(new SimulatedMail(id, 1_000 * (seed % 5), Optional.empty(), list));
        }
        QmgrConfig config = usual.config();
        TransportTable transports = TransportTable.of(changed(config.transport("smtp"), seed)).with("local",
                changed(config.transport("local"), seed));
        return new Scenario(usual.seed(), config.withTransports(transports), usual.batching(), mails, usual.domains(),
                usual.ownServer(), usual.commands(), usual.crashesMillis());
    }

    private static TransportSettings changed(TransportSettings usual, long seed) {
        return usual.withRecipientsPerDelivery(2).withRateDelay(Duration.ofMillis(seed % 11 == 0 ? 1_000 : 0))
                .withConcurrency(
                        (int) (4 + seed % 20), (int) (2 + seed % 4), (int) (seed % 7 == 0 ? 0 : 2 + seed % 5));
    }
}
