package org.slipstream.testkit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The sink against the client of this module: what a script promises happens on the wire.
class SmtpSinkTest {
    private static final OutgoingMessage MESSAGE = OutgoingMessage.of("1@x", "a@x.example", "b@far.example");
    private static final SinkAction NO_SUCH_USER = SinkAction.reply("550 5.1.1 User unknown");

    private static SmtpTalker introduced(SmtpSink sink) {
        return SmtpTalker.introducedTo(sink.address());
    }

    @Test
    void aMessageIsKeptWithItsEnvelopeByteForByte() {
        byte[] odd = "Subject: x\r\n\r\n.dot\r\n..two\r\nbare\nLF\rCR\u00ff\r\n\r\n"
                .getBytes(StandardCharsets.ISO_8859_1);
        try (SmtpSink sink = SmtpSink.start(); SmtpTalker talker = introduced(sink)) {
            talker.must(250, "MAIL FROM:<a@x.example> SIZE=40 BODY=8BITMIME");
            talker.must(250, "RCPT TO:<b@far.example>");
            talker.must(250, "RCPT TO:<c@far.example> NOTIFY=NEVER");
            talker.must(354, "DATA");
            assertThat(talker.data(odd).code()).isEqualTo(250);
            assertThat(sink.messages()).singleElement().satisfies(message -> {
                assertThat(message.content()).isEqualTo(odd);
                assertThat(message.sender()).isEqualTo("a@x.example");
                assertThat(message.mailArguments()).isEqualTo("<a@x.example> SIZE=40 BODY=8BITMIME");
                assertThat(message.recipients()).containsExactly("b@far.example", "c@far.example");
                assertThat(message.connection()).isEqualTo(1);
                assertThat(message.accepted()).isTrue();
            });
            assertThat(sink.contents()).singleElement().asString().contains("\r\n..dot\r\n...two\r\n");
            assertThat(sink.commands()).contains("EHLO client.example", "RCPT TO:<c@far.example> NOTIFY=NEVER");
        }
    }

    @Test
    void aTransactionFollowsTheOrderOfTheCommands() {
        try (SmtpSink sink = SmtpSink.start(); SmtpTalker talker = introduced(sink)) {
            talker.must(503, "RCPT TO:<b@far.example>");
            talker.must(503, "DATA");
            talker.must(250, "MAIL FROM:<>");
            talker.must(503, "MAIL FROM:<>");
            talker.must(554, "DATA");
            talker.must(250, "RSET");
            talker.must(503, "RCPT TO:<b@far.example>");
            talker.must(500, "WHAT");
            talker.must(500, "LHLO x");
            talker.must(221, "QUIT");
            assertThat(talker.isClosedByServer()).isTrue();
        }
    }

    @Test
    void pipelinedCommandsAreAnsweredInOrder() {
        try (SmtpSink sink = SmtpSink.start(SinkScript.smtp().onRecipient("no*", NO_SUCH_USER));
                SmtpTalker talker = introduced(sink)) {
            assertThat(talker.pipeline("MAIL FROM:<a@x.example>", "RCPT TO:<nobody@far.example>",
                    "RCPT TO:<b@far.example>", "DATA")).extracting(reply -> reply.substring(0, 3))
                    .containsExactly("250", "550", "250", "354");
            assertThat(talker.data(MESSAGE.content()).code()).isEqualTo(250);
            assertThat(sink.messages().getFirst().recipients()).containsExactly("b@far.example");
        }
    }

    @Test
    void exceptionsApplyBySenderAndRecipientAndTheLastOneTakesPrecedence() {
        SinkScript script = SinkScript.smtp().onSender("bad@*", SinkAction.reply("550 5.7.1 Sender address rejected"))
                .onSender("", SinkAction.reply("550 5.7.1 No bounces")).onRecipient("*@far.example", NO_SUCH_USER)
                .onRecipient("FULL@*", SinkAction.reply("452-4.2.2 The mailbox\r\n452 4.2.2 is full"));
        try (SmtpSink sink = SmtpSink.start(script); SmtpTalker talker = introduced(sink)) {
            talker.must(550, "MAIL FROM:<bad@x.example>");
            talker.must(550, "MAIL FROM:<>");
            talker.must(250, "MAIL FROM:<good@x.example>");
            talker.must(550, "RCPT TO:<any@far.example>");
            assertThat(talker.must(452, "RCPT TO:<full@far.example>").lines())
                    .containsExactly("4.2.2 The mailbox", "4.2.2 is full");
            talker.must(250, "RCPT TO:<any@near.example>");
        }
    }

