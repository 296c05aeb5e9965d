package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.StubDns;
import org.slipstream.testkit.server.PackagedServer;

import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Domains that no route names: the answer of the name server decides.
class DnsIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static StubDns dns;
    private static PackagedServer server;

    @BeforeAll
    static void start() {
        dns = BENCH.keep(StubDns.start());
        server = BENCH.server(Settings.quick().set("smtp-client.dns-servers", dns.address()));
    }

    @Test
    void aDomainThatDoesNotExistBouncesAtOnce() {
        send("alice@here.example", "friend@missing.example");
        assertThat(bounceTo("alice@here.example")).contains("friend@missing.example")
                .containsPattern("Status: 5\\.\\d\\.\\d");
    }

    /// RFC 7505: a domain with a null MX accepts no mail.
    @Test
    void aDomainThatTakesNoMailBouncesAtOnce() {
        dns.mx("silent.example", 0, ".");
        send("bob@here.example", "friend@silent.example");
        assertThat(bounceTo("bob@here.example")).contains("friend@silent.example", "Status: 5.1.10");
    }

    @Test
    void aNameServerInTroubleMakesMailWait() {
        dns.fails("troubled.example");
        send("carol@here.example", "friend@troubled.example");
        eventually().untilAsserted(() -> assertThat(Queue.of(server).messages())
                .filteredOn(message -> message.path("sender").asString().equals("carol@here.example"))
                .singleElement().satisfies(message -> {
                    assertThat(message.path("state").asString()).isEqualTo("deferred");
                    assertThat(message.path("attempts").asInt()).isPositive();
                    assertThat(message.path("why").asString()).contains("troubled.example");
                }));
        assertThat(server.mail().count("carol@here.example")).isZero();
        dns.mx("troubled.example", 0, ".");
        dns.recovers("troubled.example");
        assertThat(bounceTo("carol@here.example")).as("it asks again").contains("friend@troubled.example");
    }

    private static void send(String sender, String recipient) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(OutgoingMessage.of("dns@x", sender, recipient)).code()).isEqualTo(250);
        }
    }

    private static String bounceTo(String sender) {
        eventually().untilAsserted(() -> assertThat(server.mail().count(sender)).isEqualTo(1));
        return new String(server.mail().newMail(sender).getFirst(), StandardCharsets.UTF_8);
    }
}
