package org.slipstream.server;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;

import java.nio.file.Path;
import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;

/// A rate and the wake-up time of a thread are in force after a restart of a whole server.
class RateRestartTest {
    @TempDir
    private Path home;

    private final SmtpSink far = SmtpSink.start(SinkScript.smtp());

    private SmallServer start() throws Exception {
        return SmallServer.start(home, "routes.far.example=smtp:127.0.0.1:" + far.port(),
                "routes.dead.example=smtp:127.0.0.1:1", "destination.far.example.rate=2/1h",
                "destination.dead.example.wake-destination=thread", "destination.dead.example.lanes=1");
    }

    @Test
    @Tag("IM-32")
    @Tag("ZM-07")
    void aRestartGivesNoNewRateAndKeepsTheWakeUpTimeOfAThread() throws Exception {
        try (far) {
            String wakes;
            try (SmallServer server = start()) {
                server.send("a@far.example");
                server.send("b@far.example");
                Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> far.count() == 2);
                String dead = server.deferred("a@dead.example");
                String explained = server.ask("GET", "explain?message=" + dead);
                assertThat(explained).contains("the mail of its destination wakes together");
                wakes = thread(server);
            }
            try (SmallServer server = start()) {
                assertThat(thread(server)).isEqualTo(wakes);
                String third = server.send("c@far.example");
                Awaitility.await().atMost(Duration.ofSeconds(60))
                        .until(() -> server.field(third, "code").equals("rate"));
                assertThat(far.messages()).hasSize(2);
            }
        }
    }

    private static String thread(SmallServer server) throws Exception {
        String text = server.ask("GET", "explain?destination=dead.example");
        assertThat(text).contains("its deferred mail wakes together at ");
        return text.replaceAll("(?s).*wakes together at ([0-9T:.Z-]+).*", "$1");
    }
}
