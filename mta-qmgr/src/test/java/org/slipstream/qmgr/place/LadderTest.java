package org.slipstream.qmgr.place;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.qmgr.place.WorkerBudget.Shares;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.qmgr.place.Yard.hostOf;
import static org.slipstream.qmgr.place.Yard.message;
import static org.slipstream.qmgr.place.Yard.to;

/// Finch's placement algorithm, step by step.
class LadderTest {
    private static final PlaceRules RULES = PlaceRules.defaults();

    /// One delivery per connection, no overflow: every delivery reaches a step that opens one.
    private static final PlaceRules NARROW = RULES.with(new PlaceRules.Depth(1, 50, 1));

    /// When no other connection may be opened, a connection accepts twice its depth.
    private static final PlaceRules RIDES = RULES.with(new PlaceRules.Depth(2, 50, 2));

    private static Candidates levels(List<String> primary, List<String> secondary) {
        return new Candidates("d.example", List.of(primary.stream().map(Yard::host).toList(),
                secondary.stream().map(Yard::host).toList()));
    }

    @Test
    @Tag("FI-10")
    void fi10TheSecondaryHostIsNotTouchedWhileAPrimaryOneWorks() {
        Yard yard = new Yard(NARROW.withWorkers(100, 3));
        Candidates where = levels(List.of("p1", "p2"), List.of("s1"));
        for (int i = 0; i < 10; i++) {
            if (yard.seat(1, where) instanceof Seat.Open) {
                yard.ready(yard.last());
            }
        }
        assertThat(yard.open.values()).containsOnly("p1", "p2").hasSize(6);
        assertThat(yard.ask(message(1), where)).isInstanceOf(Seat.Wait.class);
    }

    @Test
    @Tag("FI-11")
    void fi11EachClassOfHostIsKnownAsWhatItIs() {
        Yard yard = new Yard(RULES);
        yard.opened(1, to("active"));
        yard.idle(1, to("idle"));
        long closed = yard.idle(1, to("closed"));
        yard.lose(closed);
        yard.breaks("broken");
        yard.now += RULES.memory().retry().toMillis();
        yard.breaks("broken-now");

        assertThat(yard.mark("closed")).isInstanceOf(HostState.Closed.class);
        assertThat(yard.mark("unused")).isInstanceOf(HostState.Unused.class);
        assertThat(((HostState.Retry) yard.mark("broken")).isDue(yard.now)).isTrue();
        assertThat(((HostState.Retry) yard.mark("broken-now")).isDue(yard.now)).isFalse();
        assertThat(yard.connections.snapshot(yard.now).hosts()).anySatisfy(host -> {
            assertThat(host.host().address()).isEqualTo("idle");
            assertThat(host.states()).containsExactly(new HostState.Idle(1));
        }).anySatisfy(host -> {
            assertThat(host.host().address()).isEqualTo("active");
            assertThat(host.states()).containsExactly(new HostState.Active(1));
        });
        Seat seat = yard.ask(message(2), to("broken-now", "broken"));
        assertThat(hostOf(seat)).isEqualTo("broken");
        assertThat(seat.passedOver()).singleElement()
                .satisfies(host -> assertThat(host.toString()).contains("broken-now", "not due", "connection refused"));
    }

    @Test
    @Tag("FI-12")
    void fi12TheNewestConnectionThatIsNotFullGetsTheDeliveryAndOlderOnesRunEmpty() {
        Yard yard = new Yard(RULES);
        long older = yard.opened(1, to("a"));
        yard.seat(1, to("a"));
        long newer = yard.opened(1, to("a"));
        yard.answer(older, 1);
        yard.answer(older, 2);
        yard.seat(1, to("a"));
        assertThat(yard.deliveredOn).containsEntry(4L, newer);

        yard.seat(1, to("a"));
        assertThat(yard.deliveredOn).containsEntry(5L, older);
    }

    @Test
    @Tag("FI-12")
    void fi12OfAllHostsTheNewestConnectionIsTaken() {
        Yard yard = new Yard(RULES);
        yard.opened(1, to("a"));
        long onB = yard.opened(1, to("b"));
        Seat seat = yard.seat(1, to("a", "b"));
        assertThat(seat).isInstanceOfSatisfying(Seat.Queue.class, q -> assertThat(q.connection()).isEqualTo(onB));
    }

    @Test
    @Tag("FI-13")
    void fi13ABigMessageOverItsShareRidesOnTheConnectionsOfOthersForFree() {
        Yard yard = new Yard(NARROW.with(new PlaceRules.Depth(1, 50, 3)).with(new Shares(1, 0), new Shares(1, 0)));
        yard.opened(1, to("a"));
        long ofOthers = yard.opened(2, to("a"));

        Seat ride = yard.seat(1, to("a"));

        assertThat(ride).isInstanceOfSatisfying(Seat.Queue.class,
                q -> assertThat(q.connection()).isEqualTo(ofOthers));
        assertThat(ride.reason()).contains("keeps 1 connections busy");
        // A shared connection does not count: message 3, which has the same share, still gets its
        // own.
        assertThat(yard.seat(3, to("a"))).isInstanceOf(Seat.Open.class);
    }

