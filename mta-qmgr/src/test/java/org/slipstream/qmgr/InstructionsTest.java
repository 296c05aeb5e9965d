package org.slipstream.qmgr;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
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

/// Bounce, expire, requeue, reroute and priority, in every state of the message.
@Tag("ZM-46")
class InstructionsTest {
    private static final QueueId ID = new QueueId(1);
    private static final MessageOrder BOUNCE = new MessageOrder.Bounce("no such domain");
    private static final MessageOrder EXPIRE = new MessageOrder.Expire();
    private static final MessageOrder HOLD = new MessageOrder.Hold("", "ann");
    private static final Route RELAY = new Route.Smtp("[relay.example]:25",
            List.of(new Route.Host("relay.example", 25, 0)));
    private static final MessageOrder TO_RELAY = new MessageOrder.Reroute(Optional.of(RELAY));

    private static OperatorCommand order(MessageOrder order) {
        return new OperatorCommand.OfMessage(ID, order);
    }

    private static Class<? extends QmgrOrder> kind(String name) {
        return switch (name) {
            case "reading" -> QmgrOrder.ReadRecipients.class;
            case "routing" -> QmgrOrder.FindRoute.class;
            case "opening" -> QmgrOrder.Open.class;
            case "delivering" -> QmgrOrder.Deliver.class;
            case "recording" -> QmgrOrder.RecordOutcome.class;
            case "deferring" -> QmgrOrder.Defer.class;
            default -> throw new AssertionError(name);
        };
    }

    /// A message with a late recipient, stopped at the given stage.
    private static Story caughtWhile(String stage) {
        Story story = new Story();
        story.replies.put("far.example", Story.TRY_LATER);
        story.withhold(kind(stage));
        story.queue("late@far.example");
        assertThat(story.waiting(kind(stage))).as(stage).hasSize(1);
        return story;
    }

    /// Lets a delivery that is under way fail; the next one succeeds.
    private static void finishOldWay(Story story, String stage) {
        if (stage.equals("opening")) {
            story.withhold(QmgrOrder.Deliver.class);
            story.answerAll(QmgrOrder.Open.class);
        }
        if (!story.waiting(QmgrOrder.Deliver.class).isEmpty()) {
            story.answerNext(QmgrOrder.Deliver.class);
        }
        story.replies.clear();
        story.answerAll(kind(stage));
        story.answerAll(QmgrOrder.Deliver.class);
    }

    /// A long delivery outlasts the command's wait, and a kill must not forget the order.
    @Test
    void anOrderForMailInDeliveryIsOnDiskBeforeTheDeliveryEnds() {
        Story story = new Story();
        story.withhold(QmgrOrder.Deliver.class);
        QueueId held = story.queue("a@far.example");
        QueueId deleted = story.queue("b@far.example");
        story.command(new OperatorCommand.OfMessage(held, HOLD));
        story.command(new OperatorCommand.OfMessage(deleted, new MessageOrder.Delete()));
        assertThat(story.index.get(held).held).isTrue();
        assertThat(story.index.get(deleted).instructions.isDeleted()).isTrue();
        assertThat(story.active()).as("still in delivery").hasSize(2);

        story.command(new OperatorCommand.OfMessage(held, new MessageOrder.Release()));
        assertThat(story.index.get(held).held).isFalse();
        story.command(new OperatorCommand.OfMessage(held, HOLD));
        story.command(new OperatorCommand.OfMessage(held, new MessageOrder.Requeue()));
        assertThat(story.index.get(held).held).isFalse();
    }

    /// A hold that stayed on disk would keep the message from the later order after a kill.
    @Test
    void aLaterOrderForMailInDeliveryEndsItsHoldOnDisk() {
        Story story = new Story();
        story.withhold(QmgrOrder.Deliver.class);
        QueueId returned = story.queue("a@far.example");
        QueueId deleted = story.queue("b@far.example");
        for (QueueId id : List.of(returned, deleted)) {
            story.command(new OperatorCommand.OfMessage(id, HOLD));
        }
        story.command(new OperatorCommand.OfMessage(returned, BOUNCE));
        story.command(new OperatorCommand.OfMessage(deleted, new MessageOrder.Delete()));

        assertThat(story.index.get(returned).held).isFalse();
        assertThat(story.index.get(deleted).held).isFalse();
    }

