package org.slipstream.it;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.RunningServer;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Sixty destinations accept connections and send nothing, eight messages wait for each, and the
/// default timeout of a greeting is five minutes. Other mail is delivered without delay.
class SilentPeersIT {
    private static final int SILENT = 60;
    private static final int MESSAGES = 8;
    private static final int HEALTHY = 10;

    @RegisterExtension
    final Workbench bench = new Workbench();

    private final List<ServerSocket> silent = new ArrayList<>();

    @AfterEach
    void hangUp() throws IOException {
        for (ServerSocket each : silent) {
            each.close();
        }
    }

    @Test
    void healthyMailIsDeliveredBesideSixtySilentDestinations() throws IOException {
        Settings settings = Settings.quick();
        for (int i = 1; i <= SILENT; i++) {
            // The kernel completes the connection; no program accepts it.
            ServerSocket mute = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.9." + i));
            silent.add(mute);
            settings = settings.route("silent" + i + ".example",
                    "smtp:127.0.9." + i + ":" + mute.getLocalPort());
        }
        List<SmtpSink> healthy = new ArrayList<>();
        for (int i = 1; i <= HEALTHY; i++) {
            healthy.add(bench.smtpSink());
            settings = settings.route("healthy" + i + ".example", healthy.getLast());
        }
        RunningServer server = bench.server(settings);
        try (SmtpTalker talk = SmtpTalker.introducedTo(server.smtp())) {
            for (int n = 1; n <= MESSAGES; n++) {
                for (int i = 1; i <= SILENT; i++) {
                    send(talk, "silent" + i + "-" + n + "@x", "friend@silent" + i + ".example");
                }
            }
            eventually().until(() -> server.queue().status().path("connections").path("unproven").asInt() == SILENT);
            for (int i = 1; i <= HEALTHY; i++) {
                send(talk, "healthy" + i + "@x", "friend@healthy" + i + ".example");
            }
        }
        eventually().until(() -> healthy.stream().allMatch(sink -> sink.messages().size() == 1));
        assertThat(server.queue().size()).isEqualTo(SILENT * MESSAGES);
        assertThat(server.command("status").out()).contains(SILENT + " wait for a greeting");
    }

    private static void send(SmtpTalker talk, String id, String recipient) {
        assertThat(talk.send(OutgoingMessage.of(id, "someone@client.example", recipient)).code()).isEqualTo(250);
    }
}
