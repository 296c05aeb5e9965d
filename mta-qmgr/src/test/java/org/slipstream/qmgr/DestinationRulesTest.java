package org.slipstream.qmgr;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.settle.Settlement;
import org.slipstream.qmgr.trace.QmgrSnapshot;
import org.slipstream.qmgr.wake.DestinationPattern;
import org.slipstream.qmgr.wake.DestinationSettings;
import org.slipstream.qmgr.wake.DestinationTable;
import org.slipstream.qmgr.wake.Rate;
import org.slipstream.qmgr.wake.RingSettings;
import org.slipstream.qmgr.wake.ThreadOrder;
import org.slipstream.qmgr.wake.WakeDestination;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/// Settings of single destinations: what is not tried by itself, limits, rates, rings, and the
/// order of a destination's mail.
class DestinationRulesTest {
    private static final long MINUTE = 60_000;

    private static DestinationTable.Clause clause(String pattern, Map<String, ?> settings) {
        return new DestinationTable.Clause(DestinationPattern.parse(pattern).orElseThrow(),
                SettingsRecords.with(DestinationSettings.NONE, settings));
    }

    private static DestinationTable table(String pattern, String key, Object value) {
        return new DestinationTable(List.of(clause(pattern, Map.of(key, Optional.of(value)))), new TreeMap<>());
    }

    private static Story story(DestinationTable table) {
        return new Story(s -> s.also(config -> config.withDestinations(table)));
    }

    private static Story ring(int lanes) {
        TreeMap<String, RingSettings> rings = new TreeMap<>(Map.of("bulk", new RingSettings(lanes)));
        return story(new DestinationTable(List.of(clause(".ring", Map.of("ring", Optional.of("bulk")))), rings));
    }

    private static String lastReply(Story story, QueueId id) {
        return story.index.get(id).last.get(1).reply().text();
    }

    private static Code refusedBy(Story story, String nextHop) {
        return story.manager.queries().snapshotOfDestinations(story.now).destinations().stream()
                .filter(each -> each.nextHop().equals(nextHop)).findFirst().orElseThrow().refusal().orElseThrow()
                .gate();
    }

    // ---- threads

    @Test
    @Tag("ZM-01")
    void allMailForANextHopIsOneDestination() {
        Story story = new Story();
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, 10).forEach(i -> story.queue("u" + i + "@x.example"));

