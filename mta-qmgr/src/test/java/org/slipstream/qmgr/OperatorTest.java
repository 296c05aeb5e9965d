package org.slipstream.qmgr;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.ReportKind;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.event.QmgrOrder.Result;
import org.slipstream.qmgr.settle.Settlement;

import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

/// Operator commands: hold, release, delete, flush, in every state of the message.
class OperatorTest {
    private static final Optional<QueueId> ANY = Optional.empty();

    private static Class<? extends QmgrOrder> kind(String name) {
        return switch (name) {
            case "reading" -> QmgrOrder.ReadRecipients.class;
            case "routing" -> QmgrOrder.FindRoute.class;
            case "opening" -> QmgrOrder.Open.class;
            case "delivering" -> QmgrOrder.Deliver.class;
            case "recording" -> QmgrOrder.RecordOutcome.class;
            case "reporting" -> QmgrOrder.Notify.class;
            case "deferring" -> QmgrOrder.Defer.class;
            default -> throw new AssertionError(name);
        };
    }

    /// A message stopped at the given stage, with a refused and a late recipient so that it passes
    /// all stages.
    private static Story caughtWhile(String stage) {
        Story story = new Story();
        story.replies.put("gone@far.example", Story.NO_SUCH_USER);
        story.replies.put("late@far.example", Story.TRY_LATER);
        story.withhold(kind(stage));
        story.queue("gone@far.example", "late@far.example");
        assertThat(story.waiting(kind(stage))).as(stage).hasSize(1);
        return story;
    }

    @ParameterizedTest
    @ValueSource(strings = {"reading", "routing", "opening", "delivering", "recording", "reporting", "deferring"})
    void deletedInEveryStateItIsGone(String stage) {
        Story story = caughtWhile(stage);
        story.command(new OperatorCommand.OfMessage(new QueueId(1), new MessageOrder.Delete()));
        story.answerAll(kind(stage));

        assertThat(story.removed).containsEntry(new QueueId(1), Settlement.DELETED);
        assertThat(story.active()).isEmpty();
        story.until(1_000_000);
        assertThat(story.ordered(QmgrOrder.Remove.class)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"reading", "routing", "opening", "delivering", "recording", "reporting", "deferring"})
    void heldInEveryStateItStaysAndReleasedItGoesOn(String stage) {
        Story story = caughtWhile(stage);
        QueueId id = new QueueId(1);
        story.command(Story.hold(id));
        story.answerAll(kind(stage));

        assertThat(story.index.get(id).held).isTrue();
        assertThat(story.active()).isEmpty();
        if (stage.equals("reading") || stage.equals("routing")) {
            assertThat(story.ordered(QmgrOrder.Deliver.class)).isEmpty();
        }
        story.until(1_000_000);
        assertThat(story.index).containsKey(id);

        story.replies.remove("late@far.example");
        story.command(new OperatorCommand.OfMessage(id, new MessageOrder.Release()));
        assertThat(story.removed).containsKey(id);
        assertThat(story.ordered(QmgrOrder.Notify.class)).containsExactly(new QmgrOrder.Notify(id, ReportKind.FAILED));
    }

    @ParameterizedTest
    @ValueSource(strings = {"reading", "routing", "opening", "delivering", "recording", "reporting", "deferring"})
    void heldAndReleasedBeforeItCouldStopItGoesOn(String stage) {
        Story story = caughtWhile(stage);
        QueueId id = new QueueId(1);
        story.command(Story.hold(id));
        story.command(new OperatorCommand.OfMessage(id, new MessageOrder.Release()));
        story.replies.remove("late@far.example");
        story.answerAll(kind(stage));

        assertThat(story.removed).containsKey(id);
        assertThat(story.ordered(QmgrOrder.Notify.class)).hasSize(1);
    }

