package org.slipstream.qmgr;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.QueueName;
import org.slipstream.core.queue.ReportKind;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.event.QmgrOrder.Result;
import org.slipstream.qmgr.settle.Settlement;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

/// A message moves to another shard in every state: running deliveries finish and are recorded, no
/// new one starts, and the message leaves without a removal.
class MoveTest {
    private static final QueueId ID = new QueueId(1);
    private static final OperatorCommand MOVE = new OperatorCommand.OfMessage(ID, new MessageOrder.Move());

    private static Class<? extends QmgrOrder> kind(String stage) {
        return switch (stage) {
            case "reading" -> QmgrOrder.ReadRecipients.class;
            case "routing" -> QmgrOrder.FindRoute.class;
            case "opening" -> QmgrOrder.Open.class;
            case "delivering" -> QmgrOrder.Deliver.class;
            case "recording" -> QmgrOrder.RecordOutcome.class;
            case "deferring" -> QmgrOrder.Defer.class;
            default -> throw new AssertionError(stage);
        };
    }

    private static Story caughtWhile(String stage) {
        Story story = new Story();
        story.replies.put("far.example", Story.TRY_LATER);
        story.withhold(kind(stage));
        story.queue("late@far.example");
        assertThat(story.waiting(kind(stage))).as(stage).hasSize(1);
        return story;
    }

    private static Story deferred() {
        Story story = new Story();
        story.replies.put("far.example", Story.TRY_LATER);
        story.queue("late@far.example");
        story.after(100_000);
        assertThat(story.active()).isEmpty();
        return story;
    }

    private static void assertMoved(Story story, long ticket) {
        assertThat(story.moved).containsOnlyKeys(ID);
        assertThat(story.ordered(QmgrOrder.Remove.class)).as("nothing is removed by the queue manager").isEmpty();
        assertThat(story.active()).isEmpty();
        assertThat(story.results).containsEntry(ticket, Result.MOVED);
        assertThat(story.manager.isQuiet()).isTrue();
    }

    @ParameterizedTest
    @Tag("IM-22")
    @ValueSource(strings = {"reading", "routing", "opening", "delivering", "recording", "deferring"})
    void inEveryStageWhatRunsIsFinishedAndTheMessageMoves(String stage) {
        Story story = caughtWhile(stage);
        long ticket = story.command(MOVE);
        assertThat(story.moved).as("not before the answer").isEmpty();
        story.answerAll(kind(stage));

        assertMoved(story, ticket);
        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSizeLessThanOrEqualTo(1);
        assertThat(story.moved.get(ID).attempts).isEqualTo(story.ordered(QmgrOrder.Deliver.class).size());
    }

    @Test
    void recipientsThatWereNotTriedAreDueAtOnceElsewhere() {
        Story story = new Story(s -> s.lanes(1, 1).recipients(2, 2));
        story.withhold(QmgrOrder.Deliver.class);
        story.queue("a@far.example", "b@far.example", "c@far.example", "d@far.example");
        long ticket = story.command(MOVE);
        assertThat(story.why(ID)).endsWith("then it is moved to another shard");
        story.after(1_000);
        story.answerAll(QmgrOrder.Deliver.class);

        assertMoved(story, ticket);
        assertThat(story.moved.get(ID).open.keySet()).as("the delivered ones are recorded").containsExactly(3, 4);
        assertThat(story.ordered(QmgrOrder.MoveOut.class))
                .containsExactly(new QmgrOrder.MoveOut(ID, OptionalLong.of(1_000)));
    }

    @Test
    void aTriedMessageTakesItsNextAttemptAlong() {
        Story story = caughtWhile("delivering");
        story.command(MOVE);
        story.answerAll(QmgrOrder.Deliver.class);

        assertThat(story.moved.get(ID).nextMillis).isEqualTo(story.config.minimalBackoffMillis());
        assertThat(story.ordered(QmgrOrder.Defer.class)).as("one order for both").isEmpty();
    }

    @Test
    void aMessageThatIsDeliveredMeanwhileEndsHere() {
        Story story = new Story();
        story.withhold(QmgrOrder.Deliver.class);
        story.queue("a@far.example");
        long ticket = story.command(MOVE);
        story.answerAll(QmgrOrder.Deliver.class);

        assertThat(story.moved).isEmpty();
        assertThat(story.removed).containsEntry(ID, Settlement.SENT);
        assertThat(story.results).containsOnly(entry(ticket, Result.FILED));
    }

