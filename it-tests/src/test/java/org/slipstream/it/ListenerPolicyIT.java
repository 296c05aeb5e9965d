package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.MailAssert;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The rules of the listeners: no open relay, TLS from the first start, loops end, limits hold.
class ListenerPolicyIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static PackagedServer server;

    @BeforeAll
    static void start() {
        server = BENCH.server(Settings.quick().set("limits.message-size", "100KiB").set("limits.hops", "5"));
    }

    @Test
    void aClientThatIsNotListedCannotSendToOthersButToUs() {
        var far = BENCH.smtpSink();
        var server = BENCH.server(Settings.quick().route("far.example", far).set("relay.networks", "192.0.2.0/24"));
        var outgoing = OutgoingMessage.of("local@x", "someone@client.example", "alice@here.example");
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            for (var trick : List.of("x@far.example", "x%far.example@elsewhere.example", "@here.example:x@far.example",
                    "x@[192.0.2.1]", "\"x@far.example\"@elsewhere.example")) {
                talk.must(250, "MAIL FROM:<someone@client.example>");
                var answer = talk.say("RCPT TO:<" + trick + ">");
                assertThat(answer.code()).as(trick).isBetween(500, 599);
                talk.must(250, "RSET");
            }
            talk.must(250, "MAIL FROM:<someone@client.example>");
            assertThat(talk.say("RCPT TO:<x@far.example>").toString()).startsWith("554 5.7.1");
            talk.must(250, "RSET");
            assertThat(talk.send(outgoing).code()).isEqualTo(250);
        }
        MailAssert.arrives(outgoing, server.mail(), "alice@here.example");
        assertThat(far.connections()).isZero();
    }

    @Test
    void startTlsWorksAtTheFirstStartWithACertificateOfItsOwn() throws IOException {
        var server = BENCH.server(Settings.quick());
        var outgoing = OutgoingMessage.of("tls@x", "someone@client.example", "alice@here.example");
        BigInteger serial;
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            var certificate = talk.startTls();
            serial = certificate.getSerialNumber();
            assertThat(certificate.getIssuerX500Principal()).isEqualTo(certificate.getSubjectX500Principal());
            assertThat(certificate.getSubjectX500Principal().getName()).contains("mail.here.example");
            assertThat(talk.must(250, "EHLO client.example").text()).as("not offered twice").doesNotContain("STARTTLS");
            assertThat(talk.send(outgoing).code()).isEqualTo(250);
        }
        MailAssert.arrives(outgoing, server.mail(), "alice@here.example");
        try (var tls = Files.list(server.home().resolve("tls"))) {
            assertThat(tls.filter(file -> file.toString().endsWith(".key"))).singleElement()
                    .satisfies(key -> assertThat(PosixFilePermissions
                            .toString(Files.getPosixFilePermissions(key))).isEqualTo("rw-------"));
        }
        server.stop();
        server.startAgain();
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.startTls().getSerialNumber()).as("the same pair after a restart").isEqualTo(serial);
        }
    }

    @Test
    void ehloNamesWhatIsKept() {
        try (var talk = SmtpTalker.to(server.smtp())) {
            assertThat(talk.reply()).startsWith("220 mail.here.example ESMTP");
            assertThat(talk.must(250, "EHLO client.example").lines()).contains("PIPELINING", "8BITMIME",
                    "ENHANCEDSTATUSCODES", "STARTTLS", "SIZE 102400");
        }
    }

    @Test
    void aMessageThatIsTooLargeIsRefusedDeclaredOrNot() {
        var large = OutgoingMessage.of("large@x", "someone@client.example", List.of("alice@here.example"),
                Bytes.ascii("x".repeat(70).concat("\r\n").repeat(2_000)));
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.say("MAIL FROM:<someone@client.example> SIZE=200000").code()).isEqualTo(552);
            assertThat(talk.send(large).code()).isEqualTo(552);
            assertThat(talk.send(OutgoingMessage.of("small@x", "someone@client.example", "alice@here.example")).code())
                    .as("the session goes on").isEqualTo(250);
        }
        eventually().until(() -> server.mail().count("alice@here.example") == 1);
    }

    /// Two servers that hold each other for the home of a domain: the Received lines end it (RFC
    /// 5321 section 6.3).
    @Test
    void aLoopEndsHere() {
        var received = "Received: from a by b; Sat, 21 Nov 2026 10:00:00 +0000\r\n".repeat(6);
        var plain = OutgoingMessage.of("loop@x", "someone@client.example", "bob@here.example");
        var looping = new OutgoingMessage(plain.sender(), plain.recipients(),
                Bytes.concat(Bytes.ascii(received), plain.content()));
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(looping).toString()).startsWith("554 5.4.6");
        }
    }
}
