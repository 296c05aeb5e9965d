package org.slipstream.qmgr;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.event.QmgrOrder.Result;
import org.slipstream.qmgr.settings.ChangedSettings;
import org.slipstream.qmgr.settings.QmgrConfig;

import static org.assertj.core.api.Assertions.assertThat;

/// Limits that an operator sets while the queue manager runs.
class OrderedLimitsTest {
    private static final long HOUR = 3_600_000;

    private static OperatorCommand limit(String key, String value, long untilMillis) {
        return new OperatorCommand.Begin(LimitOrder.parse(key, value, "they asked for it", "ann", 0, untilMillis));
    }

    private static OperatorCommand noLimit(String key) {
        return new OperatorCommand.End(LimitOrder.KIND, key);
    }

    /// Ten messages for far.example whose deliveries are not answered.
    private static Story busy() {
        Story story = new Story();
        story.withhold(QmgrOrder.Deliver.class);
        return story;
    }

    private static void queue(Story story, int messages) {
        for (int i = 0; i < messages; i++) {
            story.queue("a" + i + "@far.example");
        }
    }

    private static int underWay(Story story) {
        return story.waiting(QmgrOrder.Deliver.class).size();
    }

    @ParameterizedTest
    @ValueSource(strings = {"window:far.example", "server", "transport:smtp"})
    void aLimitHoldsAtOnceAndEndsWithItsOrder(String key) {
        Story story = busy();
        assertThat(story.results.get(story.command(limit(key, "2", Long.MAX_VALUE)))).isEqualTo(Result.FILED);
        queue(story, 10);
        assertThat(underWay(story)).isEqualTo(2);
        assertThat(story.manager.queries().limits()).extracting(LimitOrder::name).containsExactly(key);

        assertThat(story.results.get(story.command(noLimit(key)))).isEqualTo(Result.BEGUN);
        assertThat(underWay(story)).as("the window of the settings").isEqualTo(5);
        assertThat(story.results.get(story.command(noLimit(key)))).isEqualTo(Result.UNCHANGED);
    }

    @Test
    void aLimitEndsAtItsTimeWithoutAnEvent() {
        Story story = busy();
        story.command(limit("window:far.example", "1", HOUR));
        queue(story, 10);
        assertThat(underWay(story)).isEqualTo(1);
        story.until(HOUR);
        assertThat(underWay(story)).isEqualTo(5);
        assertThat(story.manager.queries().limits()).isEmpty();
    }

    @Test
    void aRateIsSetForARunningDestination() {
        Story story = new Story();
        story.command(limit("rate:far.example", "2/1h", Long.MAX_VALUE));
        queue(story, 10);
        assertThat(story.removed).hasSize(2);
        story.until(HOUR + 1_000);
        assertThat(story.removed).hasSizeGreaterThan(2);
    }

    @Test
    void anExplanationNamesTheOrderBehindALimit() {
        Story story = busy();
        story.command(limit("window:far.example", "1", HOUR));
        queue(story, 2);
        QueueId second = new QueueId(2);
        assertThat(story.manager.queries().gates(second, 0)).filteredOn(gate -> gate.phase().code() == Code.WINDOW)
                .singleElement().satisfies(gate -> assertThat(gate.phase().text()).isEqualTo("waits for a connection to"
                        + " smtp/far.example: 1 of 1 at work (limit set to 1 by ann until 1970-01-01T01:00:00Z:"
                        + " they asked for it)"));
        assertThat(story.manager.queries().about(second, 0).orElseThrow().phase().text())
                .contains("(limit set to 1 by ann until 1970-01-01T01:00:00Z: they asked for it)");
    }

    @Test
    void otherSettingsLeaveAnOrderInForce() {
        Story story = busy();
        story.command(limit("window:far.example", "2", Long.MAX_VALUE));
        QmgrConfig config = QmgrConfig.defaults();
        story.happens(new QmgrEvent.SettingsChanged(new ChangedSettings(config, config.plainRules("smtp"))));
        queue(story, 10);
        assertThat(underWay(story)).isEqualTo(2);
    }
}
