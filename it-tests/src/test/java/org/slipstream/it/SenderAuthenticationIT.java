package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpReply;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.StubDns;
import org.slipstream.testkit.server.PackagedServer;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// `policy.sender-authentication` with the packaged program: clients from everywhere, and a name
/// server with the records of their domains.
class SenderAuthenticationIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final String ZONE = """
            7.100.51.198.in-addr.arpa. IN PTR mx.strict.example.
            mx.strict.example. IN A 198.51.100.7
            strict.example. IN TXT "v=spf1 ip4:198.51.100.7 -all"
            _dmarc.strict.example. IN TXT "v=DMARC1; p=reject"
            careful.example. IN TXT "v=spf1 -all"
            _dmarc.careful.example. IN TXT "v=DMARC1; p=quarantine"
            """;
    private static final String OWN = "198.51.100.7";
    private static final String FOREIGN = "203.0.113.9";
    private static StubDns dns;

    @BeforeAll
    static void zone() {
        dns = BENCH.keep(StubDns.of(ZONE));
    }

    private static PackagedServer server(Path home, String... policy) throws Exception {
        Files.writeString(home.resolve("mta.toml"), "[policy]\n" + String.join("\n", policy) + "\n");
        return BENCH.server(home, Settings.quick().set("relay.networks", "").set("trust.xclient", "127.0.0.1")
                .set("smtp-client.dns-servers", dns.address()));
    }

    @Test
    void theVerdictsStandOnTopAndForgedOnesAreGone() throws Exception {
        PackagedServer server = server(BENCH.home(), "sender-authentication = \"note\"");
        assertThat(send(server, OWN, "strict.example", "bob").code()).isEqualTo(250);
        assertThat(send(server, FOREIGN, "strict.example", "carol").code()).isEqualTo(250);
        assertThat(inbox(server, "bob")).contains("mail.here.example; iprev=pass", "spf=pass", "dkim=none",
                "dmarc=pass header.from=strict.example").doesNotContain("forged").contains("other.example; spf=pass");
        assertThat(inbox(server, "carol")).contains("spf=fail", "dmarc=fail");
    }

    @Test
    void theOwnerOfADomainIsObeyed() throws Exception {
        PackagedServer server = server(BENCH.home(), "sender-authentication = \"apply\"");
        assertThat(send(server, FOREIGN, "strict.example", "bob")).hasToString(
                "550 5.7.26 Message refused: it fails DMARC, and strict.example asks for that");
        assertThat(send(server, FOREIGN, "strict.example", "postmaster").code()).isEqualTo(250);
        assertThat(send(server, FOREIGN, "careful.example", "carol").code()).isEqualTo(250);
        eventually().until(() -> server.mail().junk("carol@here.example").size() == 1);
        assertThat(text(server.mail().junk("carol@here.example"))).contains("\r\nX-Spam: Yes\r\n", "dmarc=fail");
        assertThat(send(server, OWN, "strict.example", "dave").code()).isEqualTo(250);
        assertThat(inbox(server, "dave")).contains("dmarc=pass");
        eventually().until(() -> server.log().contains("tags=\"sender=dmarc=quarantine\""));
    }

    @Test
    void quarantineOnHoldWaitsForAnOperatorAlsoAfterAKill() throws Exception {
        PackagedServer server = server(BENCH.home(), "sender-authentication = \"apply\"", "quarantine = \"hold\"");
        assertThat(send(server, FOREIGN, "careful.example", "bob").code()).isEqualTo(250);
        server.kill9();
        server.startAgain();
        eventually().untilAsserted(() -> assertThat(Queue.of(server).messages()).singleElement()
                .satisfies(message -> assertThat(message.path("state").asString()).isEqualTo("held")));
        String id = Queue.of(server).messages().getFirst().path("id").asString();
        assertThat(server.command("explain", id).out()).contains("careful.example asks for quarantine");
        assertThat(server.mail().count("bob@here.example")).isZero();
        server.command("queue", "release", id);
        assertThat(inbox(server, "bob")).contains("dmarc=fail");
    }

    /// The verdicts are facts for rules of the operator.
    @Test
    void aHeaderCheckSeesTheVerdictsOfThisServerOnly() throws Exception {
        Path home = BENCH.home();
        Files.writeString(home.resolve("checks"), """
                accept  List-Id  /<friends\\.example>/
                reject  Authentication-Results  /^mail\\.here\\.example;.*dmarc=fail/  Not yours
                """);
        PackagedServer server = server(home, "sender-authentication = \"note\"", "header-checks = \"checks\"");
        assertThat(send(server, FOREIGN, "careful.example", "bob")).hasToString("550 5.7.1 Not yours");
        assertThat(send(server, OWN, "strict.example", "bob").code()).as("the forged field says fail").isEqualTo(250);
        assertThat(send(server, FOREIGN, "careful.example", "bob", "List-Id: <friends.example>\r\n").code())
                .isEqualTo(250);
    }

    private static SmtpReply send(PackagedServer server, String client, String domain, String to, String... fields) {
        String message = "Authentication-Results: mail.here.example; dmarc=fail reason=forged\r\n"
                + "Authentication-Results: other.example; spf=pass smtp.mailfrom=x\r\n" + String.join("", fields)
                + "From: <x@" + domain + ">\r\nSubject: x\r\n\r\nHello.\r\n";
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            talk.must(220, "XCLIENT ADDR=" + client);
            talk.must(250, "EHLO client.example");
            return talk.send(new OutgoingMessage("x@" + domain, List.of(to + "@here.example"),
                    message.getBytes(StandardCharsets.US_ASCII)));
        }
    }

    /// The only message of this mailbox.
    private static String inbox(PackagedServer server, String to) {
        String mailbox = to + "@here.example";
        eventually().until(() -> server.mail().count(mailbox) == 1);
        return text(server.mail().newMail(mailbox));
    }

    private static String text(List<byte[]> messages) {
        return new String(messages.getFirst(), StandardCharsets.US_ASCII).replaceAll("\r\n[ \t]+", " ");
    }
}