    @Test
    void onDiskAndOnHoldAMessageMovesAtOnceWithTheTimeThatTheSpoolHas() {
        Story deferred = deferred();
        long next = deferred.index.get(ID).nextMillis;
        assertMoved(deferred, deferred.command(MOVE));
        assertThat(deferred.moved.get(ID).nextMillis).isEqualTo(next);

        Story held = deferred();
        held.command(Story.hold(ID));
        assertMoved(held, held.command(MOVE));
        assertThat(held.moved.get(ID).held).isTrue();
    }

    @Test
    void aMessageThatWaitsForAPlaceMovesAndIsDueAtOnce() {
        Story story = new Story(s -> s.active(1));
        story.withhold(QmgrOrder.Deliver.class);
        Story.Row pending = story.row("late@far.example");
        Story.Row first = story.row("first@near.example");
        story.queue(first);
        story.queue(pending);
        pending.putOff(300_000);
        long ticket = story.command(MOVE);

        assertThat(story.moved.get(ID).nextMillis).isEqualTo(story.now);
        assertThat(story.results).containsEntry(ticket, Result.MOVED);
        story.answerAll(QmgrOrder.Deliver.class);
        assertThat(story.deliveries()).containsExactly("2>near.example");
    }

    @Test
    void aScanUnderWayIsAwaitedAndTheMessageThatItClaimedIsDueAtOnceElsewhere() {
        Story story = deferred();
        story.withhold(QmgrOrder.Scan.class);
        story.after(1_000_000);
        while (story.waiting(QmgrOrder.Scan.class).getFirst().queue() == QueueName.INCOMING) {
            story.answerNext(QmgrOrder.Scan.class);
        }
        long ticket = story.command(MOVE);
        assertThat(story.moved).as("the scan may postpone it").isEmpty();
        story.answerAll(QmgrOrder.Scan.class);

        assertMoved(story, ticket);
        assertThat(story.moved.get(ID).nextMillis).as("not the time of the lease").isEqualTo(story.now);
        assertThat(story.deliveries()).hasSize(1);
    }

    @Test
    void aScanThatReturnsAMovedMessageDoesNoHarm() {
        Story story = deferred();
        Story.Row row = story.index.get(ID);
        story.command(MOVE);
        // The lane of the spool that reads for scans is slower than its log.
        story.withhold(QmgrOrder.Scan.class);
        story.after(1_000_000);
        story.withhold(QmgrOrder.ReadRecipients.class);
        story.withhold(QmgrOrder.Defer.class);
        story.happens(new QmgrEvent.ScanDone(List.of(row.summary()), false, OptionalLong.empty()));
        story.happens(new QmgrEvent.RecipientsRead(ID, List.of(), true));
        story.happens(new QmgrEvent.Filed(Optional.of(ID)));

        assertThat(story.deliveries()).hasSize(1);
        assertThat(story.active()).isEmpty();
        assertThat(story.ordered(QmgrOrder.Remove.class)).isEmpty();
        assertThat(story.ordered(QmgrOrder.RecordOutcome.class)).hasSize(1);
    }

    @Test
    void aReportUnderWayIsAwaited() {
        Story story = new Story(s -> s.delayNotice(1_000));
        story.replies.put("far.example", Story.TRY_LATER);
        story.withhold(QmgrOrder.Deliver.class);
        story.withhold(QmgrOrder.Notify.class);
        story.queue("late@far.example");
        story.after(5_000);
        story.answerAll(QmgrOrder.Deliver.class);
        assertThat(story.waiting(QmgrOrder.Notify.class)).hasSize(1);
        long ticket = story.command(MOVE);
        assertThat(story.moved).isEmpty();
        story.answerAll(QmgrOrder.Notify.class);

        assertMoved(story, ticket);
        assertThat(story.moved.get(ID).delayReports).isEqualTo(1);
    }

