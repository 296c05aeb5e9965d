package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Sixty destinations accept connections and never send a greeting, eight messages wait for each,
/// and the default settings wait five minutes for a greeting. Mail to other destinations is
/// delivered all the same.
class SilentPeersIT {
    private static final int SILENT = 60;
    private static final int MESSAGES = 8;
    private static final int HEALTHY = 10;
    private static final SinkScript SILENCE = SinkScript.smtp().on(SinkPhase.CONNECT, SinkAction.stall());

    @RegisterExtension
    final Workbench bench = new Workbench();

    @Test
    void healthyMailIsDeliveredBesideSixtySilentDestinations() {
        Settings settings = Settings.quick();
        for (int i = 1; i <= SILENT; i++) {
            settings = settings.route("silent" + i + ".example",
                    bench.keep(SmtpSink.on(InetAddress.ofLiteral("127.0.9." + i), SILENCE)));
        }
        List<SmtpSink> healthy = new ArrayList<>();
        for (int i = 1; i <= HEALTHY; i++) {
            healthy.add(bench.smtpSink());
            settings = settings.route("healthy" + i + ".example", healthy.getLast());
        }
        PackagedServer server = bench.server(settings);
        try (SmtpTalker talk = SmtpTalker.introducedTo(server.smtp())) {
            for (int n = 1; n <= MESSAGES; n++) {
                for (int i = 1; i <= SILENT; i++) {
                    send(talk, "silent" + i + "-" + n + "@x", "friend@silent" + i + ".example");
                }
            }
            eventually().until(() -> Queue.of(server).status().path("connections").path("unproven").asInt() == SILENT);
            for (int i = 1; i <= HEALTHY; i++) {
                send(talk, "healthy" + i + "@x", "friend@healthy" + i + ".example");
            }
        }
        eventually().until(() -> healthy.stream().allMatch(sink -> sink.messages().size() == 1));
        // A sink has a message before the server knows it.
        eventually().untilAsserted(() -> assertThat(Queue.of(server).size()).isEqualTo(SILENT * MESSAGES));
        assertThat(server.command("status").out()).contains(SILENT + " wait for a greeting");
    }

    private static void send(SmtpTalker talk, String id, String recipient) {
        assertThat(talk.send(OutgoingMessage.of(id, "someone@client.example", recipient)).code()).isEqualTo(250);
    }
}
