package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SmtpTalker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// A transport that the operator has named, in the packaged program.
class NamedTransportIT {
    @RegisterExtension
    final Workbench bench = new Workbench();

    @Test
    void aHostThatHoldsAllConnectionsOfSmtpHoldsNoneOfAnotherTransport() {
        var slow = bench.smtpSink();
        slow.change(script -> script.on(SinkPhase.CONNECT, SinkAction.stall()));
        var own = bench.smtpSink();
        var server = bench.server(Settings.quick().route("slow.example", slow)
                .set("transport.smtp.lanes", "1").set("transport.relay.kind", "smtp")
                .route("own.example", "relay:127.0.0.1:" + own.port()));
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            for (int i = 0; i < 3; i++) {
                assertThat(talk.send(OutgoingMessage.of("slow" + i, "eve@here.example", "bob@slow.example")).code())
                        .isEqualTo(250);
            }
            assertThat(talk.send(OutgoingMessage.of("own", "eve@here.example", "ann@own.example")).code())
                    .isEqualTo(250);
        }
        eventually().until(() -> own.messages().size() == 1);
        // A sink has a message before the server knows it.
        eventually().untilAsserted(
                () -> assertThat(Queue.of(server).size()).as("the mail for the slow host waits").isEqualTo(3));
        assertThat(server.command("suspend", "transport", "relay", "--reason", "a test").mustSucceed().out())
                .contains("relay");
        var refused = server.command("suspend", "transport", "rely", "--reason", "a test");
        assertThat(refused.exit()).isNotZero();
        assertThat(refused.err()).contains("smtp, lmtp, local, discard, relay");
    }
}