    @Test
    void aDeletionOfMailInDeliveryIsFinalOnDiskToo() {
        Story story = new Story();
        story.withhold(QmgrOrder.Deliver.class);
        QueueId id = story.queue("a@far.example");
        story.command(new OperatorCommand.OfMessage(id, new MessageOrder.Delete()));
        story.command(new OperatorCommand.OfMessage(id, BOUNCE));
        story.command(new OperatorCommand.OfMessage(id, HOLD));

        assertThat(story.index.get(id).instructions.isDeleted()).isTrue();
        assertThat(story.index.get(id).held).isFalse();
    }

    @Test
    void aMessageThatWasDeletedBeforeAKillIsRemovedWithoutADelivery() {
        Story story = deferred();
        story.index.get(ID).instructions = story.index.get(ID).instructions
                .with(new Instruction.Return(Instruction.Cause.DELETED, ""));
        int deliveries = story.ordered(QmgrOrder.Deliver.class).size();
        story.until(10_000_000);
        assertThat(story.removed).containsEntry(ID, Settlement.DELETED);
        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSize(deliveries);
        assertThat(story.ordered(QmgrOrder.Notify.class)).as("no report").isEmpty();
    }

    private static Story deferred() {
        Story story = new Story();
        story.replies.put("far.example", Story.TRY_LATER);
        story.queue("late@far.example");
        story.after(100_000);
        assertThat(story.active()).isEmpty();
        return story;
    }

    private static Story held() {
        Story story = deferred();
        story.command(Story.hold(ID));
        assertThat(story.index.get(ID).held).isTrue();
        return story;
    }

    /// An active set of one message, so the second waits for a place.
    private static Story pendingArrival() {
        Story story = new Story(s -> s.active(1));
        story.withhold(QmgrOrder.Deliver.class);
        Story.Row pending = story.row("late@far.example");
        Story.Row first = story.row("first@near.example");
        story.queue(first);
        story.queue(pending);
        assertThat(story.active()).containsExactly(first.id);
        return story;
    }

    private static List<String> failures(Story story) {
        return story.ordered(QmgrOrder.RecordOutcome.class).stream().flatMap(record -> record.outcomes().stream())
                .map(RecipientOutcome::outcome).filter(Outcome.Failed.class::isInstance)
                .map(outcome -> outcome.reply().toString()).toList();
    }

    private static void assertReturned(Story story, String reply) {
        assertThat(failures(story)).containsExactly(reply);
        assertThat(story.removed).containsEntry(ID, Settlement.BOUNCED);
        assertThat(story.ordered(QmgrOrder.Notify.class)).containsExactly(new QmgrOrder.Notify(ID, ReportKind.FAILED));
        assertThat(story.results.values()).containsOnly(Result.FILED);
    }

    private static final String CANCELLED = "554 5.0.0 delivery cancelled by administrator: no such domain";

    @ParameterizedTest
    @ValueSource(strings = {"reading", "routing", "opening", "delivering", "recording", "deferring"})
    void bouncedInEveryStageTheMessageIsReturnedOnceAndNotTriedAgain(String stage) {
        Story story = caughtWhile(stage);
        story.command(order(BOUNCE));
        story.answerAll(kind(stage));

        assertReturned(story, CANCELLED);
        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSizeLessThanOrEqualTo(1);
        assertThat(story.manager.isQuiet()).isTrue();
    }

    @Test
    void bouncedOnDiskOnHoldOrBeforeItsAdmissionTheMessageIsReturnedAtOnce() {
        Story deferred = deferred();
        deferred.command(order(BOUNCE));
        assertReturned(deferred, CANCELLED);

        Story held = held();
        held.command(order(BOUNCE));
        assertReturned(held, CANCELLED);

        Story pending = pendingArrival();
        pending.command(order(BOUNCE));
        pending.answerAll(QmgrOrder.Deliver.class);
        pending.after(2_000);
        assertReturned(pending, CANCELLED);
        assertThat(pending.deliveries()).containsExactly("2>near.example");
    }

