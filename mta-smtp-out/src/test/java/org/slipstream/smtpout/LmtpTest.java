package org.slipstream.smtpout;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Route;
import org.slipstream.core.queue.DeliveryResult.Answered;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.Transcript;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.smtpout.Post.content;
import static org.slipstream.smtpout.Post.transfer;
import static org.slipstream.testkit.Transcript.BYE;

/// LMTP (RFC 2033), over TCP and over a UNIX socket.
class LmtpTest {
    private static final String HELLO = """
            S 220 box LMTP
            C LHLO me.example
            S 250-box
            S 250 PIPELINING
            """;
    private static final String TWO = """
            C MAIL FROM:<me@here.example>
            C RCPT TO:<a@box.example>
            C RCPT TO:<b@box.example>
            C RCPT TO:<c@box.example>
            C DATA
            S 250 ok
            S 250 ok
            S 550 5.1.1 unknown
            S 250 ok
            S 354 go
            DATA
            S 250 2.0.0 a has it
            S 452 4.2.2 c is full
            """;

    private final EventLog events = new EventLog();

    @Test
    void eachRecipientHasAnAnswerOfItsOwn() {
        try (var server = SmtpSink.following(HELLO + TWO + TWO + BYE);
                var carriers = new Carriers(Post.patient(), events)) {
            carriers.open(1, new Route.Lmtp("127.0.0.1:" + server.port()), false);
            events.ready();
            for (int i = 1; i <= 2; i++) {
                Post.deliver(carriers, 1, transfer(i, "a@box.example", "b@box.example", "c@box.example"));
                assertThat(replies(events.answered(i))).containsExactly("250 2.0.0 a has it", "550 5.1.1 unknown",
                        "452 4.2.2 c is full");
            }
        }
    }

    @Test
    void aSocketFile(@TempDir Path dir) throws IOException {
        Path socket = dir.resolve("lmtp.sock");
        String large = ("y".repeat(70) + "\r\n").repeat(20_000);
        try (var server = SmtpSink.on(socket, Transcript.of(HELLO + TWO + "GATE\nDROP\n"));
                var carriers = new Carriers(Post.patient(), events)) {
            carriers.open(1, new Route.Lmtp("unix:" + socket), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1, content(large), "a@box.example", "b@box.example", "c@box.example"));
            Outcome first = events.answered(1).outcomes().getFirst().outcome();
            assertThat(first).isInstanceOf(Outcome.Delivered.class);
            assertThat(first.remote()).isEqualTo("unix:" + socket);
            assertThat(server.contents()).containsExactly(large);
            server.release();
            events.lost();
        }
    }

    @Test
    void aSocketFileThatIsNotThereDefers(@TempDir Path dir) {
        try (var carriers = new Carriers(Post.patient(), events)) {
            carriers.open(1, new Route.Lmtp("unix:" + dir.resolve("none")), false);
            assertThat(events.failed().reason().toString()).startsWith("450 4.4.1 connect to unix:");
        }
    }

    @Test
    void aSocketFileWhoseServerSaysNothingIsLeft(@TempDir Path dir) throws IOException {
        try (var server = SmtpSink.on(dir.resolve("s"), Transcript.of("STALL\n"));
                var carriers = new Carriers(Post.hasty(300, "greetingTimeout"), events)) {
            carriers.open(1, new Route.Lmtp("unix:" + dir.resolve("s")), false);
            assertThat(events.failed().reason().toString()).contains("timed out after 300 ms");
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void aServerThatDoesNotKnowLmtpIsOurMistakeAndDefers() {
        try (var server = SmtpSink.following("S 220 smtp\nC LHLO me.example\nS 500 5.5.1 what?\nC QUIT\n");
                var carriers = new Carriers(Post.patient(), events)) {
            carriers.open(1, new Route.Lmtp("[127.0.0.1]:" + server.port()), false);
            assertThat(events.failed().reason().code()).isEqualTo(450);
        }
    }

    private static List<String> replies(Answered done) {
        return done.outcomes().stream().map(RecipientOutcome::outcome).map(o -> o.reply().toString()).toList();
    }
}
