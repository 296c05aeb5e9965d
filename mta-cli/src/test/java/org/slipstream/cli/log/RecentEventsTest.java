package org.slipstream.cli.log;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.admin.operations.ServerLog.ServerEvent;

import static org.assertj.core.api.Assertions.assertThat;

class RecentEventsTest {
    private final LoggerContext context = new LoggerContext();
    private final RecentEvents recent = new RecentEvents();
    private final Logger log = context.getLogger("org.slipstream.x.Carrier");

    @BeforeEach
    void start() {
        recent.setContext(context);
        recent.start();
        log.addAppender(recent);
    }

    @AfterEach
    void stop() {
        context.stop();
    }

    @Test
    void anOrderIsKeptWithItsAuthorAndTheLatestIsFirst() {
        log.info("event=server-started version={}", "1");
        log.info("event=operator-request author=\"{}\" method={}", "ann", "POST");

        assertThat(recent.events()).extracting(ServerEvent::event).containsExactly("operator-request",
                "server-started");
        assertThat(recent.events().getFirst().text()).isEqualTo("author=\"ann\" method=POST");
        assertThat(recent.events().getFirst().level()).isEqualTo("info");
    }

    @Test
    void aLineAboutOneMessageIsKeptOnlyWhenItIsAWarning() {
        log.info("event=delivery queue={} result=sent", "1m7");
        log.debug("event=client-gone");
        log.warn("event=delivery-lost queue={}", "1m8");

        assertThat(recent.events()).extracting(ServerEvent::event).containsExactly("delivery-lost");
    }

    @Test
    void strangersWhoCauseWarningsDoNotPushOrdersOut() {
        log.info("event=operator-request author=\"ann\"");
        for (int i = 0; i < 10 * RecentEvents.MOST_LINES; i++) {
            log.warn("event=login-refused number={}", i);
        }

        assertThat(recent.events()).hasSize(RecentEvents.MOST_LINES + 1);
        assertThat(recent.events().getFirst().text()).isEqualTo("number=" + (10 * RecentEvents.MOST_LINES - 1));
        assertThat(recent.events().getLast().event()).isEqualTo("operator-request");
    }

    @Test
    void aLineHasABoundAndNoLineEnds() {
        log.warn("event=odd reason=\"{}\"", "a\r\nb" + "x".repeat(10_000));

        assertThat(recent.events().getFirst().text()).hasSize(RecentEvents.LONGEST).startsWith("reason=\"a b");
    }

    @Test
    void aLineWithoutANameIsKeptAsItIs() {
        log.error("no form at all");

        assertThat(recent.events()).containsExactly(
                new ServerEvent(recent.events().getFirst().at(), "error", "", "no form at all"));
    }
}