    @Test
    void aBounceUnderWayReturnsOnlyTheRecipientsThatWereNotReached() {
        Story story = new Story(s -> s.lanes(1, 1).recipients(2, 2));
        story.withhold(QmgrOrder.Deliver.class);
        story.queue("a@far.example", "b@far.example", "c@far.example", "d@far.example");
        story.command(order(new MessageOrder.Bounce("")));
        assertThat(story.why(ID)).endsWith("then it is bounced");
        story.answerAll(QmgrOrder.Deliver.class);

        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSize(1);
        assertThat(failures(story)).containsOnly("554 5.0.0 delivery cancelled by administrator").hasSize(2);
        assertThat(story.removed).containsEntry(ID, Settlement.BOUNCED);
    }

    @Test
    void aBounceOfTheLastDeliveryUnderWayReturnsNothing() {
        Story story = new Story();
        story.withhold(QmgrOrder.Deliver.class);
        story.queue("a@far.example");
        long ticket = story.command(order(BOUNCE));
        story.answerAll(QmgrOrder.Deliver.class);

        assertThat(story.removed).containsEntry(ID, Settlement.SENT);
        assertThat(story.results).containsOnly(entry(ticket, Result.FILED));
    }

    @Test
    void aBounceSurvivesACrashBeforeItsExecution() {
        Story story = caughtWhile("delivering");
        story.command(order(BOUNCE));
        story.restart();
        story.start();
        story.after(400_000);

        assertThat(failures(story)).containsExactly(CANCELLED);
        assertThat(story.removed).containsEntry(ID, Settlement.BOUNCED);
    }

    @Test
    void aBounceOfTheNullSenderEndsWithoutAReport() {
        Story story = deferred();
        story.index.get(ID).sender = Optional.empty();
        story.command(order(BOUNCE));

        assertThat(story.removed).containsEntry(ID, Settlement.UNRETURNABLE);
        assertThat(story.ordered(QmgrOrder.Notify.class)).isEmpty();
    }

    @Test
    void theHoldThatComesLaterKeepsTheMessageUntilItIsReleased() {
        Story story = caughtWhile("delivering");
        story.command(order(BOUNCE));
        story.command(Story.hold(ID));
        story.answerAll(QmgrOrder.Deliver.class);
        assertThat(story.index.get(ID).held).isTrue();
        assertThat(failures(story)).isEmpty();
        story.command(new OperatorCommand.OfMessage(ID, new MessageOrder.Release()));

        assertThat(failures(story)).containsExactly(CANCELLED);
    }

    @Test
    @Tag("ZM-35")
    void anExpiredMessageIsReturnedWithItsAgeAndItsLastReply() {
        Story story = deferred();
        story.command(order(EXPIRE));
        assertReturned(story,
                "554 5.4.7 message expired in queue after 1m 40s; last reply: 450 4.2.0 try later");
        assertThat(story.ordered(QmgrOrder.Deliver.class)).as("no further attempt").hasSize(1);

        Story held = held();
        held.command(order(EXPIRE));
        assertReturned(held, "554 5.4.7 message expired in queue after 1m 40s; last reply: 450 4.2.0 try later");

        Story pending = pendingArrival();
        pending.command(order(EXPIRE));
        pending.answerAll(QmgrOrder.Deliver.class);
        pending.after(2_000);
        assertThat(failures(pending)).singleElement().asString()
                .startsWith("554 5.4.7 message expired in queue after ").endsWith(" without an attempt");
    }

    @ParameterizedTest
    @ValueSource(strings = {"opening", "delivering", "recording", "deferring"})
    void expiredWhileItIsTriedTheMessageIsReturnedAfterThisAttempt(String stage) {
        Story story = caughtWhile(stage);
        story.command(order(EXPIRE));
        story.answerAll(kind(stage));

        assertThat(failures(story)).singleElement().asString().startsWith("554 5.4.7 message expired in queue");
        assertThat(story.removed).containsEntry(ID, Settlement.BOUNCED);
    }

