package org.slipstream.smtpout;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.Content;
import org.slipstream.core.DataSize;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.queue.DeliveryResult.Answered;
import org.slipstream.core.queue.Outcome;
import org.slipstream.smtpout.dialog.Transfer;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SmtpSink;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.smtpout.Post.transfer;
import static org.slipstream.testkit.Transcript.BYE;

/// Peers with lower limits than ours: fewer recipients, fewer messages, no eighth bit.
class LimitsTest {
    private static final String[] FIVE = {"a@x.example", "b@x.example", "c@x.example", "d@x.example", "e@x.example"};

    private final EventLog events = new EventLog();
    private final Carriers carriers = new Carriers(Post.patient(), events);

    @AfterEach
    void stop() {
        carriers.close();
    }

    @Test
    void recipientsGoInAsManyTransactionsAsThePeerWantsAndAreOneAnswer() {
        try (var server = SmtpSink.following(hello("LIMITS RCPTMAX=2") + take("a", "b") + take("c", "d")
                .replace("S 250 2.1.5 d ok", "S 550 5.1.1 no d") + take("e") + BYE)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1, FIVE));
            assertThat(outcomes(events.answered(1))).containsExactly("1 250", "2 250", "3 250", "4 550", "5 250");
            assertThat(events.answered(1).usable()).isTrue();
            carriers.close();
            assertThat(server.contents()).hasSize(3);
        }
    }

    /// Every server takes 100 recipients (RFC 5321 section 4.5.3.1.8); a server with another limit
    /// announces it (RFC 9422).
    @Tag("FI-08")
    @ParameterizedTest
    @CsvSource({"SIZE 1000000, '100,100,50'", "LIMITS MAILMAX=1000, '100,100,50'",
            "LIMITS RCPTMAX=30, '30,30,30,30,30,30,30,30,10'",
            "LIMITS RCPTMAX=1000, 250"})
    void aTransactionHasNoMoreRecipientsThanThePeerSurelyTakes(String offer, String sizes) throws IOException {
        String[] recipients = new String[250];
        Arrays.setAll(recipients, i -> "r" + i + "@x.example");
        try (var sink = SmtpSink.start(Post.accepting("PIPELINING", "CHUNKING", offer))) {
            carriers.open(1, Post.route(sink), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1, recipients));
            assertThat(events.answered(1).outcomes()).hasSize(250)
                    .allMatch(outcome -> outcome.outcome() instanceof Outcome.Delivered);
            assertThat(sink.messages().stream().map(taken -> "" + taken.recipients().size())
                    .collect(Collectors.joining(","))).isEqualTo(sizes);
            assertThat(sink.messages()).flatExtracting(ReceivedMessage::recipients).containsExactly(recipients);
        }
    }

    @Test
    void whenNoPortionIsAnsweredTheDeliveryIsUnansweredAsAWhole() {
        try (var server = SmtpSink.following(hello("LIMITS RCPTMAX=3") + "C MAIL FROM:<me@here.example>\nDROP\n")) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1, FIVE));
            assertThat(events.unanswered(1).mayHaveArrived()).isFalse();
            assertThat(events.results()).hasSize(1);
        }
    }

    @Test
    void whenOnePortionMayHaveArrivedTheDeliveryMay() {
        String chunks = hello("LIMITS RCPTMAX=3").replace("S 250-PIPELINING", "S 250-PIPELINING\nS 250-CHUNKING");
        try (var server = SmtpSink.following(chunks + """
                C MAIL FROM:<me@here.example>
                C RCPT TO:<a@x.example>
                C RCPT TO:<b@x.example>
                C RCPT TO:<c@x.example>
                CHUNK LAST
                DROP
                """);
                var oneByOne = new Carriers(Post.patient().with(new ClientConfig.Ahead(1, 1, DataSize.ofMebibytes(1))),
                        events)) {
            oneByOne.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(oneByOne, 1, transfer(1, FIVE));
            assertThat(events.unanswered(1).mayHaveArrived()).isTrue();
            assertThat(events.results()).hasSize(1);
        }
    }

    @Test
    void contentThatCannotBeReadIsOneFailureForAllPortions() {
        Content unreadable = new Content() {
            @Override
            public long sizeBytes() {
                return 10;
            }

            @Override
            public InputStream open() throws IOException {
                throw new IOException("no such segment");
            }
        };
        try (var server = SmtpSink.following(hello("LIMITS RCPTMAX=3") + BYE)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1, unreadable, FIVE));
            assertThat(events.ownFailure(1).usable()).isTrue();
            assertThat(events.results()).hasSize(1);
        }
    }

    @Test
    void whenThePeerHangsUpBetweenTwoPortionsTheAnsweredOnesAreDone() {
        try (var server = SmtpSink.following(hello("LIMITS RCPTMAX=3") + take("a", "b", "c") + """
                C MAIL FROM:<me@here.example>
                C RCPT TO:<d@x.example>
                C RCPT TO:<e@x.example>
                C DATA
                DROP
                """)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1, FIVE));
            assertThat(outcomes(events.answered(1))).containsExactly("1 250", "2 250", "3 250", "4 450", "5 450");
            assertThat(events.answered(1).usable()).isFalse();
        }
    }

    @Test
    void aPeerThatTakesSoManyMessagesIsNotOfferedMore() {
        try (var server = SmtpSink.following(hello("LIMITS MAILMAX=1") + take("a") + BYE)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1, "a@x.example"));
            assertThat(events.answered(1).usable()).isFalse();
            server.awaitIdle();
        }
    }

    @Test
    void eightBitTextBecomesQuotedPrintableForAPeerWithoutTheEighthBit() {
        String message = "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n\u00c3\u00bc\r\n";
        try (var server = SmtpSink.following(hello("SIZE 1000000") + take("a") + take("a") + BYE,
                hello("8BITMIME") + take("a") + BYE)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1, Post.content(message), "a@x.example"));
            events.answered(1);
            Post.deliver(carriers, 1, transfer(2, Post.content(Post.LETTER), "a@x.example"));
            events.answered(2);
            carriers.open(3, Post.route(server), false);
            events.awaitReady(3);
            Post.deliver(carriers, 3, transfer(3, Post.content(message), "a@x.example"));
            events.answered(3);
            carriers.close();
            assertThat(server.contents()).containsExactly(
                    "Content-Type: text/plain; charset=utf-8\r\nMIME-Version: 1.0\r\n"
                            + "Content-Transfer-Encoding: quoted-printable\r\n\r\n=C3=BC\r\n",
                    Post.LETTER, message);
            assertThat(server.commands()).contains("MAIL FROM:<me@here.example> SIZE=115",
                    "MAIL FROM:<me@here.example> BODY=8BITMIME");
        }
    }

    @Test
    void aHeaderInUtf8IsReturnedWhereItCannotGo() {
        try (var server = SmtpSink.following(hello("8BITMIME") + take("a") + BYE)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, international(1, "Subject: \u00c3\u00bc\r\n\r\nx\r\n"));
            assertThat(events.reply(1).toString()).isEqualTo("550 5.6.9 SMTPUTF8 is required for the message"
                    + " header, but was not offered by the next hop");
            assertThat(events.answered(1).usable()).isTrue();
            Post.deliver(carriers, 1, international(2, Post.LETTER));
            assertThat(events.reply(2).code()).as("what needs nothing goes").isEqualTo(250);
        }
    }

    private static Transfer international(long delivery, String message) {
        Envelope plain = Envelope.of(Optional.of(Address.of("me@here.example")), List.of(Address.of("a@x.example")));
        Envelope utf8 = new Envelope(plain.sender(), BodyType.EIGHT_BIT_MIME, true, Optional.empty(),
                DsnReturn.UNSPECIFIED, plain.recipients());
        return transfer(delivery, utf8, Post.content(message));
    }

    private static List<String> outcomes(Answered done) {
        return done.outcomes().stream().map(o -> o.number() + " " + o.outcome().reply().code()).toList();
    }

    private static String hello(String offer) {
        return "S 220 sink\nC EHLO me.example\nS 250-sink\nS 250-PIPELINING\nS 250 " + offer + "\n";
    }

    private static String take(String... recipients) {
        StringBuilder script = new StringBuilder("C MAIL FROM:<me@here.example>*\n");
        StringBuilder replies = new StringBuilder("S 250 2.1.0 sender ok\n");
        for (String recipient : recipients) {
            script.append("C RCPT TO:<").append(recipient).append("@x.example>\n");
            replies.append("S 250 2.1.5 ").append(recipient).append(" ok\n");
        }
        return script + "C DATA\n" + replies + "S 354 go\nDATA\nS 250 2.0.0 taken\n";
    }
}
