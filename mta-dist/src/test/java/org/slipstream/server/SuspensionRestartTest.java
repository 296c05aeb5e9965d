package org.slipstream.server;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;

import java.nio.file.Path;
import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;

/// Suspensions and the freeze of a whole server are in force after a restart.
class SuspensionRestartTest {
    private static final String REASON = "&reason=their+disk+is+full&author=ann";

    @TempDir
    Path home;

    private final SmtpSink far = SmtpSink.start(SinkScript.smtp());
    private final SmtpSink near = SmtpSink.start(SinkScript.smtp());
    private SmallServer server;

    @BeforeEach
    void start() throws Exception {
        server = SmallServer.start(home, "queue.report-interval=0s",
                "routes.far.example=smtp:127.0.0.1:" + far.port(),
                "routes.near.example=smtp:127.0.0.1:" + near.port());
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        far.close();
        near.close();
    }

    private void restart() throws Exception {
        server.close();
        start();
    }

    private static void receives(SmtpSink sink, int messages) {
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> sink.count() == messages);
    }

    @Test
    @Tag("ZM-25")
    void aSuspendedDestinationAndAFreezeHoldMailOverARestartUntilTheirEnd() throws Exception {
        server.ask("POST", "suspensions/suspend?kind=destination&name=far.example" + REASON);
        String before = server.deferred("bob@far.example");
        server.ask("POST", "freeze?" + REASON.substring(1));
        restart();

        assertThat(server.ask("GET", "suspensions")).contains("\"name\":\"far.example\"",
                "\"scope\":\"everything\"", "\"reason\":\"their disk is full\"", "\"author\":\"ann\"");
        assertThat(server.ask("GET", "queue/" + before)).contains("destination far.example is suspended by ann");
        String frozen = server.send("carl@near.example");
        Awaitility.await().atMost(Duration.ofSeconds(90))
                .until(() -> server.ask("GET", "queue/" + frozen).contains("all deliveries are frozen by ann"));
        assertThat(near.messages()).isEmpty();

        server.ask("POST", "thaw");
        receives(near, 1);
        String later = server.deferred("carl@far.example");
        assertThat(server.ask("GET", "queue/" + later)).contains("destination far.example is suspended by ann");
        assertThat(far.messages()).isEmpty();

        server.ask("POST", "suspensions/resume?kind=destination&name=far.example");
        receives(far, 2);
        restart();
        assertThat(server.ask("GET", "suspensions")).as("what has ended").contains("\"suspensions\":[]");
    }
}
