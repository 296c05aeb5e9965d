package org.slipstream.qmgr;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.core.SettingsRecords;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.sched.OrderPolicy;
import org.slipstream.qmgr.settings.ChangedSettings;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.wake.DestinationPattern;
import org.slipstream.qmgr.wake.DestinationSettings;
import org.slipstream.qmgr.wake.DestinationTable;
import org.slipstream.qmgr.wake.Rate;
import org.slipstream.qmgr.wake.RetrySettings;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/// New settings permit more than mail in memory waits for. That mail goes on at once, without another
/// event of its destination.
class LargerLimitsTest {
    private static DestinationTable clause(String key, Object value) {
        return new DestinationTable(
                List.of(new DestinationTable.Clause(DestinationPattern.parse("x.example").orElseThrow(),
                        SettingsRecords.with(DestinationSettings.NONE, Map.of(key, Optional.of(value))))),
                new TreeMap<>());
    }

    private static void change(Story story, DestinationTable destinations) {
        QmgrConfig config = story.config.withDestinations(destinations);
        story.happens(new QmgrEvent.SettingsChanged(new ChangedSettings(config, config.plainRules("smtp"))));
    }

    private static void mailOfX(Story story, int messages) {
        for (int i = 0; i < messages; i++) {
            story.queue("u" + i + "@x.example");
        }
    }

    /// The message for y.example makes the search mark the blocked jobs of x.example.
    @ParameterizedTest
    @EnumSource(OrderPolicy.class)
    void theEndOfARateServesTheMailThatWaited(OrderPolicy order) {
        Story story = new Story(s -> s.also(config -> config.withPolicy(order)
                .withDestinations(clause("rate", new Rate(3, Duration.ofHours(1))))));
        mailOfX(story, 5);
        story.queue("u@y.example");
        assertThat(story.removed).as("three of x.example, and that of y.example").hasSize(4);

        change(story, DestinationTable.EMPTY);

        assertThat(story.index).isEmpty();
    }

    /// The mail of a destination names its policy. The reload takes it away while a deferral is written.
    @Test
    void mailWhoseRetryPolicyIsGoneFollowsTheCommonOne() {
        SequencedMap<String, RetrySettings> own = new LinkedHashMap<>(Map.of("own", RetrySettings.defaults()));
        Story story = new Story(
                s -> s.also(config -> config.withRetries(own).withDestinations(clause("retry", "own"))));
        story.replies.put("x.example", Story.TRY_LATER);
        story.withhold(QmgrOrder.RecordOutcome.class);
        mailOfX(story, 1);

        QmgrConfig without = QmgrConfig.defaults();
        story.happens(new QmgrEvent.SettingsChanged(new ChangedSettings(without, without.plainRules("smtp"))));
        story.answerAll(QmgrOrder.RecordOutcome.class);

        assertThat(story.ordered(QmgrOrder.Defer.class)).hasSize(1);
        assertThat(story.manager.takeFailedMessages()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(OrderPolicy.class)
    void theEndOfAPauseServesTheMailThatWaited(OrderPolicy order) {
        Story story = new Story(s -> s.transport(smtp -> smtp.withRateDelay(Duration.ofHours(1))));
        mailOfX(story, 5);
        assertThat(story.removed).hasSize(1);

        story.happens(new QmgrEvent.SettingsChanged(
                new ChangedSettings(QmgrConfig.defaults(), QmgrConfig.defaults().plainRules("smtp"))));

        assertThat(story.index).isEmpty();
    }

    /// A thread of the older style starts one delivery at a time, whatever the lanes.
    @ParameterizedTest
    @EnumSource(value = OrderPolicy.class, mode = EnumSource.Mode.EXCLUDE, names = "THREADS")
    void moreLanesServeTheMailThatWaited(OrderPolicy order) {
        Story story = new Story(s -> s.also(config -> config.withPolicy(order).withDestinations(clause("lanes", 1))));
        story.withhold(QmgrOrder.Deliver.class);
        mailOfX(story, 5);
        story.queue("u@y.example");
        assertThat(story.waiting(QmgrOrder.Deliver.class)).hasSize(2);

        change(story, DestinationTable.EMPTY);

        assertThat(story.waiting(QmgrOrder.Deliver.class)).as("the initial window is five").hasSize(6);
        assertThat(story.manager.overlooked(story.now)).isEmpty();
    }
}
