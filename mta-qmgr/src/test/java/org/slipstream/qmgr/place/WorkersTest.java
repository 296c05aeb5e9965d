package org.slipstream.qmgr.place;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.HostKey;
import org.slipstream.core.Outcome;
import org.slipstream.core.Reply;
import org.slipstream.qmgr.place.Aftermath.Fate;

import java.util.List;
import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.slipstream.qmgr.place.Yard.hostOf;
import static org.slipstream.qmgr.place.Yard.message;
import static org.slipstream.qmgr.place.Yard.to;

/// Connections from their first load to their end.
class WorkersTest {
    private static final PlaceRules RULES = PlaceRules.defaults();

    @Test
    @Tag("FI-30")
    void fi30AHundredThousandHostsDoNotSlowDownAQuestionAboutOne() {
        WorkerBudget budget = new WorkerBudget(200_000, RULES.messages(), RULES.verification());
        ConnectionBook book = new ConnectionBook(budget);
        for (int i = 0; i < 100_000; i++) {
            Candidate host = Yard.host("h" + i);
            book.open(host, new Load(i + 1, message(i), Candidates.of("d" + i, host), java.util.List.of()),
                    Connection.Standing.PROVEN, 2, i);
        }
        assertThat(book.active(Yard.host("h77777").host())).singleElement()
                .satisfies(c -> assertThat(c.openedMillis).isEqualTo(77_777));
        assertThat(book.serving("d77777")).isEqualTo(1);
        // Each of a million look-ups would need a hundred thousand steps if it walked; the test would not end.
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
        // The wire knows the round trip: with so many on their way no other connection is needed.
        yard.news(new ConnectionNews.Depth(connection, 10));
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
        yard.news(new ConnectionNews.PipelinesBadly(connection, "503 out of step"));
        yard.news(new ConnectionNews.Depth(connection, 10));
        assertThat(yard.seat(1, to("a"))).isInstanceOf(Seat.Open.class);
        long second = yard.last();
        yard.ready(second);
        assertThat(yard.seat(1, to("a"))).as("nor on a new connection").isInstanceOf(Seat.Open.class);
    }

    @Test
    @Tag("FI-35")
    void fi35ConnectionsGrowWithTheLoadAndLeaveWithIt() {
        Yard yard = new Yard(RULES.withAges(2, 10_000, 300_000));
        long first = yard.opened(0, to("a"));
        yard.answer(first, 1);
        for (int i = 0; i < 8; i++) {
            yard.seat(i, to("a"));
        }
        assertThat(yard.open).hasSize(4);
        List.copyOf(yard.open.keySet()).stream().filter(each -> each != first).forEach(yard::ready);
        yard.deliveredOn.remove(1L);
        java.util.Map.copyOf(yard.deliveredOn).forEach((delivery, connection) -> yard.answer(connection, delivery));
        yard.after(IdlePool.BREATH_MILLIS);
        assertThat(yard.open).as("two may stay").hasSize(2);
        yard.after(9_999 - IdlePool.BREATH_MILLIS);
        assertThat(yard.open).hasSize(2);
        yard.after(1);
        assertThat(yard.open).isEmpty();
    }

    @Test
    @Tag("FI-36")
    void fi36TheLongestIdleConnectionMakesRoomForANewcomer() {
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
        Yard yard = new Yard(RULES.withAges(2, 10_000, 300_000));
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
        yard.news(new ConnectionNews.Depth(connection, 5));
        for (int i = 0; i < 4; i++) {
            yard.seat(1, to("a"));
        }
        yard.answer(connection, 1);
        yard.answer(connection, 2);
        yard.hangUp(connection, 3, false);
        yard.comesBack(connection, 4, false);
        yard.comesBack(connection, 5, false);
        yard.news(new ConnectionNews.Lost(connection, "gone"));

        long second = yard.last();
        assertThat(second).isNotEqualTo(connection);
        yard.ready(second);
        yard.answer(second, 3);
        yard.answer(second, 4);
        yard.answer(second, 5);
        assertThat(yard.fates.stream().map(Fate::delivery)).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(yard.fates).allMatch(Fate.Worked.class::isInstance);
        assertThat(yard.troubles).isEmpty();
        assertThat(yard.open).as("one in place of the lost one").hasSize(1);
    }

