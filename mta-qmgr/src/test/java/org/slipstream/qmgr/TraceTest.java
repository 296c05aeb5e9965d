package org.slipstream.qmgr;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Entry;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// An observer sees decisions and feedback.
class TraceTest {
    @Test
    @Tag("PF-10")
    void theLifeOfADestinationThatIsDownIsTracedFromItsFirstMailToItsRemoval() {
        List<String> heard = new ArrayList<>();
        Story story = new Story(s -> s, new QmgrTrace() {
            @Override
            public void feedback(DestinationQueue line, FeedbackEvent event, int running,
                    Destination.FlowFigures figures) {
                heard.add(event + " " + figures.window());
            }

            @Override
            public void deferredWithoutAttempt(QueueId id, DestinationQueue line, List<Recipient> recipients) {
                heard.add("deferred " + id.value());
            }

            @Override
            public void selected(Entry entry) {
                heard.add("selected " + entry.message().id().value());
            }
        });
        story.down.put("down.example", Story.REFUSED);
        story.withhold(QmgrOrder.Open.class);
        IntStream.range(0, 6).forEach(i -> story.queue("u" + i + "@down.example"));
        story.down.clear();
        story.down.put("down.example", Story.REFUSED);
        story.withhold(QmgrOrder.Scan.class);
        story.answerAll(QmgrOrder.Open.class);
        story.until(300_000);

        assertThat(heard).containsExactly("NEW 5", "selected 1", "selected 2", "selected 3", "selected 4", "selected 5",
                "FAIL 4", "FAIL 3", "FAIL 2", "FAIL_DEAD 0", "deferred 6", "TIMER_REVIVE_FORGET 5");
    }
}