    @Test
    @Tag("FI-14")
    void fi14OverflowKeepsTheQueuesLevelWithinOne() {
        Yard yard = new Yard(RULES.with(new PlaceRules.Depth(1, 50, 1_000)).withWorkers(5, 5));
        for (int i = 0; i < 5; i++) {
            yard.opened(i, to("a"));
        }
        for (int i = 0; i < 98; i++) {
            yard.seat(9, to("a"));
            List<Integer> queues = yard.connections.snapshot(yard.now).connections().stream()
                    .map(PlaceSnapshot.ConnectionInfo::queued).toList();
            int most = queues.stream().mapToInt(q -> q).max().orElseThrow();
            int least = queues.stream().mapToInt(q -> q).min().orElseThrow();
            assertThat(most - least).isLessThanOrEqualTo(1);
        }
    }

    @Test
    @Tag("FI-14")
    void fi14WithoutAnActiveConnectionTheDeliveryWaitsForAFreeWorker() {
        Yard yard = new Yard(RULES.withWorkers(1, 5));
        long only = yard.opened(1, to("a"));
        assertThat(yard.seat(2, to("b"))).isInstanceOfSatisfying(Seat.Wait.class,
                wait -> assertThat(wait.gate()).isEqualTo(Code.CONNECTIONS));

        yard.answer(only, 1);

        assertThat(yard.seat(2, to("b"))).isInstanceOfSatisfying(Seat.Open.class,
                open -> assertThat(open.closing()).hasValue(only));
    }

    @Test
    void queuesHaveAnEndBecauseWhatIsQueuedCannotBePassed() {
        Yard yard = new Yard(RULES.with(new PlaceRules.Depth(2, 50, 2)).withWorkers(1, 5));
        for (int i = 0; i < 4; i++) {
            assertThat(yard.seat(1, to("a"))).isNotInstanceOf(Seat.Wait.class);
        }
        assertThat(yard.seat(1, to("a"))).isInstanceOf(Seat.Wait.class);
    }

    @Test
    @Tag("FI-15")
    @Tag("ZM-14")
    void fi15OfIdleConnectionsTheMostRecentlyUsedIsTaken() {
        Yard yard = new Yard(NARROW);
        long first = yard.opened(1, to("a"));
        long second = yard.opened(1, to("b"));
        yard.answer(second, 2);
        yard.now += 10;
        yard.answer(first, 1);
        assertThat(yard.seat(2, to("a", "b"))).isInstanceOfSatisfying(Seat.Reuse.class,
                reuse -> assertThat(reuse.connection()).isEqualTo(first));
    }

    @Test
    @Tag("FI-16")
    void fi16WithAPoolOfOneNoSecondConnectionIsOpened() {
        Yard yard = new Yard(RIDES.withWorkers(1, 5));
        yard.opened(1, to("a"));
        for (int i = 0; i < 3; i++) {
            assertThat(yard.seat(2, to("a"))).isInstanceOf(Seat.Queue.class);
        }
        assertThat(yard.open).hasSize(1);
    }

    @Test
    @Tag("FI-17")
    void fi17UnusedHostsAreTakenAtRandom() {
        Map<String, Integer> taken = new TreeMap<>();
        for (int seed = 0; seed < 1_000; seed++) {
            Yard yard = new Yard(RULES, seed * 7_919L);
            taken.merge(hostOf(yard.seat(1, to("a", "b", "c", "d"))), 1, Integer::sum);
        }
        // Three degrees of freedom: random data exceeds 16.27 once in a thousand.
        double chiSquare = taken.values().stream().mapToDouble(n -> (n - 250) * (n - 250) / 250.0).sum();
        assertThat(taken).hasSize(4);
        assertThat(chiSquare).isLessThan(16.27);
    }

    @Test
    @Tag("FI-18")
    void fi18ClosedHostsAreTakenInTurnInTheOrderOfTheFirstRound() {
        Yard yard = new Yard(RULES.with(new PlaceRules.Idle(0, Duration.ofMillis(0), Duration.ofMillis(300_000))), 42);
        Candidates where = to("a", "b", "c", "d");
        List<String> hosts = IntStream.range(0, 12).mapToObj(i -> {
            yard.now += 1_000;
            Seat seat = yard.seat(i, where);
            yard.ready(yard.last());
            yard.answer(yard.last(), yard.deliveries);
            return hostOf(seat);
        }).toList();
        assertThat(hosts.subList(0, 4)).containsExactlyInAnyOrder("a", "b", "c", "d");
        assertThat(hosts.subList(4, 8)).isEqualTo(hosts.subList(0, 4));
        assertThat(hosts.subList(8, 12)).isEqualTo(hosts.subList(0, 4));
    }

