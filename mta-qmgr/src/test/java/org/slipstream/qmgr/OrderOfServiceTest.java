package org.slipstream.qmgr;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.core.queue.QueuePhase.Figure;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.settings.QueueSettings;
import org.slipstream.qmgr.settings.TransportTable;
import org.slipstream.qmgr.settle.Settlement;
import org.slipstream.qmgr.trace.QmgrSnapshot;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// The order of deliveries, seen from outside.
class OrderOfServiceTest {
    private static Story withoutDeliveryAnswers(int lanesPerDestination, int lanes) {
        Story story = new Story(s -> s.lanes(lanesPerDestination, lanes).recipients(1, 1_000));
        story.withhold(QmgrOrder.Deliver.class);
        return story;
    }

    private static void drain(Story story) {
        while (!story.waiting(QmgrOrder.Deliver.class).isEmpty()) {
            story.answerNext(QmgrOrder.Deliver.class);
        }
    }

    @Test
    @Tag("ZM-12")
    void firstComeFirstServed() {
        Story story = withoutDeliveryAnswers(1, 100);
        story.queue("a@far.example", "b@far.example", "c@far.example");
        story.queue("d@far.example");
        story.queue("e@far.example");
        drain(story);

        assertThat(story.deliveries()).containsExactly("1>far.example", "1>far.example", "1>far.example",
                "2>far.example", "3>far.example");
    }

    @Test
    @Tag("PF-25")
    void theDestinationsOfAMessageTakeTurns() {
        Story story = new Story(s -> s.lanes(1, 1).recipients(2, 1_000));
        story.withhold(QmgrOrder.Deliver.class);
        story.queue("first@x.example");
        story.queue("a1@a.example", "a2@a.example", "a3@a.example", "b1@b.example", "b2@b.example", "b3@b.example",
                "c1@c.example");
        drain(story);

        assertThat(story.deliveries()).containsExactly("1>x.example", "2>a.example", "2>b.example", "2>c.example",
                "2>a.example", "2>b.example");
    }

    @Test
    @Tag("PF-24")
    void transportsTakeTurns() {
        Story story = withoutDeliveryAnswers(1, 1);
        story.routes.put("here.example", new Route.Local("here.example"));
        story.queue("a@far.example", "b@far.example", "c@far.example");
        story.queue("d@here.example", "e@here.example", "f@here.example");

        // Each transport has its own connection; neither waits for the other.
        assertThat(story.waiting(QmgrOrder.Deliver.class)).extracting(d -> d.route().transport()).containsExactly(
                "smtp",
                "local");
        drain(story);
        assertThat(story.deliveries()).hasSize(6);
    }

    @Test
    @Tag("PF-26")
    void neverMoreConnectionsThanTheDestinationAndTheTransportMayHave() {
        Story story = withoutDeliveryAnswers(2, 3);
        story.queue("a@a.example", "b@a.example", "c@a.example");
        story.queue("d@b.example", "e@b.example");

        assertThat(story.deliveries()).containsExactly("1>a.example", "1>a.example", "2>b.example");
        assertThat(story.why(new QueueId(2))).isEqualTo("being delivered to mx.b.example[mx.b.example]:25/may");

        story.queue("f@c.example");
        assertThat(story.why(new QueueId(3))).isEqualTo("waits for a connection: all 3 connections are busy");
        drain(story);
        assertThat(story.removed).hasSize(3);
    }

    @Test
    @Tag("PF-51")
    void aBusyDestinationHoldsUpOnlyItself() {
        Story story = withoutDeliveryAnswers(1, 100);
        story.queue("a@slow.example");
        IntStream.range(0, 50).forEach(i -> story.queue("x" + i + "@slow.example"));
        QueueId other = story.queue("b@quick.example");

        assertThat(story.deliveries()).containsExactly("1>slow.example", other.value() + ">quick.example");
        assertThat(story.why(new QueueId(2)))
                .startsWith("waits for a connection to smtp/x0@slow.example: 1 of 1 at work (");
        // When it moves again, it moves in order.
        drain(story);
        assertThat(story.deliveries().stream().filter(d -> d.endsWith("slow.example")).map(d -> d.split(">")[0])
                .map(Integer::valueOf).toList()).isSorted();
    }

