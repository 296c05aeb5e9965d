package org.slipstream.qmgr;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.HostKey;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.shard.LeaseBroker.LeaseAccount;
import org.slipstream.qmgr.wake.DestinationPattern;
import org.slipstream.qmgr.wake.DestinationSettings;
import org.slipstream.qmgr.wake.DestinationTable;
import org.slipstream.qmgr.wake.LimitKey;
import org.slipstream.qmgr.wake.Rate;
import org.slipstream.qmgr.wake.RingSettings;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

import static org.assertj.core.api.Assertions.assertThat;

/// Several queue managers share the limits of one server. Each test runs with messages that arrive
/// at once, and with messages that take up to 40 ms and cross.
class ShardsTest {
    private static final long MINUTE = 60_000;

    private static ShardWorld world(int shards, long delayMillis, UnaryOperator<Settings> settings) {
        QmgrConfig config = Settings.of(settings);
        ShardWorld world = new ShardWorld(shards, config, transport -> transport.equals("smtp")
                ? PlaceRules.defaults().withWorkers(config.transport("smtp").processLimit(), 20)
                : config.plainRules(transport), 7);
        world.delayMillis = delayMillis;
        return world;
    }

    /// Mail to these many domains, in turn to each shard.
    private static void mail(ShardWorld world, int messages, int domains, String suffix) {
        for (int i = 0; i < messages; i++) {
            world.shards.get(i % world.shards.size()).queue("u" + i + "@d" + i % domains + suffix);
        }
    }

    private static DestinationTable clause(String pattern, Map<String, Object> changes, Map<String, Integer> rings) {
        TreeMap<String, RingSettings> all = new TreeMap<>();
        rings.forEach((name, limit) -> all.put(name, new RingSettings(limit)));
        return new DestinationTable(List.of(new DestinationTable.Clause(DestinationPattern.parse(pattern).orElseThrow(),
                SettingsRecords.with(DestinationSettings.NONE, changes))), all);
    }

    private static void assertThatTheSpoolIsEmpty(ShardWorld world) {
        assertThat(world.waiting()).isZero();
        assertThat(world.shards).allSatisfy(shard -> assertThat(shard.manager.overlooked(world.now)).isEmpty());
    }

    // ---- the first shard that is added

    /// One shard uses its limits when the second one comes, and goes on with what it uses.
    @ParameterizedTest
    @ValueSource(longs = {0, 40})
    void theUseOfTheOnlyShardBecomesLeasesWhileItDelivers(long delay) {
        DestinationTable table = clause(".ring", Map.of("ring", Optional.of("bulk")), Map.of("bulk", 5));
        ShardWorld world = world(1, delay, s -> s.lanes(8, 30)
                .also(config -> config.withDestinations(table).withLanesOfServer(25)));
        for (int i = 0; i < 300; i++) {
            world.shard(1).queue("u" + i + "@d" + i % 3 + ".example");
            world.shard(1).queue("u" + i + "@r" + i % 4 + ".ring");
        }
        world.after(30_000);
        int before = world.delivered;
        assertThat(world.most("server")).as("busy").isGreaterThan(15);
        assertThat(world.broker.accounts()).isEmpty();
        world.shard(1).happens(new QmgrEvent.LimitsShared(Map.of()));
        world.after(100);
        assertThat(world.shards).hasSize(2);
        assertThat(world.broker.accounts()).extracting(LeaseAccount::key).extracting(LimitKey::gate)
                .contains(Code.SERVER, Code.CONNECTIONS, Code.RING, Code.WINDOW);
        assertThat(world.broker.accounts()).allSatisfy(
                account -> assertThat(account.held()).isLessThanOrEqualTo(account.limit()));
        for (int i = 0; i < 300; i++) {
            world.shard(2).queue("v" + i + "@d" + i % 3 + ".example");
            world.shard(2).queue("v" + i + "@r" + i % 4 + ".ring");
        }
        world.after(10_000);
        assertThat(world.delivered).as("no pause").isGreaterThan(before + 100);
        world.after(60 * MINUTE);
        assertThat(world.most("server")).isLessThanOrEqualTo(25);
        assertThat(world.most("transport smtp")).isLessThanOrEqualTo(30);
        assertThat(world.most("destination smtp/d0.example")).isLessThanOrEqualTo(8);
        assertThat(world.most("host mx.d0.example")).isLessThanOrEqualTo(20);
        assertThat(world.most("shard 2")).as("its share").isGreaterThan(8);
        assertThatTheSpoolIsEmpty(world);
        assertThat(world.deferred).isZero();
    }

