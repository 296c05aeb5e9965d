package org.slipstream.it;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.Letter;
import org.slipstream.it.fixture.RunningServer;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Sink;
import org.slipstream.it.fixture.SmtpTalk;
import org.slipstream.it.fixture.Workbench;

import java.io.IOException;
import java.sql.SQLException;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The register in a real PostgreSQL: one line of configuration, and the mail is as safe as with the file.
class PostgresIT {
    @RegisterExtension
    final Workbench bench = new Workbench();

    @Test
    void mailTakenInWithItsRegisterInPostgresSurvivesAKillAndIsDeliveredOnce() throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start()) {
            Sink far = bench.smtpSink();
            far.stop();
            var server = bench.server(Settings.quick().route("far.example", far)
                    .set("spool.register", postgres.getJdbcUrl("postgres", "postgres")));
            for (String name : List.of("first", "second")) {
                try (var talk = SmtpTalk.greeted(server.smtp())) {
                    assertThat(talk.send(Letter.of(name, "alice@here.example", List.of("friend@far.example"),
                            Bytes.ascii("Text of " + name + ".\r\n"))).code()).isEqualTo(250);
                }
            }
            server.kill9();
            assertThat(messages(postgres)).isEqualTo(2);
            assertThat(server.home().resolve("spool/register.mv.db")).as("no register beside it").doesNotExist();

            far.startAgain();
            server.startAgain();
            eventually().untilAsserted(() -> assertThat(far.deliveries()).extracting(Sink.Delivery::id)
                    .containsExactlyInAnyOrder("first", "second"));
            eventually().untilAsserted(() -> assertThat(messages(postgres)).isZero());

            assertThat(server.stop()).isZero();
            server.startAgain();
            assertThat(server.queue().messages()).isEmpty();
            assertThat(far.deliveries()).hasSize(2);
        }
    }

    @Test
    void aDatabaseThatIsGoneIsToldByTheStatusAndRefusesMail() throws Exception {
        RunningServer server;
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start()) {
            server = bench.server(Settings.quick().set("queue.deliver", "false").set("spool.register",
                    postgres.getJdbcUrl("postgres", "postgres")));
            assertThat(send(server, "first").code()).isEqualTo(250);
            assertThat(server.queue().status().path("trouble").isEmpty()).isTrue();
        }
        assertThat(send(server, "second").toString()).startsWith("451");
        eventually().untilAsserted(() -> {
            var status = server.queue().status();
            assertThat(status.path("messages").isNull()).as("nobody can count them: %s", status).isTrue();
            assertThat(status.path("trouble").path(0).path("what").asString()).isEqualTo("register");
        });
        assertThat(server.command("status").mustSucceed().out()).contains("unknown", "TROUBLE", "register", "since",
                "new mail is refused with 451 until the register can be written");
        server.kill9();
    }

    private static SmtpTalk.Answer send(RunningServer server, String name) {
        try (var talk = SmtpTalk.greeted(server.smtp())) {
            return talk.send(Letter.of(name, "alice@here.example", List.of("friend@far.example"),
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
