package org.slipstream.smtpout;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.queue.Outcome;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.Transcript;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.smtpout.Post.transfer;

/// The difference between a destination that fails and one that refuses a message. A reply to MAIL
/// or to any later command is an answer, also in the first transaction of a connection; only a
/// connection that ends without one leaves a message unanswered.
@Tag("PF-06")
class FeedbackTest {
    private final EventLog events = new EventLog();

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            PLAIN      | C MAIL*; S 450                                                     | RSET
            PLAIN      | C MAIL*; S 250 ok; C RCPT*; S 450                                  | RSET
            PLAIN      | C MAIL*; S 250 ok; C RCPT*; S 250 ok; C DATA; S 450                | RSET
            PLAIN      | C MAIL*; S 250 ok; C RCPT*; S 250 ok; C DATA; S 354 go; DATA; S 450 |
            PIPELINING | C MAIL*; C RCPT*; C DATA; S 450; S 503 no; S 503 no                | RSET
            PIPELINING | C MAIL*; C RCPT*; C DATA; S 250 ok; S 450; S 503 no                | RSET
            PIPELINING | C MAIL*; C RCPT*; C DATA; S 250 ok; S 250 ok; S 450                | RSET
            PIPELINING | C MAIL*; C RCPT*; C DATA; S 250 ok; S 250 ok; S 354 go; DATA; S 450 |
            CHUNKING   | C MAIL*; C RCPT*; CHUNK LAST; S 450; S 503 no; S 503 no            | RSET
            CHUNKING   | C MAIL*; C RCPT*; CHUNK LAST; S 250 ok; S 450; S 503 no            | RSET
            CHUNKING   | C MAIL*; C RCPT*; CHUNK LAST; S 250 ok; S 250 ok; S 450            | RSET
            """)
    void aDeferralInTheFirstTransactionIsAnAnswer(String offer, String script, String reset) {
        String afterwards = reset == null ? "" : "; C RSET; S 250 ok";
        deferred(hello(offer) + lines(script.replace("S 450", "S 450 4.2.0 later") + afterwards
                + "; C QUIT; S 221 bye"), "450 4.2.0 later");
        assertThat(events.answered(1).usable()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            PLAIN      | C MAIL*
            PLAIN      | C MAIL*; S 250 ok; C RCPT*
            PLAIN      | C MAIL*; S 250 ok; C RCPT*; S 250 ok; C DATA
            PLAIN      | C MAIL*; S 250 ok; C RCPT*; S 250 ok; C DATA; S 354 go; DATA
            PIPELINING | C MAIL*; C RCPT*; C DATA
            PIPELINING | C MAIL*; C RCPT*; C DATA; S 250 ok
            PIPELINING | C MAIL*; C RCPT*; C DATA; S 250 ok; S 250 ok
            PIPELINING | C MAIL*; C RCPT*; C DATA; S 250 ok; S 250 ok; S 354 go; DATA
            CHUNKING   | C MAIL*; C RCPT*; CHUNK LAST
            CHUNKING   | C MAIL*; C RCPT*; CHUNK LAST; S 250 ok
            CHUNKING   | C MAIL*; C RCPT*; CHUNK LAST; S 250 ok; S 250 ok
            """)
    void a421InTheFirstTransactionIsAnAnswerAndTheEndOfTheConnection(String offer, String script) {
        deferred(hello(offer) + lines(script + "; S 421 4.3.2 busy; EOF"), "421 4.3.2 busy");
        assertThat(events.answered(1).usable()).isFalse();
    }

    private void deferred(String script, String reply) {
        try (var server = SmtpSink.following(script); var carriers = Post.carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1));
            assertThat(events.outcome(1)).isInstanceOf(Outcome.Deferred.class);
            assertThat(events.reply(1)).hasToString(reply);
            carriers.close(1);
            server.awaitIdle();
        }
        assertThat(events.news()).as("ready and the answer, nothing else").hasSize(2);
    }

    /// The session has served messages before, so the reply is about the session. The message goes
    /// over another one.
    @Test
    void a421ToALaterMailLeavesThatMessageUnanswered() {
        try (var server = SmtpSink.following(Transcript.HELLO + Transcript.TAKE
                + lines("C MAIL*; C RCPT*; C DATA; S 421 4.7.0 enough messages for one session; EOF"));
                var carriers = Post.carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1));
            assertThat(events.outcome(1)).isInstanceOf(Outcome.Delivered.class);
            Post.deliver(carriers, 1, transfer(2));
            assertThat(events.unanswered(2).reason()).hasToString("421 4.7.0 enough messages for one session");
            assertThat(events.unanswered(2).mayHaveArrived()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"C MAIL*; DROP", "C MAIL*; C RCPT*; C DATA; S 250 ok; DROP",
            "C MAIL*; C RCPT*; C DATA; S 250 ok; S 250 ok; CUT"})
    void aConnectionThatIsClosedWithoutAReplyLeavesTheMessageUnanswered(String script) {
        try (var server = SmtpSink.following(Transcript.HELLO + lines(script));
                var carriers = Post.carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1));
            assertThat(events.unanswered(1).reason().status()).hasToString("Optional[4.4.2]");
        }
    }

    private static String hello(String offer) {
        String extensions = switch (offer) {
            case "PIPELINING" -> "S 250-sink\nS 250 PIPELINING\n";
            case "CHUNKING" -> "S 250-sink\nS 250-PIPELINING\nS 250 CHUNKING\n";
            default -> "S 250 sink\n";
        };
        return "S 220 sink\nC EHLO me.example\n" + extensions;
    }

    private static String lines(String script) {
        return String.join("\n", script.split("; ")) + "\n";
    }
}
