package org.slipstream.qmgr;

import org.junit.jupiter.api.Test;
import org.slipstream.core.HostKey;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.Candidate;
import org.slipstream.qmgr.place.HostKeys;

import java.util.List;
import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;

/// An operator changes what is known of a host between two events. Mail that was refused because of
/// that host is asked again at once.
class ForgottenHostTest {
    private static final Route.Host FAILED = new Route.Host("mx1.example", 25, 10);
    private static final Route.Host AT_ITS_LIMIT = new Route.Host("mx2.example", 25, 10);
    private static final HostKey FAILED_KEY = HostKeys.BY_NAME.of(new Route.Smtp("x.example", List.of(FAILED)),
            FAILED);

    @Test
    void mailForAHostWhoseFailureIsForgottenGoesThereAtOnce() {
        Story story = new Story(s -> s.lanes(1, 100));
        story.routes.put("x.example", new Route.Smtp("x.example", List.of(FAILED, AT_ITS_LIMIT)));
        story.routes.put("y.example", new Route.Smtp("y.example", List.of(AT_ITS_LIMIT)));
        story.seating.hosts().broken(new Candidate(FAILED_KEY, "mx1.example", story.routes.get("x.example")),
                Story.REFUSED, OptionalLong.empty(), story.now);
        story.withhold(QmgrOrder.Deliver.class);
        story.queue("u@y.example");
        QueueId waits = story.queue("u@x.example");
        story.after(1_000);
        assertThat(story.deliveries()).containsExactly("1>y.example");
        assertThat(story.why(waits)).contains("no host takes more connections");

        story.seating.hosts().forget(FAILED_KEY);
        story.after(1);

        assertThat(story.deliveries()).containsExactly("1>y.example", "2>x.example");
    }
}
