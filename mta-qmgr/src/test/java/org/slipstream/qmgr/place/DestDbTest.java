package org.slipstream.qmgr.place;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.HostKey;
import org.slipstream.core.Reply;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.HostRow.Change;
import org.slipstream.qmgr.event.HostRow.HostRowKind;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.qmgr.place.Yard.REFUSED;
import static org.slipstream.qmgr.place.Yard.to;

/// Host records and their lifetimes.
class DestDbTest {
    private static final PlaceRules RULES = PlaceRules.defaults();
    private static final Candidate A = Yard.host("a");
    private final DestDb hosts = new DestDb(RULES.memory());

    private void breaks(Candidate host, long nowMillis) {
        hosts.broken(host, REFUSED, OptionalLong.empty(), nowMillis);
    }

    @Test
    @Tag("FI-31")
    void fi31ABrokenHostSaysWhenItMayBeTriedAgain() {
        breaks(A, 1_000);
        HostState.Retry retry = (HostState.Retry) hosts.mark(A.host(), 1_000);
        assertThat(retry.untilMillis()).isEqualTo(301_000);
        assertThat(retry.isDue(300_999)).isFalse();
        assertThat(retry.isDue(301_000)).isTrue();
        assertThat(retry.reason()).contains("connection refused");
    }

    @Test
    void aHintOfTheHostMayOnlyLengthenTheDelay() {
        hosts.broken(A, REFUSED, OptionalLong.of(5_000), 0);
        assertThat(((HostState.Retry) hosts.mark(A.host(), 0)).untilMillis()).isEqualTo(300_000);
        hosts.broken(A, REFUSED, OptionalLong.of(900_000), 0);
        assertThat(((HostState.Retry) hosts.mark(A.host(), 0)).untilMillis()).isEqualTo(900_000);
        assertThat(((HostState.Retry) hosts.mark(A.host(), 0)).failures()).isEqualTo(2);
    }

    @Test
    @Tag("FI-32")
    void fi32AClosedHostRemembersWhenItsLastConnectionWasMade() {
        Yard yard = new Yard(RULES.with(new PlaceRules.Depth(1, 50, 1)));
        long early = yard.opened(1, to("a"));
        yard.now += 5_000;
        long late = yard.opened(1, to("a"));
        long lateMillis = yard.now;
        yard.now += 5_000;
        yard.answer(early, 1);
        yard.lose(early);
        assertThat(yard.mark("a")).as("one is left").isInstanceOf(HostState.Unused.class);
        yard.answer(late, 2);
        yard.lose(late);
        assertThat(yard.mark("a")).isEqualTo(new HostState.Closed(lateMillis, yard.now));
    }

    @Test
    @Tag("FI-33")
    void fi33StaleRecordsAreForgottenClosedAfterAnHourBrokenAfterTwiceTheirDelay() {
        hosts.closed(Yard.host("c"), 0, 0);
        breaks(A, 0);
        hosts.collect(599_999);
        assertThat(hosts.mark(A.host(), 599_999)).isInstanceOf(HostState.Retry.class);
        hosts.collect(600_000);
        assertThat(hosts.mark(A.host(), 600_000)).isInstanceOf(HostState.Unused.class);
        hosts.collect(3_600_000);
        assertThat(hosts.list(3_600_000)).containsOnlyKeys(A.host());
        hosts.collect(4_300_000);
        assertThat(hosts.size()).isZero();
    }

    /// Mail that was deferred because of it may wait for 4000 seconds more.
    @Test
    void aHostThatFailedIsListedAsLongAsMailMayWaitForIt() {
        breaks(A, 0);
        for (long now : List.of(299_999L, 600_000L, 4_299_999L)) {
            hosts.collect(now);
            assertThat(hosts.list(now).get(A.host())).as("at %s", now).singleElement()
                    .isInstanceOf(HostState.Retry.class);
        }
        assertThat(hosts.list(4_300_000)).isEmpty();
        breaks(A, 4_000_000);
        assertThat(hosts.list(4_000_000).get(A.host())).singleElement().isInstanceOfSatisfying(HostState.Retry.class,
                retry -> assertThat(retry.failures()).as("in a row, since it never worked").isEqualTo(2));
    }

    @Test
    void aFlushByNameMakesAHostDueThatFailedBeforeItAndNoOther() {
        breaks(A, 1_000);
        hosts.broken(Yard.host("b"), REFUSED, OptionalLong.empty(), 1_000);
        hosts.makeDue(A.host(), 999, 2_000);
        assertThat(isDue(A, 2_000)).as("it failed after the command").isFalse();
        hosts.makeDue(A.host(), 1_500, 2_000);
        assertThat(isDue(A, 2_000)).isTrue();
        assertThat(isDue(Yard.host("b"), 2_000)).isFalse();
    }