    @Test
    void anExpiredMessageThatItsSenderWantsLaterIsReturnedNow() {
        Story story = new Story();
        Story.Row row = story.row("a@far.example");
        row.options = new org.slipstream.core.DeliveryOptions(java.util.OptionalLong.of(5_000_000), Optional.empty(), 0,
                org.slipstream.core.SenderTls.USUAL);
        row.nextMillis = 5_000_000;
        story.queue(row);
        story.command(order(EXPIRE));

        assertThat(story.removed).containsEntry(ID, Settlement.BOUNCED);
    }

    // ---- requeue

    @ParameterizedTest
    @ValueSource(strings = {"reading", "routing", "opening", "delivering", "recording", "deferring"})
    void requeuedInEveryStageTheMessageIsRoutedAgainAndDueNow(String stage) {
        Story story = caughtWhile(stage);
        story.command(new OperatorCommand.OfMessage(ID, new MessageOrder.Requeue()));
        story.routes.put("far.example", Story.smtp("new.example"));
        finishOldWay(story, stage);

        assertThat(story.removed).containsEntry(ID, Settlement.SENT);
        assertThat(story.now).as("at once").isZero();
        assertThat(story.deliveries()).contains("1>new.example");
        assertThat(story.results.values()).containsOnly(Result.FILED);
    }

    @Test
    void aRequeuedMessageInTheSchedulerGoesWhereTheRouteLeadsNow() {
        Story story = new Story(s -> s.lanes(1, 1));
        story.withhold(QmgrOrder.Deliver.class);
        Story.Row waits = story.row("a@far.example");
        Story.Row first = story.row("first@near.example");
        story.queue(first);
        story.queue(waits);
        assertThat(story.about(ID).waiting()).isEqualTo(1);
        story.routes.put("far.example", Story.smtp("new.example"));
        story.command(new OperatorCommand.OfMessage(ID, new MessageOrder.Requeue()));
        story.answerAll(QmgrOrder.Deliver.class);

        assertThat(story.deliveries()).containsExactly("2>near.example", "1>new.example");
    }

    @Test
    void aRequeueEndsAHoldAndKeepsTheCountOfAttempts() {
        Story story = held();
        story.command(new OperatorCommand.OfMessage(ID, new MessageOrder.Requeue()));

        assertThat(story.index.get(ID).held).isFalse();
        assertThat(story.index.get(ID).attempts).as("the attempt before, and the one now").isEqualTo(2);
        assertThat(story.deliveries()).hasSize(2);
    }

    // ---- reroute

    @ParameterizedTest
    @ValueSource(strings = {"reading", "routing", "opening", "delivering", "recording", "deferring"})
    void reroutedInEveryStageTheOpenRecipientsGoToTheOtherNextHop(String stage) {
        Story story = caughtWhile(stage);
        story.command(order(TO_RELAY));
        finishOldWay(story, stage);

        assertThat(story.removed).containsEntry(ID, Settlement.SENT);
        assertThat(story.deliveries()).endsWith("1>[relay.example]:25");
        assertThat(story.results.values()).containsOnly(Result.FILED);
    }

    @Test
    void aReroutedMessageStaysReroutedOverAttemptsAndRestartsUntilTheWayBack() {
        Story story = deferred();
        story.command(order(TO_RELAY));
        story.restart();
        story.start();
        story.after(1_000_000);
        assertThat(story.deliveries()).hasSizeGreaterThan(2).startsWith("1>far.example");
        assertThat(story.deliveries().subList(1, story.deliveries().size())).containsOnly("1>[relay.example]:25");

        story.replies.clear();
        story.command(order(new MessageOrder.Reroute(Optional.empty())));
        assertThat(story.deliveries()).endsWith("1>far.example");
        assertThat(story.removed).containsEntry(ID, Settlement.SENT);
    }

