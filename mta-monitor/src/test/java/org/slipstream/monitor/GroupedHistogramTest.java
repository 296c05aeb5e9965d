package org.slipstream.monitor;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

class GroupedHistogramTest {
    private final AtomicLong nanos = new AtomicLong();
    private final GroupedHistogram histogram = new GroupedHistogram("mta_time", "Time.", "destination",
            new double[]{1, 10}, 2, nanos::get);

    private List<String> groups() {
        return histogram.collect().getDataPoints().stream().map(each -> each.getLabels().get("destination")).sorted()
                .toList();
    }

    private long count(String group) {
        return histogram.collect().getDataPoints().stream()
                .filter(each -> each.getLabels().get("destination").equals(group)).findFirst().orElseThrow().getCount();
    }

    private void observe(String group, int times) {
        IntStream.range(0, times).forEach(_ -> histogram.observe(group, 5));
    }

    private void nextMinute() {
        nanos.addAndGet(GroupedHistogram.ELECTION_NANOS);
        histogram.observe("a", 1);
    }

    @Test
    void theFirstGroupsHaveASeriesAndAllFurtherOnesTogether() {
        observe("a", 3);
        observe("b", 2);
        observe("c", 1);
        observe("d", 1);
        assertThat(groups()).containsExactly(GroupedHistogram.OTHERS, "a", "b");
        assertThat(count(GroupedHistogram.OTHERS)).isEqualTo(2);
        assertThat(count("a")).isEqualTo(3);
    }

    @Test
    void aGroupThatIsTwiceAsBusyTakesThePlaceOfTheLeastBusy() {
        observe("a", 10);
        observe("b", 3);
        observe("c", 6);
        nextMinute();
        assertThat(groups()).as("not more than twice as busy").contains("a", "b");
        observe("c", 10);
        nextMinute();
        assertThat(groups()).containsExactly(GroupedHistogram.OTHERS, "a", "c");
        observe("c", 1);
        assertThat(count("c")).as("a new series begins at zero").isOne();
    }

    @Test
    void aFloodOfNamesTakesNoSeriesAndBoundedMemory() {
        observe("a", 2);
        observe("b", 2);
        IntStream.range(0, 10 * GroupedHistogram.MOST_COUNTED).forEach(i -> histogram.observe("flood" + i, 1));
        nextMinute();
        assertThat(groups()).containsExactly(GroupedHistogram.OTHERS, "a", "b");
        observe("late", 50);
        nextMinute();
        assertThat(groups()).as("after the flood a busy group is counted again").contains("late");
    }

    @Test
    void theNameOfTheOthersIsNoGroup() {
        observe(GroupedHistogram.OTHERS, 5);
        nextMinute();
        assertThat(groups()).containsExactly(GroupedHistogram.OTHERS, "a");
    }
}
