package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.StubDns;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// `[policy]` with the packaged program: the replies to strangers, and the log lines about them.
class PolicyIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();

    /// To this server the tests' own address is a stranger's.
    private static Settings among(String... settings) {
        var all = Settings.quick().set("relay.networks", "").set("local.mailboxes", "alice");
        for (int i = 0; i < settings.length; i += 2) {
            all = all.set(settings[i], settings[i + 1]);
        }
        return all;
    }

    @Test
    void aSenderWhoseDomainDoesNotExistIsRefusedAndOneWhoseDnsIsBrokenIsNot() {
        var dns = BENCH.keep(StubDns.start().mx("good.example", 10, "mx.good.example")
                .address("mx.good.example", InetAddress.ofLiteral("192.0.2.7")).mx("mute.example", 0, ".")
                .fails("broken.example"));
        var server = BENCH.server(among("policy.sender-domain", "true", "smtp-client.dns-servers", dns.address()));
        assertThat(rcpt(server.smtp(), "x@good.example")).startsWith("250 ");
        assertThat(rcpt(server.smtp(), "x@broken.example")).startsWith("250 ");
        assertThat(rcpt(server.smtp(), "x@here.example")).startsWith("250 ");
        assertThat(rcpt(server.smtp(), "x@nowhere.example"))
                .isEqualTo("550 5.1.8 Sender address rejected: Domain nowhere.example not found");
        assertThat(rcpt(server.smtp(), "x@mute.example")).startsWith("550 5.7.27 ");
        eventually().until(() -> server.log().contains("check=sender-domain sender=<x@nowhere.example>"));
    }

    /// RFC 5782: the lists are queried for the address that a trusted client forwards.
    @Test
    void aClientThatAListKnowsIsRefusedOrTaggedButMayComplain() throws IOException {
        var dns = BENCH.keep(StubDns.start().address("7.100.51.198.refuse.example", InetAddress.ofLiteral("127.0.0.2"))
                .address("8.100.51.198.tag.example", InetAddress.ofLiteral("127.0.0.4"))
                // Such an answer is not about the client: the list refuses our queries, or a
                // resolver answers for every name.
                .address("9.100.51.198.refuse.example", InetAddress.ofLiteral("127.255.255.254"))
                .address("9.100.51.198.tag.example", InetAddress.ofLiteral("203.0.113.1")));
        var server = BENCH.server(among("policy.block-lists", "refuse.example,tag.example tag",
                "trust.xclient", "127.0.0.1", "smtp-client.dns-servers", dns.address()));
        assertThat(rcptFrom("198.51.100.7", server.smtp(), "alice@here.example"))
                .isEqualTo("554 5.7.1 Service unavailable; Client host [198.51.100.7] blocked using refuse.example");
        assertThat(rcptFrom("198.51.100.7", server.smtp(), "postmaster@here.example")).startsWith("250 ");
        assertThat(rcptFrom("198.51.100.8", server.smtp(), "alice@here.example")).startsWith("250 ");
        assertThat(rcptFrom("198.51.100.9", server.smtp(), "alice@here.example")).startsWith("250 ");
        eventually().until(() -> server.log().contains("check=block-lists"));
    }

    private static String rcptFrom(String client, InetSocketAddress server, String recipient) {
        try (var talk = SmtpTalker.introducedTo(server)) {
            talk.must(220, "XCLIENT ADDR=" + client);
            talk.must(250, "EHLO client.example");
            talk.must(250, "MAIL FROM:<x@far.example>");
            return talk.say("RCPT TO:<" + recipient + ">").toString();
        }
    }

    @Test
    void aNewClientComesBackLater() {
        var server = BENCH.server(among("policy.greylisting", "true", "policy.greylist-delay", "500ms"));
        assertThat(rcpt(server.smtp(), "x@far.example")).startsWith("450 4.7.1 Greylisted");
        eventually().until(() -> rcpt(server.smtp(), "x@far.example").startsWith("250 "));
        assertThat(rcpt(server.smtp(), "y@far.example")).as("known by now").startsWith("250 ");
    }

    @Test
    void aClientThatTalksBeforeTheGreetingIsDisconnected() {
        var server = BENCH.server(among("policy.greeting-delay", "30s"));
        try (var wire = SmtpTalker.to(server.smtp())) {
            wire.send("EHLO client.example\r\n");
            assertThat(wire.reply()).startsWith("554 5.5.0 ");
            assertThat(wire.isClosedByServer()).isTrue();
        }
        eventually().until(() -> server.log().contains("check=early-talker"));
    }

    @Test
    void aHeaderCheckRefusesTagsAndShowsInTheLog() throws IOException {
        var home = BENCH.home();
        Files.writeString(home.resolve("checks"),
                "reject Subject /pills/i We are not ill\ntag Subject /lottery/ luck\n");
        var server = BENCH.server(home, among("policy.header-checks", "checks"));
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(OutgoingMessage.of("Pills@x", "x@far.example", "alice@here.example")).toString())
                    .isEqualTo("550 5.7.1 We are not ill");
            assertThat(talk.send(OutgoingMessage.of("lottery@x", "x@far.example", "alice@here.example")).code())
                    .isEqualTo(250);
            assertThat(talk.send(OutgoingMessage.of("Pills@x", "x@far.example", "abuse@here.example")).code())
                    .as("a complaint encloses what it is about").isEqualTo(250);
        }
        eventually().until(() -> server.log().contains("check=header-patterns")
                && server.log().contains("header-patterns=luck"));
    }

    @Test
    void aMistakeInAHeaderCheckIsToldByCheckWithItsLine() throws IOException {
        var home = BENCH.home();
        Files.writeString(home.resolve("checks"), "# mine\nreject Subject pills\n");
        Files.writeString(home.resolve("mta.toml"),
                "[policy]\nheader-checks = \"checks\"\nconnections-per-minute = -1\n");
        var checked = Program.run(home, "check");
        assertThat(checked.exit()).isNotZero();
        assertThat(checked.out() + checked.err()).contains("checks:2: a header check is")
                .contains("mta.toml:3: policy.connections-per-minute = -1");
    }

    private static String rcpt(InetSocketAddress server, String sender) {
        try (var talk = SmtpTalker.introducedTo(server)) {
            talk.must(250, "MAIL FROM:<" + sender + ">");
            return talk.say("RCPT TO:<alice@here.example>").toString();
        }
    }
}
