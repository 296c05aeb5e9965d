package org.slipstream.qmgr.place;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.place.WorkerBudget.Shares;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/// The shares of messages in the workers.
class WorkerBudgetTest {
    private static final int WORKERS = 100;
    private static final Owner ONE = new Owner.Message(new QueueId(1));
    private static final Owner TWO = new Owner.Message(new QueueId(2));

    private final WorkerBudget budget = new WorkerBudget(WORKERS, new Shares(5, 10), new Shares(3, 0));

    private static void begin(WorkerBudget budget, Owner owner, int times) {
        for (int i = 0; i < times; i++) {
            budget.begins(owner);
        }
    }

    private void takeAllItMay(Owner owner) {
        while (budget.allows(owner)) {
            budget.begins(owner);
        }
    }

    @Test
    @Tag("FI-01")
    void fi01BelowTheFloorAlwaysAboveItOnlyWithFreeWorkers() {
        begin(budget, TWO, 100);
        begin(budget, ONE, 4);
        assertThat(budget.allows(ONE)).as("four of five, none free").isTrue();
        budget.begins(ONE);
        assertThat(budget.allows(ONE)).as("five of five, none free").isFalse();

        WorkerBudget other = new WorkerBudget(WORKERS, new Shares(5, 10), new Shares(3, 0));
        begin(other, ONE, 50);
        begin(other, TWO, 44);
        assertThat(other.allows(ONE)).as("50 < 10 × 6").isTrue();
        begin(other, TWO, 1);
        assertThat(other.allows(ONE)).as("50 = 10 × 5").isFalse();
    }

    @Test
    @Tag("FI-02")
    void fi02ALoneMessageTakes91OfAHundredAndTwoTake47Or48Each() {
        takeAllItMay(ONE);
        assertThat(budget.busyFor(ONE)).isEqualTo(91);

        WorkerBudget both = new WorkerBudget(WORKERS, new Shares(5, 10), new Shares(3, 0));
        while (both.allows(ONE) || both.allows(TWO)) {
            if (both.allows(ONE)) {
                both.begins(ONE);
            }
            if (both.allows(TWO)) {
                both.begins(TWO);
            }
        }
        assertThat(both.busyFor(ONE)).isBetween(47, 48);
        assertThat(both.busyFor(TWO)).isBetween(47, 48);
    }

    @Test
    @Tag("FI-03")
    void fi03ANewcomerTakesWhatIsFreeAndThenTakesOverAsJobsEnd() {
        takeAllItMay(ONE);
        takeAllItMay(TWO);
        assertThat(budget.busyFor(TWO)).as("the free remainder, at once").isBetween(8, 9);
        Random random = new Random(3);
        List<Integer> series = new ArrayList<>();
        for (int jobsEnded = 0; jobsEnded < 2_000; jobsEnded++) {
            budget.ends(random.nextInt(budget.busy()) < budget.busyFor(ONE) ? ONE : TWO);
            boolean oneFirst = random.nextBoolean();
            takeAllItMay(oneFirst ? ONE : TWO);
            takeAllItMay(oneFirst ? TWO : ONE);
            series.add(budget.busyFor(TWO));
        }
        assertThat(series.getFirst()).isLessThan(15);
        assertThat(series.subList(1_000, 2_000).stream().mapToInt(n -> n).average().orElseThrow()).isBetween(46.0,
                49.0);
        assertThat(budget.busyFor(ONE) + budget.busyFor(TWO)).isBetween(94, 96);
    }

    /// The case that Finch rejects: a list of fifty thousand comes first, a single message second.

    @Test
    @Tag("FI-07")
    void fi07AThousandProbesAreOneMessageWithALimitOfItsOwn() {
        Owner probe = new Owner.Verification();
        int started = 0;
        for (int i = 0; i < 1_000; i++) {
            if (budget.allows(new Owner.Verification())) {
                budget.begins(probe);
                started++;
            }
        }
        assertThat(started).isEqualTo(3);
        assertThat(budget.allows(ONE)).isTrue();
    }
}
