package org.slipstream.qmgr;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.flow.FeedbackVariant;
import org.slipstream.qmgr.sched.OrderPolicy;
import org.slipstream.qmgr.settings.TransportTable;

import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// The older queue manager, selected by settings, in an otherwise identical simulation.
class OldManagerTest {
    private static Story story(OrderPolicy policy, FeedbackVariant feedback) {
        return new Story(s -> s.lanes(1, 1).recipients(1, 1_000).also(config -> config.withPolicy(policy)
                .withFeedback(feedback).withTransports(TransportTable.of(config.transports().common()
                        .withRecipientsPerDelivery(2)))));
    }

    /// Deliveries of a mailing before a single message to the same domain that arrives when ten are
    /// done.
    private static int deliveriesBefore(Story story) {
        story.withhold(QmgrOrder.Deliver.class);
        QueueId mailing = story
                .queue(IntStream.range(0, 200).mapToObj(i -> "r" + i + "@big.example").toArray(String[]::new));
        IntStream.range(0, 10).forEach(_ -> story.answerNext(QmgrOrder.Deliver.class));
        QueueId message = story.queue("one@big.example");
        story.answerAll(QmgrOrder.Deliver.class);
        assertThat(story.removed).containsKeys(mailing, message);
        return story.deliveries().indexOf(message.value() + ">big.example") - 10;
    }

    @Test
    @Tag("PF-73")
    void theSameLoadInBothModes() {
        assertThat(deliveriesBefore(story(OrderPolicy.ROUND_ROBIN, FeedbackVariant.PLUS_MINUS_ONE))).isEqualTo(90);
        assertThat(deliveriesBefore(story(OrderPolicy.PREEMPTIVE, FeedbackVariant.PSEUDOCODE))).isLessThanOrEqualTo(1);
    }

    @Test
    @Tag("PF-74")
    void fiveFailuresInARowAreTheEndOfAFreshDestination() {
        Story story = new Story(s -> s.also(config -> config.withFeedback(FeedbackVariant.PLUS_MINUS_ONE)
                .withPolicy(OrderPolicy.ROUND_ROBIN)));
        story.down.put("down.example", Story.REFUSED);
        story.withhold(QmgrOrder.Open.class);
        IntStream.range(0, 50).forEach(i -> story.queue("u" + i + "@down.example"));
        assertThat(story.waiting(QmgrOrder.Open.class)).hasSize(5);
        IntStream.range(0, 4).forEach(_ -> story.answerNext(QmgrOrder.Open.class));
        assertThat(story.ordered(QmgrOrder.Defer.class)).hasSize(4);
        story.answerNext(QmgrOrder.Open.class);
        assertThat(story.ordered(QmgrOrder.Defer.class)).as("45 of them without a try").hasSize(50);
        assertThat(story.ordered(QmgrOrder.Open.class)).hasSize(5);
    }
}