    @Test
    void aRateCountsWhatTheOnlyShardStartedBefore() {
        ShardWorld world = world(1, 0, s -> s.also(config -> config.withDestinations(clause("slow.example",
                Map.of("rate", Optional.of(Rate.parse("6/1m").orElseThrow())), Map.of()))));
        for (int i = 0; i < 20; i++) {
            world.shard(1).queue("u" + i + "@slow.example");
        }
        world.after(10_000);
        world.shard(1).happens(new QmgrEvent.LimitsShared(Map.of()));
        world.after(0);
        for (int i = 0; i < 20; i++) {
            world.shard(2).queue("v" + i + "@slow.example");
        }
        world.after(30 * MINUTE);
        assertThat(world.mostStarts("smtp/slow.example", MINUTE - 100)).as("see aRateHoldsForAllShards").isEqualTo(6);
        assertThatTheSpoolIsEmpty(world);
    }

    @Test
    void lanesInUseAreCountedAgainAndTheOthersAreForgotten() {
        ShardWorld world = world(2, 0, s -> s.lanes(20, 100));
        world.serviceMillis = 60_000;
        for (int i = 0; i < 3; i++) {
            world.shard(1).queue("u@d" + i + ".example");
        }
        world.after(10_000);
        world.shard(1).queue("u@later.example");
        world.shard(1).happens(new QmgrEvent.LimitsShared(Map.of()));
        assertThat(world.shard(1).ordered(QmgrOrder.HoldLeases.class)).singleElement()
                .satisfies(hold -> assertThat(hold.inUse())
                        .filteredOn(lanes -> lanes.key().equals(LimitKey.transport("smtp")))
                        .extracting(QmgrOrder.LanesInUse::lanes).containsExactly(world.most("transport smtp")));
        assertThat(world.shard(1).leases.held(LimitKey.transport("smtp"))).isEqualTo(world.most("transport smtp"));
        world.after(10 * MINUTE);
        assertThatTheSpoolIsEmpty(world);
    }

    // ---- each limit holds for all shards together

