package org.slipstream.qmgr;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.ReportKind;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.settle.Settlement;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Failures: hosts that are down, connections that break, a damaged queue index, and crashes.
class TroubleTest {
    private static QmgrEvent.DeliveryDone broken(QmgrOrder.Deliver deliver) {
        return new QmgrEvent.DeliveryDone(new DeliveryResult.Unanswered(deliver.delivery().number(),
                deliver.connection(), Reply.of(450, "4.4.2", "connection reset"), "mx", false));
    }

    /// Five connections at once, all of which fail: the fourth failure kills the destination, by
    /// the published pseudo-code.
    private static Story killed(String domain) {
        Story story = new Story();
        story.down.put(domain, Story.REFUSED);
        story.withhold(QmgrOrder.Open.class);
        IntStream.range(0, 10).forEach(i -> story.queue("u" + i + "@" + domain));
        story.answerAll(QmgrOrder.Open.class);
        assertThat(story.ordered(QmgrOrder.Open.class)).hasSize(5);
        return story;
    }

    @Test
    @Tag("PF-10")
    void aHostThatIsDownIsTriedTwiceByAWindowOfOneAndFiftyMessagesWaitWithItsReason() {
        Story story = new Story(s -> s.lanes(1, 100));
        story.down.put("down.example", Story.REFUSED);
        story.withhold(QmgrOrder.Open.class);
        IntStream.range(0, 50).forEach(i -> story.queue("u" + i + "@down.example"));
        QueueId other = story.queue("a@up.example");
        story.answerAll(QmgrOrder.Open.class);

        assertThat(story.ordered(QmgrOrder.Open.class)).filteredOn(o -> o.route().nextHop().equals("down.example"))
                .hasSize(2);
        assertThat(story.index).hasSize(50);
        assertThat(story.index.values()).filteredOn(row -> row.last.get(1).reply().toString()
                .equals("450 4.4.1 delivery temporarily suspended: connection refused")).hasSize(48);
        assertThat(story.removed).containsEntry(other, Settlement.SENT);
        assertThat(story.active()).isEmpty();
    }

    @Test
    @Tag("PF-22")
    void mailThatArrivesForADeadDestinationIsDeferredOnTheSpot() {
        Story story = killed("down.example");
        story.after(1_000);
        QueueId later = story.queue("b@down.example");

        assertThat(story.ordered(QmgrOrder.Open.class)).hasSize(5);
        assertThat(story.index.get(later).last.get(1).reply().text()).startsWith("delivery temporarily suspended");
    }

    @Test
    @Tag("PF-09")
    void afterTheMinimalBackoffADeadDestinationIsTriedAgain() {
        Story story = killed("down.example");
        story.down.clear();
        story.until(299_999);
        assertThat(story.ordered(QmgrOrder.Open.class)).hasSize(5);
        story.until(300_000);

        assertThat(story.removed).hasSize(10);
    }

    @Test
    @Tag("PF-16")
    void aTransportThatIsBrokenRestsForAMinuteAndSpeaksAgainstNoDestination() {
        Story story = new Story(s -> s.lanes(1, 100));
        story.withhold(QmgrOrder.Deliver.class);
        story.broken = true;
        QueueId first = story.queue("a@far.example");
        story.queue("b@far.example");
        story.answerNext(QmgrOrder.Deliver.class);
        QueueId later = story.queue("c@other.example");

        assertThat(story.index.values()).hasSize(3)
                .allSatisfy(row -> assertThat(row.last.get(1).reply().text()).contains("no sockets left"));
        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSize(1);
        assertThat(story.index.get(later).last.get(1).reply().text()).startsWith("delivery temporarily suspended");
        story.broken = false;
        story.answerAll(QmgrOrder.Deliver.class);
        story.until(59_999);
        story.queue("d@far.example");
        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSize(1);
        story.until(60_000);
        QueueId after = story.queue("e@far.example");
        assertThat(story.removed).containsOnlyKeys(after).doesNotContainKey(first);
    }

    @Test
    @Tag("PF-09")
    void oneSuccessOfADeliveryThatWasStillRunningRevivesTheDestination() {
        Story story = new Story(s -> s.lanes(2, 100));
        story.withhold(QmgrOrder.Deliver.class);
        story.withhold(QmgrOrder.Open.class);
        story.queue("a@shaky.example");
        story.queue("b@shaky.example");
        story.down.put("shaky.example", Story.REFUSED);
        story.answerNext(QmgrOrder.Open.class);
        assertThat(story.why(new QueueId(2)))
                .isEqualTo("a connection to mx.shaky.example[mx.shaky.example]:25/may is being opened");
        story.down.clear();
        story.answerNext(QmgrOrder.Open.class);
        story.answerNext(QmgrOrder.Deliver.class);
        story.answerAll(QmgrOrder.Open.class);
        story.answerAll(QmgrOrder.Deliver.class);

        QueueId next = story.queue("c@shaky.example");
        assertThat(story.removed).containsKeys(new QueueId(2), next);
    }

