package org.slipstream.it;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Each known way to end a message for some servers and not for others, with a second message
/// behind it (CVE-2023-51764 and its family). From a stranger the server accepts neither, and
/// disconnects. From a known client it accepts one message at most, which holds all of it, and the
/// next server gets one as well. The sending side is tested in mta-smtp-out and in
/// `ThousandShapesIT`.
class SmugglingIT {
    private static final String SECOND = "MAIL FROM:<forged@here.example>\r\nRCPT TO:<victim@here.example>\r\nDATA\r\n"
            + "forged\r\n.\r\nQUIT\r\n";
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static PackagedServer server;
    private static PackagedServer trusting;
    private static SmtpSink next;

    @BeforeAll
    static void start() {
        server = BENCH.server(Settings.quick().set("relay.networks", "192.0.2.0/24"));
        next = BENCH.smtpSink();
        trusting = BENCH.server(Settings.quick().route(Settings.FAR_DOMAIN, next));
    }

    @ParameterizedTest
    @ValueSource(strings = {"<LF>.<LF>", "<LF>.<CRLF>", "<CRLF>.<LF>", "<CR>.<CR>", "<CR>.<CRLF>", "<CRLF>.<CR>",
            "<LF>.<CR>", "<CR>.<LF>", "<CRLF>.<CR><CRLF>", "<CR><CRLF>.<CRLF>", "<CRLF>.<CR><CR><LF>",
            "<CRLF>\0.<CRLF><LF>", "<LF><CR>.<LF><CR>", "<CRLF><CR>.<CRLF>", "<LF>.<CR><CRLF>", "<CRLF>.\0<LF>"})
    void neitherMessageIsTaken(String end) {
        var odd = spelled(end);
        try (var wire = SmtpTalker.introducedTo(server.smtp())) {
            wire.ask("MAIL FROM:<a@client.example>");
            wire.ask("RCPT TO:<outer@here.example>");
            assertThat(wire.ask("DATA")).startsWith("354");
            wire.send("Subject: outer\r\n\r\nbody" + odd + SECOND);
            assertThat(wire.reply()).startsWith("521 5.5.2 ");
            assertThat(wire.isClosedByServer()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"<LF>.<LF>", "<LF>.<CRLF>", "<CRLF>.<LF>", "<LF><LF>.<LF><LF>", "<LF>..<LF>",
            "<LF>.<LF>.<CRLF>", "<CRLF>.<LF>.<LF>", "<CRLF>\0.<CRLF><LF>", "<CRLF>.\0<LF>"})
    void aKnownClientsMessageStaysOneMessageToTheEnd(String end) {
        int before = next.messages().size();
        try (var wire = SmtpTalker.introducedTo(trusting.smtp())) {
            wire.ask("MAIL FROM:<a@client.example>");
            wire.ask("RCPT TO:<outer@far.example>");
            assertThat(wire.ask("DATA")).startsWith("354");
            wire.send("Subject: outer\r\n\r\nbody" + spelled(end) + SECOND);
            assertThat(wire.reply()).startsWith("250 2.0.0 ");
            assertThat(wire.reply()).as("what stands behind is the client's QUIT").startsWith("221 ");
        }
        eventually().until(() -> next.messages().size() > before);
        var delivery = next.messages().getLast();
        assertThat(delivery.sender()).isEqualTo("a@client.example");
        assertThat(new String(delivery.content(), StandardCharsets.ISO_8859_1)).contains("body", "MAIL FROM:<forged")
                .endsWith("forged\r\n").doesNotContainPattern("(?<!\r)\n|\r(?!\n)");
        assertThat(trusting.mail().count("victim@here.example")).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"<CR>.<CR>", "<CR>.<CRLF>", "<CRLF>.<CR>", "<LF>.<CR>", "<CR>.<LF>", "<CRLF>.<CR><CRLF>",
            "<CR><CRLF>.<CRLF>", "<CRLF>.<CR><CR><LF>", "<LF><CR>.<LF><CR>", "<CRLF><CR>.<CRLF>", "<LF>.<CR><CRLF>"})
    void aBareReturnIsRefusedFromAKnownClientToo(String end) {
        try (var wire = SmtpTalker.introducedTo(trusting.smtp())) {
            wire.ask("MAIL FROM:<a@client.example>");
            wire.ask("RCPT TO:<bare@here.example>");
            assertThat(wire.ask("DATA")).startsWith("354");
            wire.send("Subject: outer\r\n\r\nbody" + spelled(end) + SECOND);
            assertThat(wire.reply()).startsWith("521 5.5.2 ");
            assertThat(wire.isClosedByServer()).isTrue();
        }
        assertThat(trusting.mail().count("bare@here.example")).isZero();
    }

    private static String spelled(String end) {
        return end.replace("<CRLF>", "\r\n").replace("<CR>", "\r").replace("<LF>", "\n");
    }

    /// A message after all of these, after which the mailboxes can be read.
    @AfterAll
    static void andNothingHasArrived() {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(OutgoingMessage.of("honest@x", "a@client.example", "honest@here.example")).code())
                    .isEqualTo(250);
        }
        eventually().until(() -> server.mail().count("honest@here.example") == 1);
        assertThat(server.mail().count("outer@here.example")).isZero();
        assertThat(server.mail().count("victim@here.example")).isZero();
        // The outcome is recorded after the file is in the mailbox.
        eventually().until(() -> Queue.of(server).isEmpty());
    }
}
