package org.slipstream.qmgr;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Address;
import org.slipstream.core.HostKey;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.event.QmgrOrder.Result;
import org.slipstream.qmgr.place.HostKeys;
import org.slipstream.qmgr.settle.Settlement;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// Suspended destinations, senders and transports, and the freeze, in every state of a message.
class SuspensionTest {
    private static final long MINUTE = 60_000;
    private static final long FOREVER = Long.MAX_VALUE;
    private static final QueueId FIRST = new QueueId(1);

    private static Suspension of(SuspensionScope scope, String name, long untilMillis) {
        return new Suspension(scope, name, "their disk is full", "ann", 0, untilMillis);
    }

    private static Story suspend(Story story, SuspensionScope scope, String name, long untilMillis) {
        story.command(new OperatorCommand.Begin(of(scope, name, untilMillis)));
        return story;
    }

    private static Result resume(Story story, SuspensionScope scope, String name) {
        return story.results.get(story.command(new OperatorCommand.End(scope.kind(), name)));
    }

    private static String lastReply(Story story, QueueId id) {
        return story.index.get(id).last.get(1).reply().toString();
    }

    // ---- which mail

    @ParameterizedTest
    @CsvSource({"DESTINATION, x.example", "DESTINATION, X.Example", "DESTINATION, *.example",
            "SENDER, sender@here.example", "SENDER, here.example", "SENDER, *@HERE.example", "TRANSPORT, smtp"})
    void mailOfEachKindWaitsWithoutAnAttemptAndIsDueAtOnceWhenItIsResumed(SuspensionScope scope, String name) {
        Story story = suspend(new Story(), scope, name, FOREVER);
        QueueId id = story.queue("u@x.example");

        assertThat(story.deliveries()).isEmpty();
        assertThat(story.index.get(id).attempts).isZero();
        assertThat(lastReply(story, id)).startsWith("450 4.3.2 " + scope.word() + " ")
                .endsWith(" is suspended by ann until further notice: their disk is full");
        assertThat(story.active()).as("it waits on disk").isEmpty();

        assertThat(resume(story, scope, name)).isEqualTo(Result.BEGUN);
        story.after(2_000);
        assertThat(story.deliveries()).containsExactly("1>x.example");
        assertThat(resume(story, scope, name)).as("there is no such suspension").isEqualTo(Result.UNCHANGED);
    }

    @ParameterizedTest
    @CsvSource({"DESTINATION, y.example", "DESTINATION, example", "SENDER, <>", "SENDER, other@here.example",
            "TRANSPORT, local"})
    void otherMailGoesOn(SuspensionScope scope, String name) {
        Story story = suspend(new Story(), scope, name, FOREVER);
        story.queue("u@x.example");
        assertThat(story.deliveries()).containsExactly("1>x.example");
    }

    @Test
    void theNullSenderCanBeSuspended() {
        Story story = suspend(new Story(), SuspensionScope.SENDER, "<>", FOREVER);
        Story.Row report = story.row("u@x.example");
        report.sender = Optional.empty();
        story.queue(report);
        story.queue("u@x.example");
        assertThat(story.deliveries()).containsExactly("2>x.example");
    }

    /// Several domains share a next hop: it can be suspended, and so can one of the domains.
    @Test
    void aNextHopAndADomainBehindItAreDifferentDestinations() {
        Story story = new Story();
        Route relay = new Route.Smtp("[relay.example]:25", List.of(new Route.Host("relay.example", 25, 0)));
        List.of("a.example", "b.example").forEach(domain -> story.routes.put(domain, relay));
        suspend(story, SuspensionScope.DESTINATION, "a.example", FOREVER);
        story.queue("u@a.example");
        story.queue("u@b.example");
        assertThat(story.deliveries()).containsExactly("2>[relay.example]:25");

        suspend(story, SuspensionScope.DESTINATION, "[relay.example]:25", FOREVER);
        story.queue("u@b.example");
        assertThat(story.deliveries()).containsExactly("2>[relay.example]:25");
    }

    @Test
    void theSuspensionThatEndsLastDecides() {
        Story story = suspend(new Story(), SuspensionScope.DESTINATION, "x.example", 10 * MINUTE);
        suspend(story, SuspensionScope.SENDER, "here.example", 30 * MINUTE);
        QueueId id = story.queue("u@x.example");
        assertThat(lastReply(story, id)).contains("sender *@here.example");
        story.until(30 * MINUTE - 1);
        assertThat(story.deliveries()).isEmpty();
        story.until(30 * MINUTE + 1_000);
        assertThat(story.deliveries()).containsExactly("1>x.example");
    }