    @Test
    void aFlushGivesADeadDestinationAnotherChance() {
        Story story = new Story();
        story.down.put("down.example", Story.REFUSED);
        QueueId id = story.queue("a@down.example");
        story.down.clear();
        story.command(new OperatorCommand.FlushAll(Optional.empty()));

        assertThat(story.removed).containsEntry(id, Settlement.SENT);
    }

    @Test
    @Tag("PF-04")
    void aServerThatRefusesMoreConnectionsIsServedOverThoseThatItTakes() {
        Story story = new Story(s -> s.lanes(2, 100));
        story.withhold(QmgrOrder.Deliver.class);
        story.queue("a@small.example");
        story.down.put("small.example", Story.REFUSED);
        QueueId refused = story.queue("b@small.example");
        assertThat(story.index.get(refused).nextMillis).isEqualTo(300_000);

        // The window is one now, and the one connection is busy: no further connection is refused.
        QueueId third = story.queue("c@small.example");
        assertThat(story.ordered(QmgrOrder.Open.class)).hasSize(2);
        assertThat(story.why(third)).isEqualTo("waits for a connection to smtp/small.example: 1 of 1 at work");
        story.answerAll(QmgrOrder.Deliver.class);
        assertThat(story.removed).hasSize(2).containsKey(third);
    }

    @Test
    void aReplyThatWillNotChangeIsTheAnswerForEachAndKillsNothing() {
        Story story = new Story();
        story.down.put("closed.example", Reply.of(554, "5.3.2", "no mail service here"));
        QueueId first = story.queue("a@closed.example");
        QueueId second = story.queue("b@closed.example");

        assertThat(story.removed).containsEntry(first, Settlement.BOUNCED).containsEntry(second, Settlement.BOUNCED);
    }

    @Test
    @Tag("PF-06")
    void aRefusedRecipientSaysNothingAgainstTheServer() {
        List<QmgrTrace.FeedbackEvent> kinds = new ArrayList<>();
        List<Integer> windows = new ArrayList<>();
        Story story = new Story(s -> s, new QmgrTrace() {
            @Override
            public void feedback(DestinationQueue line, FeedbackEvent kind, int running,
                    Destination.FlowFigures figures) {
                kinds.add(kind);
                windows.add(figures.window());
            }
        });
        story.withhold(QmgrOrder.Deliver.class);
        for (int i = 0; i < 5; i++) {
            story.replies.put("busy" + i + "@far.example", i % 2 == 0 ? Story.TRY_LATER : Story.NO_SUCH_USER);
            story.queue("busy" + i + "@far.example");
        }
        story.answerAll(QmgrOrder.Deliver.class);

        assertThat(kinds).contains(QmgrTrace.FeedbackEvent.OK).doesNotContain(QmgrTrace.FeedbackEvent.FAIL,
                QmgrTrace.FeedbackEvent.FAIL_DEAD);
        assertThat(windows).as("a refusal counts as a working session").isSorted().contains(6);
    }

    @Test
    void aConnectionThatBreaksInTheMiddleDefersItsOwnEntryAndTheOthersGoOn() {
        Story story = new Story(s -> s.lanes(3, 2));
        story.withhold(QmgrOrder.Deliver.class);
        QueueId broken = story.queue("a@far.example");
        QueueId good = story.queue("b@far.example");
        QueueId waiting = story.queue("c@far.example");
        story.happens(broken(story.waiting(QmgrOrder.Deliver.class).getFirst()));

        assertThat(story.index.get(broken).nextMillis).isEqualTo(300_000);
        assertThat(story.deliveries()).containsExactly("1>far.example", "2>far.example",
                waiting.value() + ">far.example");
        assertThat(story.active()).containsExactlyInAnyOrder(good, waiting);
    }

    @Test
    @Tag("ZM-03")
    void outcomesInAnotherOrderThanTheRecipientsStayWithTheirRecipients() {
        Story story = new Story(s -> s.lifetime(0, 0));
        story.withhold(QmgrOrder.Deliver.class);
        QueueId id = story.queue("there@far.example", "late@far.example");
        Story.Row row = story.index.get(id);
        QmgrOrder.Deliver deliver = story.waiting(QmgrOrder.Deliver.class).getFirst();
        story.happens(new QmgrEvent.DeliveryDone(new DeliveryResult.Answered(deliver.delivery().number(),
                deliver.connection(), List.of(new RecipientOutcome(2, new Outcome.Deferred(Story.TRY_LATER, "mx")),
                        new RecipientOutcome(1, new Outcome.Delivered(Story.OK, "mx"))),
                true)));

        // Too old for another attempt: the deferred recipient fails, the delivered one stays
        // delivered.
        assertThat(row.last.get(1)).isInstanceOf(Outcome.Delivered.class);
        assertThat(row.last.get(2)).isInstanceOf(Outcome.Failed.class);
        assertThat(story.ordered(QmgrOrder.RecordOutcome.class)).allSatisfy(record -> assertThat(record.outcomes())
                .extracting(RecipientOutcome::number)
                .isEqualTo(record.recipients().stream().map(r -> r.number()).toList()));
    }

