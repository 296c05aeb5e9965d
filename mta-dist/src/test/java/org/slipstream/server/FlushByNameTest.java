package org.slipstream.server;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;

import java.nio.file.Path;
import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;

/// A flush by name, on a whole server whose two peers close each connection before they greet: it
/// tries what it names, and leaves the other message at its time and the other destination dead.
class FlushByNameTest {
    @TempDir
    Path home;

    private final SmtpSink one = SmtpSink.start(SinkScript.smtp().on(SinkPhase.CONNECT, SinkAction.close()));
    private final SmtpSink two = SmtpSink.start(SinkScript.smtp().on(SinkPhase.CONNECT, SinkAction.close()));
    private SmallServer server;

    @BeforeEach
    void start() throws Exception {
        server = SmallServer.start(home, "queue.minimal-backoff=1h", "queue.maximal-backoff=1h",
                "concurrency.initial-destination-concurrency=1", "concurrency.feedback-variant=postfix-source",
                "routes.one.example=smtp:127.0.0.1:" + one.port(),
                "routes.two.example=smtp:127.0.0.1:" + two.port());
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        one.close();
        two.close();
    }

    @Test
    void ofOneMessageItTriesThatMessageAndLeavesTheOtherDestinationDead() throws Exception {
        String first = server.deferred("ann@one.example");
        String second = server.deferred("bob@two.example");
        String nextOfSecond = server.field(second, "nextAttempt");
        int before = two.connections();

        server.ask("POST", "queue/" + first + "/flush");
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> server.field(first, "attempts").equals("2"));
        String third = server.deferred("eve@two.example");

        assertThat(server.field(second, "nextAttempt")).isEqualTo(nextOfSecond);
        assertThat(server.field(second, "attempts")).isEqualTo("1");
        assertThat(server.field(third, "attempts")).as("put off without a connection").isEqualTo("0");
        assertThat(two.connections()).isEqualTo(before);
    }

    @Test
    void ofOneDomainItTriesThatDomainAndNoOther() throws Exception {
        String first = server.deferred("ann@one.example");
        String second = server.deferred("bob@two.example");
        String nextOfFirst = server.field(first, "nextAttempt");
        int before = one.connections();

        server.ask("POST", "queue/flush?domain=two.example");
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> server.field(second, "attempts").equals("2"));
        String third = server.deferred("eve@one.example");

        assertThat(server.field(first, "nextAttempt")).isEqualTo(nextOfFirst);
        assertThat(server.field(third, "attempts")).as("put off without a connection").isEqualTo("0");
        assertThat(one.connections()).isEqualTo(before);
    }
}
