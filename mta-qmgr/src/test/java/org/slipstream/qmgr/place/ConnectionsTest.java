package org.slipstream.qmgr.place;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.place.Effects.Ended;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.slipstream.qmgr.place.Yard.hostOf;
import static org.slipstream.qmgr.place.Yard.message;
import static org.slipstream.qmgr.place.Yard.to;

/// Connections from their first delivery to their end.
class ConnectionsTest {
    private static final PlaceRules RULES = PlaceRules.defaults();

    /// The table in the comment of [Connections], for the events of the network.
    @ParameterizedTest
    @CsvSource({"OPENING, READY FAILED", "BUSY, ANSWERED RETURNED LOST", "IDLE, LOST",
            "GONE, READY FAILED ANSWERED RETURNED LOST"})
    @Tag("ZM-16")
    void theTableOfStatesIsThatOfTheCode(String state, String permitted) {
        for (String event : List.of("READY", "FAILED", "ANSWERED", "RETURNED", "LOST")) {
            Yard yard = new Yard(RULES);
            long connection = switch (state) {
                case "OPENING" -> {
                    yard.seat(1, to("a"));
                    yield yard.last();
                }
                case "BUSY" -> yard.opened(1, to("a"));
                case "IDLE" -> yard.idle(1, to("a"));
                default -> {
                    long gone = yard.idle(1, to("a"));
                    yard.lose(gone);
                    yield gone;
                }
            };
            int before = yard.log.size();
            ThrowingCallable happens = () -> happens(yard, connection, event);
            if (List.of(permitted.split(" ")).contains(event)) {
                assertThatCode(happens).as(state + " " + event).doesNotThrowAnyException();
                assertThat(yard.connections.contains(connection)).as(state + " " + event)
                        .isEqualTo(event.equals("READY") && state.equals("OPENING") || event.equals("ANSWERED")
                                && state.equals("BUSY"));
            } else {
                assertThatThrownBy(happens).as(state + " " + event).isInstanceOf(ImpossibleEventException.class);
            }
            assertThat(yard.log.size() == before || !state.equals("GONE")).isTrue();
        }
    }

