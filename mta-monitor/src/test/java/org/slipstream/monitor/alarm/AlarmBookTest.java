package org.slipstream.monitor.alarm;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

class AlarmBookTest {
    private static final Duration STEP = Duration.ofSeconds(10);

    private final AlarmBook book = new AlarmBook();
    private Instant now = Instant.parse("2026-11-27T03:00:00Z");
    private final List<String> told = new ArrayList<>();

    private static AlarmCause cause(String what) {
        return new AlarmCause(what, "", "", "new mail is refused", "No space left on device");
    }

    private void pass(Duration time, AlarmCause... causes) {
        Instant end = now.plus(time);
        while (now.isBefore(end)) {
            book.look(List.of(causes), now)
                    .forEach(each -> told.add(each.kind().word() + " " + each.cause().name()));
            now = now.plus(STEP);
        }
    }

    @Test
    void aTroubleIsToldOnceAndItsEndOnce() {
        pass(Duration.ofSeconds(20), cause("space"));
        assertThat(told).as("it has not lasted").isEmpty();
        pass(Duration.ofHours(5), cause("space"));
        assertThat(told).containsExactly("raised space");
        assertThat(book.open()).isOne();
        pass(Duration.ofMinutes(1));
        assertThat(told).as("it may come back").hasSize(1);
        pass(Duration.ofMinutes(5));
        assertThat(told).containsExactly("raised space", "recovered space");
        assertThat(book.open()).isZero();
    }

    @Test
    void aMomentIsNoTrouble() {
        for (int i = 0; i < 100; i++) {
            pass(STEP, cause("stall"));
            pass(Duration.ofMinutes(1));
        }
        assertThat(told).isEmpty();
    }

    @Test
    void aTroubleThatComesAndGoesIsToldOnceInAQuarterOfAnHour() {
        for (int i = 0; i < 12; i++) {
            pass(Duration.ofMinutes(2), cause("rspamd"));
            pass(Duration.ofMinutes(3));
        }
        assertThat(told.stream().filter(each -> each.startsWith("raised"))).hasSizeBetween(3, 4);
        assertThat(told.stream().filter(each -> each.startsWith("recovered")))
                .hasSameSizeAs(told.stream().filter(each -> each.startsWith("raised")).toList());
    }

    @Test
    void looksThatComeLateHideNoLastingTrouble() {
        for (int i = 0; i < 3; i++) {
            pass(STEP, cause("space"));
            now = now.plusSeconds(50);
        }
        assertThat(told).containsExactly("raised space");
    }

    @Test
    void theTroublesOfTwoShardsAreTwoAndAChangedTextIsTheSame() {
        pass(Duration.ofMinutes(1), new AlarmCause("log", "shard 1", "", "refused with 451", "a"),
                new AlarmCause("log", "shard 2", "", "refused with 451", "a"));
        pass(Duration.ofMinutes(1), new AlarmCause("log", "shard 1", "", "refused with 452", "b"));
        assertThat(told).containsExactly("raised log of shard 1", "raised log of shard 2");
        pass(Duration.ofMinutes(5), new AlarmCause("log", "shard 1", "", "refused with 452", "b"));
        assertThat(told).hasSize(3).last().isEqualTo("recovered log of shard 2");
    }

    @Test
    void allTroublesTogetherHaveABoundAndALastingOneIsToldLater() {
        AlarmCause[] many = IntStream.range(0, 40).mapToObj(i -> cause("t" + i)).toArray(AlarmCause[]::new);
        pass(Duration.ofMinutes(50), many);
        assertThat(told).hasSize(AlarmBook.MOST_PER_HOUR);
        pass(Duration.ofMinutes(30), many);
        assertThat(told).hasSize(40).doesNotHaveDuplicates();
    }

    @Test
    void memoryHasABound() {
        for (int i = 0; i < 3 * AlarmBook.MOST_CAUSES; i += 100) {
            int from = i;
            pass(STEP, IntStream.range(from, from + 100).mapToObj(each -> cause("t" + each))
                    .toArray(AlarmCause[]::new));
        }
        pass(Duration.ofHours(2));
        told.clear();
        pass(Duration.ofMinutes(1), cause("space"));
        assertThat(told).containsExactly("raised space");
    }
}
