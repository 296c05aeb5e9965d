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

import java.io.IOException;
import java.sql.SQLException;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The queue index in a real PostgreSQL: one line of configuration, and the mail is as safe as with
/// the file.
class PostgresIT {
    @RegisterExtension
    final Workbench bench = new Workbench();

    /// The index has two messages when the server is killed, and the log has a third.
    @Test
    void mailTakenInWithItsIndexInPostgresSurvivesAKillAndIsDeliveredOnce() throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start()) {
            SmtpSink far = bench.smtpSink();
            far.stop();
            var server = bench.server(Settings.quick().route("far.example", far)
                    .set("spool.index", postgres.getJdbcUrl("postgres", "postgres")));
            assertThat(send(server, "first").code()).isEqualTo(250);
            assertThat(send(server, "second").code()).isEqualTo(250);
            assertThat(Queue.of(server).messages()).as("a list brings the index up to the log").hasSize(2);
            assertThat(messages(postgres)).isEqualTo(2);
            assertThat(send(server, "third").code()).isEqualTo(250);
            server.kill9();
            assertThat(server.home().resolve("spool/index.mv.db")).as("no index beside it").doesNotExist();

            far.startAgain();
            server.startAgain();
            eventually().untilAsserted(() -> assertThat(far.messages()).extracting(ReceivedMessage::id)
                    .containsExactlyInAnyOrder("first", "second", "third"));
            eventually().untilAsserted(() -> assertThat(messages(postgres)).isZero());

            assertThat(server.stop()).isZero();
            server.startAgain();
            assertThat(Queue.of(server).messages()).isEmpty();
            assertThat(far.messages()).hasSize(3);
        }
    }

    /// The log keeps the mail and its outcomes, and the database gets them when it is reachable
    /// again.
    @Test
    void whileTheDatabaseIsGoneMailIsTakenAndDeliveredAndTheStatusSaysSo() throws Exception {
        PackagedServer server;
        var far = bench.smtpSink();
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start()) {
            server = bench.server(Settings.quick().route("far.example", far).set("spool.index",
                    postgres.getJdbcUrl("postgres", "postgres")));
            assertThat(send(server, "before").code()).isEqualTo(250);
            eventually().until(() -> Queue.of(server).isEmpty());
            assertThat(Queue.of(server).status().path("trouble").isEmpty()).isTrue();
        }
        assertThat(send(server, "without").toString()).startsWith("250");
        eventually().untilAsserted(() -> assertThat(far.messages()).extracting(ReceivedMessage::id)
                .containsExactly("before", "without"));
        eventually().untilAsserted(() -> {
            var status = Queue.of(server).status();
            assertThat(status.path("messages").isNull()).as("they cannot be counted: %s", status).isTrue();
            assertThat(status.path("trouble").path(0).path("what").asString()).isEqualTo("index");
        });
        assertThat(server.command("status").mustSucceed().out()).contains("unknown", "TROUBLE", "index", "since",
                "mail is accepted and delivered");
        server.kill9();
    }

    @Test
    void aDatabaseThatIsGoneIsToldByTheStatusMailGoesOnAndAnEmptyOneIsFilledFromTheLog() throws Exception {
        PackagedServer server;
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start()) {
            server = bench.server(Settings.quick().set("queue.deliver", "false").set("spool.index",
                    postgres.getJdbcUrl("postgres", "postgres")));
            assertThat(send(server, "first").code()).isEqualTo(250);
            assertThat(Queue.of(server).status().path("trouble").isEmpty()).isTrue();
        }
        assertThat(send(server, "second").code()).isEqualTo(250);
        eventually().untilAsserted(() -> {
            var status = Queue.of(server).status();
            assertThat(status.path("messages").isNull()).as("nobody can count them: %s", status).isTrue();
            assertThat(status.path("trouble").path(0).path("what").asString()).isEqualTo("index");
        });
        assertThat(server.command("status").mustSucceed().out()).contains("unknown", "TROUBLE", "index", "since",
                "mail is accepted and delivered");
        server.kill9();
        try (EmbeddedPostgres other = EmbeddedPostgres.start()) {
            server.startAgain(Settings.quick().set("queue.deliver", "false").set("spool.index",
                    other.getJdbcUrl("postgres", "postgres")).pairs());
            assertThat(messages(other)).isEqualTo(2);
            assertThat(Queue.of(server).messages()).hasSize(2);
            assertThat(server.stop()).isZero();
        }
    }

    private static SmtpReply send(PackagedServer server, String name) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            return talk.send(OutgoingMessage.of(name, "alice@here.example", List.of("friend@far.example"),
                    Bytes.ascii("Text of " + name + ".\r\n")));
        }
    }

    private static long messages(EmbeddedPostgres postgres) throws SQLException, IOException {
        try (var connection = postgres.getPostgresDatabase().getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery("select count(*) from message")) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
