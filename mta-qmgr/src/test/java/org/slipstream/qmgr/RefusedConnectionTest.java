package org.slipstream.qmgr;

import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.PlaceRules;

import static org.assertj.core.api.Assertions.assertThat;

/// A host that works refuses one connection more. The mail waits for the connection that is up, and
/// its explanation has the host's reply.
class RefusedConnectionTest {
    private static final String REFUSAL = "mx.x.example refuses more connections: 421 4.7.0 too many connections";

    @Test
    void mailWaitsForTheConnectionThatIsUpAndTheReasonHasTheReplyOfTheHost() {
        Story story = new Story(s -> s.lanes(5, 100));
        story.seating.change(_ -> PlaceRules.defaults().with(PlaceRules.Depth.ONE));
        story.withhold(QmgrOrder.Deliver.class);
        story.queue("a@x.example");
        story.down.put("x.example", Reply.of(421, "4.7.0", "too many connections"));
        QueueId refused = story.queue("b@x.example");
        QueueId behind = story.queue("c@x.example");
        assertThat(story.deliveries()).containsExactly("1>x.example");
        assertThat(story.why(refused))
                .isEqualTo("waits for one of the connections to smtp/x.example (" + REFUSAL + ")");
        assertThat(story.why(behind)).contains("1 of 1 at work", REFUSAL);

        story.answerAll(QmgrOrder.Deliver.class);
        assertThat(story.removed.keySet()).contains(refused, behind);
        assertThat(story.ordered(QmgrOrder.Defer.class)).isEmpty();
    }
}
