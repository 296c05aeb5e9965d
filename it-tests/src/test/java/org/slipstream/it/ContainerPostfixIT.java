package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.MailContainer;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.RequiresEngine;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Shapes;
import org.slipstream.it.fixture.Trace;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.StubDns;
import org.slipstream.testkit.server.PackagedServer;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Mail to a real Postfix in a container: PIPELINING, STARTTLS and the replies of a complete
/// server.
@RequiresEngine
class ContainerPostfixIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static MailContainer postfix;
    private static StubDns dns;
    private static PackagedServer server;

    @BeforeAll
    static void start() {
        postfix = BENCH.keep(MailContainer.postfix());
        dns = BENCH.keep(StubDns.start());
        server = BENCH.server(
                Settings.quick().sendingLongLines().route("far.example", postfix.route()).set("smtp-client.dns-servers",
                        dns.address()));
    }

    @Test
    void mailGoesThroughInTlsAndUnchanged() {
        var messages = Shapes.thousand("far.example", "far.example").stream()
                .filter(outgoing -> outgoing.recipients().size() == 1).limit(40).toList();
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            for (var outgoing : messages) {
                assertThat(talk.send(outgoing).code()).isEqualTo(250);
            }
        }
        eventually().until(() -> Queue.of(server).isEmpty());
        eventually().untilAsserted(() -> assertThat(arrived()).containsAll(
                messages.stream().map(outgoing -> Bytes.digest(Bytes.unixLines(outgoing.content()))).toList()));
        assertThat(new String(postfix.maildir().getFirst(), StandardCharsets.ISO_8859_1)).contains("with ESMTPS");
    }

    @Test
    void oneRefusedRecipientDoesNotKeepTheOtherFromItsMail() {
        var outgoing = OutgoingMessage.of("half@client.example", "alice@here.example",
                List.of("nobody@far.example", "somebody@far.example"), Bytes.ascii("Half of you.\r\n"));
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(outgoing).code()).isEqualTo(250);
        }
        eventually().untilAsserted(
                () -> assertThat(arrived()).contains(Bytes.digest(Bytes.unixLines(outgoing.content()))));
        eventually().until(() -> server.mail().count("alice@here.example") == 1);
        var bounce = new String(server.mail().newMail("alice@here.example").getFirst(), StandardCharsets.UTF_8);
        assertThat(bounce).contains("nobody@far.example", "5.1.1").doesNotContain("somebody@far.example");
    }

    /// Without a route: the name server names two hosts, the first of which is no mail server; port
    /// 25 is the container's.
    @Test
    void mailFindsItsWayByMx() throws IOException {
        dns.mx("named.example", 10, "away.named.example").mx("named.example", 20, "mx.named.example")
                .address("away.named.example", InetAddress.getByAddress(new byte[]{127, 0, 0, 99}))
                .address("mx.named.example", postfix.address());
        var outgoing = OutgoingMessage.of("by-mx@client.example", "someone@client.example", "friend@named.example");
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(outgoing).code()).isEqualTo(250);
        }
        eventually().untilAsserted(
                () -> assertThat(arrived()).contains(Bytes.digest(Bytes.unixLines(outgoing.content()))));
    }

    private static List<String> arrived() {
        return postfix.maildir().stream().map(mail -> Bytes.digest(Trace.of(mail).original())).toList();
    }
}
