package org.slipstream.qmgr.place;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.HostKey;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.WorkerBudget.Shares;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.wake.DestinationPattern;
import org.slipstream.qmgr.wake.DestinationSettings;
import org.slipstream.qmgr.wake.DestinationTable;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The whole queue manager: who, how many and where.
class SeatingTest {
    private final SeatingStory story = new SeatingStory();

    @Test
    void anOpenNamesTheOneHostThatWasChosen() {
        story.route("far.example", "mx1.far.example", "mx2.far.example");
        story.queue("a@far.example");
        assertThat(story.lastOpen().route()).isEqualTo(
                new Route.Smtp("far.example", List.of(new Route.Host("mx1.far.example", 25, 0))));
    }

    @Test
    void aMailboxAndARemoteHostHaveConnectionsWithDifferentNumbers() {
        story.route("far.example", "mx.far.example");
        story.routes.put("here.example", new Route.Local("here.example"));
        story.queue("a@far.example", "b@here.example");
        List<QmgrOrder.Open> opens = story.ordered(QmgrOrder.Open.class);
        assertThat(opens).hasSize(2);
        for (QmgrOrder.Open open : opens) {
            story.happens(new QmgrEvent.ConnectionReady(open.connection()));
        }
        story.ordered(QmgrOrder.Deliver.class).forEach(story::done);
        assertThat(opens.get(0).connection()).isNotEqualTo(opens.get(1).connection());
        assertThat(story.ordered(QmgrOrder.Remove.class)).hasSize(1);
    }

    @Test
    @Tag("FI-34")
    @Tag("ZM-24")
    void fi34SeveralMessagesAreOnTheirWayOverOneConnection() {
        story.route("far.example", "mx.far.example");
        story.queue("a@far.example");
        long connection = story.lastOpen().connection();
        story.happens(new QmgrEvent.ConnectionReady(connection));
        story.happens(new QmgrEvent.ConnectionDepth(connection, 10));
        for (int i = 0; i < 9; i++) {
            story.queue("a@far.example");
        }
        assertThat(story.ordered(QmgrOrder.Open.class)).hasSize(1);
        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSize(10);
    }

    @Test
    @Tag("ZM-13")
    void aConnectionStaysIdleAsLongAsTheClauseOfTheDestinationThatItServedLastSays() {
        DestinationSettings minute = SettingsRecords.with(DestinationSettings.NONE, "idleConnection",
                Optional.of(Duration.ofMinutes(1)));
        story.start(PlaceRules.defaults(), QmgrConfig.defaults().withDestinations(new DestinationTable(List.of(
                new DestinationTable.Clause(DestinationPattern.parse("slow.example").orElseThrow(), minute)),
                Map.of())));
        for (String domain : List.of("slow.example", "far.example")) {
            story.route(domain, "mx." + domain);
            story.queue("a@" + domain);
        }
        story.work();
        story.alarm(story.now + 1_000);
        assertThat(story.ordered(QmgrOrder.Close.class)).as("mail to far.example is sparse").singleElement()
                .extracting(QmgrOrder.Close::connection).isEqualTo(2L);
        story.alarm(story.now + 58_999);
        assertThat(story.ordered(QmgrOrder.Close.class)).hasSize(1);
        story.alarm(story.now + 1);
        assertThat(story.ordered(QmgrOrder.Close.class)).hasSize(2);
    }

    @Test
    @Tag("PF-01")
    void theWindowLimitsConnectionsAndNotMessages() {
        story.route("far.example", "mx.far.example");
        for (int i = 0; i < 100; i++) {
            story.queue("a@far.example");
        }
        assertThat(story.ordered(QmgrOrder.Open.class)).as("before the host has greeted").hasSize(1);
        story.happens(new QmgrEvent.ConnectionReady(story.lastOpen().connection()));
        story.orders.remove(story.ordered(QmgrOrder.Open.class).getFirst());
        assertThat(story.ordered(QmgrOrder.Open.class)).as("the others of the initial concurrency").hasSize(4);
        assertThat(story.why(new QueueId(100)))
                .startsWith("waits for a connection to smtp/far.example: 5 of 5 at work, ")
                .endsWith(" deliveries before it");
        story.work();
        assertThat(story.ordered(QmgrOrder.Remove.class)).hasSize(100);
    }

    /// An operator's report: ten messages were "delivering" on five connections to a host that sent
    /// no reply.
    @Test
    void ofTwoMessagesOnASilentConnectionOneIsAheadOfTheOtherAndLookingChangesNothing() {
        story.route("far.example", "mx.far.example");
        for (int i = 0; i < 30; i++) {
            story.queue("a@far.example");
        }
        List<QmgrOrder> before = List.copyOf(story.orders);
        Map<Code, Long> phases = story.manager.queries().snapshot(story.now).messages().stream()
                .collect(Collectors.groupingBy(m -> m.phase().code(), Collectors.counting()));
        assertThat(phases.get(Code.CONNECTING)).as("one connection until it has greeted").isEqualTo(1);
        assertThat(phases.get(Code.AHEAD)).isPositive();
        assertThat(phases.get(Code.HOST_LIMIT)).isPositive();
        assertThat(story.manager.queries().about(new QueueId(1), story.now).orElseThrow().seat()).hasValueSatisfying(
                seat -> assertThat(seat.connection())
                        .isEqualTo(story.ordered(QmgrOrder.Open.class).getFirst().connection()));
        story.alarm(story.now);
        assertThat(story.orders).isEqualTo(before);
    }