    @Test
    void aFunctionMayDecideAboutRecipients() {
        SinkScript script = SinkScript.smtp()
                .onRecipients(recipient -> recipient.length() > 20 ? Optional.of(NO_SUCH_USER) : Optional.empty());
        try (SmtpSink sink = SmtpSink.start(script); SmtpTalker talker = introduced(sink)) {
            talker.must(250, "MAIL FROM:<>");
            talker.must(550, "RCPT TO:<" + "x".repeat(20) + "@far.example>");
            talker.must(250, "RCPT TO:<x@far.example>");
        }
    }

    @Test
    void aChangedScriptAppliesToOpenConnections() {
        try (SmtpSink sink = SmtpSink.start(); SmtpTalker talker = introduced(sink)) {
            sink.change(script -> script.onRecipient("b@*", SinkAction.reply("451 4.2.0 Not now")));
            assertThat(talker.send(MESSAGE).code()).isEqualTo(451);
            sink.follow(SinkScript.smtp());
            assertThat(talker.send(MESSAGE).code()).isEqualTo(250);
        }
    }

    /// STARTTLS without a certificate and BDAT without CHUNKING are refused anyway, so they need a
    /// script of their own.
    @ParameterizedTest
    @EnumSource(SinkPhase.class)
    void everyPhaseCanReplyClose(SinkPhase phase) {
        SinkScript script = SinkScript.smtp().withExtensions("CHUNKING").startTls(TestCertificates.trustingAll());
        try (SmtpSink sink = SmtpSink.start(script.on(phase, SinkAction.reply("421 4.3.2 Closing").thenCloses()))) {
            try (SmtpTalker talker = SmtpTalker.to(sink.address())) {
                assertThat(reach(talker, phase)).startsWith("421 4.3.2 Closing");
                assertThat(talker.isClosedByServer()).isTrue();
            }
            sink.follow(script.on(phase, SinkAction.close()));
            try (SmtpTalker talker = SmtpTalker.to(sink.address())) {
                assertThat(reach(talker, phase)).isEmpty();
            }
            sink.follow(script.on(phase, SinkAction.reset()));
            // A reset right after the accept may come before the connect has returned.
            assertThatThrownBy(() -> {
                try (SmtpTalker talker = SmtpTalker.to(sink.address())) {
                    reach(talker, phase);
                }
            }).hasCauseInstanceOf(SocketException.class).hasMessageContaining("reset");
        }
    }

    @ParameterizedTest
    @EnumSource(SinkPhase.class)
    void everyPhaseCanStallAndHold(SinkPhase phase) throws IOException {
        SinkScript script = SinkScript.smtp().withExtensions("CHUNKING").startTls(TestCertificates.trustingAll());
        try (SmtpSink sink = SmtpSink.start(script.on(phase, SinkAction.stall()))) {
            try (SmtpTalker talker = SmtpTalker.to(sink.address())) {
                assertStalls(talker, phase);
                // The kernel connects before the sink accepts.
                Awaitility.await().untilAsserted(() -> assertThat(sink.open()).isEqualTo(1));
            }
            sink.follow(script.on(phase, SinkAction.reply("250 late").holds()));
            try (SmtpTalker talker = SmtpTalker.to(sink.address())) {
                assertStalls(talker, phase);
                talker.socket().setSoTimeout(60_000);
                sink.release();
                assertThat(talker.reply()).isEqualTo("250 late");
            }
        }
    }

    /// Goes through a session up to a phase and gives the reply to it.
    private static String reach(SmtpTalker talker, SinkPhase phase) {
        approach(talker, phase);
        return enter(talker, phase);
    }

