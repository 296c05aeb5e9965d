package org.slipstream.lab;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.lab.Scenario.Outage;
import org.slipstream.lab.Scenario.OwnServer;
import org.slipstream.lab.Scenario.ReplyScript;
import org.slipstream.lab.Scenario.SimulatedDomain;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.Scenario.SimulatedRecipient;
import org.slipstream.lab.Scenario.TimedCommand;
import org.slipstream.lab.ShardPlan.ShardAction;
import org.slipstream.lab.World.FinalState;
import org.slipstream.lab.journal.Replay;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.journal.JournalObserver;
import org.slipstream.qmgr.journal.JournalRecord;
import org.slipstream.qmgr.journal.file.JournalText;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;
import org.slipstream.qmgr.shard.ShardRules;
import org.slipstream.qmgr.shard.ShardRules.Growth;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/// Several queue managers in one simulated world: placement, drained and disabled shards, and mail of
/// one shard beside mail of another.
class ShardWorldTest {
    private static final long SECOND = 1_000;
    private static final long MINUTE = 60 * SECOND;
    private static final Optional<Address> SENDER = Optional.of(Address.of("s@home.example"));

    private static SimulatedDomain domain(String name, long millis, List<Outage> outages) {
        return new SimulatedDomain(name, new Route.Smtp(name, List.of(new Route.Host("mx." + name, 25, 10))), 0,
                false, 30, millis, outages, Integer.MAX_VALUE, 0, Long.MAX_VALUE);
    }

    private static SimulatedMail letter(long id, long at, String to) {
        return new SimulatedMail(new QueueId(id), at, SENDER,
                List.of(new SimulatedRecipient(Address.of("a" + id + "@" + to), new ReplyScript.Welcome())));
    }

    private static Scenario scenario(List<SimulatedMail> mails, List<SimulatedDomain> domains,
            List<TimedCommand> commands) {
        QmgrConfig config = QmgrConfig.defaults();
        List<SimulatedDomain> all = new ArrayList<>(domains);
        all.add(new SimulatedDomain("home.example", new Route.Local("home.example"), 0, false,
                ServerProfile.taking(5)));
        return new Scenario(1, config, true, mails, all, new OwnServer(2, 1, 10, 0, 0), commands, List.of(),
                QueueManagers.production(config));
    }

    /// Counts the messages that each shard accepts.
    private static Map<Integer, Integer> placed(World world) {
        Map<Integer, Integer> counts = new TreeMap<>();
        world.shards().all().forEach(shard -> counts.put(shard.number,
                shard.spool.removed.size() + shard.spool.rows.size()));
        return counts;
    }

