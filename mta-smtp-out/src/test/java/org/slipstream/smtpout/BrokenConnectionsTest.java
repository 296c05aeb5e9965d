package org.slipstream.smtpout;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.Content;
import org.slipstream.core.DataSize;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.DeliveryResult.Answered;
import org.slipstream.core.queue.DeliveryResult.OwnFailure;
import org.slipstream.core.queue.DeliveryResult.Unanswered;
import org.slipstream.core.queue.Outcome;
import org.slipstream.smtpout.EventLog.Badly;
import org.slipstream.smtpout.EventLog.Depth;
import org.slipstream.smtpout.EventLog.Lost;
import org.slipstream.smtpout.dialog.ReplyParser;
import org.slipstream.smtpout.host.HostFinder;
import org.slipstream.smtpout.wire.LongLines;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.Transcript;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.slipstream.smtpout.Post.transfer;

/// The events of broken connections: deliveries without a reply, and the order of events.
@Tag("FI-38")
class BrokenConnectionsTest {
    private static final String HELLO = """
            S 220 sink
            C EHLO me.example
            S 250-sink
            S 250-PIPELINING
            S 250 CHUNKING
            """;
    private static final String TAKE = """
            C MAIL FROM:<*>*
            C RCPT TO:<*>
            CHUNK LAST
            S 250 2.1.0 ok
            S 250 2.1.5 ok
            S 250 2.0.0 taken
            """;
    private final EventLog events = new EventLog();

    @Test
    void aPeerThatBreaksIsSpokenToPlainlyAndTheMessagesGoOneByOne() throws IOException {
        String breaks = HELLO + """
                C MAIL FROM:<*>*
                C RCPT TO:<*>
                CHUNK LAST
                S 250 ok
                S 250 ok
                S 502 5.5.2 BDAT?
                EOF
                """;
        String plain = HELLO + """
                C MAIL FROM:<*>*
                S 250 ok
                C RCPT TO:<*>
                S 250 ok
                C DATA
                S 354 go
                DATA
                S 250 2.0.0 taken
                C MAIL FROM:<*>*
                S 250 ok
                C RCPT TO:<*>
                S 250 ok
                C DATA
                S 354 go
                DATA
                S 250 2.0.0 taken
                """ + Transcript.BYE;
        try (var server = SmtpSink.following(breaks, plain);
                var carriers = Post.carriers(
                        Post.patient().with(new ClientConfig.Ahead(1, 50, DataSize.ofMebibytes(1))), events)) {
            carriers.open(1, Post.route(server), false);
            Post.deliver(carriers, 1, transfer(1));
            events.next(Badly.class);
            assertThat(events.next(Unanswered.class).mayHaveArrived()).isTrue();
            carriers.open(2, Post.route(server), true);
            Post.deliver(carriers, 2, transfer(1));
            Post.deliver(carriers, 2, transfer(2));
            events.results(3);
            assertThat(events.all()).filteredOn(Depth.class::isInstance).extracting(n -> ((Depth) n).deliveries())
                    .containsExactly(1, 1);
            assertThat(server.contents()).hasSize(3);
        }
    }

    @Test
    void aWholeMessageForAPeerThatIsJustLeavingMayHaveArrived() {
        try (var server = SmtpSink.following(HELLO + TAKE + "C MAIL FROM:*\nDROP\n");
                var carriers = Post.carriers(Post.patient().with(
                        new ClientConfig.Ahead(2, 50, DataSize.ofMebibytes(1), Duration.ofHours(1))), events)) {
            carriers.open(1, Post.route(server), false);
            Post.deliver(carriers, 1, transfer(1));
            events.next(Answered.class);
            Post.deliver(carriers, 1, transfer(2));
            assertThat(events.next(Unanswered.class).mayHaveArrived()).isTrue();
            assertThat(server.connections()).as("the events decides where it goes").isEqualTo(1);
        }
        assertThat(events.all()).noneMatch(Badly.class::isInstance);
    }

    @Test
    void afterAPauseThePeerAnswersBeforeAMessageIsSentToItsEnd() throws IOException {
        String answersFirst = """
                C MAIL FROM:<*>*
                C RCPT TO:<*>
                S 250 2.1.0 ok
                S 250 2.1.5 ok
                CHUNK LAST
                S 250 2.0.0 taken
                """;
        String closes = """
                C MAIL FROM:<*>*
                C RCPT TO:<*>
                DROP
                """;
        try (var server = SmtpSink.following(HELLO + TAKE + answersFirst + closes);
                var carriers = Post.carriers(
                        Post.patient().with(new ClientConfig.Ahead(2, 50, DataSize.ofMebibytes(1), Duration.ZERO)),
                        events)) {
            carriers.open(1, Post.route(server), false);
            for (int i = 1; i <= 2; i++) {
                Post.deliver(carriers, 1, transfer(i));
                events.next(Answered.class);
            }
            Post.deliver(carriers, 1, transfer(3));
            events.next(Lost.class);
            assertThat(events.next(Unanswered.class).mayHaveArrived()).isFalse();
        }
    }

