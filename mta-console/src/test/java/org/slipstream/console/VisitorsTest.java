package org.slipstream.console;

import org.junit.jupiter.api.Test;
import org.slipstream.admin.ApiCaller;
import org.slipstream.core.order.Right;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

class VisitorsTest {
    private final AtomicLong clock = new AtomicLong(1_000_000);
    private final Visitors visitors = new Visitors(clock::get);
    private final ApiCaller ann = new ApiCaller("ann", Right.READ, true);

    @Test
    void aLinkWorksForTwoMinutes() {
        String early = visitors.link(Right.READ, "root");
        String late = visitors.link(Right.READ, "root");

        clock.addAndGet(Visitors.LINK_MILLIS);
        assertThat(visitors.use(early)).contains(new ApiCaller("root", Right.READ, true));
        clock.addAndGet(1);
        assertThat(visitors.use(late)).isEmpty();
    }

    @Test
    void aSessionEndsWhenItIsIdleAndAfterAWeek() {
        String idle = visitors.enter(ann);
        String used = visitors.enter(ann);

        for (long passed = 0; passed < Visitors.SESSION_MILLIS; passed += Visitors.IDLE_MILLIS) {
            assertThat(visitors.find(used)).as("after %s", passed).isPresent();
            clock.addAndGet(Visitors.IDLE_MILLIS);
        }
        assertThat(visitors.find(idle)).isEmpty();
        clock.addAndGet(Visitors.IDLE_MILLIS);
        assertThat(visitors.find(used)).isEmpty();
    }

    @Test
    void sessionsAndLinksHaveABoundAndTheOldestGoes() {
        List<String> sessions = new ArrayList<>();
        for (int i = 0; i <= Visitors.MOST_SESSIONS; i++) {
            sessions.add(visitors.enter(ann));
        }
        assertThat(visitors.find(sessions.getFirst())).isEmpty();
        assertThat(visitors.find(sessions.get(1))).isPresent();
        assertThat(visitors.find(sessions.getLast())).isPresent();

        List<String> links = new ArrayList<>();
        for (int i = 0; i <= Visitors.MOST_LINKS; i++) {
            links.add(visitors.link(Right.READ, "root"));
        }
        assertThat(visitors.use(links.getFirst())).isEmpty();
        assertThat(visitors.use(links.getLast())).isPresent();
    }
}
