package org.slipstream.it;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SmtpReply;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;
import org.slipstream.testkit.server.TestPostgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The message log in a real PostgreSQL: two lines of configuration, and the mail is as safe as in files.
class PostgresIT {
    @RegisterExtension
    final Workbench bench = new Workbench();

    private static Settings settings(EmbeddedPostgres postgres) {
        return Settings.quick().set("spool.engine", "postgresql")
                .set("spool.database", postgres.getJdbcUrl("postgres", "postgres"));
    }

    /// The local disk is lost with everything but the settings.
    @Test
    void mailInPostgresSurvivesAKillAndTheLossOfTheFolderAndIsDeliveredOnce() throws Exception {
        try (EmbeddedPostgres postgres = TestPostgres.start()) {
            SmtpSink far = bench.smtpSink();
            far.stop();
            var server = bench.server(settings(postgres).route("far.example", far));
            assertThat(send(server, "first", 100).code()).isEqualTo(250);
            assertThat(send(server, "large", 3_000_000).code()).isEqualTo(250);
            assertThat(Queue.of(server).messages()).hasSize(2);
            assertThat(segments(postgres)).isPositive();
            server.kill9();
            assertThat(server.home().resolve("spool/log/0000000001.segment")).doesNotExist();
            Path kept = server.home().resolve("spool/log-in-postgresql");
            String owner = Files.readString(kept);
            deleteTree(server.home().resolve("spool"));
            Files.createDirectories(kept.getParent());
            Files.writeString(kept, owner);

            far.startAgain();
            server.startAgain();
            eventually().untilAsserted(() -> assertThat(far.messages()).extracting(ReceivedMessage::id)
                    .containsExactlyInAnyOrder("first", "large"));
            assertThat(Queue.of(server).status().path("trouble").path(0).path("what").asString()).isEqualTo("copies");
            assertThat(server.stop()).isZero();
            Files.writeString(server.home().resolve("mta.toml"), "[spool]\nengine = \"postgresql\"\ndatabase = \""
                    + postgres.getJdbcUrl("postgres", "postgres") + "\"\n");
            assertThat(server.command("spool", "verify").mustSucceed().out()).contains(" 0 findings");
        }
    }

    @Test
    void whileTheDatabaseIsGoneClientsComeAgainAndTheStatusSaysSo() throws Exception {
        PackagedServer server;
        try (EmbeddedPostgres postgres = TestPostgres.start()) {
            server = bench.server(settings(postgres).set("queue.deliver", "false"));
            assertThat(send(server, "first", 100).code()).isEqualTo(250);
        }
        assertThat(send(server, "second", 100).toString()).startsWith("451");
        assertThat(server.command("status").mustSucceed().out()).contains("TROUBLE", "log", "refused with 451");
        server.kill9();
    }

    private static void deleteTree(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    private static SmtpReply send(PackagedServer server, String name, int length) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            return talk.send(OutgoingMessage.of(name, "alice@here.example", List.of("friend@far.example"),
                    Bytes.ascii(("Text of " + name + ".\r\n").repeat(1 + length / 16))));
        }
    }

    private static long segments(EmbeddedPostgres postgres) throws SQLException {
        try (var connection = postgres.getPostgresDatabase().getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery("select count(*) from slipstream.segment")) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
