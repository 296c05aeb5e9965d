package org.slipstream.smtpout;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.queue.DeliveryResult.Answered;
import org.slipstream.core.queue.Outcome;
import org.slipstream.smtpout.dialog.Transfer;
import org.slipstream.smtpout.wire.LongLines;
import org.slipstream.testkit.SmtpSink;

import java.io.IOException;

import static org.assertj.core.api.Assertions.assertThat;

/// Lines of more than 998 octets, in content of one piece and of many, by DATA and by BDAT.
class LongLinesTest {
    private static final String HEADER = "Subject: x\r\n";
    private static final String SHORT = ("y".repeat(70) + "\r\n");

    private final EventLog events = new EventLog();

    @ParameterizedTest
    @CsvSource({"PIPELINING,0", "PIPELINING,2000", "CHUNKING,0", "CHUNKING,2000", "8BITMIME,0", "8BITMIME,2000"})
    void noneLeaves(String offer, int linesBefore) throws IOException {
        String message = HEADER + "\r\n" + SHORT.repeat(linesBefore) + "z".repeat(999) + "\r\n";
        String taken = delivered(ClientConfig.of("me.example"), offer, message);
        assertThat(taken.lines()).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(998));
        assertThat(taken).contains("Content-Transfer-Encoding: quoted-printable");
        assertThat(body(taken).replace("=\r\n", "")).isEqualTo(body(message));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PIPELINING", "CHUNKING"})
    void aMessageWithLinesOfTheLargestLengthIsNotTouched(String offer) throws IOException {
        String message = HEADER + "\r\n" + "z".repeat(998) + "\r\n";
        assertThat(delivered(ClientConfig.of("me.example"), offer, message)).isEqualTo(message);
    }

    @ParameterizedTest
    @CsvSource({"BREAK,PIPELINING", "BREAK,CHUNKING", "SEND,PIPELINING", "SEND,CHUNKING"})
    void orTheyAreBrokenOrSentWhereTheOperatorPrefersThat(LongLines treatment, String offer) throws IOException {
        String message = HEADER + "\r\n" + "z".repeat(999) + "\r\n";
        String expected = treatment == LongLines.SEND ? message : HEADER + "\r\n" + "z".repeat(998) + "\r\n z\r\n";
        assertThat(delivered(ClientConfig.of("me.example").with(treatment), offer, message)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"DKIM-Signature: v=1\r\n", "Content-Type: multipart/signed; boundary=b\r\n",
            "X-Token: TOKEN\r\n", "Content-Type: multipart/mixed\r\n"})
    void contentThatCannotBeMadeShorterIsReturnedAndTheConnectionStaysInUse(String field) throws IOException {
        String message = field.replace("TOKEN", "t".repeat(1_000)) + "\r\n" + "z".repeat(999) + "\r\n";
        try (SmtpSink sink = SmtpSink.start(Post.accepting("PIPELINING", "CHUNKING"));
                Carriers carriers = Post.carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(sink), false);
            Post.deliver(carriers, 1, Post.transfer(1, Post.content(message)));
            Outcome outcome = events.outcome(1);
            assertThat(outcome).isInstanceOf(Outcome.Failed.class);
            assertThat(outcome.reply().toString()).startsWith("554 5.6.0 ").contains("smtp-client.long-lines");
            Post.deliver(carriers, 1, Post.transfer(2));
            events.results(2);
            assertThat(sink.messages()).hasSize(1);
        }
    }

    private String delivered(ClientConfig config, String offer, String message) throws IOException {
        try (SmtpSink sink = SmtpSink.start(Post.accepting("PIPELINING", offer));
                Carriers carriers = Post.carriers(config, events)) {
            carriers.open(1, Post.route(sink), false);
            Post.deliver(carriers, 1, Post.transfer(1, Post.content(message)));
            assertThat(events.next(Answered.class).outcomes().getFirst().outcome())
                    .isInstanceOf(Outcome.Delivered.class);
            return sink.messages().getFirst().text();
        }
    }

    private static String body(String message) {
        return message.substring(message.indexOf("\r\n\r\n") + 4);
    }
}