    @Test
    @Tag("FI-19")
    void fi19ABrokenHostThatIsDueIsTheLastChoiceTakenUnderLoadOnly() {
        Yard yard = new Yard(NARROW);
        yard.breaks("broken");
        yard.now += RULES.memory().retry().toMillis();
        Candidates where = to("broken", "good");

        // Low load: the other host has a seat, in any state.
        long connection = yard.opened(1, where);
        assertThat(yard.open).containsEntry(connection, "good");
        yard.answer(connection, yard.deliveries);
        assertThat(yard.ask(message(1), where)).isInstanceOf(Seat.Reuse.class);
        // High load: it is tried before a second connection to the good one.
        yard.seat(1, where);
        assertThat(hostOf(yard.seat(1, where))).isEqualTo("broken");
    }

    @Test
    void aHostHasOneConnectionUntilItHasGreetedOrWhenItIsKnownToWork() {
        Yard yard = new Yard(RULES.with(new PlaceRules.Depth(1, 50, 1)));
        yard.seat(1, to("a"));
        assertThat(yard.seat(1, to("a"))).isInstanceOfSatisfying(Seat.Wait.class,
                wait -> assertThat(wait.passedOver().getFirst().why()).isEqualTo("has not greeted yet"));
        yard.ready(yard.last());
        yard.answer(yard.last(), 1);
        yard.lose(yard.last());
        assertThat(yard.mark("a")).isInstanceOf(HostState.Closed.class);
        assertThat(yard.seat(1, to("a"))).isInstanceOf(Seat.Open.class);
        assertThat(yard.seat(1, to("a"))).as("it worked a moment ago").isInstanceOf(Seat.Open.class);
    }

    @Test
    @Tag("FI-20")
    void fi20ConnectionsAreSpreadUpToTheLimitOfEachHostAndThenOverflow() {
        Yard yard = new Yard(RULES.with(new PlaceRules.Depth(1, 50, 2)).withWorkers(100, 2));
        Candidates where = to("a", "b", "c");
        Map<String, Integer> per = new TreeMap<>();
        for (int i = 1; i <= 6; i++) {
            per.merge(hostOf(yard.seat(1, where)), 1, Integer::sum);
            yard.ready(yard.last());
            if (i == 3) {
                assertThat(per).containsOnlyKeys("a", "b", "c");
            }
        }
        assertThat(per).containsEntry("a", 2).containsEntry("b", 2).containsEntry("c", 2);
        assertThat(yard.seat(1, where)).isInstanceOf(Seat.Queue.class);
        assertThat(yard.ask(message(1), where).passedOver())
                .allSatisfy(host -> assertThat(host.why()).contains("its limit")).hasSize(3);
    }

    @Test
    @Tag("FI-20")
    void fi20TheWindowIsALimitOfTheDestinationAndQueueingDoesNotUseIt() {
        Yard yard = new Yard(RIDES);
        Candidates where = to("a", "b");
        yard.seat(message(1), where, true);
        assertThat(yard.connections.open().serving("d.example")).isEqualTo(1);
        for (int i = 0; i < 3; i++) {
            assertThat(yard.seat(message(2), where, false)).isInstanceOf(Seat.Queue.class);
        }
        Seat full = yard.seat(message(2), where, false);
        assertThat(full).isInstanceOfSatisfying(Seat.Wait.class,
                wait -> assertThat(wait.gate()).isEqualTo(Code.WINDOW));
        assertThat(full.reason()).contains("window");
        assertThat(yard.connections.open().serving("d.example")).isEqualTo(1);
    }

    @Test
    void anotherDestinationsConnectionIsNoSeatForAFullWindow() {
        Yard yard = new Yard(RULES);
        Candidate shared = Yard.host("a");
        yard.seat(message(1), Candidates.of("one.example", shared), true);
        Candidates two = Candidates.of("two.example", shared);
        assertThat(yard.seat(message(2), two, false)).isInstanceOf(Seat.Wait.class);
        assertThat(yard.seat(message(2), two, true)).isInstanceOf(Seat.Queue.class);
        assertThat(yard.connections.open().serving("two.example")).isEqualTo(1);
        assertThat(yard.open).hasSize(1);
    }

    @Test
    @Tag("FI-21")
    void fi21WhenAllPrimariesAreDeadTheSecondaryIsUsedAndWhenAllAreDeadNoHostIsTried() {
        Yard yard = new Yard(RULES);
        yard.fragile = true;
        Candidates where = levels(List.of("p1", "p2"), List.of("s1"));
        yard.seat(1, where);
        yard.refuse(yard.last());
        yard.refuse(yard.last());
        assertThat(yard.open).containsValue("s1").hasSize(1);
        yard.refuse(yard.last());
        assertThat(yard.ended).singleElement().isInstanceOf(Effects.Ended.Failed.class);

        int opened = yard.log.size();
        Seat seat = yard.seat(2, where);
        yard.after(0);
        assertThat(seat).isInstanceOf(Seat.Defer.class);
        assertThat(seat.passedOver()).hasSize(3);
        assertThat(yard.ended).hasSize(2).last().isInstanceOfSatisfying(Effects.Ended.Untried.class,
                fate -> assertThat(fate.outcomes().getFirst().outcome().reply().toString())
                        .contains("delivery temporarily suspended: connection refused"));
        assertThat(yard.log).hasSize(opened);
    }
}