    @Test
    @Tag("PF-21")
    void recipientsOfOneDomainTravelTogetherFiftyAtATime() {
        Story story = new Story();
        story.queue(
                Stream.iterate(1, i -> i + 1).limit(120).map(i -> "r" + i + "@list.example").toArray(String[]::new));

        assertThat(story.ordered(QmgrOrder.Deliver.class)).extracting(d -> d.recipients().size()).containsExactly(50,
                50,
                20);
        assertThat(story.ordered(QmgrOrder.FindRoute.class)).hasSize(1);
    }

    @Test
    void domainsWithTheSameSmartHostShareOneDestination() {
        Story story = withoutDeliveryAnswers(1, 100);
        Route relay = new Route.Smtp("[relay.example]:25", List.of(new Route.Host("relay.example", 25, 0)));
        story.routes.put("a.example", relay);
        story.routes.put("b.example", relay);
        story.queue("x@a.example", "y@b.example");
        drain(story);

        assertThat(story.ordered(QmgrOrder.Open.class)).hasSize(1);
        assertThat(story.removed).hasSize(1);
    }

    @Test
    @Tag("PF-60")
    void whenTheActiveSetIsFullTheNextMessageWaitsOnDiskAndIsTakenWhenAPlaceIsFree() {
        Story story = new Story(s -> s.active(3));
        story.start();
        story.withhold(QmgrOrder.Deliver.class);
        Stream.of("a", "b", "c").forEach(who -> story.queue(who + "@far.example"));
        QueueId fourth = story.queue("d@far.example");
        assertThat(story.active()).hasSize(3).doesNotContain(fourth);

        story.answerNext(QmgrOrder.Deliver.class);
        story.after(1_000);

        assertThat(story.active()).hasSize(3).contains(fourth);
        story.answerAll(QmgrOrder.Deliver.class);
        assertThat(story.removed).hasSize(4);
    }

    @Test
    @Tag("PF-60")
    void aThousandMessagesPassThroughAnActiveSetOfTen() {
        Story story = new Story(s -> s.active(10));
        IntStream.range(0, 1_000).forEach(i -> story.row("u" + i + "@d" + i % 7 + ".example"));
        story.until(1_000_000);

        assertThat(story.removed).hasSize(1_000);
    }

    @Test
    @Tag("PF-61")
    @Tag("PF-67")
    void tenThousandRecipientsAreReadInBatchesAndNeverAreMoreInMemoryThanTheLimits() {
        Story story = new Story(s -> s.lanes(3, 3).active(100)
                .also(config -> config.withMemory(new QueueSettings.Memory(800, 10)).withTransports(TransportTable
                        .of(config.transports().common().withRecipientLimits(500, 50, 100, Duration.ofSeconds(5))))));
        QueueId id = story.queue(IntStream.range(0, 10_000).mapToObj(i -> "r" + i + "@d" + i % 13 + ".example")
                .toArray(String[]::new));

        List<QmgrOrder> readsAndDeliveries = story.orders.stream()
                .filter(o -> o instanceof QmgrOrder.ReadRecipients || o instanceof QmgrOrder.Deliver).toList();
        int inMemory = 0;
        int most = 0;
        for (QmgrOrder order : readsAndDeliveries) {
            switch (order) {
                case QmgrOrder.Deliver deliver -> inMemory -= deliver.recipients().size();
                case QmgrOrder.ReadRecipients read -> inMemory += Math.min(read.limit(), 10_000 - read.after());
                default -> throw new AssertionError();
            }
            most = Math.max(most, inMemory);
        }
        assertThat(most).isBetween(400, 1_000);
        assertThat(story.ordered(QmgrOrder.ReadRecipients.class)).hasSizeGreaterThan(10)
                .allMatch(read -> read.limit() <= 1_000);
        assertThat(story.removed).containsEntry(id, Settlement.SENT);
    }

    @Test
    @Tag("PF-12")
    void whereRecipientsGoOneByOneEachIsADestinationOfItsOwn() {
        Story story = new Story(s -> s.recipients(1, 1_000).lanes(20, 100));
        story.withhold(QmgrOrder.Deliver.class);
        story.queue(IntStream.range(0, 10).mapToObj(i -> "r" + i + "@far.example").toArray(String[]::new));

        assertThat(story.manager.queries().snapshot(0).destinations()).hasSize(10)
                .allSatisfy(d -> assertThat(d.nextHop()).endsWith("@far.example"));
        assertThat(story.waiting(QmgrOrder.Deliver.class)).hasSize(10);
    }