        assertThat(story.manager.queries().snapshotOfDestinations(story.now).destinations()).singleElement()
                .satisfies(each -> assertThat(each.waiting() + each.running()).isEqualTo(10));
    }

    @Test
    @Tag("ZM-01")
    void aDomainOfAClauseIsADestinationOfItsOwnEvenBehindASmartHost() {
        Story story = story(table("named.example", "lanes", 1));
        Route relay = new Route.Smtp("[relay.example]:25", List.of(new Route.Host("relay.example", 25, 0)));
        List.of("named.example", "a.example", "b.example").forEach(domain -> story.routes.put(domain, relay));
        story.withhold(QmgrOrder.Deliver.class);
        story.queue("u@a.example");
        story.queue("u@b.example");
        story.queue("u@named.example");
        story.queue("v@named.example");

        assertThat(story.manager.queries().snapshotOfDestinations(story.now).destinations())
                .extracting(QmgrSnapshot.ActiveDestination::nextHop, QmgrSnapshot.ActiveDestination::running)
                .containsExactlyInAnyOrder(
                        tuple("[relay.example]:25", 2),
                        tuple("named.example@[relay.example]:25", 1));
    }

    @Test
    @Tag("ZM-05")
    void mailStartsWhenItArrives() {
        Story story = new Story();
        story.queue("u@x.example");
        assertThat(story.deliveries()).containsExactly("1>x.example");
    }

    @Test
    @Tag("ZM-10")
    @Tag("ZM-21")
    void aClauseSetsTheWindowOfItsDestination() {
        Story story = story(table("x.example", "lanes", 2));
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, 5).forEach(i -> story.queue("u" + i + "@x.example"));
        IntStream.range(0, 5).forEach(i -> story.queue("u" + i + "@y.example"));

        assertThat(story.deliveries()).filteredOn(each -> each.endsWith("x.example")).hasSize(2);
        assertThat(story.deliveries()).filteredOn(each -> each.endsWith("y.example")).hasSize(5);
    }

    @Test
    @Tag("ZM-15")
    void aDestinationWithoutMailIsForgotten() {
        Story story = ring(1);
        IntStream.range(0, 1_000).forEach(i -> story.queue("u@d" + i + ".ring"));
        story.after(MINUTE);
        assertThat(story.manager.queries().snapshotOfDestinations(story.now).destinations()).isEmpty();
        assertThat(story.removed).hasSize(1_000);
    }

    // ---- order

    private static List<String> served(ThreadOrder order) {
        Story story = story(new DestinationTable(List.of(clause("x.example",
                Map.of("lanes", Optional.of(1), "order", Optional.of(order)))), new TreeMap<>()));
        story.withhold(QmgrOrder.Deliver.class);
        story.queue("first@x.example");
        List<Story.Row> rows = new ArrayList<>();
        IntStream.range(0, 12).forEach(i -> rows.add(story.row("u" + i + "@x.example")));
        // The youngest is announced first, as after a scan in another order.
        rows.reversed().forEach(story::queue);
        while (!story.waiting(QmgrOrder.Deliver.class).isEmpty()) {
            story.answerNext(QmgrOrder.Deliver.class);
        }
        return story.deliveries().stream().map(each -> each.substring(0, each.indexOf('>'))).skip(1).toList();
    }

    @Test
    @Tag("ZM-08")
    void theOrderOfADestinationsMailIsASetting() {
        List<String> placed = IntStream.rangeClosed(2, 13).mapToObj(Integer::toString).toList().reversed();
        assertThat(served(ThreadOrder.FIFO)).isEqualTo(placed);
        assertThat(served(ThreadOrder.AGEORDER)).isEqualTo(placed.reversed());
        assertThat(served(ThreadOrder.SHUFFLE)).containsExactlyInAnyOrderElementsOf(placed).isNotEqualTo(placed)
                .isNotEqualTo(placed.reversed()).isEqualTo(served(ThreadOrder.SHUFFLE));
    }

    // ---- queue-only, held

    @Test
    @Tag("ZM-37")
    void mailForAQueueOnlyDestinationWaitsForAFlushOfItsDomain() {
        Story story = story(table("dial.example", "queueOnly", true));
        QueueId first = story.queue("u@dial.example");
        QueueId second = story.queue("v@dial.example");
        story.after(10 * MINUTE);
        story.command(new OperatorCommand.FlushAll(Optional.empty()));
        story.after(10 * MINUTE);

        assertThat(story.deliveries()).isEmpty();
        assertThat(lastReply(story, first)).contains("queue-only").contains("ETRN");

        story.command(new OperatorCommand.FlushAll(Optional.of("dial.example")));
        story.after(1_000);
        assertThat(story.removed).containsOnlyKeys(first, second);
    }

    /// The index does not have its deferral yet, so the order for the domain does not find it.
    @Test
    @Tag("ZM-37")
    void aFlushOfADomainConcernsMailWhoseDeferralIsBeingRecorded() {
        Story story = story(table("dial.example", "queueOnly", true));
        story.withhold(QmgrOrder.RecordOutcome.class);
        QueueId id = story.queue("u@dial.example");
        story.command(new OperatorCommand.FlushAll(Optional.of("dial.example")));
        story.answerAll(QmgrOrder.RecordOutcome.class);
        story.after(1_000);

        assertThat(story.removed).containsOnlyKeys(id);
    }

    @Test
    @Tag("ZM-37")
    void aFlushOfAMessageSendsItFromAQueueOnlyDestination() {
        Story story = story(table("dial.example", "queueOnly", true));
        QueueId first = story.queue("u@dial.example");
        story.queue("v@dial.example");
        story.after(MINUTE);
        story.command(new OperatorCommand.OfMessage(first, new MessageOrder.Flush()));
        story.after(1_000);

        assertThat(story.removed).containsOnlyKeys(first);
    }

    @Test
    @Tag("ZM-37")
    void mailOfAQueueOnlyDestinationExpires() {
        Story story = story(table("dial.example", "queueOnly", true));
        QueueId id = story.queue("u@dial.example");
        story.after(8 * 24 * 60 * MINUTE);

        assertThat(story.deliveries()).isEmpty();
        assertThat(story.removed).containsEntry(id, Settlement.BOUNCED);
    }

    @Test
    @Tag("ZM-22")
    void aLimitOf0HoldsADestinationEvenAgainstAFlush() {
        Story story = story(table("x.example", "lanes", 0));
        QueueId id = story.queue("u@x.example");
        story.command(new OperatorCommand.FlushAll(Optional.of("x.example")));
        story.after(MINUTE);

        assertThat(story.deliveries()).isEmpty();
        assertThat(lastReply(story, id)).contains("held");
    }

    /// One side of the server: local mailboxes or other servers.
    @Test
    @Tag("IM-21")
    void aLimitOf0HoldsATransportAndTheOtherTransportsDeliver() {
        TransportSettings held = TransportSettings.defaults().withConcurrency(0, 5, 20);
        for (String side : List.of("local", "smtp")) {
            Story story = new Story(
                    s -> s.also(config -> config.withTransports(config.transports().with(side, held))));
            story.routes.put("here.example", new Route.Local("here.example"));
            QueueId here = story.queue("u@here.example");
            QueueId far = story.queue("u@far.example");
            story.command(new OperatorCommand.FlushAll(Optional.empty()));
            story.after(60 * MINUTE);

            assertThat(story.removed).containsOnlyKeys(side.equals("local") ? far : here);
            assertThat(story.deliveries()).hasSize(1);
            assertThat(lastReply(story, side.equals("local") ? here : far))
                    .contains("mail of the transport " + side + " is held: its setting lanes is 0");
        }
    }

    // ---- failures

    @Test
    @Tag("ZM-38")
    void newMailDoesNotWakeADestinationThatWaitsForItsNextAttempt() {
        Story story = story(table("x.example", "wakeOnlyOnRestart", true));
        story.down.put("x.example", Story.REFUSED);
        story.queue("u@x.example");
        int opened = story.ordered(QmgrOrder.Open.class).size();
        QueueId later = story.queue("v@x.example");

        assertThat(story.ordered(QmgrOrder.Open.class)).hasSize(opened);
        assertThat(lastReply(story, later)).contains("does not wake");
        story.down.clear();
        story.after(15 * MINUTE);
        assertThat(story.removed).hasSize(2);
    }

    private static Story failed(boolean wakes) {
        Story story = new Story(s -> s.also(config -> config.withWakeDestination(
                wakes ? WakeDestination.AFTER_FAILURE : WakeDestination.OFF)));
        story.down.put("x.example", Story.REFUSED);
        IntStream.range(0, 20).forEach(i -> story.queue("u" + i + "@x.example"));
        story.after(2 * 60 * MINUTE);
        assertThat(story.removed).isEmpty();
        // Half an hour to the next attempt of each, at least.
        story.index.values().forEach(row -> row.nextMillis = story.now + 30 * MINUTE);
        story.down.clear();
        story.until(story.now + 10 * MINUTE);
        story.queue("new@x.example");
        story.after(1_000);
        return story;
    }

    @Test
    @Tag("ZM-09")
    void aSuccessAfterFailuresMakesAllMailOfTheDestinationDue() {
        assertThat(failed(false).removed).hasSize(1);
        Story story = failed(true);
        assertThat(story.removed).hasSize(21);
        assertThat(story.ordered(QmgrOrder.MakeDue.class)).hasSize(1);
    }

    @Test
    @Tag("ZM-09")
    void withoutFailuresNothingIsMadeDue() {
        Story story = new Story(s -> s.also(config -> config.withWakeDestination(WakeDestination.AFTER_FAILURE)));
        IntStream.range(0, 20).forEach(i -> story.queue("u" + i + "@x.example"));
        assertThat(story.ordered(QmgrOrder.MakeDue.class)).isEmpty();
    }

    private static Story thread(String key, Object value) {
        Map<String, Object> settings = new TreeMap<>(Map.of("wakeDestination", Optional.of(WakeDestination.THREAD)));
        settings.put(key, Optional.of(value));
        return story(new DestinationTable(List.of(clause("x.example", settings)), new TreeMap<>()));
    }

    // The first at 0, the others a minute later each, and all are deferred.
    private static Story deferred(Story story) {
        story.replies.put("x.example", Story.TRY_LATER);
        for (int i = 0; i < 20; i++) {
            story.queue("u" + i + "@x.example");
            story.after(5_000);
        }
        assertThat(story.removed).isEmpty();
        assertThat(story.ordered(QmgrOrder.MakeDue.class)).isEmpty();
        return story;
    }

    @Test
    @Tag("ZM-07")
    @Tag("ZM-09")
    void aThreadWakesAtTheTimeOfItsFirstMessageAndAllOfItIsTriedThen() {
        Story story = deferred(thread("lanes", 5));
        long first = story.index.values().stream().mapToLong(row -> row.nextMillis).min().orElseThrow();
        assertThat(story.manager.queries().threadMillis("x.example")).hasValue(first);
        assertThat(story.manager.queries().threadMillis("y.example")).isEmpty();
        story.replies.clear();
        story.until(first - 1);
        assertThat(story.removed).isEmpty();

        story.until(first);
        assertThat(story.removed).hasSize(20);
        assertThat(story.ordered(QmgrOrder.MakeDue.class)).hasSize(1);
        assertThat(story.manager.queries().threadMillis("x.example")).isEmpty();
    }

    @Test
    @Tag("ZM-07")
    void mailThatWaitsForItsOwnTimeIsNoThread() {
        Story story = deferred(thread("wakeDestination", WakeDestination.AFTER_FAILURE));
        long first = story.index.values().stream().mapToLong(row -> row.nextMillis).min().orElseThrow();
        story.replies.clear();
        story.until(first);
        assertThat(story.removed).hasSize(1);
    }

    @Test
    @Tag("ZM-09")
    void aThreadThatIsDeferredAgainAndAgainWakesOnceAPause() {
        Story story = deferred(thread("lanes", 5));
        long attempts = story.deliveries().size();
        for (int i = 0; i < 30; i++) {
            story.queue("new" + i + "@x.example");
            story.after(MINUTE);
        }
        // Half an hour has six pauses of five minutes, and one may end at its edge.
        assertThat(story.ordered(QmgrOrder.MakeDue.class)).hasSizeBetween(5, 7);
        assertThat(story.deliveries().size() - attempts).isLessThan(8 * 50);
    }

    @Test
    @Tag("ZM-07")
    @Tag("ZM-38")
    void newMailWaitsForTheTimeOfItsThread() {
        Story story = deferred(thread("wakeOnlyOnRestart", true));
        long wakes = story.manager.queries().threadMillis("x.example").orElseThrow();
        int tried = story.deliveries().size();
        QueueId later = story.queue("later@x.example");
        assertThat(story.deliveries()).hasSize(tried);
        assertThat(lastReply(story, later)).contains("does not wake");
        assertThat(story.manager.queries().threadMillis("x.example")).hasValue(wakes);
        story.replies.clear();
        story.until(wakes);
        assertThat(story.removed).containsKey(later).hasSize(21);
    }

    @Test
    @Tag("ZM-07")
    void afterAKillTheFirstMessageThatWasTriedWakesItsThread() {
        Story story = deferred(thread("lanes", 5));
        long first = story.index.values().stream().mapToLong(row -> row.nextMillis).min().orElseThrow();
        story.restart();
        story.start();
        story.replies.clear();
        story.until(first - 1);
        assertThat(story.removed).isEmpty();
        story.until(first);
        assertThat(story.removed).hasSize(20);
    }

    // ---- rate

    @Test
    @Tag("IM-32")
    void aRateLimitsTheStartsOfAnyPeriod() {
        Story story = story(table("x.example", "rate", new Rate(3, Duration.ofMinutes(1))));
        IntStream.range(0, 6).forEach(i -> {
            story.queue("u" + i + "@x.example");
            story.after(1_000);
        });
        assertThat(story.deliveries()).hasSize(3);
        assertThat(story.manager.queries().snapshot(story.now).messages().getFirst().phase().code())
                .isEqualTo(QueuePhase.Code.RATE);
        story.until(MINUTE - 1);
        assertThat(story.deliveries()).hasSize(3);
        story.until(MINUTE);
        assertThat(story.deliveries()).hasSize(4);
        story.until(MINUTE + 2_000);
        assertThat(story.deliveries()).hasSize(6);
    }

    @Test
    @Tag("IM-32")
    void mailBeyondOnePeriodOfARateWaitsOnDiskAndOtherMailPasses() {
        Story story = story(table("x.example", "rate", new Rate(3, Duration.ofHours(1))));
        IntStream.range(0, 50).forEach(i -> story.queue("u" + i + "@x.example"));
        QueueId other = story.queue("u@y.example");

        assertThat(story.active()).hasSize(3);
        assertThat(story.removed).containsKey(other).hasSize(4);
        story.until(60 * MINUTE - 1);
        assertThat(story.deliveries()).hasSize(4);
        story.until(24 * 60 * MINUTE);
        assertThat(story.removed).hasSizeGreaterThanOrEqualTo(50);
    }

    // ---- limits with names

    @Test
    @Tag("ZM-20")
    @Tag("ZM-22")
    void theServersLimitHoldsForAllTransportsTogether() {
        Story story = new Story(s -> s.also(config -> config.withLanesOfServer(2)));
        story.routes.put("local.example", new Route.Local("local.example"));
        story.withhold(QmgrOrder.Deliver.class);
        story.queue("u@local.example");
        story.queue("u@x.example");
        QueueId waits = story.queue("u@y.example");

        assertThat(story.deliveries()).hasSize(2);
        assertThat(refusedBy(story, "y.example")).isEqualTo(Code.SERVER);
        assertThat(story.about(waits).phase().code()).isEqualTo(QueuePhase.Code.SERVER);
        story.answerNext(QmgrOrder.Deliver.class);
        assertThat(story.deliveries()).hasSize(3);
    }

    @Test
    @Tag("ZM-20")
    @Tag("ZM-22")
    void theTransportsLimitIsNamed() {
        Story story = new Story(s -> s.lanes(20, 1));
        story.withhold(QmgrOrder.Deliver.class);
        story.queue("u@x.example");
        story.queue("u@y.example");

        assertThat(refusedBy(story, "y.example")).isEqualTo(Code.CONNECTIONS);
    }

    @Test
    @Tag("ZM-02")
    @Tag("ZM-21")
    @Tag("ZM-22")
    void theDestinationsOfARingShareItsConnections() {
        Story story = ring(3);
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, 10).forEach(i -> story.queue("u@d" + i + ".ring"));
        QueueId outside = story.queue("u@outside.example");

        assertThat(story.deliveries()).hasSize(4);
        assertThat(refusedBy(story, "d3.ring")).isEqualTo(Code.RING);
        assertThat(story.why(new QueueId(10))).contains("3 of 3 connections of the ring bulk");
        assertThat(story.about(outside).running()).isEqualTo(1);
        while (!story.waiting(QmgrOrder.Deliver.class).isEmpty()) {
            assertThat(story.waiting(QmgrOrder.Deliver.class)).hasSizeLessThanOrEqualTo(4);
            story.answerNext(QmgrOrder.Deliver.class);
            assertThat(story.manager.overlooked(story.now)).isEmpty();
        }
        assertThat(story.removed).hasSize(11);
    }

    @Test
    @Tag("ZM-22")
    void aRingOf0HoldsItsMail() {
        Story story = ring(0);
        story.queue("u@d.ring");
        story.after(MINUTE);
        assertThat(story.deliveries()).isEmpty();
        assertThat(refusedBy(story, "d.ring")).isEqualTo(Code.RING);
    }

    @Test
    @Tag("ZM-23")
    void unequalLimitsReserveConnections() {
        TreeMap<String, RingSettings> rings = new TreeMap<>(Map.of("world", new RingSettings(50)));
        Story story = new Story(s -> s.lanes(60, 55).also(config -> config.withDestinations(new DestinationTable(
                List.of(clause("*", Map.of("ring", Optional.of("world"))),
                        clause("own.example", Map.of("ring", Optional.of("own")))),
                rings))));
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, 80).forEach(i -> story.queue("u@d" + i + ".example"));
        assertThat(story.deliveries()).hasSize(50);
        IntStream.range(0, 5).forEach(i -> story.queue("u" + i + "@own.example"));

        assertThat(story.deliveries()).filteredOn(each -> each.endsWith("own.example")).hasSize(5);
    }

    @Test
    @Tag("ZM-06")
    void aTimedStartComesWithTheFirstMessageThatIsDue() {
        Story story = new Story();
        story.replies.put("x.example", Story.TRY_LATER);
        story.queue("u@x.example");
        story.after(100_000);
        story.queue("v@x.example");
        story.replies.clear();
        long first = story.index.values().stream().mapToLong(row -> row.nextMillis).min().orElseThrow();
        story.until(first - 1);
        assertThat(story.removed).isEmpty();
        story.until(first);
        assertThat(story.removed).hasSize(1);
    }

    @Test
    @Tag("ZM-11")
    void aDestinationThatALimitRefusedStartsWhenTheLimitHasRoom() {
        Story story = ring(1);
        story.withhold(QmgrOrder.Deliver.class);
        story.queue("u@a.ring");
        story.queue("u@b.ring");
        assertThat(story.deliveries()).hasSize(1);
        story.happens(new QmgrEvent.Alarm());
        assertThat(story.deliveries()).hasSize(1);
        story.answerNext(QmgrOrder.Deliver.class);
        assertThat(story.deliveries()).containsExactly("1>a.ring", "2>b.ring");
    }
}
