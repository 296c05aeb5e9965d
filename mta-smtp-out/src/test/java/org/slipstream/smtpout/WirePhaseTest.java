package org.slipstream.smtpout;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.Transcript;

import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.smtpout.Post.transfer;

/// The phases that a connection reports.
class WirePhaseTest {
    private final EventLog events = new EventLog();
    private final Carriers carriers = Post.carriers(Post.patient(), events);

    @AfterEach
    void stop() {
        carriers.close();
    }

    private WirePhase comesTo(Code code) {
        Awaitility.await().atMost(Duration.ofSeconds(90))
                .until(() -> carriers.phase(1).filter(phase -> phase.code() == code).isPresent());
        return carriers.phase(1).orElseThrow();
    }

    @Test
    void aPeerThatSaysNothingIsWaitedForAndTheWaitHasAnEnd() {
        try (var server = SmtpSink.following("STALL\n")) {
            carriers.open(1, Post.route(server), false);
            WirePhase phase = comesTo(Code.GREETING);
            assertThat(phase.text()).isEqualTo("waits for the greeting of 127.0.0.1[127.0.0.1]:" + server.port());
            assertThat(phase.timeoutMillis()).isEqualTo(Post.patient().settings().greetingTimeout().toMillis());
            assertThat(System.nanoTime() - phase.sinceNanos()).isNotNegative();
        }
    }

    @Test
    void theDeliveryWhoseReplyIsAwaitedIsNamedAndAnIdleConnectionDoesNothing() {
        try (var server = SmtpSink.following(Transcript.HELLO + """
                C MAIL FROM:<me@here.example>
                C RCPT TO:<you@there.example>
                C DATA
                S 250 ok
                GATE
                S 250 ok
                S 354 go
                DATA
                S 250 taken
                """ + Transcript.BYE)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> carriers.phase(1).isEmpty());
            Post.deliver(carriers, 1, transfer(7));
            WirePhase phase = comesTo(Code.RCPT);
            assertThat(phase.delivery()).isEqualTo(7);
            assertThat(phase.text()).startsWith("waits for the reply to RCPT of 127.0.0.1");
            server.release();
            events.answered(7);
            Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> carriers.phase(1).isEmpty());
            carriers.close(1);
        }
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> carriers.phase(2).isEmpty());
    }
}