    /// An operator who lists the queue after the answer sees the effect.
    @ParameterizedTest
    @ValueSource(strings = {"reading", "routing", "opening", "delivering", "recording", "reporting", "deferring"})
    void aCommandIsAnsweredOnceWhenTheIndexHasItsEffect(String stage) {
        Story story = caughtWhile(stage);
        QueueId id = new QueueId(1);
        story.withhold(QmgrOrder.SetHold.class);
        long ticket = story.command(Story.hold(id));
        story.answerAll(kind(stage));
        assertThat(story.waiting(QmgrOrder.SetHold.class)).as("given, and not on disk").hasSize(1);
        assertThat(story.results).isEmpty();
        story.answerAll(QmgrOrder.SetHold.class);

        assertThat(story.results).containsOnly(entry(ticket, Result.FILED));
        assertThat(story.index.get(id).held).isTrue();
    }

    @Test
    void aMessageThatIsSentBeforeItCouldBeHeldAnswersTheCommandWithItsEnd() {
        Story story = new Story();
        story.withhold(QmgrOrder.Deliver.class);
        QueueId id = story.queue("a@far.example");
        long ticket = story.command(Story.hold(id));
        assertThat(story.results).isEmpty();
        story.answerAll(QmgrOrder.Deliver.class);

        assertThat(story.removed).containsEntry(id, Settlement.SENT);
        assertThat(story.results).containsOnly(entry(ticket, Result.FILED));
    }

    @Test
    void aCommandWithNothingToDoIsAnsweredAtOnceAndAFlushOfManyWhenItHasBegun() {
        Story story = new Story();
        story.withhold(QmgrOrder.Deliver.class);
        story.withhold(QmgrOrder.MakeDue.class);
        QueueId id = story.queue("a@far.example");
        long flush = story.command(new OperatorCommand.OfMessage(id, new MessageOrder.Flush()));
        long release = story.command(new OperatorCommand.OfMessage(id, new MessageOrder.Release()));
        long all = story.command(new OperatorCommand.FlushAll(Optional.empty()));

        assertThat(story.results).containsOnly(entry(flush, Result.UNCHANGED), entry(release, Result.UNCHANGED),
                entry(all, Result.BEGUN));
    }

    @Test
    void commandsThatWaitForEachOtherAreAllAnsweredAtTheEnd() {
        Story story = new Story();
        story.replies.put("far.example", Story.TRY_LATER);
        QueueId id = story.queue("a@far.example");
        story.withhold(QmgrOrder.SetHold.class);
        long hold = story.command(Story.hold(id));
        long delete = story.command(new OperatorCommand.OfMessage(id, new MessageOrder.Delete()));
        assertThat(story.results).isEmpty();
        story.answerAll(QmgrOrder.SetHold.class);

        assertThat(story.results).containsOnly(entry(hold, Result.FILED), entry(delete, Result.FILED));
    }

    @Test
    void waitingEntriesAreWithdrawnAtOnceAndRunningOnesAreFinishedAndRecorded() {
        Story story = new Story(s -> s.lanes(1, 1).recipients(1, 1_000));
        story.withhold(QmgrOrder.Deliver.class);
        QueueId held = story.queue("a@far.example", "b@far.example", "c@far.example");
        QueueId next = story.queue("d@far.example");
        story.command(Story.hold(held));
        assertThat(story.why(held))
                .isEqualTo("being delivered to mx.far.example[mx.far.example]:25/may, then it is held");
        story.answerNext(QmgrOrder.Deliver.class);

        assertThat(story.index.get(held).held).isTrue();
        assertThat(story.index.get(held).open).containsOnlyKeys(2, 3);
        assertThat(story.deliveries()).containsExactly("1>far.example", next.value() + ">far.example");
    }

    @Test
    void holdingAMessageInTheMiddleOfItsBatchesKeepsTheRestOpen() {
        Story story = new Story(s -> s.recipients(2, 2).lanes(1, 1));
        story.withhold(QmgrOrder.Deliver.class);
        QueueId id = story.queue("a@far.example", "b@far.example", "c@far.example", "d@far.example");
        story.command(Story.hold(id));
        story.answerAll(QmgrOrder.Deliver.class);

        assertThat(story.index.get(id).held).isTrue();
        assertThat(story.index.get(id).open).containsOnlyKeys(3, 4);
    }

