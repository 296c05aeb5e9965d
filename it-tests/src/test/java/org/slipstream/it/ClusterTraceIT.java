package org.slipstream.it;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.ClusterTrace;
import org.slipstream.it.fixture.ClusterTrace.Row;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;
import org.slipstream.testkit.server.ProgramRun;
import org.slipstream.testkit.server.TestPostgres;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Two packaged nodes over one PostgreSQL hand a shard over, and lose one while a process stands still. TLC compares
/// what they did with the modules of `spec/` (docs/specification.md).
class ClusterTraceIT {
    @RegisterExtension
    final Workbench bench = new Workbench();
    @TempDir
    private Path ownership;
    @TempDir
    private Path lease;

    @Test
    void aMoveAndATakeoverAreHistoriesOfTheSpecification() throws Exception {
        try (var postgres = TestPostgres.start()) {
            sql(postgres, "create role a superuser login; create role b superuser login");
            var far = bench.smtpSink();
            far.stop();
            var a = node(postgres, "a", far);
            ClusterTrace.begin(url(postgres, "postgres"));
            var b = node(postgres, "b", far);
            owns(b, 2);
            send(a, "moved");
            a.command("shard", "move", "1", "--to", "b").mustSucceed();
            owns(b, 1);
            owns(a, 3);
            send(a, "taken over");
            send(b, "at home");

            long claims = claims(a);
            signal(a, "STOP");
            owns(b, 3);
            far.startAgain();
            delivered(far, "at home", "moved", "taken over");
            signal(a, "CONT");
            eventually().until(() -> a.log().contains("event=shard-lost shard=3 "));
            eventually().until(() -> claims(a) > claims);
            eventually().ignoreExceptions().untilAsserted(() -> send(a, "back"));
            delivered(far, "at home", "back", "moved", "taken over");
            assertThat(a.stop()).isZero();
            assertThat(b.stop()).isZero();

            var trace = ClusterTrace.of(url(postgres, "postgres"), Map.of("a", a, "b", b));
            assertThat(trace.shard(3).rows()).extracting(Row::is).contains("claim", "write", "renewal");
            assertThat(trace.shards().values().stream().flatMap(each -> each.deliveries().stream())).hasSize(4);
            var explained = trace.explain("OwnershipTrace", ownership);
            assertThat(explained.shards()).as(explained.output()).isEqualTo(trace.shards().keySet());
            explained = trace.explain("LeaseTrace", lease);
            assertThat(explained.shards()).as(explained.output()).isEqualTo(trace.shards().keySet());
        }
    }

    private static String url(EmbeddedPostgres postgres, String role) {
        return postgres.getJdbcUrl(role, "postgres");
    }

    private static void sql(EmbeddedPostgres postgres, String statements) throws Exception {
        try (var connection = postgres.getPostgresDatabase().getConnection();
                var statement = connection.createStatement()) {
            statement.execute(statements);
        }
    }

    private PackagedServer node(EmbeddedPostgres postgres, String name, SmtpSink far) {
        return bench.server(Settings.quick().set("hostname", name + ".example").set("spool.engine", "postgresql")
                .set("spool.database", url(postgres, name)).set("cluster.node", name)
                .set("journal.file", "decisions.jsonl").route("far.example", far));
    }

    private static long claims(PackagedServer node) {
        return node.log().lines().filter(line -> line.contains("event=shard-claimed")).count();
    }

    private static void owns(PackagedServer node, int shard) {
        eventually().until(() -> node.log().contains("event=shard-claimed shard=" + shard + " "));
    }

    private static void send(PackagedServer node, String id) {
        try (var talk = SmtpTalker.introducedTo(node.smtp())) {
            assertThat(talk.send(OutgoingMessage.of(id, "alice@here.example", List.of("friend@far.example"),
                    Bytes.ascii("A line.\r\n"))).code()).isEqualTo(250);
        }
    }

    private static void delivered(SmtpSink far, String... ids) {
        eventually().until(() -> far.messages().size() >= ids.length);
        assertThat(far.messages()).extracting(ReceivedMessage::id).containsExactlyInAnyOrder(ids);
    }

    private static void signal(PackagedServer node, String signal) {
        ProgramRun.of(new byte[0], List.of("kill", "-" + signal, String.valueOf(node.pid()))).mustSucceed();
    }
}
