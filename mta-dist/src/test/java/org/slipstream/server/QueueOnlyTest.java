package org.slipstream.server;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;

/// A host that dials up gets its mail by ETRN, which no delivery attempt came before.
class QueueOnlyTest {
    @TempDir
    Path home;

    private final SmtpSink branch = SmtpSink.start(SinkScript.smtp());
    private SmallServer server;

    @BeforeEach
    void start() throws Exception {
        Files.writeString(home.resolve("mta.toml"), "[destination.\"branch.example\"]\nqueue-only = true\n");
        server = SmallServer.start(home, "routes.branch.example=smtp:127.0.0.1:" + branch.port());
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        branch.close();
    }

    @Test
    @Tag("ZM-39")
    void mailThatWasNeverTriedIsStartedByEtrn() throws Exception {
        String id = server.deferred("bob@branch.example");
        server.deferred("carl@branch.example");
        assertThat(server.field(id, "code")).isEqualTo("queue-only");
        assertThat(branch.connections()).isZero();
        try (SmtpTalker talker = SmtpTalker.introducedTo(server.server().smtp().orElseThrow())) {
            assertThat(talker.say("ETRN branch.example").text()).contains("2 pending messages");
        }
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> branch.count() == 2);
    }
}