    private static void happens(Yard yard, long connection, String event) {
        switch (event) {
            case "READY" -> yard.ready(connection);
            case "FAILED" -> yard.refuse(connection);
            case "ANSWERED" -> yard.answer(connection, yard.deliveries);
            case "RETURNED" -> yard.comesBack(connection, yard.deliveries, false);
            default -> yard.news(new QmgrEvent.ConnectionLost(connection, "hung up"));
        }
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @Tag("FI-30")
    void fi30AHundredThousandHostsDoNotSlowDownAQuestionAboutOne() {
        WorkerBudget budget = new WorkerBudget(200_000, RULES.messages(), RULES.verification());
        AtomicLong numbers = new AtomicLong();
        ConnectionBook book = new ConnectionBook(budget, numbers::incrementAndGet);
        for (int i = 0; i < 100_000; i++) {
            Candidate host = Yard.host("h" + i);
            book.open(host,
                    new Assignment(i + 1, new QueueId(i + 1), message(i), Candidates.of("d" + i, host), List.of()),
                    Connection.ConnectionStanding.PROVEN, 2, i);
        }
        assertThat(book.active(Yard.host("h77777").host())).singleElement()
                .satisfies(c -> assertThat(c.openedMillis).isEqualTo(77_777));
        assertThat(book.serving("d77777")).isEqualTo(1);
        // A walk would need 10^11 steps, which is hours; lookups need less than a second.
        long found = 0;
        for (int i = 0; i < 1_000_000; i++) {
            found += book.active(Yard.host("h5").host()).size();
        }
        assertThat(found).isEqualTo(1_000_000);
    }

    @Test
    @Tag("FI-34")
    void fi34TheNextLoadIsDeliveredBeforeThePreviousOneIsAnswered() {
        Yard yard = new Yard(RULES);
        long connection = yard.opened(1, to("a"));
        yard.seat(1, to("a"));
        assertThat(yard.log).containsExactly("open 1 a", "deliver 1 on 1", "deliver 2 on 1");
        // The client knows the round trip: with this number in flight no other connection is
        // needed.
        yard.news(new QmgrEvent.ConnectionDepth(connection, 10));
        for (int i = 0; i < 8; i++) {
            yard.seat(1, to("a"));
        }
        assertThat(yard.log).hasSize(11).endsWith("deliver 10 on 1");
        assertThat(yard.seat(1, to("a"))).isInstanceOf(Seat.Open.class);
    }

    @Test
    void aHostThatBreaksUnderPipeliningGetsOneAtATimeFromNowOn() {
        Yard yard = new Yard(RULES);
        long connection = yard.opened(1, to("a"));
        yard.news(new QmgrEvent.PipelinesBadly(connection, "503 out of step"));
        yard.news(new QmgrEvent.ConnectionDepth(connection, 10));
        assertThat(yard.seat(1, to("a"))).isInstanceOf(Seat.Open.class);
        long second = yard.last();
        yard.ready(second);
        assertThat(yard.seat(1, to("a"))).as("nor on a new connection").isInstanceOf(Seat.Open.class);
    }

    @Test
    @Tag("FI-35")
    void fi35ConnectionsGrowWithTheLoadAndLeaveWithIt() {
        Yard yard = new Yard(RULES.with(new PlaceRules.Idle(2, Duration.ofMillis(10_000), Duration.ofMillis(300_000))));
        long first = yard.opened(0, to("a"));
        yard.answer(first, 1);
        for (int i = 0; i < 8; i++) {
            yard.seat(i, to("a"));
        }
        assertThat(yard.open).hasSize(4);
        List.copyOf(yard.open.keySet()).stream().filter(each -> each != first).forEach(yard::ready);
        yard.deliveredOn.remove(1L);
        Map.copyOf(yard.deliveredOn).forEach((delivery, connection) -> yard.answer(connection, delivery));
        yard.after(IdlePool.GRACE_MILLIS);
        assertThat(yard.open).as("two may stay").hasSize(2);
        yard.after(9_999 - IdlePool.GRACE_MILLIS);
        assertThat(yard.open).hasSize(2);
        yard.after(1);
        assertThat(yard.open).isEmpty();
    }

    @Test
    @Tag("FI-36")
    void fi36TheLongestIdleConnectionIsClosedForANewOne() {
        Yard yard = new Yard(RULES.withWorkers(2, 5));
        long first = yard.idle(1, to("a"));
        yard.now += 5;
        yard.idle(1, to("b"));
        yard.seat(2, to("c"));
        assertThat(yard.log).endsWith("close " + first, "open 3 c");
        assertThat(yard.mark("a")).isInstanceOf(HostState.Closed.class);
    }

    @Test
    @Tag("FI-37")
    void fi37AnOldConnectionTakesNothingMoreAndIsClosedWhenItRunsDry() {
        Yard yard = new Yard(RULES.with(new PlaceRules.Idle(2, Duration.ofMillis(10_000), Duration.ofMillis(300_000))));
        long old = yard.opened(1, to("a"));
        yard.now += 299_999;
        assertThat(yard.seat(1, to("a"))).isInstanceOf(Seat.Queue.class);
        yard.now += 1;
        assertThat(yard.seat(1, to("a"))).isInstanceOf(Seat.Open.class);
        yard.answer(old, 1);
        assertThat(yard.open).containsKey(old);
        yard.answer(old, 2);
        assertThat(yard.open).doesNotContainKey(old);
    }

    @Test
    @Tag("FI-38")
    void fi38WhenThePeerLeavesItsQueueIsReseatedNothingIsLostAndNothingAnsweredIsSentAgain() {
        Yard yard = new Yard(RULES);
        long connection = yard.opened(1, to("a"));
        yard.news(new QmgrEvent.ConnectionDepth(connection, 5));
        for (int i = 0; i < 4; i++) {
            yard.seat(1, to("a"));
        }
        yard.answer(connection, 1);
        yard.answer(connection, 2);
        yard.hangUp(connection, 3, false);
        yard.comesBack(connection, 4, false);
        yard.comesBack(connection, 5, false);
        yard.news(new QmgrEvent.ConnectionLost(connection, "gone"));

        long second = yard.last();
        assertThat(second).isNotEqualTo(connection);
        yard.ready(second);
        yard.answer(second, 3);
        yard.answer(second, 4);
        yard.answer(second, 5);
        assertThat(yard.ended.stream().map(Ended::delivery)).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(yard.ended).allMatch(Ended.Worked.class::isInstance);
        assertThat(yard.refusals).isEmpty();
        assertThat(yard.open).as("one in place of the lost one").hasSize(1);
    }

    @Test
    void possiblyArrivedDeliveriesAreDeferredAndOnlyIncompleteOnesAreReseated() {
        Yard yard = new Yard(RULES);
        long connection = yard.opened(1, to("a", "b"));
        yard.news(new QmgrEvent.ConnectionDepth(connection, 5));
        yard.seat(1, to("a", "b"));
        yard.seat(1, to("a", "b"));
        yard.hangUp(connection, 1, true);
        yard.comesBack(connection, 2, true);
        yard.comesBack(connection, 3, false);

        assertThat(yard.ended.stream().map(Ended::delivery)).containsExactly(1L, 2L);
        assertThat(yard.ended.getFirst()).as("one trouble for one connection").isInstanceOf(Ended.Failed.class);
        assertThat(yard.ended.getLast()).isInstanceOf(Ended.Inconclusive.class);
        assertThat(yard.ended).allSatisfy(how -> assertThat(how.outcomes().getFirst().outcome())
                .isInstanceOf(Outcome.Deferred.class));
        yard.ready(yard.last());
        assertThat(yard.deliveredOn).containsOnlyKeys(3L);
        assertThat(yard.mark("a")).isNotInstanceOf(HostState.Retry.class);
        assertThat(yard.connections.snapshot(yard.now).counts().possibleDuplicates()).isEqualTo(2);
    }

    @Test
    void aLoadIsNotReseatedBeforeItIsKnownWhetherItMayHaveArrived() {
        Yard yard = new Yard(RULES);
        long idle = yard.idle(1, to("a"));
        yard.seat(2, to("a"));
        yard.news(new QmgrEvent.ConnectionLost(idle, "connection closed by peer"));
        assertThat(yard.log).as("nothing is ordered yet").endsWith("deliver 2 on " + idle);
        assertThat(yard.seat(3, to("a"))).as("deliveries that lost their seat come first")
                .isInstanceOf(Seat.Wait.class);
        yard.comesBack(idle, 2, true);
        assertThat(yard.ended).last().isInstanceOf(Ended.Inconclusive.class);
        assertThat(yard.log).endsWith("deliver 2 on " + idle);
        assertThat(yard.seat(3, to("a"))).isInstanceOf(Seat.Open.class);
    }

    @Test
    void aDeliveryThatCouldNotBeReadKeepsItsOutcomeAlthoughItsConnectionIsGone() {
        Yard yard = new Yard(RULES);
        long idle = yard.idle(1, to("a"));
        yard.seat(2, to("a"));
        yard.news(new QmgrEvent.ConnectionLost(idle, "connection closed by peer"));
        yard.done(new DeliveryResult.OwnFailure(2, idle, Reply.of(451, "4.3.0", "error reading the message"),
                DeliveryResult.Scope.MESSAGE, true));
        assertThat(yard.ended).last().isInstanceOf(Ended.OwnFailure.class);
        assertThat(yard.lastReply().text()).isEqualTo("error reading the message");
        assertThat(yard.connections.snapshot(yard.now).counts().withoutSeat()).isZero();
    }

    @Test
    void aQueryChangesNothing() {
        Yard one = new Yard(RULES, 9);
        Yard other = new Yard(RULES, 9);
        for (int i = 0; i < 50; i++) {
            other.ask(message(7), to("a", "b", "c"));
            assertThat(hostOf(one.seat(i, to("a", "b", "c")))).isEqualTo(hostOf(other.seat(i, to("a", "b", "c"))));
            one.ready(one.last());
            other.ready(other.last());
            one.answer(one.last(), i + 1);
            other.answer(other.last(), i + 1);
            one.lose(one.last());
            other.lose(other.last());
            one.now += RULES.memory().closed().toMillis();
            other.now += RULES.memory().closed().toMillis();
        }
    }

    @Test
    void aStaleIdleConnectionIsNoFailedAttempt() {
        Yard yard = new Yard(RULES);
        long stale = yard.idle(1, to("a"));
        yard.seat(2, to("a"));
        yard.lose(stale);
        assertThat(yard.mark("a")).isNotInstanceOf(HostState.Retry.class);
        yard.ready(yard.last());
        yard.answer(yard.last(), 2);
        assertThat(yard.ended).hasSize(2).allMatch(Ended.Worked.class::isInstance);
    }

    @Test
    void aPoisonousMessageDoesNotTravelForEver() {
        Yard yard = new Yard(RULES);
        Candidates where = to("a", "b", "c");
        yard.seat(1, where);
        for (int i = 0; i < RULES.returns(); i++) {
            yard.ready(yard.last());
            yard.hangUp(yard.last(), 1, false);
        }
        assertThat(yard.ended).singleElement().isInstanceOf(Ended.Inconclusive.class);
        assertThat(yard.open).isEmpty();
    }

    @Test
    void displacedDeliveriesComeBeforeNewOnes() {
        Yard yard = new Yard(RULES.withWorkers(1, 5).with(new PlaceRules.Depth(1, 50, 1)));
        long only = yard.opened(1, to("a"));
        yard.answer(only, 1);
        yard.seat(2, to("a"));
        // The host disconnects, and before another connection can be opened another delivery that
        // was reseated first takes the only worker: so the number of displaced deliveries counts.
        yard.lose(only);
        long next = yard.last();
        assertThat(yard.open).containsOnlyKeys(next);
        assertThat(yard.seat(3, to("a"))).isInstanceOf(Seat.Wait.class);
        yard.ready(next);
        yard.answer(next, 2);
        assertThat(yard.seat(3, to("a"))).isInstanceOf(Seat.Reuse.class);
    }

    @Test
    @Tag("PF-71")
    @Tag("ZM-17")
    void pf71WhereMailTricklesAnIdleConnectionIsSoonClosedAndInABurstItIsKept() {
        Yard yard = new Yard(RULES.with(new PlaceRules.Idle(2, Duration.ofMillis(10_000), Duration.ofMillis(300_000))));
        for (int i = 0; i < 3; i++) {
            long connection = yard.opened(i, to("a"));
            yard.answer(connection, yard.deliveries);
            yard.after(IdlePool.FOLLOW_MILLIS - 1);
            assertThat(yard.open).hasSize(1);
            yard.after(1);
            assertThat(yard.open).as("a trickle opens and closes").isEmpty();
            yard.after(3_000);
        }
        long burst = yard.opened(4, to("a"));
        yard.answer(burst, yard.deliveries);
        yard.seat(5, to("a"));
        yard.answer(burst, yard.deliveries);
        yard.after(9_999);
        assertThat(yard.open).as("deliveries followed each other").containsOnlyKeys(burst);
        yard.after(1);
        assertThat(yard.open).isEmpty();
    }

    @Test
    @Tag("ZM-13")
    void aConnectionWithATimeOfItsOwnIsKeptNoLongerThanItsGreatestAgeAndIsStillTheFirstToMakeRoom() {
        Yard yard = new Yard(RULES.withWorkers(2, 5).with(
                new PlaceRules.Idle(2, Duration.ofMillis(10_000), Duration.ofMillis(300_000))));
        yard.idle = Optional.of(Duration.ofHours(1));
        long own = yard.idle(1, to("a"));
        yard.after(290_000);
        assertThat(yard.open).containsOnlyKeys(own);
        yard.idle = Optional.empty();
        yard.idle(1, to("b"));
        yard.now += 5;
        yard.seat(2, to("c"));
        assertThat(yard.log).contains("close " + own);
        Yard other = new Yard(RULES);
        other.idle = Optional.of(Duration.ofHours(1));
        other.idle(1, to("a"));
        other.after(RULES.idle().ageMillis() - 1);
        assertThat(other.open).hasSize(1);
        other.after(1);
        assertThat(other.open).isEmpty();
    }

    @Test
    void onlyTwoConnectionsOfAHostMayWaitForWork() {
        Yard yard = new Yard(RULES.with(new PlaceRules.Depth(1, 50, 1)));
        long a = yard.opened(1, to("a"));
        long b = yard.opened(1, to("a"));
        long c = yard.opened(1, to("a"));
        yard.answer(a, 1);
        yard.answer(b, 2);
        yard.answer(c, 3);
        yard.after(IdlePool.GRACE_MILLIS - 1);
        assertThat(yard.open.keySet()).as("for a breath, more may").containsExactly(a, b, c);
        yard.after(1);
        assertThat(yard.open.keySet()).containsExactly(b, c);
    }

    @Test
    void connectionsThatAreIdleOnlyBetweenTwoMessagesAreKept() {
        Yard yard = new Yard(RULES.with(new PlaceRules.Depth(1, 50, 1)));
        List<Long> three = List.of(yard.opened(1, to("a")), yard.opened(1, to("a")), yard.opened(1, to("a")));
        for (int i = 0; i < 50; i++) {
            for (long connection : three) {
                yard.answer(connection, yard.deliveredOn.entrySet().stream().filter(e -> e.getValue() == connection)
                        .mapToLong(Map.Entry::getKey).max().orElseThrow());
            }
            yard.after(IdlePool.GRACE_MILLIS - 50);
            three.forEach(_ -> yard.seat(1, to("a")));
        }
        assertThat(yard.open.keySet()).containsExactlyElementsOf(three);
    }

    @Test
    @Tag("ZM-02")
    @Tag("ZM-13")
    @Tag("ZM-14")
    void domainsThatShareAHostShareItsConnections() {
        Yard yard = new Yard(RULES);
        long connection = yard.idle(1, Candidates.of("one.example", Yard.host("192.0.2.1", "mx.one.example")));
        assertThat(yard.seat(2, Candidates.of("two.example", Yard.host("192.0.2.1", "mx.two.example"))))
                .isInstanceOfSatisfying(Seat.Reuse.class,
                        reuse -> assertThat(reuse.connection()).isEqualTo(connection));
        assertThat(yard.connections.open().serving("two.example")).isEqualTo(1);
        assertThat(yard.connections.open().serving("one.example")).isZero();
    }

    @Test
    @Tag("ZM-13")
    void onASharedConnectionADeliveryGoesToTheHostUnderTheNameOfItsOwnRoute() {
        Yard yard = new Yard(RULES);
        Candidates one = Candidates.of("one.example", Yard.host("192.0.2.1", "mx.one.example"));
        Candidates two = Candidates.of("two.example", Yard.host("192.0.2.1", "mx.two.example"));
        yard.seat(1, one);
        assertThat(yard.seat(2, two)).as("while it opens").isInstanceOf(Seat.Queue.class);
        yard.ready(1);
        yard.answer(1, 1);
        yard.answer(1, 2);
        assertThat(yard.seat(3, two)).as("while it is idle").isInstanceOf(Seat.Reuse.class);
        assertThat(yard.seat(4, one)).as("while it is at work").isInstanceOf(Seat.Queue.class);
        assertThat(yard.delivered).extracting(deliver -> Yard.nameIn(deliver.route()))
                .containsExactly("mx.one.example", "mx.two.example", "mx.two.example", "mx.one.example");
        assertThat(yard.open).containsExactly(Map.entry(1L, "one.example"));
    }

    @Test
    void aDisplacedDeliveryKeepsTheNameOfItsOwnRoute() {
        Yard yard = new Yard(RULES);
        long shared = yard.idle(1, Candidates.of("one.example", Yard.host("192.0.2.1", "mx.one.example")));
        yard.seat(2, Candidates.of("two.example", Yard.host("192.0.2.1", "mx.two.example")));
        yard.lose(shared);
        yard.ready(yard.last());
        assertThat(yard.delivered.getLast().delivery().number()).isEqualTo(2);
        assertThat(Yard.nameIn(yard.delivered.getLast().route())).isEqualTo("mx.two.example");
    }
}
