package org.slipstream.smtpout;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Outcome;
import org.slipstream.testkit.SubethaSink;
import org.slipstream.testkit.TestCertificates;

import java.nio.charset.StandardCharsets;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// Delivery to SubEthaSMTP, an independent implementation: our client and our sink cannot share the
/// same mistake here.
class IndependentServerTest {
    private static final String TEXT = "Subject: hello\r\n\r\n.one dot\r\n..two\r\n" + "x".repeat(900) + "\r\n";

    private final EventLog events = new EventLog();
    private final Carriers carriers = Post.carriers(Post.patient(), events);

    @AfterEach
    void stop() {
        carriers.close();
    }

    private void deliversTo(SubethaSink sink) {
        carriers.open(1, new Route.Smtp("[127.0.0.1]", List.of(new Route.Host("127.0.0.1", sink.port(), 0))), false);
        events.ready();
        for (int i = 1; i <= 3; i++) {
            Post.deliver(carriers, 1, Post.transfer(i, Post.content(TEXT), "a@there.example", "b@there.example"));
            assertThat(events.answered(i).outcomes()).hasSize(2)
                    .allMatch(outcome -> outcome.outcome() instanceof Outcome.Delivered);
        }
        assertThat(sink.messages()).hasSize(3).allSatisfy(message -> {
            assertThat(message.sender()).isEqualTo("me@here.example");
            assertThat(message.recipients()).containsExactly("a@there.example", "b@there.example");
            assertThat(new String(message.content(), StandardCharsets.ISO_8859_1)).isEqualTo(TEXT);
        });
    }

    @Test
    void threeMessagesOnOneConnectionArriveByteForByte() {
        try (SubethaSink sink = SubethaSink.start()) {
            deliversTo(sink);
        }
    }

    @Test
    void andUnderTls() {
        try (SubethaSink sink = SubethaSink.start(TestCertificates.of("subetha.example"))) {
            deliversTo(sink);
        }
    }
}