    @Test
    void onlyMessagesWhoseEndWasSentMayHaveArrived() {
        try (var server = SmtpSink.following(HELLO + """
                C MAIL FROM:<*>*
                C RCPT TO:<*>
                CHUNK LAST
                C RSET
                C MAIL FROM:<*>*
                C RCPT TO:<*>
                CHUNK
                DROP
                """);
                var carriers = Post.carriers(Post.patient().with(new ClientConfig.Ahead(5, 50, DataSize.of(1 << 30))),
                        events)) {
            carriers.open(1, Post.route(server), false);
            Post.deliver(carriers, 1, transfer(1));
            Post.deliver(carriers, 1, Post.transfer(2, Post.content(("x".repeat(70) + "\r\n").repeat(500_000))));
            events.results(2);
        }
        assertThat(events.all()).filteredOn(Unanswered.class::isInstance).extracting(
                n -> ((Unanswered) n).delivery(), n -> ((Unanswered) n).mayHaveArrived())
                .containsExactly(tuple(1L, true), tuple(2L, false));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            250 2.0.0 queued as | true
            250-2.0.0 queued as | true
            550 5.7.1 spam      | false
            """)
    void aReplyToTheEndOfAMessageThatIsTooLongIsADecisionAllTheSame(String begins, boolean taken) {
        try (var server = SmtpSink.following(HELLO + """
                C MAIL FROM:<*>*
                C RCPT TO:<*>
                CHUNK LAST
                S 250 ok
                S 250 ok
                S LONG
                EOF
                """.replace("LONG", begins + " " + "x".repeat(ReplyParser.MAX_LINE_BYTES)));
                var carriers = Post.carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(server), false);
            Post.deliver(carriers, 1, transfer(1));
            Outcome outcome = events.next(Answered.class).outcomes().getFirst().outcome();
            assertThat(outcome instanceof Outcome.Delivered).isEqualTo(taken);
            assertThat(outcome instanceof Outcome.Failed).isEqualTo(!taken);
            events.next(Lost.class);
        }
    }

    @Test
    void aReplyThatBeginsWith250AndIsCutOffIsASuccess() {
        try (var server = SmtpSink.following(HELLO + """
                C MAIL FROM:<*>*
                C RCPT TO:<*>
                CHUNK LAST
                S 250 ok
                S 250 ok
                RAW 250 2.0.0 queu
                DROP
                """); var carriers = Post.carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(server), false);
            Post.deliver(carriers, 1, transfer(1));
            assertThat(events.next(Answered.class).outcomes().getFirst().outcome())
                    .isInstanceOf(Outcome.Delivered.class);
        }
    }

    @Test
    void aDeliveryForAConnectionThatIsGoneIsUnanswered() {
        try (var server = SmtpSink.following(HELLO + TAKE + "DROP\n");
                var carriers = Post.carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(server), false);
            Post.deliver(carriers, 1, transfer(1));
            events.next(Lost.class);
            Post.deliver(carriers, 1, transfer(2));
            assertThat(events.next(Unanswered.class).mayHaveArrived()).isFalse();
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void deliveriesInFrontOfAHostThatRefusesAreUnanswered() {
        try (var server = SmtpSink.following("GATE\nS 421 4.3.2 no\n");
                var carriers = Post.carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(server), false);
            Post.deliver(carriers, 1, transfer(1));
            Post.deliver(carriers, 1, transfer(2));
            server.release();
            events.next(EventLog.Failed.class);
            events.results(2);
            assertThat(events.all()).noneMatch(Answered.class::isInstance);
        }
    }

    @Test
    void contentThatBreaksOffLeavesItsNeighboursAlone() throws IOException {
        byte[] part = ("x".repeat(70) + "\r\n").repeat(2000).getBytes(StandardCharsets.US_ASCII);
        Content torn = new Content() {
            @Override
            public long sizeBytes() {
                return 1_000_000;
            }

            @Override
            public InputStream open() {
                return new SequenceInputStream(new ByteArrayInputStream(part), new InputStream() {
                    @Override
                    public int read() throws IOException {
                        throw new IOException("bad sector");
                    }
                });
            }
        };
        try (SmtpSink sink = SmtpSink.start(Post.accepting("PIPELINING", "CHUNKING", "8BITMIME"));
                Carriers carriers = Post.carriers(Post.patient().with(LongLines.SEND)
                        .with(new ClientConfig.Ahead(5, 50, DataSize.ofMebibytes(10))),
                        events)) {
            carriers.open(1, Post.route(sink), false);
            for (int i = 1; i <= 5; i++) {
                Post.deliver(carriers, 1, i == 3 ? Post.transfer(i, torn) : transfer(i));
            }
            events.results(5);
            assertThat(sink.messages()).hasSize(4);
            assertThat(events.result(3)).isEqualTo(
                    new OwnFailure(3, 1, FailureReplies.unreadable(), DeliveryResult.Scope.MESSAGE, true));
        }
    }

    /// Finch's critique of Postfix: one message at a time on a connection. Here two deliveries that
    /// the queue manager has chosen one by one are complete on one connection before the peer has
    /// replied to either.
    @Tag("FI-41")
    @Tag("FI-34")
    @Test
    void wholeMessagesAreOnTheWireBeforeTheFirstReply() {
        try (var server = SmtpSink.following(HELLO + """
                C MAIL FROM:<me@here.example>
                C RCPT TO:<a@x.example>
                CHUNK LAST
                C RSET
                C MAIL FROM:<me@here.example>
                C RCPT TO:<b@y.example>
                CHUNK LAST
                S 250 ok
                S 250 ok
                S 250 2.0.0 one
                S 250 ok
                S 250 ok
                S 250 ok
                S 250 2.0.0 two
                """ + Transcript.BYE); var carriers = Post.carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1, Post.content("one\r\n"), "a@x.example"));
            Post.deliver(carriers, 1, transfer(2, Post.content("two\r\n"), "b@y.example"));
            assertThat(events.reply(1)).hasToString("250 2.0.0 one");
            assertThat(events.reply(2)).hasToString("250 2.0.0 two");
            assertThat(server.contents()).containsExactly("one\r\n", "two\r\n");
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void aLargeMessageGoesInChunksAndArrivesWhole() throws IOException {
        String large = ("0123456789".repeat(7) + "\r\n").repeat(20_000);
        try (SmtpSink sink = SmtpSink.start(Post.accepting("PIPELINING", "CHUNKING"));
                Carriers carriers = Post.carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(sink), false);
            for (int i = 1; i <= 4; i++) {
                Post.deliver(carriers, 1, Post.transfer(i, Post.content(large)));
            }
            events.results(4);
            assertThat(sink.messages()).extracting(ReceivedMessage::text).containsOnly(large).hasSize(4);
        }
    }

    @Test
    void theBytesUnderWayAreBounded() {
        // Two messages of 26 bytes are more than 40: the second waits for the first to be answered.
        try (var server = SmtpSink.following(HELLO + TAKE + TAKE + Transcript.BYE);
                var carriers = Post.carriers(Post.patient().with(
                        new ClientConfig.Ahead(5, 50, DataSize.of(40), Duration.ofHours(1))), events)) {
            carriers.open(1, Post.route(server), false);
            Post.deliver(carriers, 1, transfer(1));
            Post.deliver(carriers, 1, transfer(2));
            events.results(2);
        }
    }

    @Test
    void aStopInTheMiddleOfARunIsAFailureOfOurOwn() {
        try (var server = SmtpSink.following(HELLO + """
                C MAIL FROM:<*>*
                C RCPT TO:<*>
                CHUNK LAST
                C RSET
                C MAIL FROM:<*>*
                C RCPT TO:<*>
                CHUNK LAST
                STALL
                """)) {
            var carriers = new Carriers(Post.patient(), events,
                    _ -> new HostFinder.HostAnswer.Found(
                            List.of(InetAddress.getLoopbackAddress())),
                    new SplittableRandom(1));
            carriers.open(1, Post.route(server), false);
            Post.deliver(carriers, 1, transfer(1));
            Post.deliver(carriers, 1, transfer(2));
            Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> server.contents().size() == 2);
            carriers.close(Duration.ofMillis(800));
            events.results(2);
            assertThat(events.results()).hasSize(2).allSatisfy(
                    result -> assertThat(((OwnFailure) result).reason()).isEqualTo(FailureReplies.stopping()));
            assertThat(events.all()).noneMatch(Badly.class::isInstance);
        }
    }
}