    @ParameterizedTest
    @ValueSource(longs = {0, 40})
    void aBusyShardAmongIdleOnesUsesTheWholeLimit(long delay) {
        ShardWorld world = world(4, delay, s -> s.lanes(20, 100));
        for (int i = 0; i < 400; i++) {
            world.shard(2).queue("u@d" + i % 50 + ".example");
        }
        world.after(10 * MINUTE);
        assertThat(world.most("transport smtp")).isBetween(90, 100);
        assertThatTheSpoolIsEmpty(world);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 40})
    void lanesOfAShardThatHasDoneItsWorkGoToABusyOne(long delay) {
        ShardWorld world = world(2, delay, s -> s.lanes(20, 40));
        for (int i = 0; i < 100; i++) {
            world.shard(1).queue("u@d" + i % 50 + ".example");
        }
        world.after(MINUTE);
        assertThat(world.most("shard 1")).isGreaterThan(30);
        for (int i = 0; i < 400; i++) {
            world.shard(2).queue("u@d" + i % 50 + ".example");
        }
        world.after(10 * MINUTE);
        assertThat(world.most("shard 2")).isGreaterThan(30);
        assertThat(world.most("transport smtp")).isLessThanOrEqualTo(40);
        assertThatTheSpoolIsEmpty(world);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 40})
    void theConnectionsOfATransportAreLimitedForAllShards(long delay) {
        ShardWorld world = world(3, delay, s -> s.lanes(20, 10));
        mail(world, 300, 60, ".example");
        world.after(30 * MINUTE);
        assertThat(world.most("transport smtp")).isBetween(8, 10);
        assertThatTheSpoolIsEmpty(world);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 40})
    void theWindowOfADestinationGrowsAndHoldsForAllShards(long delay) {
        ShardWorld world = world(4, delay, s -> s.lanes(12, 100));
        mail(world, 600, 1, ".example");
        world.after(60 * MINUTE);
        assertThat(world.most("destination smtp/d0.example")).isBetween(10, 12);
        assertThat(world.most("host mx.d0.example")).isLessThanOrEqualTo(20);
        assertThatTheSpoolIsEmpty(world);
        assertThat(world.broker.accounts()).extracting(LeaseAccount::key).extracting(LimitKey::gate)
                .doesNotContain(Code.WINDOW, Code.HOST_LIMIT);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 40})
    void domainsOfOneHostShareItsConnections(long delay) {
        ShardWorld world = world(3, delay, s -> s.lanes(20, 100));
        for (int i = 0; i < 8; i++) {
            world.routes.put("d" + i + ".shared", new Route.Smtp("d" + i + ".shared",
                    List.of(new Route.Host("mx.shared", 25, 10))));
        }
        mail(world, 400, 8, ".shared");
        world.after(30 * MINUTE);
        assertThat(world.most("host mx.shared")).isBetween(10, 20);
        assertThatTheSpoolIsEmpty(world);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 40})
    void theDestinationsOfARingShareItForAllShards(long delay) {
        ShardWorld world = world(3, delay, s -> s.also(config -> config.withDestinations(
                clause(".ring", Map.of("ring", Optional.of("bulk")), Map.of("bulk", 5)))));
        world.always(each -> assertThat(each.atWork(".ring")).isLessThanOrEqualTo(5));
        mail(world, 200, 20, ".ring");
        world.after(30 * MINUTE);
        assertThat(world.most("server")).isBetween(4, 5);
        assertThatTheSpoolIsEmpty(world);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 40})
    void theLimitOfTheServerHoldsForAllShardsAndTransports(long delay) {
        ShardWorld world = world(4, delay, s -> s.also(config -> config.withLanesOfServer(6)));
        world.routes.put("d0.example", new Route.Local("d0.example"));
        mail(world, 300, 20, ".example");
        world.after(60 * MINUTE);
        assertThat(world.most("server")).isBetween(5, 6);
        assertThatTheSpoolIsEmpty(world);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 40})
    void deliveriesToOneMailboxAreLimitedForAllShards(long delay) {
        ShardWorld world = world(3, delay, s -> s.recipients(1, 100).lanes(2, 100));
        world.routes.put("here.example", new Route.Local("here.example"));
        for (int i = 0; i < 60; i++) {
            world.shards.get(i % 3).queue("alice@here.example", "bob@here.example");
        }
        world.after(10 * MINUTE);
        assertThat(world.most("mailbox alice@here.example")).isBetween(1, 2);
        assertThat(world.most("mailbox bob@here.example")).isBetween(1, 2);
        assertThatTheSpoolIsEmpty(world);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 40})
    void aRateHoldsForAllShards(long delay) {
        ShardWorld world = world(3, delay, s -> s.also(config -> config.withDestinations(clause("slow.example",
                Map.of("rate", Optional.of(Rate.parse("6/1m").orElseThrow())), Map.of()))));
        mail(world, 9, 1, ".example");
        for (int i = 0; i < 30; i++) {
            world.shards.get(i % 3).queue("u" + i + "@slow.example");
        }
        world.after(20 * MINUTE);
        // A start is counted when the delivery begins, and a connection may have to open first.
        assertThat(world.mostStarts("smtp/slow.example", MINUTE - 100)).isEqualTo(6);
        assertThatTheSpoolIsEmpty(world);
    }

    /// A shard gives its lanes away with the end of a delivery, and asks again after the delay.
    @ParameterizedTest
    @ValueSource(longs = {0, 40})
    void aRateDelayKeepsNoShardFromItsNextDelivery(long delay) {
        ShardWorld world = world(2, delay,
                s -> s.lanes(20, 1).transport(t -> t.withRateDelay(Duration.ofSeconds(4))));
        mail(world, 20, 1, ".example");
        world.after(10 * MINUTE);
        assertThatTheSpoolIsEmpty(world);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 40})
    void fewerLanesThanShardsGoRound(long delay) {
        ShardWorld world = world(5, delay, s -> s.lanes(20, 2));
        mail(world, 100, 10, ".example");
        world.after(60 * MINUTE);
        assertThat(world.most("transport smtp")).isEqualTo(2);
        assertThatTheSpoolIsEmpty(world);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 40})
    void theLanesOfAShardThatDiesGoToTheOthers(long delay) {
        ShardWorld world = world(2, delay, s -> s.lanes(20, 10));
        mail(world, 200, 40, ".example");
        world.after(3_000);
        world.shard(1).dies();
        world.after(30 * MINUTE);
        assertThat(world.most("shard 2")).isBetween(9, 10);
        assertThat(world.waiting()).isZero();
        assertThat(world.broker.accounts()).extracting(LeaseAccount::shard).doesNotContain(1);
    }

    @Test
    void oneShardGivesNoOrderForLanes() {
        ShardWorld world = world(1, 0, s -> s);
        mail(world, 100, 10, ".example");
        world.after(30 * MINUTE);
        assertThat(world.leaseMessages).isZero();
        assertThatTheSpoolIsEmpty(world);
    }

    // ---- known hosts

    @ParameterizedTest
    @ValueSource(longs = {0, 40})
    @Tag("FI-39")
    void aDeadHostFoundByOneShardIsSkippedByAllOthers(long delay) {
        ShardWorld world = world(4, delay, s -> s);
        Route.Smtp cluster = new Route.Smtp("far.example",
                List.of(new Route.Host("dead.far", 25, 10), new Route.Host("works.far", 25, 20)));
        world.routes.put("far.example", cluster);
        world.down.add("dead.far");
        world.shard(1).queue("u@far.example");
        world.after(5_000);
        assertThat(world.attemptsAt).containsEntry("dead.far", 1);

        for (int i = 2; i <= 4; i++) {
            world.shard(i).queue("u@far.example");
        }
        world.after(MINUTE);
        assertThat(world.attemptsAt).containsEntry("dead.far", 1).containsKey("works.far");
        assertThatTheSpoolIsEmpty(world);
    }

    @Test
    @Tag("FI-39")
    void aDeadDestinationIsNotTriedByTheOtherShards() {
        ShardWorld world = world(2, 0, s -> s);
        world.down.add("mx.far.example");
        for (int i = 0; i < 12; i++) {
            world.shard(1).queue("u@far.example");
        }
        world.after(1_000);
        int before = world.attemptsAt.get("mx.far.example");
        QueueId other = world.shard(2).queue("u@far.example");
        world.after(1_000);
        assertThat(world.attemptsAt).containsEntry("mx.far.example", before);
        assertThat(world.shard(2).ordered(QmgrOrder.Defer.class)).extracting(QmgrOrder.Defer::id).contains(other);

        world.down.clear();
        world.after(60 * MINUTE);
        assertThatTheSpoolIsEmpty(world);
    }

    @Test
    @Tag("FI-39")
    void aHostThatRefusesOneConnectionMoreIsLeftAloneByAllShardsForThatTime() {
        ShardWorld world = world(2, 0, s -> s);
        world.capacity.put("mx.far.example", 2);
        world.serviceMillis = MINUTE;
        for (int i = 0; i < 20; i++) {
            world.shard(1).queue("u@far.example");
        }
        world.after(2_000);
        int before = world.attemptsAt.get("mx.far.example");
        assertThat(before).as("one was refused").isGreaterThan(2);
        world.routes.put("other.example",
                new Route.Smtp("other.example", List.of(new Route.Host("mx.far.example", 25, 10))));
        world.shard(2).queue("u@other.example");
        world.after(1_000);
        assertThat(world.attemptsAt).containsEntry("mx.far.example", before);

        world.capacity.clear();
        world.after(60 * MINUTE);
        assertThatTheSpoolIsEmpty(world);
    }

    @Test
    @Tag("FI-39")
    void aSuspensionHoldsInAllShardsAndEndsInAll() {
        ShardWorld world = world(2, 0, s -> s);
        HostKey host = HostKey.of("mx.far.example", List.of(), 25, HostKey.Terms.USUAL);
        HostRow row = new HostRow(host.toString(), "mx.far.example", HostRow.HostRowKind.SUSPENDED, 0,
                Long.MAX_VALUE, 0, "maintenance", "admin");
        world.shard(2).happens(new QmgrEvent.HostsLearned(List.of(new HostRow.Change.Put(row))));
        world.shard(2).queue("u@far.example");
        world.after(1_000);
        assertThat(world.attemptsAt).isEmpty();

        world.shard(2).happens(new QmgrEvent.HostsLearned(
                List.of(new HostRow.Change.Gone(host.toString(), HostRow.HostRowKind.SUSPENDED))));
        world.after(60 * MINUTE);
        assertThatTheSpoolIsEmpty(world);
    }

    // ---- words

    @Test
    void aDeliveryWithoutALaneSaysSo() {
        ShardWorld world = world(2, 0, s -> s.lanes(5, 100));
        world.serviceMillis = 10 * MINUTE;
        for (int i = 0; i < 200; i++) {
            world.shard(1).queue("u@far.example");
        }
        world.after(1_000);
        QueueId waits = world.shard(2).queue("u@far.example");
        world.after(1_000);

        assertThat(world.shard(2).why(waits)).startsWith("waits for a connection to smtp/far.example: "
                + "this shard holds 0 of 5 lanes, and other shards use the rest");
        assertThat(world.shard(2).manager.queries().gates(waits, world.now))
                .filteredOn(gate -> gate.phase().code() == Code.WINDOW)
                .first().satisfies(gate -> {
                    assertThat(gate.closed()).isTrue();
                    assertThat(gate.phase().text()).contains("this shard holds 0 of 5 lanes");
                });
        assertThat(
                world.shard(2).manager.queries().snapshotOfDestinations(world.now).destinations().getFirst().refusal())
                .hasValueSatisfying(refusal -> assertThat(refusal.gate()).isEqualTo(Code.WINDOW));
    }
}
