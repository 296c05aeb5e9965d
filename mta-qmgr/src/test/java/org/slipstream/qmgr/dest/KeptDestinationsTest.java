package org.slipstream.qmgr.dest;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.HostRow.HostRowKind;
import org.slipstream.qmgr.wake.FailedDestinations;
import org.slipstream.qmgr.wake.LimitKey;
import org.slipstream.qmgr.wake.Rate;
import org.slipstream.qmgr.wake.RateLimits;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/// Rates and failures of destinations over restarts: a store in memory takes the changes.
class KeptDestinationsTest {
    private static final long PAUSE = 300_000;
    private static final LimitKey FAR = LimitKey.rate("far.example");
    private static final Rate RATE = new Rate(20, Duration.ofHours(1));

    private final Map<String, HostRow> store = new TreeMap<>();
    private long now = 1_764_201_600_000L;
    private RateLimits rates = new RateLimits();
    private FailedDestinations failures = new FailedDestinations(PAUSE);
    private KeptDestinations kept = new KeptDestinations(rates, failures);

    private int write(boolean all) {
        List<HostRow.Change> changes = kept.changes(all, now);
        changes.forEach(change -> {
            switch (change) {
                case HostRow.Change.Put(HostRow row) -> store.put(row.kind() + row.host(), row);
                case HostRow.Change.Gone(String host, HostRowKind kind) -> store.remove(kind + host);
            }
        });
        return changes.size();
    }

    private void restart() {
        rates = new RateLimits();
        failures = new FailedDestinations(PAUSE);
        kept = new KeptDestinations(rates, failures);
        store.values().forEach(row -> kept.learn(row, now));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    @Tag("IM-32")
    void aRateHoldsInEachPeriodWhateverRestartsComeBetween(long seed) {
        Random random = new Random(seed);
        List<Long> starts = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            now += random.nextInt(60_000);
            if (rates.nextMillis(FAR, RATE, RATE.deliveries(), now) <= now) {
                rates.started(FAR, RATE, now);
                starts.add(now);
            }
            if (random.nextInt(10) == 0) {
                write(true);
                restart();
            }
        }
        for (int i = 0; i + 20 < starts.size(); i++) {
            assertThat(starts.get(i + 20) - starts.get(i)).as("seed " + seed).isGreaterThanOrEqualTo(3_600_000);
        }
        // A group counts as long as its latest start, which costs at most one part in 59 of a period.
        assertThat(starts.size()).isGreaterThan((int) ((now - starts.getFirst()) / 3_600_000 * 15));
    }

    @Test
    @Tag("IM-32")
    void whatOtherShardsHadStartedCountsAndIsNotKeptASecondTime() {
        rates.started(FAR, RATE, now);
        write(true);
        HostRow own = store.values().iterator().next();
        store.put("other", new HostRow("far.example", "2", own.kind(), own.sinceMillis(), own.untilMillis(), 0,
                "20/1h " + now + "*5", ""));
        for (int i = 0; i < 5; i++) {
            restart();
            assertThat(rates.count(FAR, now)).isEqualTo(6 + i);
            rates.started(FAR, RATE, now);
            write(true);
        }
        now += 3_600_000;
        restart();
        assertThat(rates.count(FAR, now)).isZero();
    }

    @Test
    @Tag("ZM-07")
    @Tag("ZM-38")
    void aFailureAndTheTimeOfAThreadAreThereAfterARestart() {
        failures.failed("smtp/far.example", Set.of("far.example"), now);
        failures.deferred("smtp/far.example", "other.example", now + 70_000, true);
        kept.failureChanged("smtp/far.example");
        write(false);
        restart();

        assertThat(failures.waitsUntil("smtp/far.example", now)).contains(now + PAUSE);
        assertThat(failures.threadMillis("smtp/far.example")).hasValue(now + 70_000);
        assertThat(failures.threadOfMillis("other.example")).hasValue(now + 70_000);
        now += 70_000;
        assertThat(failures.due("smtp/far.example", Set.of("far.example"), true, now))
                .containsExactlyInAnyOrder("far.example", "other.example");
        kept.failureChanged("smtp/far.example");
        write(true);
        restart();
        failures.deferred("smtp/far.example", "far.example", now + 1, true);
        assertThat(failures.due("smtp/far.example", Set.of("far.example"), true, now + 1)).as("within the pause")
                .isEmpty();
    }

    @Test
    void manyDeliveriesAreOneRecordASecond() {
        for (int i = 0; i < 10_000; i++) {
            rates.started(FAR, new Rate(100_000, Duration.ofHours(1)), now);
            write(false);
            now++;
        }
        // Ten seconds, and the first change at once.
        assertThat(store).hasSize(1);
        assertThat(kept.nextMillis()).isBetween(now, now + KeptDestinations.PAUSE_MILLIS);
        assertThat(store.values().iterator().next().text().length()).isLessThan(1_500);
    }

    @Test
    void aSecondHasABoundedNumberOfRecordsAndTheStopHasTheRest() {
        for (int i = 0; i < 1_000; i++) {
            rates.started(LimitKey.rate("d" + i + ".example"), RATE, now);
        }
        assertThat(write(false)).isEqualTo(KeptDestinations.AT_ONCE);
        assertThat(write(false)).as("in the same second").isZero();
        now += KeptDestinations.PAUSE_MILLIS;
        assertThat(write(false)).isEqualTo(KeptDestinations.AT_ONCE);
        assertThat(write(true)).isEqualTo(1_000 - 2 * KeptDestinations.AT_ONCE);
        assertThat(kept.nextMillis()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void theNumberOfRecordsIsBoundedAndExpiredOnesMakeRoom() {
        for (int i = 0; i < KeptDestinations.MOST + 5; i++) {
            rates.started(LimitKey.rate("d" + i + ".example"), RATE, now);
        }
        write(true);
        assertThat(store).hasSize(KeptDestinations.MOST);
        now += 3_600_001;
        rates.started(LimitKey.rate("late.example"), RATE, now);
        write(true);
        assertThat(store).containsOnlyKeys("RATElate.example");
    }

    @Test
    void aRecordWithoutMeaningIsSkipped() {
        for (String text : List.of("", "x", "20/1h 1*1000000000", "20/1h *", "20/1h 1*99999 1*99999", "failed x",
                "failed 1 thread")) {
            for (HostRowKind kind : HostRowKind.values()) {
                kept.learn(new HostRow("far.example", "", kind, now, now + 1, 0, text, ""), now);
            }
        }
        assertThat(rates.count(FAR, now)).isZero();
        assertThat(failures.kept("far.example", now)).isEmpty();
    }

    @Test
    @Tag("IM-32")
    void theRateOfAGroupIsKeptToo() {
        for (LimitKey.GroupKind kind : LimitKey.GroupKind.values()) {
            rates.started(new LimitKey.OfGroupRate(kind, "shop.example/google"), RATE, now);
        }
        write(true);
        restart();
        for (LimitKey.GroupKind kind : LimitKey.GroupKind.values()) {
            assertThat(rates.count(new LimitKey.OfGroupRate(kind, "shop.example/google"), now)).isOne();
        }
        assertThat(store).containsKey("RATEprovider:shop.example/google");
    }

    @Test
    void aDestinationThatWorksAgainIsForgotten() {
        failures.failed("far.example", Set.of("far.example"), now);
        kept.failureChanged("far.example");
        write(true);
        failures.worked("far.example", now);
        now += PAUSE;
        kept.failureChanged("far.example");
        write(true);
        assertThat(store).isEmpty();
    }
}