    // ---- when

    @Test
    void itEndsAtItsTimeAndTheMailIsDueThen() {
        Story story = suspend(new Story(), SuspensionScope.DESTINATION, "x.example", 7 * MINUTE);
        QueueId id = story.queue("u@x.example");
        assertThat(story.index.get(id).nextMillis).as("the backoff is shorter").isEqualTo(5 * MINUTE);
        story.until(6 * MINUTE);
        assertThat(story.index.get(id).nextMillis).isEqualTo(7 * MINUTE);
        story.until(7 * MINUTE + 1_000);
        assertThat(story.deliveries()).containsExactly("1>x.example");
        assertThat(story.manager.queries().suspensions()).isEmpty();
    }

    @Test
    void aFlushDoesNotOverruleIt() {
        Story story = suspend(new Story(), SuspensionScope.DESTINATION, "x.example", FOREVER);
        QueueId id = story.queue("u@x.example");
        story.command(new OperatorCommand.OfMessage(id, new MessageOrder.Flush()));
        story.command(new OperatorCommand.FlushAll(Optional.of("x.example")));
        story.after(2_000);
        assertThat(story.deliveries()).isEmpty();
    }

    @Test
    void aSecondOrderOfTheSameNameReplacesTheFirst() {
        Story story = suspend(new Story(), SuspensionScope.DESTINATION, "x.example", FOREVER);
        QueueId id = story.queue("u@x.example");
        suspend(story, SuspensionScope.DESTINATION, "X.example", 2 * MINUTE);
        assertThat(story.manager.queries().suspensions()).hasSize(1);
        story.after(2_000);
        assertThat(lastReply(story, id)).contains("until 1970-01-01T00:02:00Z");
        story.until(2 * MINUTE + 1_000);
        assertThat(story.deliveries()).hasSize(1);
    }

    /// Suspension is no attempt, and yet the mail does not wait beyond its lifetime.
    @Test
    void suspendedMailExpires() {
        Story story = suspend(new Story(), SuspensionScope.DESTINATION, "x.example", FOREVER);
        story.queue("u@x.example");
        story.until(story.config.lifetimeMillis() + story.config.secondExpiryMillis() + 120 * MINUTE);
        assertThat(story.deliveries()).isEmpty();
        assertThat(story.removed).containsKey(FIRST);
    }

    // ---- in every state

    private static Class<? extends QmgrOrder> kind(String stage) {
        return switch (stage) {
            case "reading" -> QmgrOrder.ReadRecipients.class;
            case "routing" -> QmgrOrder.FindRoute.class;
            default -> throw new AssertionError(stage);
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"reading", "routing"})
    void aMessageOnItsWayToTheSchedulerIsDeferred(String stage) {
        Story story = new Story();
        story.withhold(kind(stage));
        QueueId id = story.queue("u@x.example");
        suspend(story, SuspensionScope.DESTINATION, "x.example", FOREVER);
        story.answerAll(kind(stage));
        assertThat(story.deliveries()).isEmpty();
        assertThat(lastReply(story, id)).contains("x.example is suspended");
    }

    @ParameterizedTest
    @CsvSource({"DESTINATION, x.example", "SENDER, here.example", "TRANSPORT, smtp"})
    void runningDeliveriesFinishAndWaitingOnesAreDeferred(SuspensionScope scope, String name) {
        Story story = new Story();
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, 30).forEach(i -> story.queue("u" + i + "@x.example"));
        int running = story.waiting(QmgrOrder.Deliver.class).size();
        assertThat(running).isBetween(1, 25);

        suspend(story, scope, name, FOREVER);
        assertThat(story.active()).as("running ones stay").hasSize(running);
        story.answerAll(QmgrOrder.Deliver.class);

