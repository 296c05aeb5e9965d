package org.slipstream.smtpin;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.SmtpTalker;

import static org.assertj.core.api.Assertions.assertThat;

/// Each known way to end a message for some servers and not for others, with a second message
/// behind it (CVE-2023-51764 and its family): no part of it is accepted, nothing behind it is
/// executed, and the session ends.
class SmugglingTest {
    @ParameterizedTest
    @ValueSource(strings = {"<LF>.<LF>", "<LF>.<CRLF>", "<CRLF>.<LF>", "<CR>.<CR>", "<CR>.<CRLF>", "<CRLF>.<CR>",
            "<LF>.<CR>", "<CR>.<LF>", "<CRLF>.<CR><CRLF>", "<CR><CRLF>.<CRLF>", "<CRLF>.<CR><CR><LF>",
            "<CRLF>\0.<CRLF><LF>", "<LF><CR>.<LF><CR>", "<CRLF><CR>.<CRLF>", "<LF>.<CR><CRLF>", "<CRLF>.\0<LF>"})
    void nothingIsTaken(String end) throws Exception {
        String odd = end.replace("<CRLF>", "\r\n").replace("<CR>", "\r").replace("<LF>", "\n");
        CollectedMessages messages = new CollectedMessages();
        try (SmtpListener listener = Ports.started(Ports.config(), messages);
                SmtpTalker client = Ports.greeted(listener)) {
            ListenerTest.beginData(client);
            client.send("Subject: outer\r\n\r\nbody" + odd
                    + "MAIL FROM:<forged@x.example>\r\nRCPT TO:<victim@y.example>\r\nDATA\r\nforged\r\n.\r\nQUIT\r\n");
            assertThat(client.reply()).startsWith("521 5.5.2 ");
            assertThat(client.isClosedInOrder()).isTrue();
        }
        assertThat(messages.accepted).isEmpty();
        assertThat(messages.drafts).hasValue(1);
    }
}