    @Test
    void aReroutedMessageWithSeveralDomainsIsOneDeliveryToTheNextHop() {
        Story story = new Story();
        story.replies.put("far.example", Story.TRY_LATER);
        story.dnsFailures.put("gone.example", Story.TRY_LATER);
        story.queue("a@far.example", "b@gone.example");
        story.replies.clear();
        story.command(order(TO_RELAY));

        assertThat(story.ordered(QmgrOrder.Deliver.class).getLast().recipients()).hasSize(2);
        assertThat(story.removed).containsEntry(ID, Settlement.SENT);
    }

    @Test
    void aMessageOnHoldIsReroutedAndStaysOnHold() {
        Story story = held();
        story.command(order(TO_RELAY));
        assertThat(story.deliveries()).hasSize(1);
        assertThat(story.index.get(ID).held).isTrue();
        story.replies.clear();
        story.command(new OperatorCommand.OfMessage(ID, new MessageOrder.Release()));

        assertThat(story.deliveries()).endsWith("1>[relay.example]:25");
    }

    @Test
    void aHoldDuringARerouteStillReroutes() {
        Story story = caughtWhile("delivering");
        story.command(order(TO_RELAY));
        story.command(Story.hold(ID));
        story.answerAll(QmgrOrder.Deliver.class);
        assertThat(story.index.get(ID).held).isTrue();
        story.replies.clear();
        story.command(new OperatorCommand.OfMessage(ID, new MessageOrder.Release()));

        assertThat(story.deliveries()).containsExactly("1>far.example", "1>[relay.example]:25");
    }

    @Test
    void aRerouteDuringAHoldKeepsTheHold() {
        Story story = caughtWhile("delivering");
        story.command(Story.hold(ID));
        story.command(order(TO_RELAY));
        story.answerAll(QmgrOrder.Deliver.class);

        assertThat(story.index.get(ID).held).isTrue();
        assertThat(story.deliveries()).containsExactly("1>far.example");
    }

    @Test
    void aPendingArrivalIsRerouted() {
        Story story = pendingArrival();
        story.command(order(TO_RELAY));
        story.answerAll(QmgrOrder.Deliver.class);
        story.after(2_000);

        assertThat(story.deliveries()).containsExactly("2>near.example", "1>[relay.example]:25");
    }

    // ---- priority

    @Test
    void aPriorityDecidesAmongArrivalsOfOneMomentAndInterruptsNothing() {
        Story story = new Story(s -> s.active(1));
        story.withhold(QmgrOrder.Deliver.class);
        QueueId first = story.queue("first@near.example");
        story.queue("second@near.example");
        QueueId third = story.queue("third@near.example");
        long ticket = story.command(new OperatorCommand.OfMessage(third, new MessageOrder.Priority(4)));
        long running = story.command(new OperatorCommand.OfMessage(first, new MessageOrder.Priority(-2)));
        story.answerAll(QmgrOrder.Deliver.class);

        assertThat(story.deliveries()).containsExactly("1>near.example", "3>near.example", "2>near.example");
        assertThat(story.results).containsOnly(entry(ticket, Result.FILED), entry(running, Result.FILED));
    }

    @Test
    void aPriorityIsKeptAndChangesNeitherHoldNorNextAttempt() {
        Story story = held();
        long next = story.index.get(ID).nextMillis;
        story.command(order(new MessageOrder.Priority(7)));
        assertThat(story.index.get(ID).summary().options().priority()).isEqualTo(7);
        assertThat(story.index.get(ID).held).isTrue();
        assertThat(story.index.get(ID).nextMillis).isEqualTo(next);
    }

    @Test
    void theManagerIsNotQuietBeforeAnInstructionIsOnDisk() {
        Story story = deferred();
        story.withhold(QmgrOrder.Instruct.class);
        long ticket = story.command(order(new MessageOrder.Priority(7)));
        assertThat(story.manager.isQuiet()).isFalse();
        assertThat(story.results).isEmpty();
        story.answerAll(QmgrOrder.Instruct.class);
        assertThat(story.manager.isQuiet()).isTrue();
        assertThat(story.results).containsOnly(entry(ticket, Result.FILED));
        assertThat(new QmgrEvent.Instructed(ID, ticket).id()).isEqualTo(ID);
    }
}
