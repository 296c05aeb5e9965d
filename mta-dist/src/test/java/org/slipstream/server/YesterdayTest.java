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

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;

/// The journal of a running server, as its API plays it.
class YesterdayTest {
    private static final int MORE_THAN_A_CONNECTION_TAKES = 8;
    private static final Duration LONG = Duration.ofSeconds(90);

    @TempDir
    private Path home;

    private static JsonNode ask(SmallServer server, String resource) throws IOException {
        return JsonMapper.shared().readTree(server.ask("GET", resource));
    }

    @Test
    void thePresentOfTheJournalIsWhatTheSchedulerShows() throws Exception {
        try (SmtpSink silent = SmtpSink.start(SinkScript.smtp().on(SinkPhase.CONNECT, SinkAction.stall()));
                SmallServer server = SmallServer.start(home, "journal.file=decisions.jsonl",
                        "queue.lanes-per-destination=1", "routes.far.example=smtp:127.0.0.1:" + silent.port())) {
            for (int i = 0; i < MORE_THAN_A_CONNECTION_TAKES; i++) {
                server.send("b@far.example");
            }
            String last = server.send("c@far.example");
            Awaitility.await().atMost(LONG).ignoreExceptions().untilAsserted(() -> {
                JsonNode live = ask(server, "scheduler").path("transports");
                assertThat(live.toString()).contains(last);
                JsonNode film = ask(server, "journal").path("film");
                assertThat(film.path("frame").path("scheduler").path("transports")).isEqualTo(live);
                assertThat(film.path("frame").path("connections").toString()).contains("opening");
            });
            JsonNode story = ask(server, "journal?message=" + last);
            assertThat(story.path("about").asString()).contains("waits for a connection to smtp/", "1 of 1 at work",
                    " deliveries before it");
            assertThat(story.path("decisions").path(0).path("what").asString()).isEqualTo("arrives");
            assertThat(story.path("phases").path(0).path("phase").asString()).isEqualTo("not-active");
            assertThat(story.path("remarks")).isEmpty();
            assertThat(server.operator().ask("GET", "journal?to=1990-01-01").status()).isEqualTo(400);
            assertThat(ask(server, "journal?to=1990-01-01T00:00:00Z").path("film").isNull()).isTrue();
        }
    }
}