    @Test
    @Tag("PF-12")
    void oneMailboxIsOneDestinationWhateverItsCaseAndItsExtension() {
        Story story = new Story(s -> s.recipients(1, 1_000).lanes(20, 100)
                .also(config -> config.withRecipientDelimiter(Optional.of("+"))));
        story.withhold(QmgrOrder.Deliver.class);
        story.queue("Ann@far.example", "ann+news@far.example", "ANN+shop@far.example", "bob@far.example");

        assertThat(story.manager.queries().snapshotOfDestinations(0).destinations()).extracting(d -> d.nextHop())
                .containsExactlyInAnyOrder("ann@far.example", "bob@far.example");
    }

    @Test
    @Tag("PF-01")
    void fiveAtFirstToASilentHost() {
        Story story = new Story();
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, 20).forEach(i -> story.queue("u" + i + "@silent.example"));

        assertThat(story.waiting(QmgrOrder.Deliver.class)).hasSize(5);
        assertThat(story.why(new QueueId(6)))
                .isEqualTo("waits for a connection to smtp/silent.example: 5 of 5 at work");
        assertThat(story.why(new QueueId(7))).endsWith("5 of 5 at work, 1 delivery before it");
    }

    @Test
    void mailForASilentHostShowsItsWaitAndTheMailBeforeIt() {
        Story story = new Story();
        story.withhold(QmgrOrder.Open.class);
        story.after(10_000);
        IntStream.range(0, 20).forEach(i -> story.queue("u" + i + "@silent.example"));
        story.after(7_000);

        QmgrSnapshot.ActiveMessage first = story.about(new QueueId(1));
        assertThat(first.phase().code()).isEqualTo(Code.CONNECTING);
        assertThat(first.phase().sinceMillis()).hasValue(10_000);
        assertThat(first.seat()).hasValueSatisfying(seat -> assertThat(seat.ahead()).isZero());
        QmgrSnapshot.ActiveMessage last = story.about(new QueueId(20));
        assertThat(last.phase().code()).isEqualTo(Code.WINDOW);
        assertThat(last.phase().sinceMillis()).hasValue(10_000);
        assertThat(last.phase().figures()).isEqualTo(Map.of(Figure.AT_WORK, 5L, Figure.LIMIT, 5L, Figure.BEFORE, 14L));
        assertThat(last.seat()).isEmpty();
        assertThat(story.manager.queries().snapshot(Set.of(new QueueId(3)), story.now))
                .satisfies(picture -> assertThat(picture.messages()).hasSize(1))
                .satisfies(picture -> assertThat(picture.active()).isEqualTo(20));
    }

    @Test
    @Tag("PF-15")
    void betweenTwoDeliveriesToARateLimitedDestinationThereIsAPause() {
        Story story = new Story(s -> s.transport(t -> t.withRateDelay(Duration.ofMillis(3_000))));
        QueueId first = story.queue("a@slow.example");
        QueueId second = story.queue("b@slow.example");
        assertThat(story.removed).containsOnlyKeys(first);
        assertThat(story.why(second))
                .isEqualTo("waits: smtp/slow.example pauses 3 s after each delivery (destination-rate-delay)");
        story.after(2_999);
        assertThat(story.removed).containsOnlyKeys(first);
        story.after(1);
        assertThat(story.removed).containsKeys(first, second);
    }

    @Test
    @Tag("PF-12")
    @Tag("PF-15")
    void aRecipientThatRestsLeavesItsSeatToItsNeighbour() {
        Story story = new Story(
                s -> s.transport(t -> t.withRateDelay(Duration.ofMillis(3_000))).lanes(1, 100).recipients(1, 1_000));
        QueueId message = story.queue("a@slow.example", "b@slow.example", "c@slow.example");

        // Each has its own window and rate delay; they share one connection in turn.
        assertThat(story.removed).containsKey(message);
    }

    @Test
    @Tag("PF-42")
    void aSingleThatComesLaterLeavesWithinAFewSlotsOfABulkMessage() {
        Story story = new Story(s -> s.lanes(1, 1).recipients(2, 1_000));
        story.withhold(QmgrOrder.Deliver.class);
        story.queue(IntStream.range(0, 200).mapToObj(i -> "r" + i + "@list.example").toArray(String[]::new));
        IntStream.range(0, 10).forEach(_ -> story.answerNext(QmgrOrder.Deliver.class));
        QueueId single = story.queue("me@far.example");
        IntStream.range(0, 3).forEach(_ -> story.answerNext(QmgrOrder.Deliver.class));

        assertThat(story.removed).containsKey(single);
    }

    @Test
    @Tag("PF-02")
    void withoutALimitAsManyDeliveriesToADestinationRunAsItsWindowHasGrownTo() {
        Story story = new Story(s -> s.lanes(0, 100));
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, 100).forEach(i -> story.queue("u" + i + "@far.example"));
        assertThat(story.waiting(QmgrOrder.Deliver.class)).hasSize(5);
        IntStream.range(0, 40).forEach(_ -> story.answerNext(QmgrOrder.Deliver.class));

        assertThat(story.waiting(QmgrOrder.Deliver.class)).hasSize(45);
    }

    /// The name of a domain is in memory once, and each recipient keeps the spelling that its
    /// sender used.
    @Test
    void recipientsShareTheNameOfTheirDomainAndKeepTheirSpelling() {
        Story story = new Story();
        story.queue("a@far.example", "b@far.example", "c@Far.Example");
        List<Address> addresses = story.ordered(QmgrOrder.Deliver.class).getFirst().recipients().stream()
                .map(Recipient::address).toList();
        assertThat(addresses).extracting(Address::toString).containsExactlyInAnyOrder("a@far.example", "b@far.example",
                "c@Far.Example");
        List<String> domains = addresses.stream().map(Address::domain).filter("far.example"::equals).toList();
        assertThat(domains.getFirst()).isSameAs(domains.getLast());
    }

    @Test
    void oneRouteRequestPerDomainServesAllWaitingMessages() {
        Story story = new Story();
        story.withhold(QmgrOrder.FindRoute.class);
        story.queue("a@slow-dns.example");
        story.queue("b@slow-dns.example", "c@other.example");
        assertThat(story.waiting(QmgrOrder.FindRoute.class)).extracting(QmgrOrder.FindRoute::domain)
                .containsExactly("slow-dns.example", "other.example");
        assertThat(story.why(new QueueId(1))).isEqualTo("waits for the route of slow-dns.example");
        assertThat(story.why(new QueueId(2))).isEqualTo("waits for the route of other.example and 1 more");

        // Slow DNS for one domain holds up no other.
        story.answer(new QmgrOrder.FindRoute("other.example", new QueueId(2)));
        assertThat(story.deliveries()).containsExactly("2>other.example");
        story.answerAll(QmgrOrder.FindRoute.class);
        assertThat(story.removed).hasSize(2);
    }

    @Test
    void aMessageAnnouncedTwiceIsDeliveredOnce() {
        Story story = new Story();
        story.withhold(QmgrOrder.Deliver.class);
        Story.Row row = story.row("a@far.example");
        story.queue(row);
        story.queue(row);
        story.until(400_000); // scans find it again while it is active: its lease has run out
        assertThat(story.waiting(QmgrOrder.Deliver.class)).hasSize(1);

        story.withhold(QmgrOrder.Remove.class);
        story.answerNext(QmgrOrder.Deliver.class);
        story.queue(row); // the removal has not reached the index
        story.answerAll(QmgrOrder.Remove.class);

        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSize(1);
        assertThat(story.removed).hasSize(1);
    }

    @Test
    void anEntryIsNotForgottenBeforeItsOutcomeIsOnDisk() {
        Story story = new Story();
        story.withhold(QmgrOrder.RecordOutcome.class);
        QueueId id = story.queue("a@far.example");

        assertThat(story.why(id)).isEqualTo("its outcomes are being recorded");
        assertThat(story.ordered(QmgrOrder.Remove.class)).isEmpty();
        story.answerAll(QmgrOrder.RecordOutcome.class);
        assertThat(story.removed).containsEntry(id, Settlement.SENT);
    }

    @Test
    void aRecipientWithoutAnOutcomeIsTriedAgainRatherThanLost() {
        Story story = new Story();
        story.withhold(QmgrOrder.Deliver.class);
        QueueId id = story.queue("a@far.example", "b@far.example");
        QmgrOrder.Deliver deliver = story.waiting(QmgrOrder.Deliver.class).getFirst();
        story.happens(new QmgrEvent.DeliveryDone(new org.slipstream.core.queue.DeliveryResult.Answered(
                deliver.delivery().number(), deliver.connection(),
                List.of(new org.slipstream.core.queue.RecipientOutcome(1,
                        new org.slipstream.core.queue.Outcome.Delivered(Story.OK, "mx"))),
                true)));

        assertThat(story.index.get(id).open).containsOnlyKeys(2);
        assertThat(story.index.get(id).nextMillis).isEqualTo(300_000);
    }
}
