package org.slipstream.smtpout;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Delivery;
import org.slipstream.core.queue.DeliveryResult.Answered;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.smtpout.dialog.Transfer;
import org.slipstream.testkit.SmtpSink;

import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.smtpout.Post.content;
import static org.slipstream.smtpout.Post.transfer;
import static org.slipstream.testkit.Transcript.BYE;
import static org.slipstream.testkit.Transcript.HELLO;
import static org.slipstream.testkit.Transcript.PLAIN_HELLO;
import static org.slipstream.testkit.Transcript.TAKE;

/// Messages that go over a connection, and the result at the peer.
class DeliveryTest {
    private final EventLog events = new EventLog();
    private final Carriers carriers = new Carriers(Post.patient(), events);

    @AfterEach
    void stop() {
        carriers.close();
    }

    @Test
    void oneMessageGoesOut() {
        try (var server = SmtpSink.following(HELLO + TAKE + BYE)) {
            carriers.open(1, Post.route(server), false);
            assertThat(events.ready().connection()).isEqualTo(1);
            Post.deliver(carriers, 1, transfer(7));
            assertThat(events.outcome(7)).isEqualTo(new Outcome.Delivered(Reply.of(250, "2.0.0", "taken"),
                    "127.0.0.1[127.0.0.1]:" + server.port()));
            assertThat(events.answered(7).usable()).isTrue();
            carriers.close(1);
            carriers.close();
            assertThat(server.contents()).containsExactly(Post.LETTER);
            assertThat(server.commands()).containsExactly("EHLO me.example", "MAIL FROM:<me@here.example>",
                    "RCPT TO:<you@there.example>", "DATA", "QUIT");
            assertThat(events.news()).hasSize(2);
        }
    }

    /// Domains whose MX hosts have one address share connections. Each result has the name that its
    /// own domain gives the host.
    @Test
    void eachMessageNamesTheHostAsItsOwnRouteDoes() {
        Route.Smtp a = new Route.Smtp("a.example", List.of(new Route.Host("mx.a.example", 25, 0)));
        Route.Smtp b = new Route.Smtp("b.example", List.of(new Route.Host("mail.b.example", 25, 0)));
        try (var server = SmtpSink.following(HELLO + TAKE + TAKE + "C MAIL*\nC RCPT*\nC DATA\nS 250 ok\nDROP\n")) {
            carriers.open(1, new Route.Smtp("a.example", List.of(
                    new Route.Host("mx.a.example", server.port(), 0, List.of("127.0.0.1")))), false);
            events.ready();
            deliverBy(a, 1);
            deliverBy(b, 2);
            assertThat(events.outcome(1).remote()).isEqualTo("mx.a.example[127.0.0.1]:" + server.port());
            assertThat(events.outcome(2).remote()).isEqualTo("mail.b.example[127.0.0.1]:" + server.port());
            deliverBy(b, 3);
            assertThat(events.unanswered(3).remote()).isEqualTo("mail.b.example[127.0.0.1]:" + server.port());
        }
    }

    private void deliverBy(Route route, long number) {
        Transfer any = transfer(number);
        carriers.deliver(1, new Delivery(number, any.delivery().id(), route, any.delivery().recipients()),
                any.envelope(), any.content());
        events.result(number);
    }

    @Test
    void theCommandsWaitForEachOtherWithoutPipelining() {
        try (var server = SmtpSink.following(PLAIN_HELLO + """
                C MAIL FROM:<me@here.example>
                S 250 ok
                C RCPT TO:<you@there.example>
                S 250 ok
                C DATA
                S 354 go
                DATA
                S 250 taken
                """ + BYE)) {
            assertThat(outcome(server, transfer(1))).isInstanceOf(Outcome.Delivered.class);
        }
    }

    @Test
    void aNullSenderStaysNull() {
        try (var server = SmtpSink.following(HELLO + TAKE + BYE)) {
            deliver(server, transfer(1, Optional.empty(), content(Post.LETTER)));
            assertThat(server.commands()).contains("MAIL FROM:<>");
        }
    }