    @Test
    void whatMayHaveArrivedIsDeferredAndOnlyWhatWasNotSentToItsEndIsReseated() {
        Yard yard = new Yard(RULES);
        long connection = yard.opened(1, to("a", "b"));
        yard.news(new ConnectionNews.Depth(connection, 5));
        yard.seat(1, to("a", "b"));
        yard.seat(1, to("a", "b"));
        yard.hangUp(connection, 1, true);
        yard.comesBack(connection, 2, true);
        yard.comesBack(connection, 3, false);

        assertThat(yard.fates.stream().map(Fate::delivery)).containsExactly(1L, 2L);
        assertThat(yard.fates.getFirst()).as("one trouble for one connection").isInstanceOf(Fate.Troubled.class);
        assertThat(yard.fates.getLast()).isInstanceOf(Fate.Untried.class);
        assertThat(yard.fates).allSatisfy(fate -> assertThat(fate.outcomes().getFirst().outcome())
                .isInstanceOf(Outcome.Deferred.class));
        yard.ready(yard.last());
        assertThat(yard.deliveredOn).containsOnlyKeys(3L);
        assertThat(yard.mark("a")).isNotInstanceOf(HostState.Retry.class);
        assertThat(yard.workers.snapshot(yard.now).counts().possibleDuplicates()).isEqualTo(2);
    }

    @Test
    void aLoadIsNotReseatedBeforeItIsKnownWhetherItMayHaveArrived() {
        Yard yard = new Yard(RULES);
        long idle = yard.idle(1, to("a"));
        yard.seat(2, to("a"));
        yard.news(new ConnectionNews.Lost(idle, "connection closed by peer"));
        assertThat(yard.log).as("nothing is ordered yet").endsWith("deliver 2 on " + idle);
        assertThat(yard.seat(3, to("a"))).as("those who lost their seat come first").isInstanceOf(Seat.Wait.class);
        yard.comesBack(idle, 2, true);
        assertThat(yard.fates).last().isInstanceOf(Fate.Untried.class);
        assertThat(yard.log).endsWith("deliver 2 on " + idle);
        assertThat(yard.seat(3, to("a"))).isInstanceOf(Seat.Open.class);
    }

    @Test
    void aDeliveryThatCouldNotBeReadKeepsItsOutcomeAlthoughItsConnectionIsGone() {
        Yard yard = new Yard(RULES);
        long idle = yard.idle(1, to("a"));
        yard.seat(2, to("a"));
        yard.news(new ConnectionNews.Lost(idle, "connection closed by peer"));
        yard.answer(idle, 2, Reply.of(451, "4.3.0", "local trouble reading the message"), true, false);
        assertThat(yard.fates).last().isInstanceOf(Fate.Worked.class);
        assertThat(yard.workers.snapshot(yard.now).counts().withoutSeat()).isZero();
    }

    @Test
    void whoeverLooksDisturbsNothing() {
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
            one.now += RULES.closedMemoryMillis();
            other.now += RULES.closedMemoryMillis();
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
        assertThat(yard.fates).hasSize(2).allMatch(Fate.Worked.class::isInstance);
    }

    @Test
    void oneBadHostOfSeveralCostsNoConcurrency() {
        Yard yard = new Yard(RULES, 3);
        Candidates where = to("bad", "good");
        for (int i = 0; i < 20 && !yard.open.containsValue("bad"); i++) {
            yard.seat(i, where);
        }
        long onBad = yard.open.entrySet().stream().filter(e -> e.getValue().equals("bad")).findFirst().orElseThrow()
                .getKey();
        yard.refuse(onBad);
        assertThat(yard.mark("bad")).isInstanceOf(HostState.Retry.class);
        assertThat(yard.fates).isEmpty();
        assertThat(yard.troubles).as("the window hears nothing").isEmpty();
        assertThat(yard.open.values()).containsOnly("good");
    }