    @Test
    void aRefusedMessageGoesOnAsBefore() {
        Story deferred = deferred();
        deferred.shardsTake = false;
        long next = deferred.index.get(ID).nextMillis;
        long ticket = deferred.command(MOVE);
        assertThat(deferred.results).containsOnly(entry(ticket, Result.UNCHANGED));
        assertThat(deferred.index.get(ID).nextMillis).isEqualTo(next);
        deferred.replies.clear();
        deferred.after(1_000_000);
        assertThat(deferred.removed).containsEntry(ID, Settlement.SENT);

        Story active = caughtWhile("delivering");
        active.shardsTake = false;
        active.command(MOVE);
        active.answerAll(QmgrOrder.Deliver.class);
        assertThat(active.index.get(ID).nextMillis).isEqualTo(active.config.minimalBackoffMillis());
        active.replies.clear();
        active.after(1_000_000);
        assertThat(active.removed).containsEntry(ID, Settlement.SENT);

        Story reading = caughtWhile("reading");
        reading.shardsTake = false;
        reading.replies.clear();
        reading.command(MOVE);
        reading.answerAll(QmgrOrder.ReadRecipients.class);
        reading.after(1_000);
        assertThat(reading.removed).as("at once").containsEntry(ID, Settlement.SENT);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCommandDuringTheTransferIsExecutedWhereTheMessageStaysOrSaysThatItIsElsewhere(boolean takes) {
        Story story = deferred();
        story.shardsTake = takes;
        story.withhold(QmgrOrder.MoveOut.class);
        story.command(MOVE);
        long hold = story.command(Story.hold(ID));
        long priority = story.command(new OperatorCommand.OfMessage(ID, new MessageOrder.Priority(3)));
        long again = story.command(MOVE);
        assertThat(story.ordered(QmgrOrder.Instruct.class)).as("the state is being copied").isEmpty();
        assertThat(story.results).isEmpty();
        assertThat(story.manager.isQuiet()).isFalse();
        story.answerAll(QmgrOrder.MoveOut.class);

        Result expected = takes ? Result.MOVED : Result.FILED;
        assertThat(story.results).containsEntry(hold, expected).containsEntry(priority, expected)
                .containsEntry(again, takes ? Result.MOVED : Result.UNCHANGED);
        assertThat(story.manager.isQuiet()).isTrue();
        if (!takes) {
            assertThat(story.index.get(ID).held).isTrue();
            assertThat(story.index.get(ID).instructions.priority()).hasValue(3);
        }
    }

    @Test
    void everyOtherRequestReplacesAMove() {
        Story held = caughtWhile("delivering");
        held.command(MOVE);
        held.command(Story.hold(ID));
        held.answerAll(QmgrOrder.Deliver.class);
        assertThat(held.index.get(ID).held).isTrue();

        Story deleted = caughtWhile("deferring");
        deleted.command(new OperatorCommand.OfMessage(ID, new MessageOrder.Delete()));
        deleted.command(MOVE);
        deleted.answerAll(QmgrOrder.Defer.class);
        assertThat(deleted.removed).containsEntry(ID, Settlement.DELETED);
        assertThat(deleted.results.values()).containsOnly(Result.FILED);
    }

    @Test
    void anAnswerThatWasNotExpectedIsRefused() {
        Story story = deferred();
        assertThatThrownBy(() -> story.happens(new QmgrEvent.MovedOut(ID, true)))
                .hasMessageContaining("was not being moved");
    }

    // ---- at the other shard

    @Test
    @Tag("IM-15")
    void newMailFromAnotherShardIsDeliveredWithoutAScan() {
        Story story = new Story();
        story.start();
        int scans = story.ordered(QmgrOrder.Scan.class).size();
        Story.Row row = story.row("a@far.example");
        story.happens(new QmgrEvent.MovedIn(row.summary(), row.nextMillis));

        assertThat(story.deliveries()).containsExactly("1>far.example");
        assertThat(story.ordered(QmgrOrder.Scan.class)).hasSize(scans);
    }

    @Test
    void deferredMailFromAnotherShardIsTriedWhenItIsDue() {
        Story story = new Story();
        story.start();
        story.after(10_000);
        Story.Row row = story.row("a@far.example");
        row.attempts = 1;
        row.putOff(57_000);
        story.happens(new QmgrEvent.MovedIn(row.summary(), row.nextMillis));
        story.until(56_999);
        assertThat(story.deliveries()).isEmpty();
        story.until(57_000);
        assertThat(story.deliveries()).containsExactly("1>far.example");
    }

    @Test
    void heldMailFromAnotherShardStaysOnHold() {
        Story story = new Story();
        story.start();
        Story.Row row = story.row("a@far.example");
        row.held = true;
        story.happens(new QmgrEvent.MovedIn(row.summary(), row.nextMillis));
        story.after(1_000_000);
        assertThat(story.deliveries()).isEmpty();
    }

    @Test
    void failuresThatWaitForTheirReportAreReportedAfterTheMove() {
        Story story = new Story();
        story.start();
        Story.Row row = story.row("a@far.example");
        row.open.put(2, new Recipient(2, Address.of("b@far.example")));
        row.recipients = 3;
        row.failed = 1;
        row.attempts = 1;
        row.putOff(900_000);
        story.happens(new QmgrEvent.MovedIn(row.summary(), row.nextMillis));
        story.after(1);
        assertThat(story.ordered(QmgrOrder.Notify.class))
                .containsExactly(new QmgrOrder.Notify(row.id, ReportKind.FAILED, true));
    }
}