    @ParameterizedTest
    @ValueSource(strings = {"STATIC", "DYNAMIC"})
    @Tag("IM-02")
    @Tag("IM-10")
    @Tag("IM-11")
    void equalMailIsSpreadWithinTenPercentOfEven(Growth growth) {
        List<SimulatedMail> mails = new ArrayList<>();
        Random random = new Random(3);
        for (int i = 1; i <= 8_000; i++) {
            mails.add(letter(i, random.nextInt((int) (10 * MINUTE)), "d" + i % 50 + ".example"));
        }
        List<SimulatedDomain> domains = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            domains.add(domain("d" + i + ".example", 500, List.of()));
        }
        World world = new World(scenario(mails, domains, List.of()),
                ShardPlan.of(4).with(new ShardRules(growth, 4, 90)), WorldObserver.NONE).atMost(1_000_000)
                .withoutStateChecks().run();
        assertThat(placed(world)).hasSize(4)
                .allSatisfy((_, count) -> assertThat(count).isCloseTo(2_000, within(200)));
    }

    @Test
    @Tag("IM-05")
    @Tag("IM-06")
    void aRelayGrowsByItsDeliveriesAndShrinksWhenTheyEnd() {
        List<SimulatedMail> mails = new ArrayList<>();
        for (int i = 1; i <= 600; i++) {
            mails.add(letter(i, i * SECOND, "d" + i % 40 + ".example"));
        }
        List<SimulatedDomain> domains = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            domains.add(domain("d" + i + ".example", 60_000, List.of()));
        }
        QmgrConfig config = QmgrConfig.defaults();
        Scenario plain = scenario(mails, domains, List.of());
        QmgrConfig narrow = config.withTransports(
                config.transports().with("smtp", config.transport("smtp").withConcurrency(20, 5, 20)));
        Scenario relay = new Scenario(1, narrow, true, plain.mails(), plain.domains(), plain.ownServer(),
                List.of(), List.of(), QueueManagers.production(narrow));
        List<ShardAction> looks = new ArrayList<>();
        for (int minute = 1; minute <= 240; minute++) {
            looks.add(new ShardAction.Follow(minute * MINUTE));
        }
        World world = new World(relay, ShardPlan.of(1).with(new ShardRules(Growth.DYNAMIC, 3, 90)).with(looks),
                WorldObserver.NONE).atMost(1_000_000).withoutStateChecks().run(20 * MINUTE);
        assertThat(world.shards().running()).as("while the relay is busy").hasSize(3);
        world.run();
        assertThat(world.shards().running()).as("afterwards").hasSize(1);
        mails.forEach(mail -> assertThat(world.states(mail.id())).containsExactly(FinalState.DELIVERED));
    }

    @Test
    @Tag("IM-20")
    void aHeldShardTakesMailEndsItsDeliveriesAndStartsNone() {
        List<SimulatedMail> mails = new ArrayList<>();
        for (int i = 1; i <= 60; i++) {
            mails.add(letter(i, i * SECOND, "slow.example"));
        }
        World world = new World(scenario(mails, List.of(domain("slow.example", 9_000, List.of())), List.of()),
                ShardPlan.of(1).with(List.of(new ShardAction.SetMode(30_500, 1, ShardMode.HELD),
                        new ShardAction.SetMode(10 * MINUTE, 1, ShardMode.NORMAL))),
                WorldObserver.NONE).run(9 * MINUTE);
        SimulatedShard shard = world.shards().first();
        assertThat(shard.snapshot().messages()).as("it has taken and routed the mail")
                .hasSize(shard.spool.rows.size()).hasSizeBetween(30, 59)
                .allSatisfy(each -> assertThat(each.phase().text()).contains("shard 1 is held"));
        assertThat(shard.snapshot().destinations()).singleElement()
                .satisfies(each -> assertThat(each.running()).isZero());
        assertThat(shard.spool.removed).as("what ran was finished").isNotEmpty();
        world.run();
        mails.forEach(mail -> assertThat(world.states(mail.id())).containsExactly(FinalState.DELIVERED));
    }

    @Test
    @Tag("IM-22")
    void aDisabledShardGetsNoMailAndDeliversWhatItHas() {
        List<SimulatedMail> mails = new ArrayList<>();
        for (int i = 1; i <= 400; i++) {
            mails.add(letter(i, i * SECOND, i % 10 == 0 ? "down.example" : "d.example"));
        }
        World world = new World(
                scenario(mails, List.of(domain("d.example", 500, List.of()),
                        domain("down.example", 500, List.of(new Outage(0, 30 * MINUTE)))), List.of()),
                ShardPlan.of(2).with(List.of(new ShardAction.SetMode(100 * SECOND, 2, ShardMode.DISABLED),
                        new ShardAction.SetMode(300 * SECOND, 2, ShardMode.NORMAL))),
                WorldObserver.NONE).run(299 * SECOND);
        int before = placed(world).get(2);
        assertThat(before).as("messages of the first 100 s").isBetween(30, 70);
        assertThat(world.shards().all().get(1).spool.rows.values()).as("its deferred mail stays").isNotEmpty();
        world.run();
        assertThat(placed(world).get(2)).as("after it is enabled").isGreaterThan(before + 20);
        mails.forEach(mail -> assertThat(world.states(mail.id())).containsExactly(FinalState.DELIVERED));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 13, 1_007, 2_003})
    @Tag("IM-20")
    @Tag("IM-22")
    void theMailOfADrainedShardMovesAndTheShardGoes(long killAfterMillis) {
        List<SimulatedMail> mails = new ArrayList<>();
        for (int i = 1; i <= 90; i++) {
            mails.add(letter(i, i * 100, List.of("slow.example", "down.example", "d.example").get(i % 3)));
        }
        List<ShardAction> actions = new ArrayList<>(
                List.of(new ShardAction.SetMode(10 * SECOND, 2, ShardMode.DRAINED)));
        if (killAfterMillis > 0) {
            actions.add(new ShardAction.Kill(10 * SECOND + killAfterMillis, 2));
            actions.add(new ShardAction.Kill(10 * SECOND + killAfterMillis + 2, 1));
        }
        actions.add(new ShardAction.Remove(2 * MINUTE, 2));
        World world = new World(
                scenario(mails, List.of(domain("d.example", 500, List.of()), domain("slow.example", 9_000, List.of()),
                        domain("down.example", 500, List.of(new Outage(0, 10 * MINUTE)))),
                        List.of(new TimedCommand(5 * SECOND, RandomScenario.hold(new QueueId(1))),
                                new TimedCommand(5 * MINUTE,
                                        new OperatorCommand.OfMessage(new QueueId(1), new MessageOrder.Release())))),
                ShardPlan.of(2).with(actions), WorldObserver.NONE).run(119 * SECOND);
        SimulatedShard source = world.shards().all().get(1);
        assertThat(source.isEmpty()).as("the drained shard after two minutes").isTrue();
        assertThat(source.spool.removed).as("it had mail").hasSizeGreaterThan(3);
        assertThat(source.spool.removed.size()).as("and gave some away").isLessThan(40);
        world.run();
        assertThat(world.shards().running()).hasSize(1);
        for (SimulatedMail mail : mails) {
            assertThat(world.states(mail.id())).containsExactly(FinalState.DELIVERED);
            assertThat(world.copies(mail.id(), 1)).as("copies of " + mail.id())
                    .isBetween(1, 1 + world.crashes(mail.id()));
        }
    }

    /// The invariants of the broker are checked after each of its orders.
    @ParameterizedTest
    @ValueSource(longs = {0, 15})
    void theOnlyShardOfABusyServerGetsOthersBesideIt(long messageMillis) {
        List<SimulatedMail> mails = new ArrayList<>();
        for (int i = 1; i <= 3_000; i++) {
            mails.add(letter(i, i * 20L, "d" + i % 20 + ".example"));
        }
        List<SimulatedDomain> domains = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            domains.add(domain("d" + i + ".example", 500, List.of()));
        }
        World world = new World(scenario(mails, domains, List.of()), ShardPlan.of(1).withMessages(messageMillis)
                .with(List.of(new ShardAction.Add(20 * SECOND), new ShardAction.Add(20 * SECOND),
                        new ShardAction.Kill(40 * SECOND, 1))),
                WorldObserver.NONE).run();
        assertThat(placed(world)).hasSize(3);
        assertThat(placed(world).get(2)).isGreaterThan(300);
    }

    @Test
    void theJournalRepeatsThatLimitsAreShared() throws Exception {
        List<SimulatedMail> mails = new ArrayList<>();
        for (int i = 1; i <= 300; i++) {
            mails.add(letter(i, i * 20L, "d" + i % 3 + ".example"));
        }
        List<SimulatedDomain> domains = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            domains.add(domain("d" + i + ".example", 2_000, List.of()));
        }
        Scenario scenario = scenario(mails, domains, List.of());
        List<JournalRecord> records = new ArrayList<>();
        World world = new World(scenario, ShardPlan.ONE, new Recorded(records::add));
        world.run(3 * SECOND);
        world.shards().first().share();
        world.run();
        assertThat(records).filteredOn(each -> each.toString().contains("HoldLeases")).hasSize(1);
        Replay replay = new Replay(new JournalRecord.Beginning(JournalRecord.FORMAT, "test", 0, scenario.seed(),
                scenario.config(), scenario.placement(), List.of()));
        for (JournalRecord record : records) {
            replay.next(JournalText.read(JournalText.write(record)));
        }
        replay.end(true);
        assertThat(replay.difference()).isEmpty();
    }

    private static final class Recorded extends JournalObserver implements WorldObserver {
        Recorded(Consumer<JournalRecord> journal) {
            super(journal, QmgrTrace.SILENT);
        }
    }

    /// The waits of letters for their delivery, sorted.
    private static long[] waits(World world, List<SimulatedMail> mails, WaitRecorder recorder) {
        world.run();
        return mails.stream().filter(mail -> mail.recipients().size() == 1)
                .mapToLong(mail -> recorder.started.get(mail.id()) - mail.arrivalMillis()).sorted().toArray();
    }

    private static final class WaitRecorder implements WorldObserver {
        final Map<QueueId, Long> started = new TreeMap<>();

        @Override
        public void ordered(long nowMillis, QmgrOrder order) {
            if (order instanceof QmgrOrder.Deliver deliver) {
                started.putIfAbsent(deliver.id(), nowMillis);
            }
        }
    }

    private static long[] letterWaits(int shards, int bulkRecipients, int bulkDomains, long messageMillis) {
        List<SimulatedMail> mails = new ArrayList<>();
        List<SimulatedDomain> domains = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            domains.add(domain("bulk" + i + ".example", 1_000, List.of()));
            domains.add(domain("d" + i + ".example", 300, List.of()));
        }
        List<SimulatedRecipient> list = new ArrayList<>();
        for (int i = 0; i < bulkRecipients; i++) {
            list.add(new SimulatedRecipient(Address.of("r" + i + "@bulk" + i % bulkDomains + ".example"),
                    new ReplyScript.Welcome()));
        }
        for (int i = 1; i <= 200; i++) {
            mails.add(letter(i, 5 * SECOND + i * 200, "d" + i % 20 + ".example"));
        }
        if (!list.isEmpty()) {
            mails.add(new SimulatedMail(new QueueId(1_000), 0, SENDER, list));
        }
        Scenario scenario = scenario(mails, domains, List.of());
        QmgrConfig one = scenario.config().withTransports(org.slipstream.qmgr.settings.TransportTable
                .of(scenario.config().transport("smtp").withRecipientsPerDelivery(2)));
        WaitRecorder recorder = new WaitRecorder();
        return waits(new World(
                new Scenario(1, one, true, mails, scenario.domains(), scenario.ownServer(), List.of(), List.of(),
                        QueueManagers.production(one)),
                ShardPlan.of(shards).withMessages(messageMillis), recorder).atMost(1_000_000).withoutStateChecks(),
                mails, recorder);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void aMailingInOneShardDoesNotDelayALetterInAnother(int shards) {
        long[] alone = letterWaits(shards, 0, 1, 1);
        long[] beside = letterWaits(shards, 6_000, 3, 1);
        assertThat(beside[beside.length / 2]).as("median, alone " + alone[alone.length / 2])
                .isLessThanOrEqualTo(alone[alone.length / 2] + 5);
        assertThat(beside[beside.length - 1]).as("longest, alone " + Arrays.toString(alone))
                .isLessThanOrEqualTo(alone[alone.length - 1] + 20);
    }
}
