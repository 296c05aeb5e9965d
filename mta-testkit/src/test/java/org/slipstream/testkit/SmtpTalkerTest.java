package org.slipstream.testkit;

import org.junit.jupiter.api.Test;

import java.io.EOFException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The client, where it must notice the faults of a server; every test of the sink covers the rest.
class SmtpTalkerTest {
    @Test
    void aReplyMustEndInCrlf() {
        try (SmtpSink sink = SmtpSink.start(Transcript.of("RAW 220 x\nDROP\n"));
                SmtpTalker talker = SmtpTalker.to(sink.address())) {
            assertThatThrownBy(talker::reply).isInstanceOf(AssertionError.class)
                    .hasMessageContaining("the connection ends in a reply line");
        }
    }

    @Test
    void theWrongCodeOrTheWrongGreetingFails() {
        try (SmtpSink sink = SmtpSink.start(Transcript.of("S 421 away\n"),
                Transcript.of("S 220 x\nC NOOP\nS 250-a\nS 250 b\n"))) {
            assertThatThrownBy(() -> SmtpTalker.greetedBy(sink.address())).isInstanceOf(AssertionError.class)
                    .hasMessageContaining("421 away");
            try (SmtpTalker talker = SmtpTalker.greetedBy(sink.address())) {
                assertThatThrownBy(() -> talker.must(354, "NOOP")).isInstanceOf(AssertionError.class)
                        .hasMessageContaining("expected 354, received: 250 a\nb");
            }
        }
    }

    @Test
    void aClosedConnectionIsEmptyTextOrAnException() {
        try (SmtpSink sink = SmtpSink.start(Transcript.of("S 220 x\nC NOOP\n"))) {
            try (SmtpTalker talker = SmtpTalker.greetedBy(sink.address())) {
                assertThat(talker.ask("NOOP")).isEmpty();
            }
            try (SmtpTalker talker = SmtpTalker.greetedBy(sink.address())) {
                assertThatThrownBy(() -> talker.say("NOOP")).isInstanceOf(UncheckedIOException.class)
                        .hasCauseInstanceOf(EOFException.class);
                assertThat(talker.replyOrNothing()).isEmpty();
            }
        }
    }

    @Test
    void aClientMayHaveAnotherAddress() {
        try (SmtpSink sink = SmtpSink.start();
                SmtpTalker talker = SmtpTalker.to(sink.address(), InetAddress.ofLiteral("127.0.0.9"))) {
            assertThat(talker.reply()).startsWith("220 ");
            assertThat(sink.clients()).containsExactly("127.0.0.9");
        }
    }

    @Test
    void aFarServerAnswersARoundTripLater() {
        try (SmtpSink sink = SmtpSink.start();
                LatencyProxy far = new LatencyProxy(sink.port(), Duration.ofMillis(60));
                SmtpTalker talker = SmtpTalker.introducedTo(new java.net.InetSocketAddress("127.0.0.1", far.port()))) {
            long begin = System.nanoTime();
            talker.pipeline("NOOP", "NOOP", "NOOP");
            assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(60_000_000);
        }
    }

    @Test
    void anUnusedPortRefuses() {
        try (UnusedPort port = new UnusedPort()) {
            var address = new java.net.InetSocketAddress("127.0.0.1", port.port());
            assertThatThrownBy(() -> SmtpTalker.to(address)).hasMessageContaining("refused");
        }
    }

    @Test
    void anIndependentServerUnderstandsTheClient() {
        byte[] content = "Subject: x\r\n\r\n.dot\r\n".getBytes(StandardCharsets.US_ASCII);
        try (SubethaSink sink = SubethaSink.start(TestCertificates.of("subetha.example"));
                SmtpTalker talker = SmtpTalker.introducedTo(sink.address())) {
            talker.startTls();
            talker.must(250, "EHLO client.example");
            talker.must(250, "MAIL FROM:<a@x.example>");
            talker.must(250, "RCPT TO:<b@far.example>");
            talker.must(354, "DATA");
            assertThat(talker.data(content).code()).isEqualTo(250);
            assertThat(sink.messages()).singleElement().satisfies(mail -> {
                assertThat(mail.sender()).isEqualTo("a@x.example");
                assertThat(mail.recipients()).containsExactly("b@far.example");
                assertThat(mail.content()).isEqualTo(content);
            });
        }
    }
}