    @Test
    void aWorkingHostThatRefusesAFurtherConnectionIsOneTroubleAndNotBroken() {
        Yard yard = new Yard(RULES.withBacklog(2, 3));
        long first = yard.opened(1, to("a"));
        yard.seat(1, to("a"));
        yard.seat(2, to("a"));
        yard.seat(3, to("a"));
        yard.refuse(yard.last());
        assertThat(yard.troubles).singleElement()
                .satisfies(trouble -> assertThat(trouble.destination()).isEqualTo("d.example"));
        assertThat(yard.mark("a")).isNotInstanceOf(HostState.Retry.class);
        assertThat(yard.deliveredOn).containsEntry(3L, first).containsEntry(4L, first);
        Seat seat = yard.seat(4, to("a"));
        assertThat(seat).isInstanceOf(Seat.Queue.class);
        assertThat(seat.passedOver()).singleElement()
                .satisfies(host -> assertThat(host.why()).contains("refuses more connections"));
        yard.now += RULES.crowdedMillis();
        assertThat(yard.seat(5, to("a"))).isInstanceOf(Seat.Open.class);
    }

    @Test
    void whenTheLastHostFailsThatIsOneTroubleForAllThatWaited() {
        Yard yard = new Yard(RULES);
        yard.seat(1, to("a", "b"));
        yard.seat(2, to("a", "b"));
        yard.refuse(yard.last());
        assertThat(yard.fates).isEmpty();
        Aftermath end = yard.workers.happened(new ConnectionNews.Failed(yard.last(),
                Reply.of(421, "4.3.2", "closing"), "mx.b", false, OptionalLong.empty()), yard.now, yard);
        assertThat(end.fates()).hasSize(2).allSatisfy(fate -> {
            assertThat(fate).isInstanceOfSatisfying(Fate.Troubled.class, t -> {
                assertThat(t.cutOff()).isTrue();
                assertThat(t.reason().code()).isEqualTo(421);
            });
        });
    }

    @Test
    void aPermanentGreetingBouncesOnlyWhenNoHostGaveHope() {
        Reply never = Reply.of(554, "5.7.1", "go away");
        Yard yard = new Yard(RULES);
        yard.seat(1, to("a"));
        yard.news(new ConnectionNews.Failed(1, never, "mx.a", false, OptionalLong.empty()));
        assertThat(yard.fates.getFirst().outcomes().getFirst().outcome().reply()).isEqualTo(never);

        Yard two = new Yard(RULES);
        two.seat(1, to("a", "b"));
        two.refuse(1);
        two.news(new ConnectionNews.Failed(2, never, "mx", false, OptionalLong.empty()));
        assertThat(two.fates.getFirst().outcomes().getFirst().outcome().reply().code()).isEqualTo(450);
    }

    @Test
    void anUntriedLetterIsNeverBouncedByWhatAnotherOneHeard() {
        Yard yard = new Yard(RULES);
        yard.seat(1, to("a"));
        yard.news(new ConnectionNews.Failed(1, Reply.of(554, "5.7.1", "go away"), "mx.a", false, OptionalLong.empty()));
        yard.seat(2, to("a"));
        yard.after(0);
        assertThat(yard.fates.getLast()).isInstanceOf(Fate.Untried.class);
        assertThat(yard.fates.getLast().outcomes().getFirst().outcome().reply().isTransient()).isTrue();
    }

    @Test
    void aPoisonousLetterDoesNotTravelForEver() {
        Yard yard = new Yard(RULES);
        Candidates where = to("a", "b", "c");
        yard.seat(1, where);
        for (int i = 0; i < RULES.returns(); i++) {
            yard.ready(yard.last());
            yard.hangUp(yard.last(), 1, false);
        }
        assertThat(yard.fates).singleElement().isInstanceOf(Fate.Troubled.class);
        assertThat(yard.open).isEmpty();
    }

    @Test
    void a421AfterManyMessagesIsAGoodbyeAndOneBeforeTheFirstIsTrouble() {
        Reply bye = Reply.of(421, "4.7.0", "too many messages");
        Yard yard = new Yard(RULES);
        long connection = yard.opened(1, to("a"));
        yard.answer(connection, 1);
        yard.seat(2, to("a"));
        yard.answer(connection, 2, bye, false, true);
        assertThat(yard.mark("a")).isNotInstanceOf(HostState.Retry.class);
        assertThat(yard.fates).hasSize(1);
        yard.ready(yard.last());
        yard.answer(yard.last(), 2, bye, false, true);
        assertThat(yard.mark("a")).isInstanceOf(HostState.Retry.class);
        assertThat(yard.fates).hasSize(2).last().isInstanceOf(Fate.Troubled.class);
    }

