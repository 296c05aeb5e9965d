package org.slipstream.server;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.ApiClient;
import org.slipstream.guard.tls.TlsContexts;
import org.slipstream.guard.tls.TlsFailure;
import org.slipstream.guard.tls.TlsSettings;
import org.slipstream.testkit.FaultyLink;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.TestPostgres;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// Two whole servers in this process over one PostgreSQL, each with a link that can be held, and a host that
/// takes their mail.
class ClusterTest {
    private static final SinkScript REFUSES = SinkScript.smtp().on(SinkPhase.MAIL, SinkAction.reply("451 4.3.2 Later"));
    private static final int LANES = 4;
    private static EmbeddedPostgres postgres;
    private static int databases;
    @TempDir
    static Path keys;
    private static Path identity;

    @TempDir
    Path homes;

    private final SmtpSink far = SmtpSink.start(REFUSES);
    private final List<Node> nodes = new ArrayList<>();
    private String database = "";

    private final class Node implements AutoCloseable {
        final String name;
        final FaultyLink link = new FaultyLink(postgres.getPort());
        final SmallServer server;

        Node(String name, String... more) throws Exception {
            this.name = name;
            List<String> settings = new ArrayList<>(List.of("hostname=" + name + ".example",
                    "routes.far.example=smtp:127.0.0.1:" + far.port(), "spool.engine=postgresql",
                    "spool.database=jdbc:postgresql://127.0.0.1:" + link.port() + "/" + database + "?user=postgres",
                    "cluster.node=" + name, "cluster.listen=127.0.0.1:0", "cluster.identity=" + identity,
                    "queue.minimal-backoff=1s", "queue.maximal-backoff=1s", "queue.scan-interval=1s"));
            settings.addAll(List.of(more));
            server = SmallServer.start(homes.resolve(name), settings.toArray(String[]::new));
        }

        void send(String subject) {
            try (SmtpTalker talker = SmtpTalker.introducedTo(server.server().smtp().orElseThrow())) {
                assertThat(talker.send(new OutgoingMessage("a@here.example", List.of("x@far.example"),
                        ("Subject: " + subject + "\r\n\r\nx\r\n").getBytes(StandardCharsets.US_ASCII))).code())
                        .isEqualTo(250);
            }
        }

        /// On a connection of its own, because one that is idle for long is closed.
        ApiClient.ApiReply answer(String method, String resource) throws IOException {
            try (ApiClient operator = ApiClient.connect(server.server().admin(), Duration.ofSeconds(90))) {
                return operator.ask(method, resource);
            }
        }

        String ask(String method, String resource) throws IOException {
            ApiClient.ApiReply reply = answer(method, resource);
            assertThat(reply.status()).as(reply.body()).isEqualTo(200);
            return reply.body();
        }

        String content(String id) throws IOException {
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            try (ApiClient operator = ApiClient.connect(server.server().admin(), Duration.ofSeconds(90))) {
                operator.fetch("queue/" + id + "/content", content);
            }
            return content.toString(StandardCharsets.US_ASCII);
        }

        boolean has(String metric) {
            try {
                return ask("GET", "metrics").contains(metric);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        boolean isKeeping() throws IOException {
            return ask("GET", "status").contains("\"what\":\"kept-here\"");
        }

        boolean owns(int shard) throws IOException {
            return ask("GET", "shards").matches(".*\"number\":" + shard
                    + ",[^}]*\"state\":\"running\".*\"owner\":\"" + name + "\".*");
        }

        long attempts() {
            return far.commands().stream().filter(line -> line.equals("EHLO " + name + ".example")).count();
        }

        @Override
        public void close() throws IOException {
            link.heal();
            server.close();
            link.close();
        }
    }

    @BeforeAll
    static void startPostgres() throws IOException, TlsFailure {
        postgres = TestPostgres.start();
        TlsContexts.open(new TlsSettings(Optional.empty(), Optional.empty()), keys, "cluster");
        identity = Files.writeString(keys.resolve("cluster.pem"), Files.readString(keys.resolve("tls/self-signed.crt"))
                + Files.readString(keys.resolve("tls/self-signed.key")));
    }

    @AfterAll
    static void stopPostgres() throws IOException {
        postgres.close();
    }

    @BeforeEach
    void makeDatabase() throws SQLException {
        database = "server" + ++databases;
        try (Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create database " + database);
        }
    }

    @AfterEach
    void stop() throws IOException {
        for (Node node : nodes) {
            node.close();
        }
        far.close();
    }

    private Node node(String name, String... more) throws Exception {
        Node node = new Node(name, more);
        nodes.add(node);
        return node;
    }

    private static void until(Callable<Boolean> holds) {
        Awaitility.await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(50)).until(holds);
    }