    private boolean isDue(Candidate host, long now) {
        return ((HostState.Retry) hosts.mark(host.host(), now)).isDue(now);
    }

    @Test
    void aRecordFromBeforeTheClockWentBackLeavesNoHostAlone() {
        breaks(A, 900_000_000);
        List<HostRow> rows = hosts.export(900_000_001);
        DestDb later = new DestDb(RULES.memory());
        rows.forEach(row -> later.learn(row, 3_000));
        assertThat(later.mark(A.host(), 3_000)).isInstanceOf(HostState.Unused.class);
    }

    @Test
    @Tag("FI-33")
    void fi33WhatIsStaleIsForgottenAlsoBeforeTheCollectorComes() {
        breaks(A, 0);
        assertThat(hosts.size()).isEqualTo(1);
        assertThat(hosts.mark(A.host(), 600_000)).isInstanceOf(HostState.Unused.class);
        assertThat(hosts.export(4_300_000)).isEmpty();
    }

    @Test
    @Tag("FI-39")
    void fi39ASecondNodeSkipsAHostThatTheFirstFoundDead() {
        Yard first = new Yard(RULES);
        first.breaks("a");
        Yard second = new Yard(RULES);
        first.hosts.changes().forEach(change -> {
            if (change instanceof Change.Put(HostRow row)) {
                second.hosts.learn(row, second.now);
            }
        });
        assertThat(second.seat(1, to("a"))).isInstanceOf(Seat.Defer.class);
        assertThat(Yard.hostOf(second.seat(1, to("a", "b")))).isEqualTo("b");
        assertThat(second.hosts.changes()).as("what was learned is not told again").isEmpty();
    }

    @Test
    @Tag("FI-40")
    void fi40WithoutTheTwoSpecialCasesTheSameMailGoesOutOnlyTheSpreadDiffers() {
        Yard simple = new Yard(RULES.with(RULES.memory().simplified(false, false)));
        long connection = simple.idle(1, to("a"));
        simple.lose(connection);
        assertThat(simple.mark("a")).isInstanceOf(HostState.Unused.class);
        simple.breaks("b");
        assertThat(simple.seat(1, to("b"))).isInstanceOf(Seat.Defer.class);
        simple.now += RULES.memory().retry().toMillis();
        assertThat(simple.mark("b")).isInstanceOf(HostState.Unused.class);
        assertThat(simple.seat(1, to("b"))).isInstanceOf(Seat.Open.class);

        assertThat(hostsAfterUse(RULES)).as("the one used longest ago").containsOnly("a");
        assertThat(hostsAfterUse(RULES.with(RULES.memory().simplified(false, true)))).as("by lot").contains("a", "b");
    }

    /// The hosts of the next delivery after both were used, with different random numbers.
    private static Set<String> hostsAfterUse(PlaceRules rules) {
        Set<String> chosen = new TreeSet<>();
        for (long seed = 1; seed <= 20; seed++) {
            Yard yard = new Yard(rules, seed);
            for (String host : List.of("a", "b")) {
                yard.lose(yard.idle(1, to(host)));
                yard.after(1_000);
            }
            chosen.add(Yard.hostOf(yard.seat(2, to("a", "b"))));
        }
        return chosen;
    }

    @Test
    void theHostsOfTheIndexComeBackAfterARestart() {
        breaks(A, 1_000);
        hosts.closed(Yard.host("c"), 500, 1_000);
        hosts.suspend(Yard.host("s").host(), "they asked us to stop", "ann", Long.MAX_VALUE, 1_000);
        hosts.breaksUnderPipelining(Yard.host("p"), "503 out of step", 1_000);
        List<HostRow> rows = hosts.export(2_000);

        DestDb later = new DestDb(RULES.memory());
        rows.forEach(row -> later.learn(row, 3_000));

        assertThat(later.export(3_000)).isEqualTo(rows).hasSize(4);
        assertThat(later.list(3_000)).isEqualTo(hosts.list(3_000));
        assertThat(later.suspension(Yard.host("s").host(), 3_000)).hasValueSatisfying(
                suspended -> assertThat(suspended.reason()).isEqualTo("suspended by ann: they asked us to stop"));
    }

