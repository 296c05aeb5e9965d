package org.slipstream.it;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Letter;
import org.slipstream.it.fixture.RunningServer;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.SmtpTalk;
import org.slipstream.it.fixture.StubDns;
import org.slipstream.it.fixture.Workbench;

import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Domains that the routes do not name: what the name server says about them decides.
class DnsIT {
    @RegisterExtension
    final Workbench bench = new Workbench();
    private StubDns dns;
    private RunningServer server;

    @BeforeEach
    void start() {
        dns = bench.keep(new StubDns());
        server = bench.server(Settings.quick().set("smtp-client.dns-servers", dns.address()));
    }

    @Test
    void aDomainThatDoesNotExistBouncesAtOnce() {
        send("friend@missing.example");
        assertThat(bounce()).contains("friend@missing.example").containsPattern("Status: 5\\.\\d\\.\\d");
    }

    /// RFC 7505: a null MX says that there is no mail here.
    @Test
    void aDomainThatTakesNoMailBouncesAtOnce() {
        dns.mx("silent.example", 0, ".");
        send("friend@silent.example");
        assertThat(bounce()).contains("friend@silent.example", "Status: 5.1.10");
    }

    @Test
    void aNameServerInTroubleMakesMailWait() {
        dns.fails("troubled.example");
        send("friend@troubled.example");
        eventually().untilAsserted(() -> assertThat(server.queue().messages()).singleElement().satisfies(message -> {
            assertThat(message.path("state").asString()).isEqualTo("deferred");
            assertThat(message.path("attempts").asInt()).isPositive();
            assertThat(message.path("why").asString()).contains("troubled.example");
        }));
        assertThat(server.mail().count("alice@here.example")).isZero();
        dns.mx("troubled.example", 0, ".");
        dns.recovers("troubled.example");
        assertThat(bounce()).as("it asks again").contains("friend@troubled.example");
    }

    private void send(String recipient) {
        try (var talk = SmtpTalk.greeted(server.smtp())) {
            assertThat(talk.send(Letter.of("dns@x", "alice@here.example", recipient)).code()).isEqualTo(250);
        }
    }

    private String bounce() {
        eventually().untilAsserted(() -> assertThat(server.mail().count("alice@here.example")).isEqualTo(1));
        return new String(server.mail().newMail("alice@here.example").getFirst(), StandardCharsets.UTF_8);
    }
}
