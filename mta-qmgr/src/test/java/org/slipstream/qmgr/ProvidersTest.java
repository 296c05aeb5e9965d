package org.slipstream.qmgr;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import org.slipstream.qmgr.dest.Groups.GroupFigures;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.settings.ChangedSettings;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.wake.DestinationPattern;
import org.slipstream.qmgr.wake.DestinationSettings;
import org.slipstream.qmgr.wake.DestinationTable;
import org.slipstream.qmgr.wake.LimitKey;
import org.slipstream.qmgr.wake.ProviderRules;
import org.slipstream.qmgr.wake.ProviderSettings;
import org.slipstream.qmgr.wake.Rate;
import org.slipstream.qmgr.wake.RingSettings;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// Limits of providers, of sender domains at a provider, and rates of rings.
class ProvidersTest {
    private static final long MINUTE = 60_000;

    private static DestinationTable table(String key, Object value) {
        return DestinationTable.EMPTY.withProviders(new ProviderRules(Map.of("google",
                SettingsRecords.with(ProviderSettings.NONE, key, Optional.of(value)))));
    }

    private static DestinationTable rate(String key, String rate) {
        return table(key, Rate.parse(rate).orElseThrow());
    }

    private static Story story(DestinationTable table) {
        Story story = new Story(s -> s.lanes(20, 500).also(config -> config.withDestinations(table)));
        IntStream.range(0, 400).forEach(i -> story.routes.put("d" + i + ".example", atGoogle("d" + i + ".example")));
        return story;
    }

    private static Route atGoogle(String domain) {
        return new Route.Smtp(domain, List.of(new Route.Host("aspmx.l.google.com", 25, 10)));
    }

    private static QueueId from(Story story, String sender, String recipient) {
        Story.Row row = story.row(recipient);
        row.sender = Optional.of(Address.of(sender));
        return story.queue(row);
    }

    private static List<QmgrOrder.Deliver> underWay(Story story) {
        return story.waiting(QmgrOrder.Deliver.class);
    }

    private static long atGoogle(Story story) {
        return underWay(story).stream().filter(each -> each.route().nextHop().startsWith("d")).count();
    }

    private static void change(Story story, DestinationTable table) {
        QmgrConfig config = story.config.withDestinations(table);
        story.happens(new QmgrEvent.SettingsChanged(new ChangedSettings(config, config.plainRules("smtp"))));
    }

    // ---- connections

    @Test
    void theConnectionsOf383DomainsBehindOneProviderHaveOneLimit() {
        Story story = story(table("lanes", 7));
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, 383).forEach(i -> story.queue("u@d" + i + ".example"));
        QueueId outside = story.queue("u@outside.example");