    @Test
    void aHoldThatComesTooLateLetsTheMessageFinish() {
        Story story = new Story();
        story.withhold(QmgrOrder.Deliver.class);
        QueueId id = story.queue("a@far.example");
        story.command(Story.hold(id));
        story.answerAll(QmgrOrder.Deliver.class);

        assertThat(story.removed).containsEntry(id, Settlement.SENT);
    }

    @Test
    void aHeldMessageAsleepIsReleasedAndTriedAtOnce() {
        Story story = new Story();
        story.replies.put("far.example", Story.TRY_LATER);
        QueueId id = story.queue("a@far.example");
        story.command(Story.hold(id));
        story.until(5_000_000);
        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSize(1);

        story.replies.clear();
        story.command(new OperatorCommand.OfMessage(id, new MessageOrder.Release()));
        assertThat(story.removed).containsEntry(id, Settlement.SENT);
    }

    @Test
    void commandsForAMessageThatIsBeingFiledAreFulfilledInTurn() {
        Story story = new Story();
        story.replies.put("far.example", Story.TRY_LATER);
        QueueId id = story.queue("a@far.example");
        story.withhold(QmgrOrder.SetHold.class);
        story.command(Story.hold(id));
        story.command(new OperatorCommand.OfMessage(id, new MessageOrder.Release()));
        story.command(new OperatorCommand.OfMessage(id, new MessageOrder.Delete()));
        story.command(Story.hold(id)); // deletion is final
        assertThat(story.ordered(QmgrOrder.SetHold.class)).hasSize(1);
        story.answerAll(QmgrOrder.SetHold.class);

        assertThat(story.removed).containsEntry(id, Settlement.DELETED);
    }

    @Test
    @Tag("ZM-35")
    void heldMailThatWasTriedExpiresWithItsLifetime() {
        Story story = new Story();
        story.replies.put("far.example", Story.TRY_LATER);
        QueueId id = story.queue("a@far.example");
        story.command(Story.hold(id));
        story.until(432_000_000 - 1);
        assertThat(story.index).containsKey(id);
        story.until(432_000_000 + 300_000);

        assertThat(story.removed).containsEntry(id, Settlement.BOUNCED);
        assertThat(story.ordered(QmgrOrder.Deliver.class)).as("before the hold").hasSize(1);
    }

    @Test
    @Tag("ZM-36")
    void heldMailThatWasNeverTriedExpiresWithTheSecondExpiry() {
        Story story = new Story(s -> s.recipients(50, 2));
        QueueId id = story.row("a@far.example", "b@far.example", "c@far.example").id;
        story.command(Story.hold(id));
        story.until(432_000_000 + 172_800_000 - 1);
        assertThat(story.index).containsKey(id);
        story.until(432_000_000 + 172_800_000 + 300_000);

        assertThat(story.removed).containsEntry(id, Settlement.BOUNCED);
        assertThat(story.ordered(QmgrOrder.Deliver.class)).isEmpty();
        assertThat(story.ordered(QmgrOrder.RecordOutcome.class)).hasSize(2).allSatisfy(record -> assertThat(
                record.outcomes()).allSatisfy(each -> assertThat(each.outcome()).isInstanceOf(Outcome.Failed.class)));
        assertThat(story.ordered(QmgrOrder.Notify.class)).hasSize(1);
    }

    @Test
    void flushTriesEverythingThatWaits() {
        Story story = new Story();
        story.replies.put("far.example", Story.TRY_LATER);
        story.replies.put("other.example", Story.TRY_LATER);
        story.queue("a@far.example");
        story.queue("b@other.example");
        story.replies.clear();
        story.command(new OperatorCommand.FlushAll(Optional.empty()));

        assertThat(story.removed).hasSize(2);
    }

    @Test
    void flushOfADomainTriesOnlyThat() {
        Story story = new Story();
        story.replies.put("far.example", Story.TRY_LATER);
        story.replies.put("other.example", Story.TRY_LATER);
        QueueId far = story.queue("a@far.example");
        story.queue("b@other.example");
        story.replies.clear();
        story.command(new OperatorCommand.FlushAll(Optional.of("far.example")));

        assertThat(story.removed).containsOnlyKeys(far);
    }