    @Test
    void oneConnectionCarriesThreeMessages() {
        try (var server = SmtpSink.following(HELLO + TAKE + TAKE + TAKE + BYE)) {
            for (int i = 1; i <= 3; i++) {
                assertThat(deliver(server, transfer(i, content("number " + i + "\r\n"))).usable()).isTrue();
            }
            carriers.close();
            assertThat(server.contents()).containsExactly("number 1\r\n", "number 2\r\n", "number 3\r\n");
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void someOfThePipelinedRecipientsAreRefused() {
        try (var server = SmtpSink.following(HELLO + """
                C MAIL FROM:<me@here.example>
                C RCPT TO:<a@x.example>
                C RCPT TO:<b@x.example>
                C RCPT TO:<c@x.example>
                C DATA
                S 250-2.1.0 sender
                S 250 2.1.0 ok
                S 550-5.1.1 no such
                S 550 5.1.1 user
                S 250 2.1.5 ok
                S 450 4.2.2 full
                S 354 go
                DATA
                S 250 2.0.0 taken
                """ + BYE)) {
            assertThat(replies(deliver(server, transfer(1, "a@x.example", "b@x.example", "c@x.example"))))
                    .containsExactly("550 5.1.1 no such / user", "250 2.0.0 taken", "450 4.2.2 full");
        }
    }

    @Test
    void afterARefusalTheConnectionIsCleanForTheNextMessage() {
        try (var server = SmtpSink.following(HELLO + """
                C MAIL FROM:*
                C RCPT TO:<a@x.example>
                C DATA
                S 250 ok
                S 550 5.1.1 unknown
                S 554 5.5.1 nobody
                C RSET
                S 250 forgotten
                """ + TAKE + BYE)) {
            Answered refused = deliver(server, transfer(1, "a@x.example"));
            assertThat(replies(refused)).hasSize(1);
            assertThat(events.reply(1)).isEqualTo(Reply.of(550, "5.1.1", "unknown"));
            assertThat(refused.usable()).isTrue();
            assertThat(outcome(server, transfer(2))).isInstanceOf(Outcome.Delivered.class);
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void dataAcceptedWithoutRecipientsEndsWithALoneDot() {
        try (var server = SmtpSink.following(HELLO + """
                C MAIL FROM:*
                C RCPT TO:*
                C DATA
                S 250 ok
                S 550 5.1.1 unknown
                S 354 go
                C .
                S 554 5.5.1 no valid recipients
                """ + TAKE + BYE)) {
            assertThat(outcome(server, transfer(1)).reply()).isEqualTo(Reply.of(550, "5.1.1", "unknown"));
            assertThat(outcome(server, transfer(2))).isInstanceOf(Outcome.Delivered.class);
        }
    }

    @Test
    void everyOddEndingArrivesByteForByte() {
        List<String> messages = List.of("", "\r\n", ".", ".\r\n", "..\r\n", "a\r\n.\r\n", "a\r\n.b\r\n", "no end",
                "a\r\n\r\n",
                "a\r\n.", "\u0000\u00ff\r\n");
        try (var server = SmtpSink.following(HELLO + TAKE.repeat(messages.size()) + BYE)) {
            for (int i = 0; i < messages.size(); i++) {
                deliver(server, transfer(i, content(messages.get(i))));
            }
            for (int i = 0; i < messages.size(); i++) {
                String sent = messages.get(i);
                String whole = sent.isEmpty() || sent.endsWith("\r\n") ? sent : sent + "\r\n";
                assertThat(unstuffed(server.contents().get(i))).isEqualTo(whole);
            }
        }
    }

    @Test
    void aMegabyteArrives() {
        SplittableRandom random = new SplittableRandom(1);
        StringBuilder text = new StringBuilder();
        while (text.length() < 1_000_000) {
            int length = random.nextInt(200);
            for (int i = 0; i < length; i++) {
                text.append((char) ('.' + random.nextInt(60)));
            }
            text.append("\r\n");
        }
        try (var server = SmtpSink.following(HELLO + TAKE + BYE)) {
            assertThat(outcome(server, transfer(1, content(text.toString()))))
                    .isInstanceOf(Outcome.Delivered.class);
            assertThat(unstuffed(server.contents().getFirst())).isEqualTo(text.toString());
        }
    }

    @Test
    void aMessageBeyondThePeersSizeIsNotOfferedAndTheConnectionGoesOn() {
        try (var server = SmtpSink.following("""
                S 220 sink
                C EHLO me.example
                S 250-sink
                S 250 SIZE 10
                """ + BYE)) {
            Answered done = deliver(server, transfer(1));
            assertThat(events.reply(1).status()).hasToString("Optional[5.3.4]");
            assertThat(done.usable()).isTrue();
        }
    }

    private Answered deliver(SmtpSink server, Transfer transfer) {
        if (events.news().isEmpty()) {
            carriers.open(1, Post.route(server), false);
            events.ready();
        }
        Post.deliver(carriers, 1, transfer);
        return events.answered(transfer.number());
    }

    private Outcome outcome(SmtpSink server, Transfer transfer) {
        deliver(server, transfer);
        return events.outcome(transfer.number());
    }

    private static List<String> replies(Answered done) {
        return done.outcomes().stream().map(RecipientOutcome::outcome).map(o -> o.reply().toString()).toList();
    }

    private static String unstuffed(String content) {
        return content.replaceAll("(?m)(^|(?<=\r\n))\\.(?=.)", "");
    }
}
