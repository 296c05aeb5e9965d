package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.MailAssert;
import org.slipstream.it.fixture.RequiresPeers;
import org.slipstream.it.fixture.SendingPeer;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The clients that most mail comes from: Postfix, Exim and OpenSMTPD receive mail and relay it to
/// this server, each in its own way (parallel connections, pipelining, TLS, chunks where
/// announced). All of it arrives once and unchanged. A recipient that is not known here is refused,
/// and the other recipients of the message get it.
@RequiresPeers
class SendingPeersIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final Pattern MESSAGE_ID = Pattern.compile("^Message-ID: <([^>]+)>\r?$", Pattern.MULTILINE);
    private static final int MESSAGES = 30;
    private static PackagedServer server;

    @BeforeAll
    static void start() {
        server = BENCH.server(Settings.quick().set("relay.networks", "192.0.2.0/24").set("local.mailboxes",
                "postfix,exim,opensmtpd,second"));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "POSTFIX_WITH_DANE")
    void mailComesThroughUnchangedAndOnce(SendingPeer.Kind kind) {
        var name = kind.name().toLowerCase(Locale.ROOT);
        var mailbox = name + "@here.example";
        var peer = BENCH.keep(SendingPeer.start(kind, server.smtp()));
        Map<String, OutgoingMessage> sent = new HashMap<>();
        try (var talk = SmtpTalker.introducedTo(peer.address())) {
            for (int i = 0; i < MESSAGES; i++) {
                // Fewer refusals than end a session (limits.errors).
                var recipients = i % 3 == 0 ? List.of(mailbox, "nobody@here.example") : List.of(mailbox);
                var outgoing = OutgoingMessage.of(name + i + "@client.example", "someone@client.example", recipients,
                        body(i));
                sent.put(outgoing.id(), outgoing);
                assertThat(talk.send(outgoing).code()).isEqualTo(250);
            }
        }
        eventually().untilAsserted(() -> assertThat(server.mail().count(mailbox)).as(peer::log).isEqualTo(MESSAGES));
        List<String> arrived = new ArrayList<>();
        for (var mail : server.mail().newMail(mailbox)) {
            var id = MESSAGE_ID.matcher(new String(mail, StandardCharsets.ISO_8859_1));
            assertThat(id.find()).isTrue();
            arrived.add(id.group(1));
            MailAssert.unchangedInMailbox(sent.get(id.group(1)).content(), mail);
        }
        assertThat(arrived).containsExactlyInAnyOrderElementsOf(sent.keySet());
        eventually().untilAsserted(() -> assertThat(peer.log())
                .contains("<nobody@here.example>: Recipient address rejected: User unknown"));
        if (kind != SendingPeer.Kind.OPENSMTPD) {
            assertThat(new String(server.mail().newMail(mailbox).getFirst(), StandardCharsets.UTF_8))
                    .as("it took our offer of TLS").contains("with ESMTPS");
        }
    }

    private static byte[] body(int number) {
        return Bytes.concat("Grüße,\r\n".getBytes(StandardCharsets.UTF_8), Bytes.ascii(
                "..dots\r\n.\r\n\r\n" + ("line of " + number + " ").repeat(30 * number).concat("\r\n")));
    }
}
