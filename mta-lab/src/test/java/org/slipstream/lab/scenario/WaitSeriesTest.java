package org.slipstream.lab.scenario;

import org.junit.jupiter.api.Test;
import org.slipstream.picture.RunRecord;
import org.slipstream.picture.RunRecord.QueueSample;
import org.slipstream.picture.WaitSeries;
import org.slipstream.picture.WaitSeries.SeriesWait;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// The length of the queue and the waits of messages in bundled scenarios.
class WaitSeriesTest {
    private static final RunRecord TEN_TWO_TWO = ScenarioRunner.run(BundledScenariosTest.file("ten-two-two")).record();

    @Test
    void theQueueIsCountedFromArrivalToTheLastDelivery() {
        assertThat(TEN_TWO_TWO.queue().get("2")).containsExactly(new QueueSample(0, 2, 0, 0),
                new QueueSample(4_000, 1, 0, 1), new QueueSample(5_000, 0, 0, 1), new QueueSample(6_000, 0, 0, 0));
    }

    @Test
    void aMessageWaitsBehindTheOneWhoseDeliveriesOccupyTheConnection() {
        List<SeriesWait> waits = WaitSeries.of(TEN_TWO_TWO).stream().filter(wait -> wait.name().equals("3")).toList();

        assertThat(waits).extracting(SeriesWait::toMillis).containsExactly(4_000L, 6_000L, 10_000L, 11_000L);
        assertThat(waits).extracting(SeriesWait::text).containsExactly("1", "2", "1", "3");
        assertThat(WaitSeries.millisBehind(waits, "3")).containsEntry("1", 8_000.0).containsEntry("2", 2_000.0);
    }

    @Test
    void recipientsOfADeadDestinationWaitForTheNextAttemptBehindNothing() {
        List<QueueSample> mailing = ScenarioRunner.run(BundledScenariosTest.file("dead-destination")).record().queue()
                .get("mailing");

        assertThat(mailing)
                .anyMatch(sample -> sample.deferred() > 0 && sample.waiting() == 0 && sample.underWay() == 0);
        assertThat(mailing.getLast()).matches(sample -> sample.deferred() + sample.waiting() + sample.underWay() == 0);
    }
}