    private Instant inDatabase(String what) throws SQLException {
        try (Connection connection = postgres.getDatabase("postgres", database).getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select " + what)) {
            assertThat(row.next()).isTrue();
            return row.getTimestamp(1).toInstant();
        }
    }

    private long recipients() {
        return far.commands().stream().filter(line -> line.startsWith("RCPT TO:")).count();
    }

    private List<String> subjects() {
        return far.messages().stream().map(ReceivedMessage::text).flatMap(String::lines)
                .filter(line -> line.startsWith("Subject: ")).map(line -> line.substring(9)).sorted().toList();
    }

    /// One story, because two servers take a while to start.
    @Test
    void aShardGoesOnElsewhereAfterAnOrderAStopAndACutAndNoMessageIsDeliveredTwice() throws Exception {
        Node a = node("a");
        Node b = node("b");
        until(() -> a.owns(1) && b.owns(2));
        until(() -> Stream.of(a.ask("GET", "metrics"), b.ask("GET", "metrics"))
                .allMatch(each -> each.contains("mta_cluster_grants 1.0")));
        assertThat(b.ask("GET", "metrics")).contains("mta_cluster_shards 1.0",
                "mta_cluster_nodes{state=\"alive\"} 2.0", "mta_cluster_grants 1.0");
        assertThat(a.ask("GET", "cluster")).matches(".*\"grantSeconds\":[1-7][.].*\"grantSeconds\":[1-7][.].*")
                .contains("\"broker\":\"a\"", "\"standbys\":[]");
        a.send("moved");
        until(() -> a.attempts() > 0);

        // Any node answers for both, and an order goes to the owner.
        b.send("here");
        until(() -> b.ask("GET", "queue").split("\"sender\":\"a@here").length == 3);
        String id = b.ask("GET", "queue")
                .replaceAll(".*?\"id\":\"([^\"]+)\",(?:(?!\"id\").)*\"shard\":1[,}].*", "$1");
        assertThat(b.ask("GET", "queue/" + id)).contains("\"shard\":1");
        until(() -> b.ask("GET", "explain?message=" + id).contains("451 4.3.2 Later"));
        assertThat(b.ask("GET", "trace?of=" + id)).contains("accepted", "\"faults\":[]");
        assertThat(b.content(id)).contains("Subject: moved");
        assertThat(b.ask("GET", "queue/shape")).contains("far.example");
        b.ask("POST", "queue/" + id + "/hold?reason=wait");
        assertThat(a.ask("GET", "queue?state=held")).contains(id);
        assertThat(b.ask("POST", "queue/release?state=held")).contains("\"count\":1");

        // An order that stays in force holds on each node, and so does its end.
        a.ask("POST", "suspensions/suspend?kind=destination&name=far.example&reason=repair");
        b.ask("POST", "limits/limit?key=window:far.example&number=5&reason=slow");
        until(() -> b.ask("GET", "explain?message=" + id).contains("is suspended by"));
        until(() -> b.ask("GET", "suspensions").contains("repair"));
        until(() -> a.ask("GET", "limits").contains("slow"));
        b.ask("POST", "suspensions/resume?kind=destination&name=far.example");
        until(() -> !a.ask("GET", "explain?message=" + id).contains("is suspended by"));
        a.ask("POST", "freeze?reason=night");

        // An order moves the shard with its mail, and the node makes another one.
        assertThat(a.answer("POST", "shards/1/move?to=c").status()).isEqualTo(409);
        assertThat(a.answer("POST", "shards/7/move?to=b").status()).isEqualTo(404);
        assertThat(a.answer("POST", "shards/1/drain").status()).isEqualTo(409);
        assertThat(a.ask("POST", "shards/1/move?to=b")).as("as JsonOutputTest has it").contains("\"done\":\"move\"",
                "\"shard\":{");
        until(() -> b.owns(1) && a.owns(3));
        assertThat(b.ask("GET", "cluster")).contains("\"node\":\"b\"", "\"epoch\":2");

        until(() -> b.ask("GET", "explain?message=" + id).contains("frozen"));
        b.ask("POST", "thaw");

        // The network of the node hangs: its mail goes on elsewhere, and it does nothing with what it has in memory.
        Stream.of("one", "two", "three").forEach(a::send);
        until(() -> a.ask("GET", "queue").split("451 4\\.3\\.2").length > 3);
        a.link.hold();
        Instant end = inDatabase("lease_until from slipstream.shard where number = 3");
        until(() -> b.owns(3));
        assertThat(inDatabase("clock_timestamp()")).isAfterOrEqualTo(end);
        long attempts = a.attempts();
        far.follow(SinkScript.smtp());
        until(() -> far.count() == 5);
        assertThat(a.attempts()).isEqualTo(attempts);

        // It comes back, forgets that shard, gets another one, and works.
        a.link.heal();
        until(() -> !a.owns(3) && a.ask("GET", "shards").contains("\"state\":\"running\""));
        a.send("four");
        b.send("five");
        until(() -> far.count() == 7);
        assertThat(subjects()).containsExactly("five", "four", "here", "moved", "one", "three", "two");

        a.close();
        nodes.remove(a);
        until(() -> b.owns(1) && b.owns(2) && b.owns(3));
        assertThat(b.ask("GET", "cluster")).doesNotContain("\"name\":\"a\"");
    }