    @Test
    void aRowThatMakesNoSenseIsPassedOver() {
        hosts.learn(new HostRow("no host", "x", HostRowKind.RETRY, 0, 1_000_000, 1, "450 4.4.1 no", ""), 0);
        hosts.learn(new HostRow(A.host().toString(), "x", HostRowKind.RETRY, 0, 1_000_000, 1, "gibberish", ""), 0);
        hosts.learn(new HostRow(A.host().toString(), "x", HostRowKind.RETRY, 0, 10, 1, "450 - long ago", ""),
                10_000_000);
        assertThat(hosts.size()).isZero();
        breaks(A, 1_000);
        hosts.learn(new HostRow(A.host().toString(), "x", HostRowKind.RETRY, 0, 1_000, 1, "450 - older", ""), 1_000);
        assertThat(hosts.mark(A.host(), 1_000).reason()).contains("refused");
    }

    @Test
    void changesAreReportedOnceAndTheLatestOneWins() {
        breaks(A, 0);
        hosts.works(A.host());
        breaks(A, 10);
        assertThat(hosts.changes()).singleElement().isInstanceOf(Change.Put.class);
        assertThat(hosts.changes()).isEmpty();
        hosts.collect(10_000_000);
        assertThat(hosts.changes()).containsExactly(new Change.Gone(A.host().toString(), HostRowKind.RETRY));
    }

    @Test
    void anOperatorSuspendsAHostAndResumesIt() {
        Yard yard = new Yard(RULES);
        long idle = yard.idle(1, to("a"));
        yard.hosts.suspend(Yard.host("a").host(), "maintenance", "ann", yard.now + 60_000, yard.now);
        yard.connections.open().suspended(Yard.host("a").host());
        yard.after(0);
        assertThat(yard.log).endsWith("close " + idle);
        Seat seat = yard.seat(1, to("a"));
        assertThat(seat).isInstanceOf(Seat.Defer.class);
        assertThat(seat.reason()).contains("suspended by ann: maintenance");

        yard.after(0);
        yard.hosts.resume(Yard.host("a").host());
        assertThat(yard.seat(1, to("a"))).isInstanceOf(Seat.Open.class);
    }

    @Test
    void aSuspensionEndsAtItsTimeAndForgettingDoesNotEndIt() {
        hosts.suspend(A.host(), "maintenance", "ann", 60_000, 0);
        breaks(A, 0);
        assertThat(hosts.forget(A.host())).isTrue();
        assertThat(hosts.mark(A.host(), 0)).isInstanceOf(HostState.Unused.class);
        assertThat(hosts.suspension(A.host(), 59_999)).isPresent();
        assertThat(hosts.suspension(A.host(), 60_000)).isEmpty();
    }

    /// The query of an operator's list: it must not walk all known hosts.
    @Test
    void theSuspendedHostsAreThoseOfTheWholeList() {
        HostKey b = Yard.host("b").host();
        breaks(A, 0);
        hosts.suspend(A.host(), "maintenance", "ann", 60_000, 0);
        hosts.suspend(b, "they asked us", "ann", Long.MAX_VALUE, 0);
        hosts.suspend(Yard.host("c").host(), "by mistake", "ann", Long.MAX_VALUE, 0);
        hosts.resume(Yard.host("c").host());
        assertThat(hosts.suspended(59_999)).containsOnlyKeys(A.host(), b);
        assertThat(hosts.suspended(59_999).get(b).why()).isEqualTo("they asked us");
        assertThat(hosts.suspended(60_000)).containsOnlyKeys(b);
        hosts.collect(60_000);
        assertThat(hosts.suspended(0)).as("forgotten").containsOnlyKeys(b);
    }

    @Test
    void keysAreWrittenAndReadAndTheFirstAddressNamesTheHost() {
        HostKey.Terms terms = new HostKey.Terms("verify", "192.0.2.9", "relay");
        HostKey key = HostKey.of("MX.example", List.of("2001:db8::1", "192.0.2.2", "192.0.2.1"), 587, terms);
        assertThat(key).hasToString("[192.0.2.1]:587/verify/192.0.2.9/relay");
        assertThat(HostKey.parse(key.toString())).hasValue(key);
        HostKey plain = HostKey.of("MX.example", List.of(), 25, HostKey.Terms.USUAL);
        assertThat(plain).hasToString("[mx.example]:25/may");
        assertThat(HostKey.parse(plain.toString())).hasValue(plain);
    }

    @Test
    void aReplyOfOneHostInTheIndexHasNoLineEnds() {
        hosts.broken(A, new Reply(421, REFUSED.status(), List.of("too", "busy")), OptionalLong.empty(), 0);
        assertThat(hosts.export(1).getFirst().text()).isEqualTo("421 4.4.1 too busy");
    }
}