    /// The session before a phase.
    private static void approach(SmtpTalker talker, SinkPhase phase) {
        if (phase == SinkPhase.CONNECT) {
            return;
        }
        assertThat(talker.reply()).startsWith("220 ");
        if (phase == SinkPhase.EHLO) {
            return;
        }
        talker.must(250, "EHLO client.example");
        if (Set.of(SinkPhase.STARTTLS, SinkPhase.RSET, SinkPhase.QUIT, SinkPhase.MAIL).contains(phase)) {
            return;
        }
        talker.must(250, "MAIL FROM:<>");
        if (phase == SinkPhase.RCPT) {
            return;
        }
        talker.must(250, "RCPT TO:<b@far.example>");
        if (phase == SinkPhase.FINAL_DOT) {
            talker.must(354, "DATA");
        }
    }

    private static String enter(SmtpTalker talker, SinkPhase phase) {
        talker.send(switch (phase) {
            case CONNECT -> "";
            case EHLO -> "EHLO client.example\r\n";
            case STARTTLS, RSET, QUIT, DATA -> phase.name() + "\r\n";
            case MAIL -> "MAIL FROM:<>\r\n";
            case RCPT -> "RCPT TO:<b@far.example>\r\n";
            case CHUNK -> "BDAT 3\r\nabc";
            case FINAL_DOT -> "Subject: x\r\n\r\n.\r\n";
        });
        return talker.reply();
    }