    @Test
    @Tag("ZM-44")
    void aDamagedMessageIsDroppedAndStopsNothing() {
        Story story = new Story();
        story.withhold(QmgrOrder.ReadRecipients.class);
        QueueId id = story.queue("a@far.example");
        assertThat(story.why(id)).isEqualTo("its recipients are being read");
        story.happens(new QmgrEvent.MessageDamaged(id, "checksum"));

        assertThat(story.active()).isEmpty();
        assertThat(story.ordered(QmgrOrder.Remove.class)).isEmpty();
        assertThat(story.ordered(QmgrOrder.Defer.class)).isEmpty();
    }

    @Test
    void recipientsThatTheIndexCountedAndDidNotShowAreNotTakenForDelivered() {
        Story story = new Story();
        story.withhold(QmgrOrder.ReadRecipients.class);
        QueueId id = story.queue("a@far.example", "b@far.example");
        story.happens(new QmgrEvent.RecipientsRead(id, List.of(story.index.get(id).open.get(1)), true));

        assertThat(story.ordered(QmgrOrder.Remove.class)).isEmpty();
        assertThat(story.ordered(QmgrOrder.Defer.class)).hasSize(1);
    }

    @Test
    void anEmptyBatchThatIsNotTheEndIsNoReasonToAskForEver() {
        Story story = new Story();
        story.withhold(QmgrOrder.ReadRecipients.class);
        QueueId id = story.queue("a@far.example");
        story.happens(new QmgrEvent.RecipientsRead(id, List.of(), false));

        assertThat(story.ordered(QmgrOrder.ReadRecipients.class)).hasSize(1);
        assertThat(story.ordered(QmgrOrder.Defer.class)).hasSize(1);
    }

    // ---- after a crash

    @Test
    void mailOnDiskIsFoundByTheFirstScan() {
        Story story = new Story();
        assertThat(story.manager.nextAlarmMillis()).isLessThanOrEqualTo(story.now);
        QueueId id = story.row("a@far.example").id;
        story.start();

        assertThat(story.removed).containsEntry(id, Settlement.SENT);
    }

    @Test
    void aCrashBetweenAFailureAndItsReportIsMadeGood() {
        Story story = new Story();
        story.replies.put("far.example", Story.NO_SUCH_USER);
        story.withhold(QmgrOrder.Notify.class);
        QueueId id = story.queue("a@far.example");
        story.restart();
        story.answerAll(QmgrOrder.Notify.class);
        story.until(300_000); // the lease

        assertThat(story.removed).containsEntry(id, Settlement.BOUNCED);
        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSize(1);
        assertThat(story.ordered(QmgrOrder.ReadRecipients.class)).hasSize(1);
    }

    @Test
    void aCrashBetweenTheLastOutcomeAndTheRemovalLeavesOnlyTheRemoval() {
        Story story = new Story();
        Story.Row row = story.row("a@far.example");
        row.open.clear();
        story.start();

        assertThat(story.removed).containsEntry(row.id, Settlement.SENT);
        assertThat(story.ordered(QmgrOrder.ReadRecipients.class)).isEmpty();
    }

    @Test
    void aCrashWhileTryingDoesNotLoopTightly() {
        Story story = new Story();
        story.withhold(QmgrOrder.Deliver.class);
        Story.Row row = story.row("a@far.example");
        story.start();
        assertThat(row.nextMillis).isEqualTo(300_000);
        story.restart();
        story.until(299_999);
        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSize(1);
        story.until(300_000);
        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSize(2);
    }

    // ---- impossible events

    @Test
    void answersToOrdersThatWereNeverGivenAreRefusedAndChangeNothing() {
        Story story = new Story();
        story.start();
        QueueId nobody = new QueueId(77);
        List<QmgrEvent> impossible = List.of(new QmgrEvent.RecipientsRead(nobody, List.of(), true),
                new QmgrEvent.RouteKnown("x.example", Story.smtp("x.example")),
                new QmgrEvent.RouteFailed("x.example", Story.TRY_LATER), new QmgrEvent.ConnectionReady(9),
                new QmgrEvent.ConnectionFailed(9, Story.REFUSED, "mx"),
                new QmgrEvent.DeliveryDone(new DeliveryResult.Answered(9, 9, List.of(), true)),
                new QmgrEvent.OutcomeRecorded(nobody, 1),
                new QmgrEvent.Notified(new QmgrOrder.Notify(nobody, ReportKind.FAILED), true),
                new QmgrEvent.Filed(Optional.of(nobody)), new QmgrEvent.MessageDamaged(nobody, ""),
                new QmgrEvent.ScanDone(List.of(), false, OptionalLong.empty()));
        int before = story.orders.size();
        for (QmgrEvent event : impossible) {
            assertThatThrownBy(() -> story.happens(event)).as(event.toString())
                    .isInstanceOf(ImpossibleEventException.class);
        }

        assertThat(story.orders).hasSize(before);
        QueueId id = story.queue("a@far.example");
        assertThat(story.removed).containsEntry(id, Settlement.SENT);
    }
}
