package org.slipstream.server;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Path;
import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;

/// `queue show` on a whole server whose peer accepts a connection and sends nothing: the waiting
/// message shows its seat.
class SeatExplainedTest {
    /// More than may queue on the one connection.
    private static final int BEHIND = 8;

    @TempDir
    Path home;

    @Test
    void aMessageThatWaitsSaysWhyNoHostTakesItAndAskingChangesNothing() throws Exception {
        try (SmtpSink silent = SmtpSink.start(SinkScript.smtp().on(SinkPhase.CONNECT, SinkAction.stall()));
                SmallServer server = SmallServer.start(home, "queue.lanes-per-destination=1",
                        "routes.far.example=smtp:127.0.0.1:" + silent.port())) {
            String first = server.send("ann@far.example");
            Awaitility.await().atMost(Duration.ofSeconds(90))
                    .until(() -> server.field(first, "state").equals("active"));
            String second = "";
            for (int i = 0; i < BEHIND; i++) {
                second = server.send("bob@far.example");
            }
            String last = second;
            Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> seat(server, last).isObject());

            JsonNode seat = seat(server, last);
            assertThat(seat.path("host").asString()).isEmpty();
            assertThat(seat.path("reason").asString()).contains("the destination's window is full");
            assertThat(seat.path("passedOver").isArray()).isTrue();
            assertThat(seat(server, first).isNull()).as("it has a seat").isTrue();
            assertThat(seat(server, last)).as("asked again").isEqualTo(seat);
        }
    }

    private static JsonNode seat(SmallServer server, String id) throws Exception {
        return JsonMapper.shared().readTree(server.ask("GET", "queue/" + id)).path("seat");
    }
}
