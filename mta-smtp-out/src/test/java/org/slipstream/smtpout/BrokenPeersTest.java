package org.slipstream.smtpout;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.UnusedPort;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.smtpout.Post.content;
import static org.slipstream.smtpout.Post.transfer;
import static org.slipstream.testkit.Transcript.HELLO;
import static org.slipstream.testkit.Transcript.PLAIN_HELLO;
import static org.slipstream.testkit.Transcript.TAKE;

/// Servers that refuse, disconnect, stall or send invalid replies, at every point of a connection's
/// life.
class BrokenPeersTest {
    private static final int HASTY = 900;

    private final EventLog events = new EventLog();

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            S 421 4.3.2 busy                                 | 421 4.3.2 host * refused to talk to us: 421 4.3.2 busy
            S 554 5.7.1 go away                              | 450 4.7.1 host * refused to talk to us: 554 5.7.1 go away
            S 554 no                                         | 450 4.0.0 host * refused to talk to us: 554 no
            DROP                                             | 450 4.4.2 lost connection with * while waiting for the greeting: connection closed by peer
            S 220 hi;C EHLO me.example;CUT                   | 450 4.4.2 lost connection with * while waiting for the reply to EHLO: Connection reset
            STALL                                            | 450 4.4.2 lost connection with * while waiting for the greeting: timed out after 900 ms
            RAW 220-more;STALL                               | 450 4.4.2 lost connection with * while waiting for the greeting: timed out after 900 ms
            RAW 220 half;DROP                                | 450 4.4.2 lost connection with *: connection closed by peer in the middle of a reply
            S SSH-2.0-OpenSSH_9.2;EOF                        | 451 4.5.0 lost connection with *: not a reply: "SSH-2.0-OpenSSH_9.2"
            S 220-a;S 250 b;EOF                              | 451 4.5.0 lost connection with *: code changes from 220 to 250 within a reply
            S 220 hi;C EHLO me.example;S 421 4.3.2 down      | 421 4.3.2 host * refused to talk to us: 421 4.3.2 down
            S 220 hi;C EHLO me.example;DROP                  | 450 4.4.2 lost connection with * while waiting for the reply to EHLO: connection closed by peer
            S 220 hi;C EHLO me.example;STALL                 | 450 4.4.2 lost connection with * while waiting for the reply to EHLO: timed out after 900 ms
            S 220 hi;C EHLO me.example;S 500 what;C HELO me.example;S 550 5.7.1 no  | 550 5.7.1 host * refused to talk to us: 550 5.7.1 no
            S 220 hi;C EHLO me.example;S 500 what;C HELO me.example;S 450 4.7.1 no  | 450 4.7.1 host * refused to talk to us: 450 4.7.1 no
            """)
    void failuresBeforeTheFirstMessageAreReported(String script, String reason) {
        try (var server = SmtpSink.following(lines(script)); var carriers = new Carriers(until(reason), events)) {
            carriers.open(1, Post.route(server), false);
            EventLog.Failed failed = events.failed();
            String remote = "127.0.0.1[127.0.0.1]:" + server.port();
            assertThat(failed.reason()).hasToString(reason.replace("*", remote)
                    .replaceAll("^(45. 4....) (lost connection with 127.0.0.1.*?:\\d+): (conn|not|code)",
                            "$1 $2 while waiting for the greeting: $3"));
            assertThat(failed.remote()).isEqualTo(remote);
            assertThat(events.news()).hasSize(1);
        }
    }

    @Test
    void aRefusedConnectionIsReported() {
        try (var unused = new UnusedPort(); var carriers = new Carriers(Post.patient(), events)) {
            carriers.open(1, new Route.Smtp("[127.0.0.1]", List.of(new Route.Host("127.0.0.1", unused.port(), 0))),
                    false);
            assertThat(events.failed().reason())
                    .hasToString("450 4.4.1 connect to 127.0.0.1[127.0.0.1]:" + unused.port()
                            + ": Connection refused");
        }
    }

    @Test
    void aReplyWithoutEndIsCutOffAndMemoryStaysBounded() {
        String endless = "S 250-" + "x".repeat(200) + "\n";
        try (var server = SmtpSink.following("S 220 hi\nC EHLO me.example\n" + endless.repeat(50_000));
                var carriers = new Carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(server), false);
            assertThat(events.failed().reason().toString()).endsWith("reply of more than 200 lines");
        } catch (AssertionError e) {
            // The server could not send all of it, as intended.
            assertThat(e).hasRootCauseInstanceOf(java.io.IOException.class);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            S 550 5.7.1 sender                                                     | 550 5.7.1 sender                                                            | USABLE
            S 451 4.7.1 later                                                      | 451 4.7.1 later                                                             | USABLE
            S 421 4.3.2 down                                                       | 421 4.3.2 down                                                              | ENDED
            DROP                                                                   | 450 4.4.2 MAIL: connection closed by peer                                   | UNANSWERED
            CUT                                                                    | 450 4.4.2 MAIL: Connection reset                                            | UNANSWERED
            STALL                                                                  | 450 4.4.2 MAIL: timed out after 900 ms                                     | UNANSWERED
            S what?;STALL                                                          | 451 4.5.0 MAIL: not a reply: "what?"                                        | UNANSWERED
            S 354 go                                                               | 451 4.5.0 protocol error in the reply to MAIL: 354 go                          | ENDED
            S 250 ok;R;S 421 4.3.2 down                                            | 421 4.3.2 down                                                              | ENDED
            S 250 ok;R;DROP                                                        | 450 4.4.2 RCPT: connection closed by peer                                   | UNANSWERED
            S 250 ok;R;STALL                                                       | 450 4.4.2 RCPT: timed out after 900 ms                                     | UNANSWERED
            S 250 ok;R;S 550 5.1.1 who                                             | 550 5.1.1 who                                                               | USABLE
            S 250 ok;R;S 250 ok;D;S 451 4.3.0 disk                                 | 451 4.3.0 disk                                                              | USABLE
            S 250 ok;R;S 250 ok;D;S 554 5.0.0 no                                   | 554 5.0.0 no                                                                | USABLE
            S 250 ok;R;S 250 ok;D;S 421 4.3.2 down                                 | 421 4.3.2 down                                                              | ENDED
            S 250 ok;R;S 250 ok;D;DROP                                             | 450 4.4.2 DATA: connection closed by peer                                   | UNANSWERED
            S 250 ok;R;S 250 ok;D;STALL                                            | 450 4.4.2 DATA: timed out after 900 ms                                     | UNANSWERED
            S 250 ok;R;S 250 ok;D;S 354 go;DATA;S 554 5.6.0 spam                   | 554 5.6.0 spam                                                              | USABLE
            S 250 ok;R;S 250 ok;D;S 354 go;DATA;S 452 4.3.1 full                   | 452 4.3.1 full                                                              | USABLE
            S 250 ok;R;S 250 ok;D;S 354 go;DATA;S 421 4.3.2 down                   | 421 4.3.2 down                                                              | ENDED
            S 250 ok;R;S 250 ok;D;S 354 go;DATA;DROP                               | 450 4.4.2 the end of data: connection closed by peer                        | UNANSWERED
            S 250 ok;R;S 250 ok;D;S 354 go;DATA;STALL                              | 450 4.4.2 the end of data: timed out after 900 ms                          | UNANSWERED
            S 250 ok;R;S 250 ok;D;S 354 go;DATA;S 250-o;S 550 k;STALL              | 451 4.5.0 the end of data: code changes from 250 to 550 within a reply      | UNANSWERED
            """)
    void oneMessageMeetsTrouble(String script, String reply, String end) {
        String hello = PLAIN_HELLO + "C MAIL FROM:<me@here.example>\n";
        String afterwards = end.equals("USABLE")
                ? script.contains("DATA")
                        ? "\nC QUIT\nS 221 bye\n"
                        : "\nC RSET\nS 250 ok\nC QUIT\nS 221 bye\n"
                : "";
        String rest = lines(script.replace(";R;", ";C RCPT TO:<you@there.example>;").replace(";D;", ";C DATA;"));
        try (var server = SmtpSink.following(hello + rest + afterwards);
                var carriers = new Carriers(until(reply), events)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(5));
            String remote = "127.0.0.1[127.0.0.1]:" + server.port();
            String expected = reply.replaceFirst("^(45. 4.\\d.\\d) (MAIL|RCPT|DATA|the end of data): ",
                    "$1 lost connection with " + remote + " while waiting for the reply to $2: ");
            if (end.equals("UNANSWERED")) {
                assertThat(events.unanswered(5).reason()).hasToString(expected);
                assertThat(events.unanswered(5).remote()).isEqualTo(remote);
                assertThat(events.unanswered(5).mayHaveArrived()).isEqualTo(script.contains("DATA"));
            } else {
                assertThat(events.reply(5)).hasToString(expected);
                assertThat(events.answered(5).usable()).isEqualTo(end.equals("USABLE"));
            }
            assertThat(server.connections()).isEqualTo(1);
        }
        assertThat(events.news()).as("one ready, one result, nothing else").hasSize(2);
    }

    @Test
    void resultsBeforeTheLossStay() {
        try (var server = SmtpSink.following(HELLO + """
                C MAIL FROM:*
                C RCPT TO:<a@x.example>
                C RCPT TO:<b@x.example>
                C DATA
                S 250 ok
                S 550 5.1.1 unknown
                S 250 ok
                DROP
                """); var carriers = new Carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1, "a@x.example", "b@x.example"));
            List<RecipientOutcome> outcomes = events.answered(1).outcomes();
            assertThat(outcomes.get(0).outcome()).isInstanceOf(Outcome.Failed.class);
            assertThat(outcomes.get(1).outcome()).isInstanceOf(Outcome.Deferred.class);
        }
    }

    @Test
    void aPeerThatStopsReadingDoesNotHoldUsForEver() {
        try (var server = SmtpSink.following(stopsReading());
                var carriers = new Carriers(Post.hasty(HASTY, "finalReplyTimeout", "dataBlockTimeout"), events)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1, content("x".repeat(70) + "\r\n")));
            assertThat(events.unanswered(1).reason().toString()).contains("timed out after 900 ms");
            carriers.open(2, Post.route(server), false);
            events.awaitReady(2);
            Post.deliver(carriers, 2, transfer(2, content(("x".repeat(70) + "\r\n").repeat(500_000))));
            assertThat(events.unanswered(2).reason().toString()).contains("write timed out after 900 ms");
            assertThat(events.unanswered(2).mayHaveArrived()).isFalse();
        }
    }

    @Test
    void aRefusalInTheMiddleOfTheContentIsReadEvenWhenThePeerDisconnects() {
        try (var server = SmtpSink.following(HELLO + """
                C MAIL FROM:*
                C RCPT TO:*
                C DATA
                S 250 ok
                S 250 ok
                S 354 go
                BYTES 100000
                S 552 5.3.4 enough
                BYTES 10000000
                DROP
                """); var carriers = new Carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1, content(("x".repeat(70) + "\r\n").repeat(500_000))));
            assertThat(events.reply(1)).hasToString("552 5.3.4 enough");
            assertThat(events.answered(1).usable()).isFalse();
        }
    }

    @Test
    void aPeerThatTakesTheMessageAndHangsUpAtOnceHasTakenIt() {
        try (var server = SmtpSink.following(HELLO + TAKE + "DROP\n");
                var carriers = new Carriers(Post.patient(), events)) {
            for (int i = 1; i <= 200; i++) {
                int connection = i;
                carriers.open(connection, Post.route(server), false);
                events.awaitReady(connection);
                Post.deliver(carriers, connection, transfer(connection));
            }
            for (int i = 1; i <= 200; i++) {
                assertThat(events.outcome(i)).isInstanceOf(Outcome.Delivered.class);
            }
        }
    }

    @Test
    void aPeerThatTakesTheMessageBeforeItIsThereIsNotBelieved() {
        try (var server = SmtpSink.following(HELLO + """
                C MAIL FROM:*
                C RCPT TO:*
                C DATA
                S 250 ok
                S 250 ok
                S 354 go
                BYTES 100000
                S 250 2.0.0 thanks, that will do
                BYTES 10000000
                DROP
                """); var carriers = new Carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1, content(("x".repeat(70) + "\r\n").repeat(500_000))));
            assertThat(events.unanswered(1).mayHaveArrived()).isFalse();
        }
    }

    @Test
    void aPeerThatFloodsUsWithUnrequestedRepliesIsLeft() {
        try (var server = SmtpSink.following(HELLO + TAKE + "S 250 more\n".repeat(2000) + "STALL\n");
                var carriers = new Carriers(Post.patient(), events)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1));
            assertThat(events.outcome(1)).isInstanceOf(Outcome.Delivered.class);
            assertThat(events.lost().reason()).isEqualTo("451 4.5.0 unsolicited response: 250 more");
        }
    }

    /// Only the timeout that this failure is about is short.
    private static ClientConfig until(String failure) {
        return !failure.contains("timed out")
                ? Post.patient()
                : Post.hasty(HASTY, failure.contains("greeting")
                        ? "greetingTimeout"
                        : failure.contains("DATA")
                                ? "dataReplyTimeout"
                                : failure.contains("end of data") ? "finalReplyTimeout" : "commandTimeout");
    }

    private static String stopsReading() {
        return HELLO + """
                C MAIL FROM:*
                C RCPT TO:*
                C DATA
                S 250 ok
                S 250 ok
                S 354 go
                STALL
                """;
    }

    private static String lines(String script) {
        return String.join("\n", script.split(";")) + "\n";
    }
}
