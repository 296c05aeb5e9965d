package org.slipstream.qmgr;

import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.settings.ChangedSettings;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.wake.DestinationPattern;
import org.slipstream.qmgr.wake.DestinationSettings;
import org.slipstream.qmgr.wake.DestinationTable;
import org.slipstream.qmgr.wake.Rate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// New settings permit less than mail in memory waits for. Such mail must not keep the places of
/// other mail, and the reason is seen.
class SmallerLimitsTest {
    private static final long MINUTE = 60_000;
    private static final int ACTIVE = 10;

    /// The first of ten messages to x.example is being delivered, and nine wait for its end.
    private static Story nineWait() {
        Story story = new Story(s -> s.active(ACTIVE).lanes(1, 100));
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, ACTIVE).forEach(i -> story.queue("u" + i + "@x.example"));
        assertThat(story.waiting(QmgrOrder.Deliver.class)).hasSize(1);
        return story;
    }

    private static void change(Story story, UnaryOperator<QmgrConfig> change) {
        QmgrConfig config = change.apply(story.config);
        story.happens(new QmgrEvent.SettingsChanged(
                new ChangedSettings(config, config.plainRules("smtp"))));
    }

    private static DestinationTable clause(String key, Object value) {
        return new DestinationTable(
                List.of(new DestinationTable.Clause(DestinationPattern.parse("x.example").orElseThrow(),
                        SettingsRecords.with(DestinationSettings.NONE, Map.of(key, Optional.of(value))))),
                new TreeMap<>());
    }

    @Test
    void mailOfADestinationThatIsClosedLeavesItsPlacesToOtherMail() {
        Story story = nineWait();
        QueueId other = story.queue("u@y.example");
        assertThat(story.active()).as("no place is left").hasSize(ACTIVE).doesNotContain(other);
        change(story, config -> config.withDestinations(clause("lanes", 0)));
        story.after(1);
        assertThat(story.active()).containsExactlyInAnyOrder(new QueueId(1), other);
        assertThat(story.ordered(QmgrOrder.RecordOutcome.class)).hasSize(ACTIVE - 1)
                .allSatisfy(order -> assertThat(order.outcomes().getFirst().reached().phase())
                        .contains(QueuePhase.Code.WINDOW));
        story.answerAll(QmgrOrder.Deliver.class);
        assertThat(story.removed).as("a delivery in progress ends").containsOnlyKeys(new QueueId(1), other);
        assertThat(story.index.values()).hasSize(ACTIVE - 1).allSatisfy(row -> {
            assertThat(row.last.get(1).reply().text()).isEqualTo("smtp/x.example is held: its setting lanes is 0");
            assertThat(row.attempts).isZero();
        });
        story.after(24 * 60 * MINUTE);
        assertThat(story.index).hasSize(ACTIVE - 1);
        change(story, config -> config);
        story.after(90 * MINUTE);
        assertThat(story.index).isEmpty();
    }

    @Test
    void mailOfATransportThatIsClosedLeavesMemory() {
        Story story = nineWait();
        change(story, config -> config.withTransports(config.transports().with("smtp",
                config.transport("smtp").withConcurrency(0, 5, 20))));
        story.answerAll(QmgrOrder.Deliver.class);
        assertThat(story.active()).isEmpty();
        assertThat(story.index).hasSize(ACTIVE - 1);
        change(story, config -> config);
        story.after(90 * MINUTE);
        assertThat(story.index).isEmpty();
    }

    @Test
    void mailBeyondOnePeriodOfANewRateLeavesMemory() {
        Story story = nineWait();
        change(story, config -> config.withDestinations(clause("rate", new Rate(3, Duration.ofHours(1)))));
        story.answerAll(QmgrOrder.Deliver.class);
        assertThat(story.index).hasSize(ACTIVE - 1).allSatisfy(
                (_, row) -> assertThat(row.last.get(1).reply().text()).contains("the rate of smtp/x.example is 3/1h"));
        story.after(24 * 60 * MINUTE);
        assertThat(story.index).isEmpty();
    }

    @Test
    void anotherReloadLeavesMailBehindARateInMemory() {
        Story story = new Story(s -> s.also(
                config -> config.withDestinations(clause("rate", new Rate(2, Duration.ofHours(1))))));
        IntStream.range(0, 4).forEach(i -> story.queue("u" + i + "@x.example"));
        assertThat(story.active()).hasSize(2);
        change(story, config -> config.withReads(17, 17));
        assertThat(story.active()).hasSize(2);
    }

    @Test
    void mailBehindASmallerWindowWaitsInMemoryAndSaysWhy() {
        Story story = new Story(s -> s.lanes(20, 100));
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, ACTIVE).forEach(i -> story.queue("u" + i + "@x.example"));
        assertThat(story.waiting(QmgrOrder.Deliver.class)).hasSize(5);
        change(story, config -> config.withDestinations(clause("lanes", 1)));
        story.answerNext(QmgrOrder.Deliver.class);
        assertThat(story.waiting(QmgrOrder.Deliver.class)).as("no other starts").hasSize(4);
        assertThat(story.why(new QueueId(ACTIVE)))
                .isEqualTo("waits for a connection to smtp/x.example: 4 of 1 at work, 4 deliveries before it");
        story.answerAll(QmgrOrder.Deliver.class);
        assertThat(story.index).isEmpty();
    }
}
