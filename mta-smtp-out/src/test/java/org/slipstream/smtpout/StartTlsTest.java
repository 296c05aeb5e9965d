package org.slipstream.smtpout;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.queue.Outcome;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.TestCertificates;
import org.slipstream.testkit.Transcript;

import java.io.IOException;
import java.nio.file.Path;

import javax.net.ssl.SSLContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.smtpout.Post.transfer;
import static org.slipstream.testkit.Transcript.BYE;
import static org.slipstream.testkit.Transcript.HELLO;
import static org.slipstream.testkit.Transcript.TAKE;

/// Opportunistic TLS with servers that have a self-signed certificate, a broken one, or that refuse
/// STARTTLS after announcing it.
class StartTlsTest {
    private static final String OFFER = """
            S 220 sink
            C EHLO me.example
            S 250-sink
            S 250-PIPELINING
            S 250 STARTTLS
            C STARTTLS
            """;
    private static final String ENCRYPTED_HELLO = OFFER + """
            S 220 go
            TLS
            C EHLO me.example
            S 250-sink
            S 250 PIPELINING
            """;

    private static final SSLContext EXPIRED = TestCertificates.expired("expired.example");

    private final EventLog events = new EventLog();
    private final Carriers carriers = new Carriers(Post.patient(), events);

    @AfterEach
    void stop() {
        carriers.close();
    }

    @Test
    void storedContentsGoUnderTlsToo(@TempDir Path files) throws IOException {
        String text = "Subject: x\r\n\r\n" + "A line of text.\r\n".repeat(20_000);
        try (var server = tlsSink(ENCRYPTED_HELLO + TAKE + TAKE + BYE)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, Post.transfer(1, StoredContent.inMemory(text)));
            assertThat(events.outcome(1)).isInstanceOf(Outcome.Delivered.class);
            Post.deliver(carriers, 1, Post.transfer(2, StoredContent.inFile(text, files.resolve("content"))));
            assertThat(events.outcome(2)).isInstanceOf(Outcome.Delivered.class);
            assertThat(server.contents()).containsExactly(text, text);
            carriers.close(1);
        }
    }

    @Test
    void mailGoesUnderTlsWhateverTheCertificateSays() {
        try (var server = tlsSink(ENCRYPTED_HELLO + TAKE + TAKE + BYE)) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1));
            assertThat(events.outcome(1)).isInstanceOf(Outcome.Delivered.class);
            Post.deliver(carriers, 1, transfer(2));
            assertThat(events.answered(2).usable()).isTrue();
            carriers.close();
            assertThat(server.contents()).containsExactly(Post.LETTER, Post.LETTER);
            assertThat(server.commands()).contains("STARTTLS", "QUIT");
        }
    }

    @Test
    void aPeerThatHangsUpUnderTlsIsNoticed() {
        try (var server = tlsSink(ENCRYPTED_HELLO + TAKE + "GATE\nDROP\n")) {
            carriers.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(carriers, 1, transfer(1));
            events.answered(1);
            server.release();
            events.lost();
        }
    }

    @Test
    void aPeerThatRefusesItsOwnOfferGetsTheMailInTheClear() {
        try (var server = SmtpSink.following(OFFER + "S 454 4.7.0 no key\n" + TAKE + BYE)) {
            deliversInTheClear(server, 1);
        }
    }

    @Test
    void aBrokenHandshakeIsFollowedByACallInTheClear() {
        for (String broken : new String[]{"S 220 go\nRAW this is no TLS\nDROP\n", "S 220 go\nDROP\n",
                "S 220 go\nBYTES 5\nCUT\n", "S 220 go\nS 250 injected under TLS\nSTALL\n"}) {
            EventLog news = new EventLog();
            try (var server = SmtpSink.following(OFFER + broken, """
                    S 220 sink
                    C EHLO me.example
                    S 250-sink
                    S 250-PIPELINING
                    S 250 STARTTLS
                    """ + TAKE + BYE); var clear = new Carriers(Post.patient(), news)) {
                clear.open(1, Post.route(server), false);
                news.ready();
                Post.deliver(clear, 1, transfer(1));
                assertThat(news.outcome(1)).as(broken).isInstanceOf(Outcome.Delivered.class);
                assertThat(server.connections()).isEqualTo(2);
            }
        }
    }

    @Test
    void aHandshakeThatNeverEndsIsLeft() {
        try (var server = SmtpSink.following(OFFER + "S 220 go\nSTALL\n", HELLO + BYE);
                var hasty = new Carriers(Post.hasty(500, "tlsTimeout"), events)) {
            hasty.open(1, Post.route(server), false);
            events.ready();
            assertThat(server.connections()).isEqualTo(2);
        }
    }

    @Test
    void noTlsWhenItIsSwitchedOff() {
        ClientConfig on = Post.patient();
        ClientConfig off = on.with(SettingsRecords.with(on.settings(), "startTls", false));
        String offered = OFFER.replace("C STARTTLS\n", "");
        try (var server = SmtpSink.following(offered + TAKE + BYE); var clear = new Carriers(off, events)) {
            clear.open(1, Post.route(server), false);
            events.ready();
            Post.deliver(clear, 1, transfer(1));
            assertThat(events.outcome(1)).isInstanceOf(Outcome.Delivered.class);
        }
    }

    private static SmtpSink tlsSink(String transcript) {
        return SmtpSink.start(Transcript.of(transcript).withTls(EXPIRED));
    }

    private void deliversInTheClear(SmtpSink server, int connections) {
        carriers.open(1, Post.route(server), false);
        events.ready();
        Post.deliver(carriers, 1, transfer(1));
        assertThat(events.outcome(1)).isInstanceOf(Outcome.Delivered.class);
        assertThat(server.connections()).isEqualTo(connections);
    }
}