    /// Neither node reaches the database: each keeps mail on its disk, and uses its part of the limits when its
    /// grants have ended.
    @Test
    void bothNodesKeepMailWithoutTheDatabaseAndEachMessageIsDeliveredOnce() throws Exception {
        String[] keeps = {"spool.database-lost=keep-here", "queue.lanes=" + LANES};
        Node a = node("a", keeps);
        Node b = node("b", keeps);
        until(() -> a.owns(1) && b.owns(2));
        until(() -> Stream.of(a, b).allMatch(each -> each.has("mta_cluster_grants 1.0")));

        // The delivery has ended before its outcome could be recorded.
        far.follow(SinkScript.smtp().on(SinkPhase.FINAL_DOT, SinkAction.usual().holds()));
        a.send("under way");
        until(() -> far.commands().contains("DATA"));
        AtomicInteger ended = new AtomicInteger();
        Logger exchange = (Logger) LoggerFactory.getLogger("org.slipstream.server.shard.ShardExchange");
        AppenderBase<ILoggingEvent> lines = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent line) {
                ended.addAndGet(line.getMessage().startsWith("event=cluster-grants-ended") ? 1 : 0);
            }
        };
        lines.start();
        exchange.addAppender(lines);
        try {
            a.link.hold();
            b.link.hold();
            far.release();
            until(() -> far.count() == 1);
            until(() -> ended.get() == 2);
        } finally {
            exchange.detachAppender(lines);
        }
        until(() -> a.isKeeping() && b.isKeeping());
        assertThat(a.answer("POST", "shards/64/drain").status()).isEqualTo(409);

        far.change(_ -> SinkScript.smtp().on(SinkPhase.RCPT, SinkAction.usual().holds()));
        long before = recipients();
        for (int i = 1; i <= LANES; i++) {
            a.send("of a " + i);
            b.send("of b " + i);
        }
        until(() -> recipients() >= before + LANES);
        far.follow(REFUSES);
        far.release();
        until(() -> far.count() == 1 + LANES);

        // The rest moves into the database.
        a.link.heal();
        until(() -> !a.ask("GET", "status").contains("cluster-database"));
        b.link.heal();
        until(() -> !a.isKeeping() && !b.isKeeping());
        far.follow(SinkScript.smtp());
        until(() -> far.count() >= 1 + 2 * LANES && a.ask("GET", "queue").contains("\"total\":0"));
        assertThat(subjects()).containsExactlyElementsOf(Stream.concat(
                IntStream.rangeClosed(1, LANES).boxed().flatMap(i -> Stream.of("of a " + i, "of b " + i)),
                Stream.of("under way")).sorted().toList());
        assertThat(far.mostTransactions()).isEqualTo(LANES);
    }
}