    /// The timeout is short only where the sink is silent.
    private static void assertStalls(SmtpTalker talker, SinkPhase phase) throws IOException {
        approach(talker, phase);
        talker.socket().setSoTimeout(100);
        assertThatThrownBy(() -> enter(talker, phase)).hasCauseInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void aReplyCanWaitAndDrip() {
        SinkScript script = SinkScript.smtp().on(SinkPhase.CONNECT, SinkAction.usual().waits(Duration.ofMillis(80)))
                .on(SinkPhase.RSET, SinkAction.reply("250 ok").drips(Duration.ofMillis(10)));
        try (SmtpSink sink = SmtpSink.start(script)) {
            long begin = System.nanoTime();
            try (SmtpTalker talker = SmtpTalker.to(sink.address())) {
                assertThat(talker.reply()).startsWith("220 ");
                assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(80_000_000);
                talker.must(250, "EHLO x");
                begin = System.nanoTime();
                assertThat(talker.ask("RSET")).isEqualTo("250 ok");
                assertThat(System.nanoTime() - begin).as("eight octets").isGreaterThanOrEqualTo(80_000_000);
            }
        }
    }

    @Test
    void everyReplyCanWait() {
        try (SmtpSink sink = SmtpSink.start(SinkScript.smtp().waitsBeforeReplies(Duration.ofMillis(20)))) {
            long begin = System.nanoTime();
            try (SmtpTalker talker = introduced(sink)) {
                talker.send(MESSAGE);
            }
            assertThat(System.nanoTime() - begin).as("six replies").isGreaterThanOrEqualTo(120_000_000);
        }
    }

    @Test
    void anActionCanApplyAFewTimesOverAllConnections() {
        SinkScript script = SinkScript.smtp().on(SinkPhase.FINAL_DOT, SinkAction.close().applies(2));
        try (SmtpSink sink = SmtpSink.start(script)) {
            for (int i = 0; i < 2; i++) {
                try (SmtpTalker talker = introduced(sink)) {
                    assertThatThrownBy(() -> talker.send(MESSAGE)).isInstanceOf(UncheckedIOException.class);
                }
            }
            try (SmtpTalker talker = introduced(sink)) {
                assertThat(talker.send(MESSAGE).code()).isEqualTo(250);
            }
            assertThat(sink.messages()).as("kept also where no reply was sent").extracting(ReceivedMessage::answered)
                    .containsExactly(false, false, true);
        }
    }

    @Test
    void aRefusedMessageIsKeptWithItsReply() {
        SinkScript script = SinkScript.smtp().on(SinkPhase.FINAL_DOT, SinkAction.reply("554 5.6.0 No"));
        try (SmtpSink sink = SmtpSink.start(script); SmtpTalker talker = introduced(sink)) {
            assertThat(talker.send(MESSAGE).code()).isEqualTo(554);
            assertThat(sink.messages()).singleElement().matches(m -> m.answered() && !m.accepted());
        }
    }

    @Test
    void extensionsCanBeChosenAddedAndDropped() {
        SinkScript script = SinkScript.smtp().withExtensions("CHUNKING", "LIMITS RCPTMAX=2").withoutExtension("size");
        try (SmtpSink sink = SmtpSink.start(script); SmtpTalker talker = SmtpTalker.greetedBy(sink.address())) {
            assertThat(talker.must(250, "EHLO x").lines()).containsExactly(SinkScript.HOST, "PIPELINING", "8BITMIME",
                    "ENHANCEDSTATUSCODES", "CHUNKING", "LIMITS RCPTMAX=2");
            assertThat(talker.must(250, "HELO x").lines()).containsExactly(SinkScript.HOST);
            sink.follow(SinkScript.smtp().extensions(List.of()));
            assertThat(talker.ask("EHLO x")).isEqualTo("250 " + SinkScript.HOST);
            talker.must(502, "BDAT 0 LAST");
        }
    }

    @Test
    void aLieAboutPipeliningLosesWhatWasSentAhead() throws IOException {
        try (SmtpSink sink = SmtpSink.start(SinkScript.smtp().discardsPipelinedCommands());
                SmtpTalker talker = SmtpTalker.greetedBy(sink.address())) {
            assertThat(talker.must(250, "EHLO x").lines()).contains("PIPELINING");
            talker.send("MAIL FROM:<a@x.example>\r\nRCPT TO:<b@far.example>\r\nDATA\r\n");
            assertThat(talker.reply()).startsWith("250");
            talker.socket().setSoTimeout(100);
            assertThatThrownBy(talker::reply).hasCauseInstanceOf(SocketTimeoutException.class);
            talker.socket().setSoTimeout(60_000);
            talker.must(250, "RCPT TO:<b@far.example>");
            assertThat(sink.commands()).doesNotContain("DATA");
        }
    }

    @Test
    void connectionsAboveTheLimitReceive421() {
        try (SmtpSink sink = SmtpSink.start(SinkScript.smtp().connectionLimit(1))) {
            try (SmtpTalker first = introduced(sink); SmtpTalker second = SmtpTalker.to(sink.address())) {
                assertThat(second.reply()).isEqualTo("421 4.7.0 Too many connections");
                assertThat(second.isClosedByServer()).isTrue();
                first.must(221, "QUIT");
            }
            sink.awaitIdle();
            introduced(sink).close();
        }
    }

    @Test
    void chunksMakeAMessageAndARefusedOneLeavesTheTransactionOpen() {
        try (SmtpSink sink = SmtpSink
                .start(SinkScript.smtp().withExtensions("CHUNKING").onRecipient("no*", NO_SUCH_USER));
                SmtpTalker talker = introduced(sink)) {
            talker.must(250, "MAIL FROM:<a@x.example>");
            talker.must(250, "RCPT TO:<b@far.example>");
            talker.send("BDAT 5\r\n.\r\n.\n");
            assertThat(talker.reply()).isEqualTo("250 2.0.0 5 octets");
            talker.send("BDAT 2 LAST\r\nok");
            assertThat(talker.reply()).startsWith("250");
            assertThat(sink.messages().getFirst().text()).isEqualTo(".\r\n.\nok");

            talker.must(250, "MAIL FROM:<a@x.example>");
            talker.must(550, "RCPT TO:<nobody@far.example>");
            talker.send("BDAT 2 LAST\r\nok");
            assertThat(talker.reply()).startsWith("554");
            talker.must(503, "MAIL FROM:<other@x.example>");
            assertThat(sink.messages()).hasSize(1);
        }
    }

    @Test
    void startTlsShowsAValidOrAnExpiredCertificate() throws IOException {
        SSLContext valid = TestCertificates.of("mx.test");
        try (SmtpSink sink = SmtpSink.start(SinkScript.smtp().startTls(valid)); SmtpTalker talker = introduced(sink)) {
            assertThatCode(() -> talker.startTls().checkValidity()).doesNotThrowAnyException();
            assertThat(talker.must(250, "EHLO x").lines()).as("announced once").doesNotContain("STARTTLS");
            assertThat(talker.send(MESSAGE).code()).isEqualTo(250);
        }
        SSLContext expired = TestCertificates.expired("mx.test");
        try (SmtpSink sink = SmtpSink.start(SinkScript.smtp().startTls(expired))) {
            try (SmtpTalker talker = introduced(sink)) {
                assertThat(talker.startTls().getNotAfter()).isInThePast();
            }
            try (SmtpTalker talker = introduced(sink)) {
                talker.must(220, "STARTTLS");
                // Verified by a client that trusts another pair only.
                SSLSocket strict = (SSLSocket) valid.getSocketFactory().createSocket(talker.socket(), "mx.test", 0,
                        true);
                assertThatThrownBy(strict::startHandshake).isInstanceOf(SSLHandshakeException.class);
            }
        }
    }

    @Test
    void aConnectionCanBreakAfterAnyOctet() {
        int session = "EHLO client.example\r\nMAIL FROM:<>\r\n".length();
        try (SmtpSink sink = SmtpSink.start(
                number -> number == 1 ? SinkScript.smtp().closesAfterReading(session - 1) : SinkScript.smtp())) {
            try (SmtpTalker talker = introduced(sink)) {
                assertThat(talker.ask("MAIL FROM:<>")).isEmpty();
                assertThat(sink.commands()).containsExactly("EHLO client.example");
            }
            try (SmtpTalker talker = introduced(sink)) {
                talker.must(250, "MAIL FROM:<>");
            }
            sink.follow(SinkScript.smtp().closesAfterWriting("220 ".length()));
            try (SmtpTalker talker = SmtpTalker.to(sink.address())) {
                assertThatThrownBy(talker::reply).isInstanceOf(AssertionError.class).hasMessageEndingWith("220 ");
            }
        }
    }

    @Test
    void lmtpRepliesOncePerRecipientAndCanRefuseOne() {
        SinkScript script = SinkScript.lmtp().on(SinkPhase.FINAL_DOT, "full@*", SinkAction.reply("452 4.2.2 Full"));
        try (SmtpSink sink = SmtpSink.start(script); SmtpTalker talker = SmtpTalker.greetedBy(sink.address())) {
            talker.must(500, "EHLO x");
            talker.must(250, "LHLO x");
            assertThat(talker.send(new OutgoingMessage("a@x.example", List.of("full@far.example", "b@far.example"),
                    MESSAGE.content())).code()).isEqualTo(452);
            assertThat(talker.reply()).startsWith("250");
            assertThat(sink.messages()).hasSize(1);
        }
    }

    @Test
    void aMessageThatBreaksOffIsNotKept() {
        try (SmtpSink sink = SmtpSink.start()) {
            introduced(sink).closeInTheMiddleOf(MESSAGE);
            sink.awaitIdle();
            assertThat(sink.connections()).isEqualTo(1);
            assertThat(sink.messages()).isEmpty();
        }
    }

    @Test
    void aSinkThatOnlyCountsKeepsNothing() {
        try (SmtpSink sink = SmtpSink.start(SinkScript.smtp().countsOnly()); SmtpTalker talker = introduced(sink)) {
            talker.send(MESSAGE);
            assertThat(sink.count()).isEqualTo(1);
            assertThat(sink.messages()).isEmpty();
            assertThat(sink.commands()).isEmpty();
        }
    }

    @Test
    void aStoppedSinkKeepsItsPortAndComesBackOnIt() throws IOException {
        try (SmtpSink sink = SmtpSink.start()) {
            SmtpTalker before = introduced(sink);
            sink.stop();
            assertThat(before.isClosedByServer()).isTrue();
            assertThatThrownBy(() -> SmtpTalker.to(sink.address())).isInstanceOf(UncheckedIOException.class);
            try (ServerSocket other = new ServerSocket()) {
                other.setReuseAddress(false);
                assertThatThrownBy(() -> other.bind(sink.address())).isInstanceOf(BindException.class);
            }
            sink.stop();
            sink.startAgain();
            introduced(sink).close();
            assertThat(sink.connections()).isEqualTo(2);
        }
    }

    @Test
    void aSinkCanListenOnAUnixDomainSocket(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("lmtp");
        try (SmtpSink sink = SmtpSink.on(path, SinkScript.lmtp());
                SocketChannel client = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            client.connect(UnixDomainSocketAddress.of(path));
            ByteBuffer greeting = ByteBuffer.allocate(100);
            client.read(greeting);
            assertThat(new String(greeting.array(), StandardCharsets.US_ASCII)).startsWith("220 sink.example LMTP\r\n");
            assertThat(sink.isLmtp()).isTrue();
        }
    }
}
