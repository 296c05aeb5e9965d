package org.slipstream.lab;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slipstream.core.HostKey;
import org.slipstream.lab.Scenario.ReplyScript;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.ShardPlan.ShardAction;
import org.slipstream.lab.World.FinalState;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;
import org.slipstream.qmgr.wake.LimitKey;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/// Mixed mail through 1, 2 and 4 shards, with changes of the shards in its middle. [ConnectionLimits]
/// counts at the receiving side.
class ShardSoakTest {
    private static final long MINUTE = ShardSoakScenario.MINUTE;
    private static final int MOST_EVENTS = 60_000;

    static List<ShardAction> actions(int shards) {
        List<ShardAction> actions = new ArrayList<>(List.of(new ShardAction.Kill(3 * MINUTE + 217, 1)));
        if (shards > 1) {
            actions.add(new ShardAction.SetMode(5 * MINUTE, 2, ShardMode.DISABLED));
            actions.add(new ShardAction.Kill(6 * MINUTE + 1_001, 2));
            actions.add(new ShardAction.Add(7 * MINUTE));
            actions.add(new ShardAction.SetMode(9 * MINUTE, 2, ShardMode.NORMAL));
            actions.add(new ShardAction.SetMode(11 * MINUTE, shards + 1, ShardMode.DRAINED));
            actions.add(new ShardAction.Kill(12 * MINUTE + 555, shards));
            actions.add(new ShardAction.Remove(16 * MINUTE, shards + 1));
        }
        return actions;
    }

    @ParameterizedTest(name = "{0} shards, messages of {1} ms, seed {2}")
    @CsvSource({"1, 0, 1", "2, 0, 1", "2, 5, 2", "4, 0, 1", "4, 5, 2", "4, 1, 3"})
    @Tag("IM-27")
    void nothingIsLostOrDoubledAndEveryLimitHolds(int shards, long messageMillis, long seed) {
        Scenario scenario = ShardSoakScenario.of(seed);
        World world = soaked(scenario, shards, messageMillis);
        assertThat(world.limits().most()).as("each limit was reached, and none was exceeded")
                .containsEntry(LimitKey.SERVER, ShardSoakScenario.SERVER)
                .hasEntrySatisfying(LimitKey.transport("smtp"),
                        most -> assertThat(most).isBetween(ShardSoakScenario.LANES - 2, ShardSoakScenario.LANES))
                .containsEntry(LimitKey.ring("bulk"), ShardSoakScenario.RING)
                .containsEntry(LimitKey.destination("smtp/narrow.example"), ShardSoakScenario.NARROW)
                .containsEntry(LimitKey.host("smtp", HostKey.of("mx.hoster.example", 25)),
                        ShardSoakScenario.PER_DESTINATION)
                .containsEntry(LimitKey.rate("smtp/rated.example"), ShardSoakScenario.RATE.deliveries());
    }

    /// The world itself throws when a limit is exceeded at the receiving side.
    @ParameterizedTest
    @MethodSource("seeds")
    void otherSeedsLoseAndDoubleNothingEither(long seed) {
        soaked(ShardSoakScenario.of(seed), (int) (2 + seed % 3), seed % 4);
    }

    static LongStream seeds() {
        return LongStream.range(100, Boolean.getBoolean("slipstream.long") ? 400 : 104);
    }

    private static World soaked(Scenario scenario, int shards, long messageMillis) {
        World world = new World(scenario, ShardPlan.of(shards).with(actions(shards)).withMessages(messageMillis),
                WorldObserver.NONE).atMost(MOST_EVENTS).run();
        scenario.mails().forEach(mail -> check(scenario, world, mail));
        assertThat(world.totals().queued()).as("queued at the end").isZero();
        assertThat(world.broker().accounts()).as("lanes that are asked for at the end")
                .allSatisfy(account -> assertThat(account.demand()).isZero());
        return world;
    }

    private static void check(Scenario scenario, World world, SimulatedMail mail) {
        int crashes = world.crashes(mail.id());
        List<FinalState> states = world.states(mail.id());
        for (int i = 0; i < states.size(); i++) {
            int number = i + 1;
            String who = "recipient " + number + " of " + mail.id() + ", " + mail.recipients().get(i);
            assertThat(states.get(i)).as(who).isIn(expected(scenario, mail, i));
            int explained = crashes + world.unconfirmed(mail.id(), number);
            int copies = world.copies(mail.id(), number);
            assertThat(copies).as("copies for " + who).isLessThanOrEqualTo(1 + explained);
            if (states.get(i) == FinalState.DELIVERED) {
                assertThat(copies).as(who).isPositive();
            } else if (explained == 0) {
                assertThat(copies).as(who).isZero();
            }
        }
    }

    private static Set<FinalState> expected(Scenario scenario, SimulatedMail mail, int i) {
        String domain = mail.recipients().get(i).address().domainKey();
        if (domain.equals("dead.example")) {
            return Set.of(FinalState.REPORTED);
        }
        return mail.recipients().get(i).script() instanceof ReplyScript.Refused
                ? Set.of(FinalState.REPORTED)
                : Set.of(FinalState.DELIVERED);
    }
}
