package org.slipstream.server;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.FaultyLink;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// A whole server whose messages are in a PostgreSQL, on a link that can be held.
class KeepHereTest {
    private static final SinkScript REFUSES = SinkScript.smtp().on(SinkPhase.MAIL, SinkAction.reply("451 4.3.2 Later"));
    private static EmbeddedPostgres postgres;

    @TempDir
    Path home;

    private final SmtpSink far = SmtpSink.start(REFUSES);

    @BeforeAll
    static void startPostgres() throws IOException {
        postgres = EmbeddedPostgres.builder().start();
    }

    @AfterAll
    static void stopPostgres() throws IOException {
        postgres.close();
    }

    @AfterEach
    void stop() {
        far.close();
    }

    private SmallServer start(FaultyLink link, String... more) throws Exception {
        List<String> settings = new ArrayList<>(List.of("routes.far.example=smtp:127.0.0.1:" + far.port(),
                "spool.engine=postgresql", "spool.database-lost=keep-here",
                "spool.database=jdbc:postgresql://127.0.0.1:" + link.port() + "/postgres?user=postgres",
                "queue.minimal-backoff=1s", "queue.maximal-backoff=1s", "queue.scan-interval=1s"));
        settings.addAll(List.of(more));
        return SmallServer.start(home, settings.toArray(String[]::new));
    }

    private static void until(Callable<Boolean> holds) {
        Awaitility.await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(50)).until(holds);
    }

    private static int send(SmallServer server, String subject) {
        try (SmtpTalker talker = SmtpTalker.introducedTo(server.server().smtp().orElseThrow())) {
            return talker.send(new OutgoingMessage("a@here.example", List.of("x@far.example"),
                    ("Subject: " + subject + "\r\n\r\nx\r\n").getBytes(StandardCharsets.US_ASCII))).code();
        }
    }

    private List<String> subjects() {
        return far.messages().stream().map(ReceivedMessage::text).flatMap(String::lines)
                .filter(line -> line.startsWith("Subject: ")).map(line -> line.substring(9)).sorted().toList();
    }

    private static boolean has(SmallServer server, int shard, int messages) throws IOException {
        String shards = server.ask("GET", "shards");
        return Stream.of(shards.split("\\{\"number\":")).anyMatch(
                each -> each.startsWith(shard + ",") && each.contains("\"messages\":" + messages + ","));
    }

    private static boolean isKeeping(SmallServer server) throws IOException {
        return server.ask("GET", "status").contains("\"what\":\"kept-here\"");
    }

    /// One story, because a server takes a while to start.
    @Test
    void mailThatCameWhileTheDatabaseWasGoneIsDeliveredFromHereOrMovesAndComesOnce() throws Exception {
        try (FaultyLink link = new FaultyLink(postgres.getPort()); SmallServer server = start(link)) {
            assertThat(send(server, "before")).isEqualTo(250);
            link.hold();
            until(() -> isKeeping(server));
            assertThat(send(server, "delivered here")).isEqualTo(250);
            assertThat(Files.exists(home.resolve("spool-here/log"))).isTrue();
            far.follow(SinkScript.smtp());
            until(() -> subjects().contains("delivered here"));

            far.follow(REFUSES);
            assertThat(send(server, "moved")).isEqualTo(250);
            until(() -> has(server, 64, 1));
            assertThat(server.operator().ask("POST", "shards/64/drain").status()).isEqualTo(409);
            link.heal();
            until(() -> has(server, 64, 0) && !has(server, 1, 0));
            until(() -> !isKeeping(server));
            far.follow(SinkScript.smtp());
            until(() -> has(server, 1, 0));
            assertThat(subjects()).containsExactly("before", "delivered here", "moved");
            assertThat(send(server, "after")).isEqualTo(250);
            until(() -> subjects().contains("after"));
        }
    }
}
