package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.MailAssert;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.ProgramRun;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The services besides SMTP: a relay that brings mail by LMTP, and proxies that forward the
/// addresses of clients.
@RequiresPrograms({"swaks"})
class ServicesIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();

    @Test
    void aRelayBringsMailByLmtpAndGetsAReplyForEachRecipient() {
        var server = BENCH.server(Settings.quick().set("listen.lmtp", "127.0.0.1:0"));
        var sent = ProgramRun.of("swaks", "--server", "127.0.0.1:" + server.port("lmtp").getPort(), "--protocol",
                "LMTP",
                "--from", "someone@client.example", "--to", "alice@here.example,bob@here.example", "--h-Subject",
                "by LMTP").mustSucceed();
        assertThat(sent.out().lines().filter(line -> line.contains("queued as"))).hasSize(2);
        for (var mailbox : new String[]{"alice@here.example", "bob@here.example"}) {
            eventually().until(() -> server.mail().count(mailbox) == 1);
            assertThat(new String(server.mail().newMail(mailbox).getFirst(), StandardCharsets.UTF_8))
                    .contains("with LMTP", "Subject: by LMTP");
        }
    }

    @Test
    void whereTlsIsOffNeitherStarttlsNorALoginIsOffered() {
        var server = BENCH.server(Settings.quick().set("tls.off", "smtp,submission"));
        assertThat(server.home().resolve("tls")).as("no certificate is made that no port needs").doesNotExist();
        for (var port : List.of(server.smtp(), server.submission())) {
            try (var talk = SmtpTalker.introducedTo(port)) {
                assertThat(talk.must(250, "EHLO client.example").lines()).noneMatch(
                        line -> line.startsWith("STARTTLS") || line.startsWith("AUTH"));
                assertThat(talk.say("STARTTLS").code()).isBetween(500, 599);
                assertThat(talk.say("AUTH PLAIN AGEAYg==").code()).isBetween(500, 599);
                var outgoing = OutgoingMessage.of("off" + port.getPort() + "@x", "a@client.example",
                        "off@here.example");
                assertThat(talk.send(outgoing).code()).isEqualTo(250);
            }
        }
        eventually().until(() -> server.mail().count("off@here.example") == 2);
        var other = BENCH.server(Settings.quick().set("tls.off", "smtp"));
        try (var talk = SmtpTalker.introducedTo(other.submission())) {
            assertThat(talk.must(250, "EHLO client.example").lines()).contains("STARTTLS");
        }
    }

    @Test
    void theClientOfAProxyIsCheckedAndNamed() {
        var server = BENCH.server(Settings.quick().set("trust.proxies", "127.0.0.1"));
        for (var version : new String[]{"1", "2"}) {
            var sent = ProgramRun.of("swaks", "--server", "127.0.0.1:" + server.smtp().getPort(), "--proxy-version",
                    version, "--proxy-family", version.equals("1") ? "TCP4" : "AF_INET", "--proxy-source",
                    "198.51.100.7", "--proxy-source-port", "4000", "--proxy-dest", "192.0.2.25", "--proxy-dest-port",
                    "25", "--from", "someone@client.example", "--to", "alice@here.example").mustSucceed();
            assertThat(sent.out()).contains("250");
        }
        eventually().until(() -> server.mail().count("alice@here.example") == 2);
        assertThat(server.mail().newMail("alice@here.example")).allSatisfy(mail -> assertThat(
                new String(mail, StandardCharsets.UTF_8)).contains("[198.51.100.7]").doesNotContain("127.0.0.1"));
        var refused = ProgramRun.of("swaks", "--server", "127.0.0.1:" + server.smtp().getPort(), "--proxy-version", "1",
                "--proxy-family", "TCP4", "--proxy-source", "198.51.100.7", "--proxy-source-port", "4000",
                "--proxy-dest", "192.0.2.25", "--proxy-dest-port", "25", "--from", "someone@client.example", "--to",
                "x@far.example");
        assertThat(refused.out() + refused.err()).as("the proxy's own network relays, its clients do not")
                .contains("554 5.7.1");
    }

    @Test
    void aListedClientSaysByXclientForWhomItSpeaks() {
        var server = BENCH.server(Settings.quick().set("trust.xclient", "127.0.0.1"));
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            talk.must(220, "XCLIENT ADDR=198.51.100.7 NAME=client.example");
            talk.must(250, "EHLO client.example");
            talk.must(250, "MAIL FROM:<someone@client.example>");
            assertThat(talk.say("RCPT TO:<x@far.example>").toString()).startsWith("554 5.7.1");
        }
        var others = BENCH.server(Settings.quick());
        try (var talk = SmtpTalker.introducedTo(others.smtp())) {
            assertThat(talk.say("XCLIENT ADDR=198.51.100.7").code()).isEqualTo(502);
        }
    }

    /// RFC 3461: RET, ENVID, NOTIFY and ORCPT come with the report, and success is reported to
    /// senders that requested it.
    @Test
    void aRequestedReceiptIsSent() {
        var far = BENCH.smtpSink();
        var server = BENCH.server(Settings.quick().route("far.example", far));
        var outgoing = OutgoingMessage.of("receipt@x", "boss@here.example", "alice@here.example");
        try (var talk = SmtpTalker.introducedTo(server.submission())) {
            talk.must(250, "MAIL FROM:<boss@here.example> RET=FULL ENVID=QQ314159");
            talk.must(250, "RCPT TO:<alice@here.example> NOTIFY=SUCCESS,FAILURE ORCPT=rfc822;Alice@old.example");
            talk.must(250, "RCPT TO:<friend@far.example> NOTIFY=SUCCESS");
            talk.must(250, "RCPT TO:<bob@here.example> NOTIFY=FAILURE");
            talk.must(354, "DATA");
            talk.data(outgoing.content());
        }
        eventually().until(() -> server.mail().count("boss@here.example") == 1);
        var receipt = new String(server.mail().newMail("boss@here.example").getFirst(), StandardCharsets.UTF_8);
        assertThat(receipt).contains("Subject: Your message has arrived", "Original-Envelope-Id: QQ314159",
                "Original-Recipient: rfc822; Alice@old.example", "Action: delivered", "Action: relayed",
                "Final-Recipient: rfc822; friend@far.example", "text/rfc822-headers")
                .doesNotContain("bob@here.example");
        eventually().until(() -> Queue.of(server).isEmpty());
    }

    /// RFC 3030: any octets, received in chunks, are the same in the mailbox, and are relayed in a
    /// form that other servers accept.
    @Test
    void binaryMailAndInternationalMailGoThrough() {
        var far = BENCH.smtpSink();
        var server = BENCH.server(Settings.quick().route("far.example", far));
        var body = "\0\u0001 bare\nline and \u007f\r\n";
        var mail = "Date: Sat, 21 Nov 2026 10:00:00 +0000\r\nMessage-ID: <binary@x>\r\nMIME-Version: 1.0\r\n"
                + "Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: binary\r\n\r\n" + body;
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            talk.must(250, "MAIL FROM:<someone@client.example> BODY=BINARYMIME");
            talk.must(250, "RCPT TO:<alice@here.example>");
            talk.must(250, "RCPT TO:<friend@far.example>");
            talk.must(250, "BDAT " + mail.length() + " LAST\r\n" + mail.substring(0, mail.length() - 2));
            talk.must(250, "MAIL FROM:<grüße@client.example> SMTPUTF8 BODY=8BITMIME");
            talk.must(250, "RCPT TO:<jürgen@here.example>");
            talk.must(354, "DATA");
            talk.data("Subject: Grüße\r\n\r\nhallo\r\n".getBytes(StandardCharsets.UTF_8));
        }
        eventually().until(() -> server.mail().count("alice@here.example") == 1);
        assertThat(new String(server.mail().newMail("alice@here.example").getFirst(), StandardCharsets.US_ASCII))
                .endsWith("binary\r\n\r\n" + body);
        eventually().until(() -> far.messages().size() == 1);
        assertThat(new String(far.messages().getFirst().content(), StandardCharsets.US_ASCII)).contains("base64",
                Base64.getEncoder().encodeToString(body.getBytes(StandardCharsets.US_ASCII)));
        eventually().untilAsserted(() -> assertThat(server.mail().newMail("j%C3%BCrgen@here.example")).singleElement()
                .satisfies(received -> assertThat(new String(received, StandardCharsets.UTF_8))
                        .contains("with UTF8SMTP", "Subject: Grüße")));
    }

    @Test
    void announcedExtensionsAreServed() {
        var far = BENCH.smtpSink();
        var server = BENCH.server(Settings.quick().route("far.example", far));
        var outgoing = OutgoingMessage.of("chunks@x", "someone@client.example", "alice@here.example");
        try (var talk = SmtpTalker.greetedBy(server.smtp())) {
            assertThat(talk.must(250, "EHLO client.example").lines())
                    .contains("SMTPUTF8", "CHUNKING", "BINARYMIME", "DSN", "LIMITS MAILMAX=500 RCPTMAX=1000")
                    .noneMatch(line -> line.startsWith("FUTURERELEASE") || line.startsWith("REQUIRETLS"));
            talk.must(250, "MAIL FROM:<someone@client.example> RET=HDRS ENVID=QQ314159");
            talk.must(250, "RCPT TO:<alice@here.example> NOTIFY=FAILURE ORCPT=rfc822;Alice@old.example");
            var text = new String(outgoing.content(), StandardCharsets.US_ASCII);
            // The last line end of the chunk is the one that `must` adds.
            talk.must(250, "BDAT " + text.length() + " LAST\r\n" + text.substring(0, text.length() - 2));
            talk.must(250, "MAIL FROM:<someone@client.example> SMTPUTF8 BODY=8BITMIME");
            talk.must(250, "RCPT TO:<grüße@here.example>");
            talk.must(250, "RSET");
        }
        MailAssert.arrives(outgoing, server.mail(), "alice@here.example");
    }
}