    @Test
    void flushOfAMessageTriesOnlyThat() {
        Story story = new Story();
        story.replies.put("far.example", Story.TRY_LATER);
        story.queue("a@far.example");
        QueueId second = story.queue("b@far.example");
        story.replies.clear();
        story.command(new OperatorCommand.OfMessage(second, new MessageOrder.Flush()));

        assertThat(story.removed).containsOnlyKeys(second);
    }

    /// Two refused messages at a window of one, which kill the destination for a while.
    private static void kill(Story story, String domain) {
        story.down.put(domain, Story.REFUSED);
        story.withhold(QmgrOrder.Open.class);
        story.queue("a@" + domain);
        story.queue("b@" + domain);
        story.answerAll(QmgrOrder.Open.class);
        story.down.clear();
    }

    private static long opens(Story story, String domain) {
        return story.ordered(QmgrOrder.Open.class).stream().filter(open -> open.route().nextHop().equals(domain))
                .count();
    }

    /// Ruling 2: a flush revives exactly what it names.
    @ParameterizedTest
    @ValueSource(strings = {"message", "domain"})
    void aFlushByNameRevivesTheDestinationOfWhatItNamesAndNoOther(String what) {
        Story story = new Story(s -> s.lanes(1, 100));
        kill(story, "one.example");
        kill(story, "two.example");
        story.after(1_000);
        story.command(what.equals("message")
                ? new OperatorCommand.OfMessage(new QueueId(1), new MessageOrder.Flush())
                : new OperatorCommand.FlushAll(Optional.of("one.example")));
        story.queue("c@two.example");

        assertThat(story.removed.keySet()).as("sent").containsExactlyElementsOf(
                what.equals("message") ? List.of(new QueueId(1)) : List.of(new QueueId(1), new QueueId(2)));
        assertThat(opens(story, "two.example")).as("the other one was not called").isEqualTo(2);
    }

    @Test
    void aDestinationThatDiesAfterTheFlushStaysDead() {
        Story story = new Story(s -> s.lanes(1, 100));
        kill(story, "one.example");
        story.after(1_000);
        story.down.put("one.example", Story.REFUSED);
        story.command(new OperatorCommand.FlushAll(Optional.of("one.example")));
        assertThat(opens(story, "one.example")).as("tried again, and in vain").isEqualTo(4);
        story.after(1_000);
        story.queue("c@one.example");

        assertThat(opens(story, "one.example")).isEqualTo(4);
    }

    @Test
    void flushOfAMessageThatIsJustBeingPutBackTriesItAgain() {
        Story story = caughtWhile("deferring");
        story.replies.remove("late@far.example");
        story.command(new OperatorCommand.OfMessage(new QueueId(1), new MessageOrder.Flush()));
        story.answerAll(QmgrOrder.Defer.class);

        assertThat(story.removed).containsKey(new QueueId(1));
    }

    @Test
    void flushDoesNotDisturbWhatIsBeingDelivered() {
        Story story = new Story();
        story.withhold(QmgrOrder.Deliver.class);
        QueueId id = story.queue("a@far.example");
        story.command(new OperatorCommand.OfMessage(id, new MessageOrder.Flush()));
        story.command(new OperatorCommand.FlushAll(Optional.empty()));

        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSize(1);
        story.answerAll(QmgrOrder.Deliver.class);
        assertThat(story.removed).containsOnlyKeys(id);
    }

    @Test
    void stoppingBeginsNothingAndFinishesWhatRuns() {
        Story story = new Story(s -> s.lanes(1, 1));
        story.withhold(QmgrOrder.Deliver.class);
        QueueId running = story.queue("a@far.example");
        QueueId waiting = story.queue("b@far.example");
        story.happens(new QmgrEvent.Stopping());
        assertThat(story.manager.isQuiet()).isFalse();
        assertThat(story.why(waiting)).isEqualTo("waits: the server is stopping");
        QueueId late = story.queue("c@far.example");
        story.answerNext(QmgrOrder.Deliver.class);

        assertThat(story.manager.isQuiet()).isTrue();
        assertThat(story.removed).containsOnlyKeys(running);
        assertThat(story.index).containsOnlyKeys(waiting, late);
        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSize(1);
    }
}