    @Test
    void aMessageThatLostItsConnectionMovesOnAndIsNeverSelectedAgain() {
        story.route("far.example", "mx.far.example");
        story.queue("before@far.example");
        long first = story.lastOpen().connection();
        story.work();
        QueueId id = story.queue("a@far.example");
        QmgrOrder.Deliver lost = story.ordered(QmgrOrder.Deliver.class).getLast();
        story.unanswered(lost, false);
        story.happens(new QmgrEvent.ConnectionReady(story.lastOpen().connection()));
        QmgrOrder.Deliver again = story.ordered(QmgrOrder.Deliver.class).getLast();
        assertThat(again.delivery()).as("the same, and it has the same number").isEqualTo(lost.delivery());
        assertThat(again.connection()).isNotEqualTo(first);
        story.done(again);
        assertThat(story.ordered(QmgrOrder.Remove.class)).hasSize(2).last()
                .satisfies(remove -> assertThat(remove.id()).isEqualTo(id));
    }

    @Test
    void aMessageThatMayHaveArrivedIsDeferredAndNotTriedAtAnotherHostOfTheSameDestination() {
        story.route("far.example", "mx1.far.example", "mx2.far.example");
        QueueId id = story.queue("a@far.example");
        story.happens(new QmgrEvent.ConnectionReady(story.lastOpen().connection()));
        QmgrOrder.Deliver lost = story.ordered(QmgrOrder.Deliver.class).getLast();
        story.unanswered(lost, true);
        assertThat(story.ordered(QmgrOrder.Open.class)).hasSize(1);
        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSize(1);
        assertThat(story.ordered(QmgrOrder.Defer.class)).singleElement()
                .satisfies(defer -> assertThat(defer.id()).isEqualTo(id));
        assertThat(story.seating.snapshot(story.now).counts().possibleDuplicates()).isEqualTo(1);
    }

    @Test
    void fi13AListThatHasItsShareDelaysNoOtherMessageEvenToTheSameDestination() {
        story.start(PlaceRules.defaults().withWorkers(10, 20).with(new PlaceRules.Depth(1, 50, 1))
                .with(new Shares(2, 0), new Shares(1, 0)));
        for (int i = 1; i <= 6; i++) {
            story.route("d" + i + ".example", "mx.d" + i + ".example");
        }
        QueueId list = story
                .queue(IntStream.rangeClosed(1, 6).mapToObj(i -> "a@d" + i + ".example").toArray(String[]::new));
        assertThat(story.ordered(QmgrOrder.Open.class)).hasSize(2);
        story.queue("b@d6.example");
        assertThat(story.ordered(QmgrOrder.Open.class)).as("a letter to where the list wants to go").hasSize(3);
        story.work();
        assertThat(story.ordered(QmgrOrder.Remove.class)).hasSize(2).last()
                .satisfies(remove -> assertThat(remove.id()).isEqualTo(list));
    }

    @Test
    void anAnswerToNothingIsRefusedAndChangesNothing() {
        assertThatThrownBy(() -> story.happens(new QmgrEvent.ConnectionReady(98)))
                .isInstanceOf(ImpossibleEventException.class);
        story.route("far.example", "mx.far.example");
        story.queue("a@far.example");
        assertThatThrownBy(
                () -> story.happens(new QmgrEvent.DeliveryDone(
                        new DeliveryResult.Answered(77, story.lastOpen().connection(), List.of(), true))))
                .isInstanceOf(ImpossibleEventException.class);
        story.happens(new QmgrEvent.ConnectionReady(story.lastOpen().connection()));
        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSize(1);
    }

    @Test
    void anOperatorsChangeIsPublishedAtTheNextAlarmWhichIsDueAtOnce() {
        HostKey host = HostKey.of("mx.far.example", 25);
        story.seating.suspend(host, "maintenance", "ann", Long.MAX_VALUE, story.now);
        assertThat(story.manager.nextAlarmMillis()).isLessThanOrEqualTo(story.now);
        story.alarm(story.now);
        assertThat(story.remembered).hasSize(1);
        story.seating.hosts().resume(host);
        story.alarm(story.now);
        assertThat(story.remembered).last()
                .isEqualTo(new HostRow.Change.Gone(host.toString(), HostRow.HostRowKind.SUSPENDED));
        assertThat(story.manager.nextAlarmMillis()).isGreaterThan(story.now);
    }

    @Test
    void anOperatorSeesWhereAMessageWouldGoAndWhyNotElsewhere() {
        story.route("far.example", "mx1.far.example,mx2.far.example");
        story.seating.suspend(HostKey.of("mx1.far.example", 25), "maintenance", "ann", Long.MAX_VALUE, story.now);
        Seat seat = story.seating.find(new QueueId(1), story.routes.get("far.example"), true, story.now);
        assertThat(seat.reason()).isEqualTo("an unused host");
        assertThat(seat.passedOver()).singleElement()
                .satisfies(host -> assertThat(host.toString()).contains("mx1.far.example",
                        "suspended by ann: maintenance"));
    }
}