        assertThat(story.removed).hasSize(running);
        assertThat(story.index).hasSize(30 - running);
        story.until(60 * MINUTE);
        assertThat(story.index).hasSize(30 - running);
        resume(story, scope, name);
        story.after(MINUTE);
        assertThat(story.index).isEmpty();
    }

    /// The message has both: the suspended recipients wait and the others are delivered.
    @Test
    void ofAMessageInPartOnlyThatPartWaits() {
        Story story = new Story(s -> s.also(config -> config));
        Route relay = new Route.Smtp("[relay.example]:25", List.of(new Route.Host("relay.example", 25, 0)));
        List.of("a.example", "b.example", "c.example").forEach(domain -> story.routes.put(domain, relay));
        story.withhold(QmgrOrder.Open.class);
        IntStream.range(0, 40).forEach(i -> story.queue("u@c.example"));
        QueueId mixed = story.queue("u@a.example", "u@b.example");
        story.command(new OperatorCommand.Begin(of(SuspensionScope.DESTINATION, "a.example", FOREVER)));
        story.answerAll(QmgrOrder.Open.class);
        story.after(MINUTE);

        assertThat(story.index).containsOnlyKeys(mixed);
        assertThat(story.index.get(mixed).open.values())
                .extracting(each -> each.address()).containsExactly(Address.of("u@a.example"));
        resume(story, SuspensionScope.DESTINATION, "a.example");
        story.after(MINUTE);
        assertThat(story.index).isEmpty();
    }

    /// The suspension ends while its outcome is on the way to the disk.
    @Test
    void aResumeFindsMailWhoseDeferralIsBeingRecorded() {
        Story story = suspend(new Story(), SuspensionScope.DESTINATION, "x.example", FOREVER);
        story.withhold(QmgrOrder.RecordOutcome.class);
        story.queue("u@x.example");
        resume(story, SuspensionScope.DESTINATION, "x.example");
        story.answerAll(QmgrOrder.RecordOutcome.class);
        story.after(2_000);
        assertThat(story.deliveries()).containsExactly("1>x.example");
    }

    /// Mail of a destination that did not answer is not made due by the end of another suspension.
    @Test
    void aResumeWakesOnlyTheMailThatTheSuspensionHeld() {
        Story story = new Story();
        story.replies.put("late@y.example", Story.TRY_LATER);
        story.queue("late@y.example");
        suspend(story, SuspensionScope.SENDER, "here.example", FOREVER);
        story.queue("u@x.example");
        resume(story, SuspensionScope.SENDER, "here.example");
        story.after(MINUTE);
        assertThat(story.deliveries()).containsExactly("1>y.example", "2>x.example");
    }

    @Test
    void anOperatorCanDeleteSuspendedMail() {
        Story story = suspend(new Story(), SuspensionScope.DESTINATION, "x.example", FOREVER);
        QueueId id = story.queue("u@x.example");
        story.command(new OperatorCommand.OfMessage(id, new MessageOrder.Delete()));
        assertThat(story.removed).containsEntry(id, Settlement.DELETED);
    }

    // ---- hosts

    private static final Route.Smtp TWO_HOSTS = new Route.Smtp("x.example",
            List.of(new Route.Host("mx1.example", 25, 10), new Route.Host("mx2.example", 25, 10)));
    private static final HostKey ONE = HostKeys.BY_NAME.of(TWO_HOSTS, TWO_HOSTS.hosts().getFirst());
    private static final HostKey TWO = HostKeys.BY_NAME.of(TWO_HOSTS, TWO_HOSTS.hosts().getLast());

    /// A domain with two hosts, both of which are suspended for these times.
    private static Story suspendedHosts(long oneUntilMillis, long twoUntilMillis) {
        Story story = new Story();
        story.routes.put("x.example", TWO_HOSTS);
        story.seating.suspend(ONE, "their disk is full", "ann", oneUntilMillis, story.now);
        story.seating.suspend(TWO, "their disk is full", "ann", twoUntilMillis, story.now);
        return story;
    }

    /// The mail names the host whose suspension ends first. Each of them takes it.
    @ParameterizedTest
    @CsvSource({"true", "false"})
    void theResumeOfAHostMakesItsMailDueAtOnce(boolean theFirst) {
        Story story = suspendedHosts(60 * MINUTE, FOREVER);
        QueueId id = story.queue("u@x.example");
        story.after(1);
        assertThat(lastReply(story, id)).contains("is suspended by ann: their disk is full");

        story.seating.hosts().resume(theFirst ? ONE : TWO);
        story.after(2_000);

        assertThat(story.deliveries()).containsExactly("1>x.example");
    }

    @Test
    void aResumeThatAnotherShardReportsMakesMailDueAsWell() {
        Story story = suspendedHosts(FOREVER, FOREVER);
        story.queue("u@x.example");
        story.happens(new QmgrEvent.HostsLearned(
                List.of(new HostRow.Change.Gone(TWO.toString(), HostRow.HostRowKind.SUSPENDED))));
        story.after(2_000);
        assertThat(story.deliveries()).containsExactly("1>x.example");
    }

    @Test
    void aSecondSuspensionOfAHostReplacesTheFirst() {
        Story story = suspendedHosts(FOREVER, FOREVER);
        QueueId id = story.queue("u@x.example");
        story.seating.suspend(TWO, "back at three", "bob", story.now + 2 * MINUTE, story.now);
        story.after(2_000);
        assertThat(story.index.get(id).nextMillis).isEqualTo(2 * MINUTE);
        story.until(2 * MINUTE + 1_000);
        assertThat(story.deliveries()).containsExactly("1>x.example");
    }

    /// The suspension ends while its outcome is on the way to the disk.
    @Test
    void aResumeOfAHostFindsMailWhoseDeferralIsBeingRecorded() {
        Story story = suspendedHosts(FOREVER, FOREVER);
        story.withhold(QmgrOrder.RecordOutcome.class);
        story.queue("u@x.example");
        story.after(1);
        assertThat(story.waiting(QmgrOrder.RecordOutcome.class)).hasSize(1);
        story.seating.hosts().resume(ONE);
        story.after(1);
        story.answerAll(QmgrOrder.RecordOutcome.class);
        story.after(2_000);
        assertThat(story.deliveries()).containsExactly("1>x.example");
    }

    // ---- freeze

    private static Story freeze(Story story, long untilMillis) {
        return suspend(story, SuspensionScope.EVERYTHING, "", untilMillis);
    }

    private static void thaw(Story story) {
        resume(story, SuspensionScope.EVERYTHING, "");
    }

    @Test
    @Tag("ZM-25")
    void afterAFreezeNothingStartsAndAfterAThawAllMailGoesOn() {
        Story story = new Story();
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, 30).forEach(i -> story.queue("u" + i + "@x.example"));
        int running = story.waiting(QmgrOrder.Deliver.class).size();
        freeze(story, FOREVER);
        story.answerAll(QmgrOrder.Deliver.class);
        story.queue("new@z.example");
        story.until(10 * MINUTE);

        assertThat(story.removed).as("running deliveries finish").hasSize(running);
        assertThat(story.index).hasSize(31 - running);
        assertThat(story.ordered(QmgrOrder.Defer.class)).as("nothing is written").isEmpty();
        assertThat(story.about(new QueueId(30)).phase().code()).isEqualTo(QueuePhase.Code.SUSPENDED);
        assertThat(story.why(new QueueId(30)))
                .startsWith("all deliveries are frozen by ann until further notice: their disk is full");
        assertThat(story.manager.queries().gates(new QueueId(30), story.now)).first()
                .satisfies(gate -> {
                    assertThat(gate.closed()).isTrue();
                    assertThat(gate.phase().code()).isEqualTo(QueuePhase.Code.SUSPENDED);
                });
        assertThat(story.manager.overlooked(story.now)).as("it does not count as stuck").isEmpty();

        thaw(story);
        story.after(1_000);
        assertThat(story.index).isEmpty();
    }

    @Test
    @Tag("ZM-25")
    void aFreezeEndsAtItsTime() {
        Story story = freeze(new Story(), 10 * MINUTE);
        story.queue("u@x.example");
        story.until(10 * MINUTE - 1);
        assertThat(story.deliveries()).isEmpty();
        story.until(10 * MINUTE);
        assertThat(story.deliveries()).hasSize(1);
    }

    /// Clients are not slowed down: the mail is accepted and stored.
    @Test
    void arrivalsDuringAFreezeAreNotDelayed() {
        Story story = freeze(new Story(), FOREVER);
        IntStream.range(0, 3 * story.config.scanLimit()).forEach(i -> story.queue("u@x.example"));
        assertThat(story.manager.isBehindArrivals()).isFalse();
        thaw(story);
        story.after(MINUTE);
        assertThat(story.index).isEmpty();
    }

    @Test
    void aFreezeDoesNotRingTheAlarmWithoutEnd() {
        Story story = freeze(new Story(), FOREVER);
        story.row("u@x.example");
        story.until(60 * MINUTE);
        assertThat(story.ordered(QmgrOrder.Scan.class)).isEmpty();
        thaw(story);
        story.after(1_000);
        assertThat(story.deliveries()).hasSize(1);
    }
}
