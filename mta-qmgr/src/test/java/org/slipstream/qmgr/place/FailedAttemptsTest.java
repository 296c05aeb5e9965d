package org.slipstream.qmgr.place;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.place.Effects.Ended;

import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.qmgr.place.Yard.REFUSED;
import static org.slipstream.qmgr.place.Yard.hostOf;
import static org.slipstream.qmgr.place.Yard.message;
import static org.slipstream.qmgr.place.Yard.to;

/// Connections that fail before they carry a delivery, and what becomes of the deliveries that waited
/// for them.
class FailedAttemptsTest {
    private static final PlaceRules RULES = PlaceRules.defaults();

    /// A new connection of a delivery fails in this way.
    private enum Failing {
        NO_CONNECTION, LOST_BEFORE_AN_ANSWER, BROKEN_BEFORE_AN_ANSWER;

        void happens(Yard yard, long connection, long delivery) {
            switch (this) {
                case NO_CONNECTION -> yard.refuse(connection);
                case LOST_BEFORE_AN_ANSWER -> {
                    yard.ready(connection);
                    yard.lose(connection);
                }
                case BROKEN_BEFORE_AN_ANSWER -> {
                    yard.ready(connection);
                    yard.hangUp(connection, delivery, false);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void anAttemptThatLeavesAnotherHostMarksTheHostAndMovesTheDeliveryWithoutFeedback(Failing failing) {
        Yard yard = new Yard(RULES);
        String first = hostOf(yard.seat(1, to("a", "b")));
        String other = first.equals("a") ? "b" : "a";
        failing.happens(yard, yard.last(), 1);
        assertThat(yard.mark(first)).isInstanceOf(HostState.Retry.class);
        assertThat(yard.ended).isEmpty();
        assertThat(yard.refusals).isEmpty();
        assertThat(yard.open.values()).containsExactly(other);
        yard.ready(yard.last());
        yard.answer(yard.last(), 1);
        assertThat(yard.ended).singleElement().isInstanceOf(Ended.Worked.class);
    }

    @ParameterizedTest
    @EnumSource
    void deadHostsLeaveNothingInMemory(Failing failing) {
        Yard yard = new Yard(RULES);
        int hosts = failing == Failing.NO_CONNECTION ? 10_000 : 100;
        for (int i = 1; i <= hosts; i++) {
            yard.seat(i, to("h" + i));
            failing.happens(yard, yard.last(), i);
        }
        assertThat(yard.ended).hasSize(hosts);
        assertThat(yard.connections.open().hostsInUse()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void anAttemptThatLeavesNoHostIsOneFeedbackAndTheHostIsMarkedByTheCohortsOnly(Failing failing) {
        Yard yard = new Yard(RULES);
        yard.seat(1, to("a"));
        failing.happens(yard, yard.last(), 1);
        assertThat(yard.ended).singleElement().isInstanceOf(Ended.Failed.class);
        assertThat(yard.lastReply().isTransient()).isTrue();
        assertThat(yard.mark("a")).as("not marked").isNotInstanceOf(HostState.Retry.class);
        assertThat(yard.seat(2, to("a"))).as("the next attempt").isInstanceOf(Seat.Open.class);
        failing.happens(yard, yard.last(), 2);
        assertThat(yard.ended).hasSize(2).allMatch(Ended.Failed.class::isInstance);

        yard.dead(to("a"));
        assertThat(yard.mark("a")).isInstanceOf(HostState.Retry.class);
        assertThat(yard.seat(3, to("a"))).isInstanceOf(Seat.Defer.class);
    }

    @Test
    void ofTheHostsOfADeadDestinationThoseThatAreUpAreNotMarked() {
        Yard yard = new Yard(RULES);
        yard.opened(1, to("up"));
        yard.dead(to("up", "down"));
        assertThat(yard.mark("up")).isNotInstanceOf(HostState.Retry.class);
        assertThat(yard.mark("down")).isInstanceOf(HostState.Retry.class);
    }

    @Test
    void aWorkingHostThatRefusesMoreIsOneFeedbackAndTheDeliveryWaitsForAConnectionThatIsUp() {
        Yard yard = new Yard(RULES.with(new PlaceRules.Depth(2, 50, 3)));
        long first = yard.opened(1, to("a"));
        yard.seat(1, to("a"));
        yard.seat(2, to("a"));
        yard.seat(3, to("a"));
        yard.refuse(yard.last());
        assertThat(yard.ended).isEmpty();
        assertThat(yard.refusals).singleElement().satisfies(refusal -> {
            assertThat(refusal.delivery()).isEqualTo(3);
            assertThat(refusal.reason()).isEqualTo(Yard.REFUSED);
        });
        assertThat(yard.mark("a")).isNotInstanceOf(HostState.Retry.class);
        assertThat(yard.deliveredOn).containsEntry(3L, first).containsEntry(4L, first);
        Seat seat = yard.seat(4, to("a"));
        assertThat(seat).isInstanceOf(Seat.Queue.class);
        assertThat(seat.passedOver()).singleElement()
                .satisfies(host -> assertThat(host.why()).contains("refuses more connections"));
        yard.now += RULES.memory().crowded().toMillis();
        assertThat(yard.seat(5, to("a"))).isInstanceOf(Seat.Open.class);
    }

    @Test
    void whatAWorkingHostRefusedWaitsUntilAConnectionHasRoom() {
        Yard yard = new Yard(RULES);
        long first = yard.opened(1, to("a"));
        yard.seat(1, to("a"));
        yard.seat(2, to("a"));
        yard.refuse(yard.last());
        assertThat(yard.refusals).hasSize(1);
        assertThat(yard.deliveredOn).doesNotContainKey(3L);
        assertThat(yard.seat(3, to("a"))).as("those who lost their seat come first").isInstanceOf(Seat.Wait.class);
        yard.answer(first, 1);
        assertThat(yard.deliveredOn).containsEntry(3L, first);
        assertThat(yard.open).containsOnlyKeys(first);
    }

    @Test
    void aWorkingHostThatRefusesMoreIsCrowdedAndTheDeliveryMovesToAnotherHost() {
        Yard yard = new Yard(RULES.with(new PlaceRules.Depth(1, 50, 1)));
        yard.opened(1, to("a"));
        Candidates where = new Candidates("d.example", List.of(List.of(Yard.host("a")), List.of(Yard.host("b"))));
        yard.seat(2, where);
        assertThat(yard.open.values()).containsExactly("a", "a");
        yard.refuse(yard.last());
        assertThat(yard.hosts.crowd(Yard.host("a").host(), yard.now)).isPresent();
        assertThat(yard.mark("a")).isNotInstanceOf(HostState.Retry.class);
        assertThat(yard.refusals).as("no window hears of it").isEmpty();
        assertThat(yard.ended).isEmpty();
    }

    @Test
    void whereAConnectionCarriesOneDeliveryARefusedOneWaitsForTheNextThatIsFree() {
        Yard yard = new Yard(RULES.with(PlaceRules.Depth.ONE));
        long first = yard.opened(1, to("a"));
        yard.seat(2, to("a"));
        yard.refuse(yard.last());
        assertThat(yard.refusals).singleElement().satisfies(refusal -> assertThat(refusal.delivery()).isEqualTo(2));
        assertThat(yard.ended).isEmpty();
        assertThat(yard.mark("a")).isNotInstanceOf(HostState.Retry.class);
        yard.answer(first, 1);
        assertThat(yard.deliveredOn).containsEntry(2L, first);
        assertThat(yard.log).doesNotContain("close " + first);
    }

    @Test
    void whatAWorkingHostRefusedGetsAnotherConnectionWhenTheOneThatIsUpHangs() {
        Yard yard = new Yard(RULES.with(PlaceRules.Depth.ONE));
        yard.opened(1, to("a"));
        yard.seat(2, to("a"));
        yard.refuse(yard.last());
        yard.after(RULES.memory().crowded().toMillis() - 1);
        assertThat(yard.open).hasSize(1);
        yard.after(1);
        assertThat(yard.open).hasSize(2);
        yard.ready(yard.last());
        assertThat(yard.deliveredOn).containsEntry(2L, yard.last());
    }

    @Test
    void aHostThatRefusedMoreIsTriedAtOnceWhenItsLastConnectionBreaksBeforeTheFirstReply() {
        Yard yard = new Yard(RULES.with(PlaceRules.Depth.ONE));
        long first = yard.opened(1, to("a"));
        yard.seat(2, to("a"));
        yard.refuse(yard.last());
        yard.lose(first);
        yard.comesBack(first, 1, false);
        assertThat(yard.hosts.crowd(Yard.host("a").host(), yard.now)).isEmpty();
        assertThat(yard.open.values()).as("one for what was refused").containsExactly("a");
    }

    @Test
    void aConnectionThatHasDoneItsWorkTakesADisplacedDeliveryAlsoWhenMoreWaitThanConnectionsWereLost() {
        Yard yard = new Yard(RULES);
        long first = yard.opened(1, to("a"));
        yard.news(new QmgrEvent.ConnectionDepth(first, 1));
        long second = yard.opened(2, to("a"));
        yard.news(new QmgrEvent.ConnectionDepth(second, 1));
        yard.seat(3, to("a"));
        yard.seat(4, to("a"));
        yard.refuse(yard.last());
        assertThat(yard.connections.displaced().size()).isEqualTo(2);
        yard.answer(first, 1);
        yard.answer(second, 2);
        assertThat(yard.deliveredOn).containsEntry(3L, first).containsEntry(4L, second);
        assertThat(yard.connections.displaced().size()).isZero();
    }

    @Test
    void oneAttemptIsOneFeedbackForEachDestinationHoweverManyDeliveriesWaitedForIt() {
        Yard yard = new Yard(RULES.with(new PlaceRules.Depth(4, 50, 1)));
        Candidates one = Candidates.of("one.example", Yard.host("a"));
        Candidates two = Candidates.of("two.example", Yard.host("a"));
        for (Candidates where : List.of(one, one, two, two)) {
            yard.seat(1, where);
        }
        assertThat(yard.open).hasSize(1);
        yard.refuse(yard.last());
        assertThat(yard.endedDeliveries()).containsExactly(1L, 3L);
        assertThat(yard.ended).allMatch(Ended.Failed.class::isInstance);
        assertThat(yard.open).as("one in place of the lost one").hasSize(1);
        yard.refuse(yard.last());
        assertThat(yard.endedDeliveries()).containsExactly(1L, 3L, 2L, 4L);
    }

    @Test
    void whatWaitedBehindTheLastAttemptIsDeferredWithoutOneWhenTheCohortsSayDead() {
        Yard yard = new Yard(RULES);
        yard.fragile = true;
        yard.seat(1, to("a", "b"));
        yard.seat(2, to("a", "b"));
        yard.refuse(yard.last());
        assertThat(yard.ended).isEmpty();
        yard.fail(yard.last(), Reply.of(421, "4.3.2", "closing"));
        assertThat(yard.endedDeliveries()).containsExactly(1L, 2L);
        assertThat(yard.ended.getFirst()).isInstanceOfSatisfying(Ended.Failed.class,
                failed -> assertThat(failed.reason().code()).isEqualTo(421));
        assertThat(yard.ended.getLast()).isInstanceOf(Ended.Untried.class);
        assertThat(yard.lastReply().text()).startsWith("delivery temporarily suspended: ");
        assertThat(yard.open).isEmpty();
    }

    @Test
    void aPermanentGreetingBouncesOnlyWhenNoHostGaveHope() {
        Reply never = Reply.of(554, "5.7.1", "go away");
        Yard yard = new Yard(RULES);
        yard.seat(1, to("a"));
        yard.fail(1, never);
        assertThat(yard.lastReply()).isEqualTo(never);

        Yard two = new Yard(RULES);
        two.seat(1, to("a", "b"));
        two.refuse(1);
        two.fail(2, never);
        assertThat(two.lastReply().code()).isEqualTo(450);
    }

    @Test
    void anUntriedMessageIsNeverBouncedByWhatAnotherOneHeard() {
        Yard yard = new Yard(RULES);
        String refusing = hostOf(yard.seat(1, to("a", "b")));
        yard.fail(1, Reply.of(554, "5.7.1", "go away"));
        yard.seat(2, to(refusing));
        yard.after(0);
        assertThat(yard.ended).singleElement().isInstanceOf(Ended.Untried.class);
        assertThat(yard.lastReply().isTransient()).isTrue();
        assertThat(yard.lastReply().text()).isEqualTo("delivery temporarily suspended: go away");
    }

    @Test
    @Tag("PF-06")
    void a421AfterTheGreetingIsAnAnswerAndTheOthersMoveOn() {
        Reply bye = Reply.of(421, "4.7.0", "too many messages");
        Yard yard = new Yard(RULES);
        long connection = yard.opened(1, to("a"));
        yard.seat(2, to("a"));
        yard.answer(connection, 1, bye, false);
        yard.comesBack(connection, 2, false);
        assertThat(yard.ended).singleElement().isInstanceOf(Ended.Worked.class);
        assertThat(yard.mark("a")).isNotInstanceOf(HostState.Retry.class);
        yard.ready(yard.last());
        yard.answer(yard.last(), 2);
        assertThat(yard.ended).hasSize(2).allMatch(Ended.Worked.class::isInstance);
    }

    @Test
    @Tag("PF-16")
    void aFailureOfOurOwnMarksNoHostAndIsNoFeedback() {
        Yard yard = new Yard(RULES);
        yard.seat(1, to("a", "b"));
        yard.seat(1, to("a", "b"));
        yard.news(new QmgrEvent.ConnectionFailed(1, Reply.of(451, "4.3.0", "no sockets"), "local", true,
                OptionalLong.empty()));
        assertThat(yard.mark("a")).isInstanceOf(HostState.Unused.class);
        assertThat(yard.mark("b")).isInstanceOf(HostState.Unused.class);
        assertThat(yard.ended).hasSize(2).allSatisfy(how -> assertThat(how).isInstanceOfSatisfying(
                Ended.OwnFailure.class,
                own -> assertThat(own.scope()).isEqualTo(DeliveryResult.Scope.TRANSPORT)));
        assertThat(yard.refusals).isEmpty();
    }

    @Test
    void aFailureOfOurOwnDuringADeliveryLeavesTheConnectionInUse() {
        Yard yard = new Yard(RULES);
        long connection = yard.opened(1, to("a"));
        yard.done(new DeliveryResult.OwnFailure(1, connection, Reply.of(451, "4.3.0", "error reading the message"),
                DeliveryResult.Scope.MESSAGE, true));
        assertThat(yard.ended).singleElement().isInstanceOfSatisfying(Ended.OwnFailure.class,
                own -> assertThat(own.scope()).isEqualTo(DeliveryResult.Scope.MESSAGE));
        assertThat(yard.seat(2, to("a"))).isInstanceOf(Seat.Reuse.class);
    }

    // ---- a host that defers

    private static final Reply LATER = Reply.of(451, "4.3.0", "later");

    /// A delivery that the first of three hosts has deferred. Returns the yard; the connection to the
    /// second host is open and not ready.
    private static Yard deferredByTheFirstOfThree() {
        Yard yard = new Yard(RULES);
        long first = yard.opened(1, levels("a", "b", "c"));
        yard.answer(first, 1, LATER, true);
        return yard;
    }

    private static Candidates levels(String... names) {
        return new Candidates("d.example", Stream.of(names).map(name -> List.of(Yard.host(name))).toList());
    }

    @Test
    void aHostThatDefersADeliveryIsFollowedByAnotherHostInTheSameAttempt() {
        Yard yard = deferredByTheFirstOfThree();
        assertThat(yard.ended).as("not ended").isEmpty();
        assertThat(yard.open.values()).containsExactly("a", "b");
        assertThat(yard.mark("a")).as("it works").isNotInstanceOf(HostState.Retry.class);
        yard.ready(2);
        assertThat(yard.log).endsWith("deliver 1 on 2");
        yard.answer(2, 1);
        assertThat(yard.ended).singleElement().isInstanceOf(Ended.Worked.class);
        assertThat(yard.lastReply().isPositive()).isTrue();
    }

    @Test
    void theSecondAnswerIsTheOutcomeAndNoThirdHostIsAsked() {
        Yard yard = deferredByTheFirstOfThree();
        yard.ready(2);
        yard.answer(2, 1, Reply.of(450, "4.2.1", "greylisted"), true);
        assertThat(yard.ended).singleElement().isInstanceOf(Ended.Worked.class);
        assertThat(yard.lastReply().text()).isEqualTo("greylisted");
        assertThat(yard.open.values()).containsExactly("a", "b");
    }

    @Test
    void theFirstAnswerIsTheOutcomeWhenNoOtherHostCanBeReached() {
        Yard yard = deferredByTheFirstOfThree();
        yard.refuse(2);
        assertThat(yard.open.values()).as("the third host is next").contains("c");
        yard.refuse(3);
        assertThat(yard.ended).as("no negative feedback").singleElement().isInstanceOf(Ended.Worked.class);
        assertThat(yard.lastReply()).isEqualTo(LATER);
        assertThat(List.of(yard.mark("b"), yard.mark("c"))).hasOnlyElementsOfType(HostState.Retry.class);
        assertThat(yard.connections.displaced().size()).isZero();
    }

    @Test
    void aDeliveryOfWhichOneRecipientWasDecidedStaysWithItsHost() {
        for (Reply decided : List.of(Yard.OK, Reply.of(550, "5.1.1", "unknown"))) {
            Yard yard = new Yard(RULES);
            long first = yard.opened(1, levels("a", "b"));
            yard.done(new DeliveryResult.Answered(1, first,
                    List.of(new RecipientOutcome(1, Outcome.of(LATER, "mx")),
                            new RecipientOutcome(2, Outcome.of(decided, "mx"))),
                    true));
            assertThat(yard.ended).as("%s", decided).singleElement().isInstanceOf(Ended.Worked.class);
            assertThat(yard.open.values()).containsExactly("a");
        }
    }

    @Test
    void anAnswerOfThisServerAndAProbeAreNotTakenToAnotherHost() {
        Yard yard = new Yard(RULES);
        long first = yard.opened(1, levels("a", "b"));
        yard.done(new DeliveryResult.Answered(1, first,
                List.of(new RecipientOutcome(1, Outcome.of(LATER, "local"))), true));
        yard.seat(new Owner.Verification(), levels("a", "b"), true);
        yard.answer(first, 2, LATER, true);
        assertThat(yard.endedDeliveries()).containsExactly(1L, 2L);
        assertThat(yard.open.values()).containsExactly("a");
    }

    /// While another delivery is on the first host's connection, the window may allow no second
    /// connection; the deferred delivery gets one when that connection is idle.
    @Test
    void theOtherHostIsAskedWithinTheWindow() {
        Yard yard = new Yard(RULES);
        long first = yard.opened(1, levels("a", "b"));
        assertThat(yard.seat(2, levels("a", "b"))).isInstanceOf(Seat.Queue.class);
        yard.answer(first, 1, LATER, true);
        assertThat(yard.open.values()).containsExactly("a");
        yard.answer(first, 2);
        assertThat(yard.open.values()).containsExactly("a", "b");
        assertThat(yard.endedDeliveries()).containsExactly(2L);
    }

    /// Both deliveries of a connection are deferred: one connection may replace it, not two.
    @Test
    void twoDeferredDeliveriesOfOneConnectionOpenOneConnection() {
        Yard yard = new Yard(RULES.with(new PlaceRules.Depth(2, 2, 1)));
        long first = yard.opened(1, levels("a", "b"));
        assertThat(yard.seat(2, levels("a", "b"))).isInstanceOf(Seat.Queue.class);
        yard.hosts.breaksUnderPipelining(Yard.host("b"), "503 out of step", yard.now);
        yard.answer(first, 1, LATER, true);
        yard.answer(first, 2, LATER, true);
        assertThat(yard.open.values()).containsExactly("a", "b");
        yard.ready(2);
        yard.answer(2, 1);
        yard.answer(2, 2);
        assertThat(yard.ended).hasSize(2).allMatch(ended -> ended.outcomes().getFirst().outcome().reply().isPositive());
    }
}
