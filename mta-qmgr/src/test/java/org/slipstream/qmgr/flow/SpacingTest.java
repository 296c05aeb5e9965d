package org.slipstream.qmgr.flow;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

class SpacingTest {
    private final Spacing spacing = new Spacing(5, 3);

    private void took(long... millis) {
        LongStream.of(millis).forEach(spacing::took);
    }

    /// Starts as early as permitted, this number of times.
    private List<Long> starts(long fromMillis, int slots, int count) {
        List<Long> starts = new ArrayList<>();
        long now = fromMillis;
        for (int i = 0; i < count; i++) {
            now = Math.max(now, spacing.turnMillis());
            starts.add(now);
            spacing.started(now, slots);
        }
        return starts;
    }

    @Test
    void noStartIsHeldBackBeforeADurationIsKnown() {
        assertThat(starts(5_000, 20, 100)).containsOnly(5_000L);
    }

    @Test
    void twentyStartsAreSpreadOverTheTimeOfOneDeliveryWhenSingleMessagesCome() {
        took(1_200);
        spacing.singleStarted(5_000);

        List<Long> starts = starts(5_000, 20, 20);

        assertThat(starts.getFirst()).isEqualTo(5_000);
        assertThat(starts.getLast()).isBetween(6_000L, 6_200L);
        assertThat(IntStream.range(2, 20).mapToLong(i -> starts.get(i) - starts.get(i - 1)))
                .allMatch(gap -> gap >= 56 && gap <= 58);
    }

    @Test
    void aServerThatIsQuickHasNoTurnsAndNoTimers() {
        took(199, 150, 3);
        assertThat(spacing.isOfUse(20)).isFalse();
        assertThat(starts(5_000, 20, 1_000)).containsOnly(5_000L);
    }

    @Test
    void oneSlotHasNothingToSpreadAndAHundredAreTooDenseForAClockOfMilliseconds() {
        took(800);
        assertThat(spacing.isOfUse(1)).isFalse();
        assertThat(spacing.isOfUse(20)).isTrue();
        assertThat(spacing.isOfUse(100)).isFalse();
    }

    @Test
    void afterAPauseThereIsNoBurst() {
        took(2_000);
        spacing.singleStarted(60_000);
        starts(0, 20, 1);
        // Half a turn is made up for, a minute of them is not.
        assertThat(starts(60_000, 20, 3)).containsExactly(60_000L, 60_048L, 60_143L);
    }

    @Test
    void theMoreTimesVaryTheMoreMissedTurnsAreMadeUpFor() {
        IntStream.range(0, 100).forEach(_ -> spacing.took(1_000));
        assertThat(startsAtOnce(spacing)).isEqualTo(1);

        Spacing uneven = new Spacing(5, 3);
        IntStream.range(0, 100).forEach(i -> uneven.took(i % 2 == 0 ? 500 : 1_500));
        assertThat(startsAtOnce(uneven)).isBetween(4, 7);
    }

    private static int startsAtOnce(Spacing of) {
        of.started(0, 20);
        int count = 0;
        for (; of.turnMillis() <= 50_000 && count < 100; count++) {
            of.started(50_000, 20);
        }
        return count;
    }

    @Test
    void aServerThatHasBecomeQuickIsNoticedAfterAFewDeliveries() {
        took(1_200, 1_200, 1_200, 1_200);
        IntStream.range(0, 20).forEach(_ -> spacing.took(50));
        assertThat(spacing.isOfUse(10)).isFalse();
    }

    @Test
    void singleMessagesPassUntilTheirPriceIsNotPaid() {
        took(1_200);
        int passed = 0;
        for (; spacing.maySinglePass(); passed++) {
            spacing.singlePassed();
        }
        assertThat(passed).isEqualTo(3);

        starts(0, 20, 4);
        assertThat(spacing.maySinglePass()).isFalse();
        starts(10_000, 20, 1);
        assertThat(spacing.maySinglePass()).isTrue();
    }