    @Test
    void ourOwnTroubleMarksNoHost() {
        Yard yard = new Yard(RULES);
        yard.seat(1, to("a"));
        yard.news(new ConnectionNews.Failed(1, Reply.of(451, "4.3.0", "no sockets"), "local", true,
                OptionalLong.empty()));
        assertThat(yard.mark("a")).isInstanceOf(HostState.Unused.class);
        assertThat(yard.fates).singleElement().isInstanceOf(Fate.Untried.class);
    }

    @Test
    void thoseWhoLostTheirSeatComeBeforeAnythingNew() {
        Yard yard = new Yard(RULES.withWorkers(1, 5).withBacklog(1, 1));
        long only = yard.opened(1, to("a"));
        yard.answer(only, 1);
        yard.seat(2, to("a"));
        // The peer leaves, and before another connection can be opened the only worker is taken by somebody else's load
        // that was reseated first: so the queue of the homeless is what counts.
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
    void pf71WhereMailTricklesAnIdleConnectionIsSoonClosedAndInABurstItIsKept() {
        Yard yard = new Yard(RULES.withAges(2, 10_000, 300_000));
        for (int i = 0; i < 3; i++) {
            long connection = yard.opened(i, to("a"));
            yard.answer(connection, yard.deliveries);
            yard.after(IdlePool.CLOSE_MILLIS - 1);
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
    void domainsThatShareAHostShareItsConnections() {
        Yard yard = new Yard(RULES);
        Candidate one = new Candidate(HostKey.of("192.0.2.1", 25), "mx.one.example");
        Candidate two = new Candidate(HostKey.of("192.0.2.1", 25), "mx.two.example");
        long connection = yard.idle(1, Candidates.of("one.example", one));
        assertThat(yard.seat(2, Candidates.of("two.example", two))).isInstanceOfSatisfying(Seat.Reuse.class,
                reuse -> assertThat(reuse.connection()).isEqualTo(connection));
        assertThat(yard.workers.serving("two.example")).isEqualTo(1);
        assertThat(yard.workers.serving("one.example")).isZero();
    }

    @Test
    void onlyTwoConnectionsOfAHostMayWaitForWork() {
        Yard yard = new Yard(RULES.withBacklog(1, 1));
        long a = yard.opened(1, to("a"));
        long b = yard.opened(1, to("a"));
        long c = yard.opened(1, to("a"));
        yard.answer(a, 1);
        yard.answer(b, 2);
        yard.answer(c, 3);
        yard.after(IdlePool.BREATH_MILLIS - 1);
        assertThat(yard.open.keySet()).as("for a breath, more may").containsExactly(a, b, c);
        yard.after(1);
        assertThat(yard.open.keySet()).containsExactly(b, c);
    }

    @Test
    void connectionsThatAreIdleOnlyBetweenTwoLettersAreKept() {
        Yard yard = new Yard(RULES.withBacklog(1, 1));
        List<Long> three = List.of(yard.opened(1, to("a")), yard.opened(1, to("a")), yard.opened(1, to("a")));
        for (int i = 0; i < 50; i++) {
            for (long connection : three) {
                yard.answer(connection, yard.deliveredOn.entrySet().stream().filter(e -> e.getValue() == connection)
                        .mapToLong(java.util.Map.Entry::getKey).max().orElseThrow());
            }
            yard.after(IdlePool.BREATH_MILLIS - 50);
            three.forEach(_ -> yard.seat(1, to("a")));
        }
        assertThat(yard.open.keySet()).containsExactlyElementsOf(three);
    }

    @Test
    void aLateWordAboutAConnectionThatIsGoneIsDroppedAndOneAboutAnUnknownIsABug() {
        Yard yard = new Yard(RULES);
        long connection = yard.idle(1, to("a"));
        yard.lose(connection);
        yard.news(new ConnectionNews.Ready(connection));
        yard.answer(connection, 1);
        assertThat(yard.fates).hasSize(1);
        assertThatThrownBy(() -> yard.ready(99)).isInstanceOf(IllegalStateException.class);
        assertThat(hostOf(yard.seat(1, to("a")))).isEqualTo("a");
    }
}
