package org.slipstream.it;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.it.fixture.Letter;
import org.slipstream.it.fixture.RunningServer;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.SmtpTalk;
import org.slipstream.it.fixture.Wire;
import org.slipstream.it.fixture.Workbench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Each known way to end a message for some servers and not for others, with a second message behind it (CVE-2023-51764 and its
/// family): the server takes neither, and hangs up. What we send ourselves is in mta-smtp-out's tests and `ThousandShapesIT`.
class SmugglingIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static RunningServer server;

    @BeforeAll
    static void start() {
        server = BENCH.server(Settings.quick());
    }

    @ParameterizedTest
    @ValueSource(strings = {"<LF>.<LF>", "<LF>.<CRLF>", "<CRLF>.<LF>", "<CR>.<CR>", "<CR>.<CRLF>", "<CRLF>.<CR>",
            "<LF>.<CR>", "<CR>.<LF>", "<CRLF>.<CR><CRLF>", "<CR><CRLF>.<CRLF>", "<CRLF>.<CR><CR><LF>",
            "<CRLF>\0.<CRLF><LF>", "<LF><CR>.<LF><CR>", "<CRLF><CR>.<CRLF>", "<LF>.<CR><CRLF>", "<CRLF>.\0<LF>"})
    void neitherMessageIsTaken(String end) {
        var odd = end.replace("<CRLF>", "\r\n").replace("<CR>", "\r").replace("<LF>", "\n");
        try (var wire = Wire.greetedBy(server.smtp())) {
            wire.ask("MAIL FROM:<a@client.example>");
            wire.ask("RCPT TO:<outer@here.example>");
            assertThat(wire.ask("DATA")).startsWith("354");
            wire.send("Subject: outer\r\n\r\nbody" + odd + "MAIL FROM:<forged@here.example>\r\n"
                    + "RCPT TO:<victim@here.example>\r\nDATA\r\nforged\r\n.\r\nQUIT\r\n");
            assertThat(wire.reply()).startsWith("521 5.5.2 ");
            assertThat(wire.isHungUp()).isTrue();
        }
    }

    /// One after all of these, so that the mailboxes can be looked into.
    @AfterAll
    static void andNothingHasArrived() {
        try (var talk = SmtpTalk.greeted(server.smtp())) {
            assertThat(talk.send(Letter.of("honest@x", "a@client.example", "honest@here.example")).code())
                    .isEqualTo(250);
        }
        eventually().until(() -> server.mail().count("honest@here.example") == 1);
        assertThat(server.mail().count("outer@here.example")).isZero();
        assertThat(server.mail().count("victim@here.example")).isZero();
        // The outcome is recorded after the file is in the mailbox.
        eventually().until(() -> server.queue().isEmpty());
    }
}