    @Test
    void withoutSingleMessagesOnlyTheSlotsWaitThatTurnsNeed() {
        took(1_400);
        int free = 20;
        for (; spacing.mayStart(0, 20, free); free--) {
            spacing.started(0, 20);
        }
        // Ten turns fit into a delivery. One delivery has the first turn, nine wait for theirs.
        assertThat(free).isEqualTo(9);
        assertThat(spacing.turnMillis()).isEqualTo(133);
        assertThat(spacing.mayStart(132, 20, 9)).isFalse();
        assertThat(spacing.mayStart(133, 20, 9)).isTrue();
    }

    @Test
    void aSingleMessageMakesTheTurnsDenseForAMinute() {
        took(1_200);
        spacing.singleStarted(0);
        starts(58_000, 20, 1);
        assertThat(spacing.turnMillis()).isEqualTo(58_057);
        starts(60_000, 20, 1);
        // Half of a turn is made up for.
        assertThat(spacing.turnMillis()).isEqualTo(60_072);
    }

    /// Random mailings over slots whose deliveries take nearly the same time, with the rules of this
    /// class and none of the scheduler.
    @Test
    void aMailingIsLateByItsTurnsAndItsLastRoundAndASlotIsAlwaysAboutToBeFree() {
        for (long seed = 1; seed <= 1_000; seed++) {
            Mailing mailing = new Mailing(new Random(seed));
            List<Long> ends = mailing.run();

            double turns = Math.min(mailing.slots, Math.ceil(mailing.serviceMillis / Spacing.ALONE_DISTANCE_MILLIS));
            double ideal = (double) ends.size() * mailing.serviceMillis / mailing.slots;
            // (c - 1)/2 · S/n for the turns, and the last round as in every order of service.
            double latest = ideal + mailing.serviceMillis * (1 + turns / 2 / mailing.slots);
            assertThat((double) ends.getLast()).as("seed " + seed).isLessThanOrEqualTo(latest * 1.02);

            // Without the first two rounds, which make the turns, and the last, which has no others.
            List<Long> steady = ends.subList(2 * mailing.slots, ends.size() - mailing.slots);
            // The distance, the rest that [Spacing#SHARE] leaves, and the half of a turn that is made up for.
            double distance = mailing.serviceMillis * (1.5 / turns + 1 - Spacing.SHARE);
            for (int i = 1; i < steady.size(); i++) {
                assertThat((double) steady.get(i) - steady.get(i - 1)).as("seed " + seed)
                        .isLessThanOrEqualTo(distance + 3);
            }
        }
    }

    private static final class Mailing {
        private final Spacing rules = new Spacing(5, 3);
        private final Random chance;
        private final int slots;
        private final long serviceMillis;
        private final int deliveries;

        Mailing(Random chance) {
            this.chance = chance;
            this.slots = 2 + chance.nextInt(30);
            this.serviceMillis = 400 + chance.nextInt(3_000);
            this.deliveries = slots * (5 + chance.nextInt(40)) + chance.nextInt(slots);
        }

        /// The ends of all deliveries.
        List<Long> run() {
            PriorityQueue<Long> running = new PriorityQueue<>();
            List<Long> ends = new ArrayList<>();
            long now = 0;
            for (int waiting = deliveries; waiting > 0 || !running.isEmpty();) {
                while (waiting > 0 && running.size() < slots
                        && (waiting < slots || rules.mayStart(now, slots, slots - running.size()))) {
                    running.add(now + serviceMillis + chance.nextInt(3));
                    rules.started(now, slots);
                    waiting--;
                }
                long next = waiting > 0 && running.size() < slots ? rules.turnMillis() : Long.MAX_VALUE;
                now = running.isEmpty() ? next : Math.min(next, running.element());
                for (; !running.isEmpty() && running.element() <= now; running.remove()) {
                    ends.add(now);
                    rules.took(serviceMillis);
                }
            }
            return ends;
        }
    }
}
