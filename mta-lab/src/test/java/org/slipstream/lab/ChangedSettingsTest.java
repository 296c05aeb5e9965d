package org.slipstream.lab;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.SettingsRecords;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.settings.TransportTable;
import org.slipstream.qmgr.wake.DestinationPattern;
import org.slipstream.qmgr.wake.DestinationSettings;
import org.slipstream.qmgr.wake.DestinationTable;
import org.slipstream.qmgr.wake.Rate;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/// Queue managers whose settings change while they run.
class ChangedSettingsTest {
    private static final int WORLDS = Boolean.getBoolean("slipstream.long") ? 4_000 : 40;
    private static final int OTHER = 77;

    /// Not one setting of a queue manager is forgotten: with a part that kept its former setting, the
    /// two transcripts would differ in some world.
    @Test
    void aQueueManagerThatTookItsSettingsLaterDecidesAsOneThatBeganWithThem() {
        LongAdder differing = new LongAdder();
        LongStream.rangeClosed(1, WORLDS).parallel().forEach(seed -> {
            Scenario scenario = RandomScenario.of(seed);
            QmgrConfig config = scenario.config();
            QmgrConfig former = former(seed).withPolicy(config.policy()).withReads(config.recipientBatch(),
                    config.scanLimit());
            differing.add(former.equals(scenario.config()) ? 0 : 1);
            assertThat(transcript(new World(scenario).startedWith(former))).as("world of seed " + seed)
                    .isEqualTo(transcript(new World(scenario)));
        });
        assertThat(differing.sum()).isEqualTo(WORLDS);
    }

    private static QmgrConfig former(long seed) {
        QmgrConfig other = RandomScenario.withHosts(seed + OTHER).config();
        return other.withTransports(TransportTable.of(strange(other.transport("smtp"))))
                .withQueue(SettingsRecords.with(other.queue(), "minimalBackoff", Duration.ofHours(7)))
                .withSecondExpiry(Optional.of(Duration.ofMillis(1)));
    }

    private static TransportSettings strange(TransportSettings settings) {
        return settings.withConcurrency(1, 1, 1).withSlots(17, 1, 1, 9).withRecipientsPerDelivery(1)
                .withRecipientLimits(3, 2, 1, Duration.ofHours(1)).withRateDelay(Duration.ofHours(1));
    }

    /// Every message reaches its end, the invariants hold, and a limit that was lowered for a while is
    /// no trap.
    @Test
    void settingsThatChangeInTheMiddleLoseNoMail() {
        LongStream.rangeClosed(1, WORLDS).parallel().forEach(seed -> {
            Scenario scenario = RandomScenario.of(seed);
            run(scenario, changing(seed, scenario, new World(scenario)));
        });
    }

    /// With three shards as well. A lane that no shard asks for again shows as mail that expires.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shardsThatShareLimitsLoseNoMail(boolean changing) {
        LongStream.rangeClosed(1, WORLDS).parallel().forEach(seed -> {
            Scenario scenario = RandomScenario.of(seed);
            World world = new World(scenario, ShardPlan.of(3), WorldObserver.NONE);
            run(scenario, changing ? changing(seed, scenario, world) : world);
        });
    }

    private static void run(Scenario scenario, World world) {
        try {
            RandomWorldsTest.run(scenario, world, false);
        } catch (RuntimeException | AssertionError trouble) {
            throw new AssertionError("world of seed " + scenario.seed() + ": " + trouble.getMessage(), trouble);
        }
    }

    /// The same world with settings that an operator narrows and widens again in the first ten minutes.
    static World changing(long seed, Scenario scenario, World world) {
        Random random = new Random(seed);
        for (int change = 0; change < 6; change++) {
            QmgrConfig narrow = narrow(scenario.config(), random);
            PlaceRules rules = scenario.placement();
            world.changed(random.nextInt(600_000), random.nextInt(3) == 0 ? scenario.config() : narrow, rules);
        }
        return world.changed(600_000, scenario.config(), scenario.placement());
    }

    private static QmgrConfig narrow(QmgrConfig config, Random random) {
        TransportSettings smtp = config.transport("smtp");
        int limit = Math.max(1, smtp.concurrencyLimit() == 0 ? 3 : random.nextInt(smtp.concurrencyLimit()) + 1);
        // 0 closes the transport.
        int workers = random.nextInt(smtp.workers() + 1);
        return config.withTransports(config.transports().with("smtp",
                smtp.withConcurrency(workers, 1, limit)
                        .withSlots(random.nextInt(6), random.nextInt(4), random.nextInt(101), random.nextInt(4))
                        .withRecipientLimits(smtp.recipientLimit() / 2 + 1, smtp.extraRecipientLimit(),
                                smtp.refillLimit(), smtp.refillDelay())))
                .withSpacedStarts(random.nextBoolean())
                .withDestinations(random.nextBoolean() ? DestinationTable.EMPTY : rate(random));
    }

    private static DestinationTable rate(Random random) {
        Rate rate = new Rate(random.nextInt(3) + 1, Duration.ofMinutes(random.nextInt(60) + 1));
        return new DestinationTable(List.of(new DestinationTable.Clause(
                DestinationPattern.parse("d" + random.nextInt(4) + ".example").orElseThrow(),
                SettingsRecords.with(DestinationSettings.NONE, "rate", Optional.of(rate)))), new TreeMap<>());
    }

    private static String transcript(World world) {
        StringBuilder lines = new StringBuilder();
        world.transcribe(line -> lines.append(line).append('\n')).run();
        return lines.toString();
    }
}
