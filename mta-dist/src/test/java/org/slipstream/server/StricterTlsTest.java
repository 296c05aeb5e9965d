package org.slipstream.server;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// A domain that demands TLS, and a route for its mail to a host without TLS: its mail stays, and other
/// mail goes through the same host.
class StricterTlsTest {
    @TempDir
    Path home;

    @Test
    void mailOfADomainThatDemandsTlsDoesNotLeaveInTheClearThroughItsRoute() throws Exception {
        try (SmtpSink plain = SmtpSink.start(SinkScript.smtp());
                SmallServer server = SmallServer.start(home, "destination.\"bank.example\".tls=verify",
                        "routes.\"*\"=smtp:127.0.0.1:" + plain.port())) {
            String id = server.deferred("ann@bank.example");
            server.send("bob@easy.example");
            Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> !plain.messages().isEmpty());

            assertThat(plain.messages()).flatExtracting(ReceivedMessage::recipients)
                    .isEqualTo(List.of("bob@easy.example"));
            assertThat(server.ask("GET", "explain?message=" + id).replace("\\\"", "'"))
                    .contains("TLS is required, but was not offered", "[destination.'bank.example'] tls = 'verify'");
        }
    }
}
