package org.slipstream.testkit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import javax.net.ssl.SSLContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// A sink that follows a transcript, and the differences that it must notice.
class TranscriptTest {
    private static void transaction(SmtpTalker talker) {
        assertThat(talker.pipeline("MAIL FROM:<a@x.example>", "RCPT TO:<b@far.example>", "DATA"))
                .containsExactly("250 2.1.0 sender ok", "250 2.1.5 recipient ok", "354 go");
        assertThat(talker.ask("Subject: x\r\n\r\n..dot\r\n.")).isEqualTo("250 2.0.0 taken");
    }

    @Test
    void aDialogueIsFollowedLineByLine() {
        try (SmtpSink sink = SmtpSink.start(Transcript.of(Transcript.HELLO + Transcript.TAKE + Transcript.BYE))) {
            try (SmtpTalker talker = SmtpTalker.greetedBy(sink.address())) {
                talker.must(250, "EHLO me.example");
                transaction(talker);
                talker.must(221, "QUIT");
            }
            sink.awaitIdle();
            assertThat(sink.contents()).containsExactly("Subject: x\r\n\r\n..dot\r\n");
            assertThat(sink.commands()).startsWith("EHLO me.example").endsWith("QUIT");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"EHLO you.example\r\n", "EHLO me.example\r\nNOOP\r\n", "QUIT\r\n", "EHLO me.exam\nple\r\n",
            "EHLO me.example\r\nQUIT\r\nmore"})
    void aDifferenceFailsTheTest(String sent) {
        SmtpSink sink = SmtpSink.start(Transcript.of(Transcript.HELLO + Transcript.BYE));
        try (SmtpTalker talker = SmtpTalker.greetedBy(sink.address())) {
            talker.send(sent);
            assertThat(talker.isClosedByServerInTheEnd()).isTrue();
        }
        sink.awaitIdle();
        assertThatThrownBy(sink::close).isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("the client did not follow the transcript");
    }

    @Test
    void aClientThatLeavesEarlyFailsTheTest() {
        SmtpSink sink = SmtpSink.start(Transcript.of(Transcript.HELLO + Transcript.BYE));
        SmtpTalker.greetedBy(sink.address()).close();
        sink.awaitIdle();
        assertThatThrownBy(sink::close).isInstanceOf(AssertionError.class);
    }

    @Test
    void eachConnectionHasItsTranscriptAndTheLastOneIsRepeated() {
        try (SmtpSink sink = SmtpSink.start(Transcript.of("S 220 one\n"), Transcript.of("S 421 two\n"))) {
            for (String greeting : new String[]{"220 one", "421 two", "421 two"}) {
                try (SmtpTalker talker = SmtpTalker.to(sink.address())) {
                    assertThat(talker.reply()).isEqualTo(greeting);
                    assertThat(talker.isClosedByServer()).isTrue();
                }
            }
            assertThat(sink.connections()).isEqualTo(3);
            assertThat(sink.clients()).containsOnly("127.0.0.1");
        }
    }

    @Test
    void chunksAndTornContentAreChecked() {
        try (SmtpSink sink = SmtpSink.start(Transcript.of("S 220 x\nCHUNK\nS 250 ok\nCHUNK LAST\nS 250 ok\nTORN\n"))) {
            try (SmtpTalker talker = SmtpTalker.greetedBy(sink.address())) {
                talker.send("BDAT 2\r\nab");
                assertThat(talker.reply()).isEqualTo("250 ok");
                talker.send("BDAT 1 LAST\r\nc");
                assertThat(talker.reply()).isEqualTo("250 ok");
                talker.send("half a line");
            }
            sink.awaitIdle();
            assertThat(sink.contents()).containsExactly("ab", "c");
        }
        SmtpSink whole = SmtpSink.start(Transcript.of("S 220 x\nTORN\n"));
        try (SmtpTalker talker = SmtpTalker.greetedBy(whole.address())) {
            talker.send("text\r\n.\r\n");
        }
        whole.awaitIdle();
        assertThatThrownBy(whole::close).isInstanceOf(AssertionError.class);
    }

    @Test
    void gateStallDropAndCutDoWhatTheySay() {
        try (SmtpSink sink = SmtpSink.start(Transcript.of("GATE\nS 220 x\nCUT\n"), Transcript.of("RAW 22\nDROP\n"),
                Transcript.of("STALL\n"))) {
            try (SmtpTalker gated = SmtpTalker.to(sink.address())) {
                sink.release();
                assertThat(gated.reply()).isEqualTo("220 x");
                assertThatThrownBy(gated::reply).hasMessageContaining("reset");
            }
            try (SmtpTalker dropped = SmtpTalker.to(sink.address())) {
                assertThatThrownBy(dropped::reply).isInstanceOf(AssertionError.class).hasMessageEndingWith("22");
            }
            try (SmtpTalker stalled = SmtpTalker.to(sink.address())) {
                sink.stop();
                assertThat(stalled.isClosedByServer()).isTrue();
            }
        }
    }

    @Test
    void tlsIsServedAndARefusalOfItExpected() {
        SSLContext context = TestCertificates.of("mx.test");
        try (SmtpSink sink = SmtpSink.start(Transcript.of("S 220 x\nC STARTTLS\nS 220 go\nTLS\nC NOOP\nS 250 ok\n")
                .withTls(context))) {
            try (SmtpTalker talker = SmtpTalker.greetedBy(sink.address())) {
                assertThat(talker.startTls().getSubjectX500Principal().getName()).isEqualTo("CN=mx.test");
                talker.must(250, "NOOP");
            }
            sink.awaitIdle();
        }
        SmtpSink sink = SmtpSink.start(Transcript.of("NOTLS\n").withTls(context));
        try (SmtpTalker talker = SmtpTalker.to(sink.address())) {
            talker.handshake();
            talker.send("x");
            assertThat(talker.isClosedByServer()).isTrue();
        }
        sink.awaitIdle();
        assertThatThrownBy(sink::close).hasRootCauseMessage("the client continues under TLS");
    }
}