        assertThat(atGoogle(story)).isEqualTo(7);
        assertThat(story.about(outside).running()).isEqualTo(1);
        assertThat(story.about(new QueueId(10)).phase().code()).isEqualTo(Code.PROVIDER);
        assertThat(story.why(new QueueId(10))).contains("7 of 7 connections of the provider google");
        while (!underWay(story).isEmpty()) {
            assertThat(atGoogle(story)).isLessThanOrEqualTo(7);
            story.answerNext(QmgrOrder.Deliver.class);
            if (story.removed.size() % 20 == 0) {
                assertThat(story.manager.overlooked(story.now)).isEmpty();
            }
        }
        assertThat(story.removed).hasSize(384);
        assertThat(story.manager.queries().groups()).isEmpty();
    }

    @Test
    void theFiguresOfAProviderAreThoseOfItsDomains() {
        Story story = story(table("lanes", 2));
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, 10).forEach(i -> story.queue("u@d" + i + ".example"));

        assertThat(story.manager.queries().groups()).containsExactly(new GroupFigures(LimitKey.provider("google"), 10,
                8, 2, Optional.of(2), Optional.empty(), 0));
    }

    /// Windows of a clause, and a ring, hold beside the limit of the provider.
    @Test
    void aClauseMayNameAProvider() {
        DestinationTable table = new DestinationTable(List.of(new DestinationTable.Clause(
                DestinationPattern.parse("provider:google").orElseThrow(),
                SettingsRecords.with(DestinationSettings.NONE, "lanes", Optional.of(1)))), new TreeMap<>());
        Story story = story(table);
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, 3).forEach(i -> story.queue("u" + i + "@d1.example", "u" + i + "@x.example"));

        assertThat(story.deliveries()).filteredOn(each -> each.endsWith("d1.example")).hasSize(1);
        assertThat(story.deliveries()).filteredOn(each -> each.endsWith("x.example")).hasSize(3);
    }

    // ---- rates

    @Test
    @Tag("IM-32")
    void aRateCountsTheStartsToAllDomainsOfAProvider() {
        Story story = story(rate("rate", "10/1m"));
        IntStream.range(0, 40).forEach(i -> story.queue("u@d" + i + ".example"));
        QueueId outside = story.queue("u@outside.example");

        assertThat(story.deliveries()).hasSize(11);
        assertThat(story.removed).containsKey(outside);
        assertThat(story.manager.queries().snapshot(story.now).messages().getFirst().phase().code())
                .isEqualTo(Code.PROVIDER_RATE);
        story.until(MINUTE - 1);
        assertThat(story.deliveries()).hasSize(11);
        story.until(MINUTE);
        assertThat(story.deliveries()).hasSize(21);
        story.until(24 * 60 * MINUTE);
        assertThat(story.removed).hasSize(41);
    }

    @Test
    void mailBeyondOnePeriodWaitsOnDisk() {
        Story story = story(rate("rate", "3/1h"));
        IntStream.range(0, 50).forEach(i -> story.queue("u@d" + i + ".example"));

        assertThat(story.active()).hasSize(3);
        assertThat(story.index.get(new QueueId(50)).last.get(1).reply().text())
                .contains("the rate of the provider google is 3/1h");
        story.until(48 * 60 * MINUTE);
        assertThat(story.removed).hasSize(50);
    }

    @Test
    @Tag("IM-32")
    void aRateCountsTheStartsToAllDomainsOfARing() {
        DestinationTable table = new DestinationTable(List.of(new DestinationTable.Clause(
                DestinationPattern.parse(".ring").orElseThrow(),
                SettingsRecords.with(DestinationSettings.NONE, "ring", Optional.of("bulk")))),
                Map.of("bulk", new RingSettings(20, Rate.parse("3/1m"))));
        Story story = story(table);
        IntStream.range(0, 6).forEach(i -> story.queue("u@d" + i + ".ring"));

        assertThat(story.deliveries()).hasSize(3);
        assertThat(story.about(new QueueId(6)).phase().code()).isEqualTo(Code.RING_RATE);
        story.until(MINUTE);
        assertThat(story.deliveries()).hasSize(6);
    }

    // ---- sender domains at a provider

    @Test
    void aSenderDomainThatHasItsDeliveriesIsInNoOnesWay() {
        Story story = story(table("senderLanes", 2));
        story.withhold(QmgrOrder.Deliver.class);
        List<QueueId> shop = IntStream.range(0, 80)
                .mapToObj(i -> from(story, "news" + i + "@Shop.example", "u@d" + i % 5 + ".example")).toList();
        QueueId other = from(story, "ann@here.example", "u@d1.example");
        QueueId elsewhere = from(story, "news@shop.example", "u@outside.example");

        assertThat(underWay(story)).hasSize(4);
        assertThat(story.about(other).running()).isEqualTo(1);
        assertThat(story.about(elsewhere).running()).isEqualTo(1);
        assertThat(story.about(shop.getLast()).phase().code()).isEqualTo(Code.SENDER);
        assertThat(story.why(shop.getLast()))
                .contains("2 of 2 deliveries of the sender domain shop.example at the provider google");
        while (!underWay(story).isEmpty()) {
            assertThat(atGoogle(story)).isLessThanOrEqualTo(3);
            story.answerNext(QmgrOrder.Deliver.class);
            assertThat(story.manager.overlooked(story.now)).isEmpty();
        }
        assertThat(story.removed).hasSize(82);
    }

    @Test
    void theDeliveriesOfOneLargeMailingAreLimitedToo() {
        Story story = story(table("senderLanes", 3));
        story.withhold(QmgrOrder.Deliver.class);
        story.queue(IntStream.range(0, 100).mapToObj(i -> "u@d" + i + ".example").toArray(String[]::new));
        QueueId report = story.queue("u@d1.example");
        for (int i = 0; i < 101; i++) {
            assertThat(atGoogle(story)).isBetween(1L, 3L);
            story.answerNext(QmgrOrder.Deliver.class);
            assertThat(story.manager.overlooked(story.now)).isEmpty();
        }
        assertThat(story.removed).containsKey(report).hasSize(2);
    }

    @Test
    void mailWithoutASenderHasNoLimitOfASenderDomain() {
        Story story = story(table("senderLanes", 1));
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, 5).forEach(i -> {
            Story.Row row = story.row("u@d" + i + ".example");
            row.sender = Optional.empty();
            story.queue(row);
        });

        assertThat(underWay(story)).hasSize(5);
    }

    @Test
    @Tag("IM-32")
    void aSenderDomainHasARateAtAProvider() {
        Story story = story(rate("senderRate", "5/1m"));
        IntStream.range(0, 12).forEach(i -> from(story, "news@shop.example", "u@d" + i + ".example"));
        IntStream.range(0, 4).forEach(i -> from(story, "ann@here.example", "u@d" + i + ".example"));

        assertThat(story.deliveries()).hasSize(9);
        assertThat(story.about(new QueueId(6)).phase().code()).isEqualTo(Code.SENDER_RATE);
        story.until(MINUTE - 1);
        assertThat(story.deliveries()).hasSize(9);
        story.until(MINUTE);
        assertThat(story.deliveries()).hasSize(14);
        story.until(24 * 60 * MINUTE);
        assertThat(story.removed).hasSize(16);
    }

    /// A hostile sender has a new domain for each message.
    @Test
    void senderDomainsWithoutMailAreForgotten() {
        Story story = story(rate("senderRate", "5/1s"));
        IntStream.range(0, 1_500).forEach(i -> {
            from(story, "u@s" + i + ".example", "u@d1.example");
            story.after(1);
        });
        story.after(MINUTE);

        assertThat(story.removed).hasSize(1_500);
        assertThat(story.manager.queries().groupsInMemory()).isLessThanOrEqualTo(1_000);
    }

    // ---- changes

    @Test
    void aReloadChangesLimitsAndHosts() {
        Story story = story(table("lanes", 2));
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, 20).forEach(i -> story.queue("u@d" + i + ".example"));
        assertThat(atGoogle(story)).isEqualTo(2);
        change(story, table("lanes", 5));
        assertThat(atGoogle(story)).isEqualTo(5);
        change(story, DestinationTable.EMPTY.withProviders(new ProviderRules(Map.of("google", SettingsRecords.with(
                ProviderSettings.NONE, Map.of("known", false, "lanes", Optional.of(5)))))));
        assertThat(atGoogle(story)).isEqualTo(20);
        change(story, DestinationTable.EMPTY.withProviders(new ProviderRules(Map.of("big", SettingsRecords.with(
                ProviderSettings.NONE, Map.of("hosts", List.of("aspmx.l.google.com"), "lanes", Optional.of(1)))))));
        story.queue("u@d30.example");
        assertThat(story.why(new QueueId(21))).contains("20 of 1 connections of the provider big");
        story.answerAll(QmgrOrder.Deliver.class);
        assertThat(story.removed).hasSize(21);
    }

    @Test
    void aSmallerRateSendsMailThatWouldWaitForLongToTheDisk() {
        Story story = story(table("lanes", 1));
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, 40).forEach(i -> story.queue("u@d" + i + ".example"));
        change(story, rate("rate", "5/1h"));

        assertThat(story.active()).hasSizeBetween(6, 11);
        story.answerAll(QmgrOrder.Deliver.class);
        story.until(48 * 60 * MINUTE);
        assertThat(story.removed).hasSize(40);
    }

    @Test
    void anOperatorSetsLimitsOfAProvider() {
        Story story = story(DestinationTable.EMPTY);
        story.withhold(QmgrOrder.Deliver.class);
        story.command(
                new OperatorCommand.Begin(LimitOrder.parse("provider:google", "3", "they ask", "ann", 0, MINUTE)));
        IntStream.range(0, 9).forEach(i -> story.queue("u@d" + i + ".example"));
        assertThat(atGoogle(story)).isEqualTo(3);
        assertThat(story.why(new QueueId(9))).contains("limit set to 3 by ann");
        story.until(MINUTE);
        assertThat(atGoogle(story)).isEqualTo(9);

        story.command(new OperatorCommand.Begin(
                LimitOrder.parse("provider-rate:google", "10/1h", "", "ann", 0, Long.MAX_VALUE)));
        story.answerAll(QmgrOrder.Deliver.class);
        IntStream.range(10, 30).forEach(i -> story.queue("u@d" + i + ".example"));
        assertThat(story.removed).hasSize(19);
    }

    @Test
    void anOperatorSuspendsAProvider() {
        Story story = story(DestinationTable.EMPTY);
        Suspension suspension = new Suspension(SuspensionScope.PROVIDER, "Google", "they block us", "ann", 0,
                Long.MAX_VALUE);
        story.command(new OperatorCommand.Begin(suspension));
        IntStream.range(0, 9).forEach(i -> story.queue("u@d" + i + ".example"));
        QueueId outside = story.queue("u@outside.example");

        assertThat(story.removed).containsOnlyKeys(outside);
        assertThat(story.index.get(new QueueId(1)).last.get(1).reply().text())
                .contains("provider google is suspended by ann");
        story.command(new OperatorCommand.End(SuspensionScope.PROVIDER.kind(), "google"));
        story.after(1_000);
        assertThat(story.removed).hasSize(10);
    }

    // ---- shards

    @ParameterizedTest
    @ValueSource(longs = {0, 40})
    void shardsShareTheLimitsOfAProvider(long delay) {
        ShardWorld world = world(delay, SettingsRecords.with(ProviderSettings.NONE,
                Map.of("hosts", List.of(".big.example"), "lanes", Optional.of(5))));
        world.always(each -> assertThat(each.atWork(".big.example")).isLessThanOrEqualTo(5));
        for (int i = 0; i < 45; i++) {
            world.shards.get(i % 3).queue("u" + i + "@d" + i % 15 + ".big.example");
        }
        world.after(5 * MINUTE);

        assertThat(world.waiting()).isZero();
        assertThat(world.deferred).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 40})
    void shardsShareTheRateOfAProvider(long delay) {
        ShardWorld world = world(delay, SettingsRecords.with(ProviderSettings.NONE,
                Map.of("hosts", List.of(".big.example"), "rate", Rate.parse("6/1m"))));
        for (int i = 0; i < 36; i++) {
            world.shards.get(i % 3).queue("u" + i + "@d" + i % 9 + ".big.example");
        }
        world.after(10_000);
        assertThat(world.delivered).isLessThanOrEqualTo(6);
        world.after(12 * 60 * MINUTE);
        assertThat(world.waiting()).isZero();
    }

    private static ShardWorld world(long delay, ProviderSettings provider) {
        QmgrConfig config = Settings.of(s -> s.also(each -> each.withDestinations(
                DestinationTable.EMPTY.withProviders(new ProviderRules(Map.of("big", provider))))));
        ShardWorld world = new ShardWorld(3, config, config::plainRules, 7);
        world.delayMillis = delay;
        return world;
    }
}
