package org.slipstream.server;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.admin.ApiClient;
import org.slipstream.core.QueueId;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/// Orders for the shards of a running server, over its socket.
class ShardOrdersTest {
    @TempDir
    Path home;

    private SmallServer start(String... more) throws Exception {
        return SmallServer.start(home, Stream.concat(Stream.of("queue.deliver=false"), Stream.of(more))
                .toArray(String[]::new));
    }

    private static List<Integer> shardsOf(SmallServer server, int messages) {
        return IntStream.range(0, messages)
                .mapToObj(_ -> QueueId.parse(server.send("user@here.example")).orElseThrow().shard()).distinct()
                .sorted().toList();
    }

    private static void refused(SmallServer server, String order, String sentence) throws IOException {
        ApiClient.ApiReply reply = server.operator().ask("POST", "shards/" + order);
        assertThat(reply.status()).isEqualTo(409);
        assertThat(reply.body()).contains(sentence);
    }

    @Test
    @Tag("IM-22")
    void aDisabledShardTakesNoNewMail() throws Exception {
        try (SmallServer server = start("shard.count=2")) {
            assertThat(shardsOf(server, 40)).containsExactly(1, 2);
            server.ask("POST", "shards/1/disable");
            assertThat(shardsOf(server, 10)).containsExactly(2);
            assertThat(server.ask("POST", "shards/1/enable")).contains("\"mode\":\"normal\"");
            assertThat(shardsOf(server, 40)).containsExactly(1, 2);
        }
    }

    @Test
    @Tag("IM-08")
    void modesAndAddedShardsSurviveARestart() throws Exception {
        try (SmallServer server = start()) {
            assertThat(home.resolve("shards")).as("one shard needs no file").doesNotExist();
            assertThat(server.ask("POST", "shards/add")).contains("\"number\":2", "spool-2");
            server.ask("POST", "shards/1/disable");
            server.ask("POST", "shards/add");
            assertThat(shardsOf(server, 40)).containsExactly(2, 3);
            server.ask("POST", "shards/add");
        }
        try (SmallServer server = start()) {
            assertThat(server.ask("GET", "shards")).as("the empty one at the top is gone").contains("\"number\":3")
                    .doesNotContain("\"number\":4");
            assertThat(shardsOf(server, 40)).containsExactly(2, 3);
        }
        assertThat(home.resolve("shards")).content().contains("shard 1 open disabled spool", "shard 4 closed normal");
    }

    @Test
    void withoutAShardForNewMailAClientTriesLater() throws Exception {
        try (SmallServer server = start("shard.count=2")) {
            server.ask("POST", "shards/2/disable");
            refused(server, "1/disable", "the last that takes mail");
            refused(server, "1/drain", "the last that takes mail");
            server.ask("POST", "shards/1/disable?force=true");
            try (SmtpTalker talker = SmtpTalker.introducedTo(server.server().smtp().orElseThrow())) {
                assertThat(talker.send(new OutgoingMessage("a@here.example", List.of("user@here.example"),
                        "Subject: x\r\n\r\nx\r\n".getBytes(StandardCharsets.US_ASCII))).code()).isEqualTo(451);
            }
            server.ask("POST", "shards/2/enable");
            assertThat(shardsOf(server, 5)).containsExactly(2);
        }
    }

    @Test
    void anOrderForAllMailHoldsThatOfEachShardWithItsAuthorAndReason() throws Exception {
        try (SmallServer server = start("shard.count=2")) {
            List<String> ids = IntStream.range(0, 20).mapToObj(_ -> server.send("user@here.example")).toList();
            assertThat(ids.stream().map(id -> QueueId.parse(id).orElseThrow().shard()).distinct()).hasSize(2);
            assertThat(server.ask("POST", "queue/hold?all=true&author=ann&reason=spam+wave")).contains("20");
            for (String id : ids) {
                assertThat(server.ask("GET", "queue/" + id)).contains("ann has held it since", ": spam wave");
            }
        }
    }

    /// The mail moves also on a server that does not deliver, and is not delivered there either.
    @Test
    @Tag("IM-20")
    void aDrainedShardLosesItsMailToTheOthersAndIsClosedAndMayOpenAgain() throws Exception {
        try (SmallServer server = start("shard.count=2", "shard.interval=1s")) {
            server.ask("POST", "shards/1/disable");
            assertThat(shardsOf(server, 20)).containsExactly(2);
            server.ask("POST", "shards/1/enable");
            server.ask("POST", "shards/2/drain");
            Awaitility.await().atMost(Duration.ofSeconds(60))
                    .until(() -> server.ask("GET", "shards").contains("\"state\":\"closed\""));
            assertThat(server.ask("GET", "shards")).contains("\"mode\":\"drained\"", "\"messages\":20");
            assertThat(shardsOf(server, 10)).containsExactly(1);
            assertThat(server.ask("POST", "shards/2/drain")).as("again").contains("\"state\":\"closed\"");
            assertThat(server.ask("POST", "shards/2/enable")).contains("\"state\":\"running\"");
            assertThat(shardsOf(server, 40)).containsExactly(1, 2);
            assertThat(server.ask("GET", "queue/count")).contains("70");
        }
    }

    @Test
    @Tag("IM-20")
    void aHeldShardTakesMailAndStartsNoDeliveryAlsoAfterARestart() throws Exception {
        String id;
        try (SmallServer server = SmallServer.start(home)) {
            assertThat(server.ask("POST", "shards/1/hold")).contains("\"mode\":\"held\"");
            id = server.send("user@here.example");
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> server
                    .ask("GET", "explain?message=" + id).contains("shard 1 is held"));
            assertThat(server.ask("GET", "explain?message=" + id)).contains("mta shard enable 1");
        }
        try (SmallServer server = SmallServer.start(home)) {
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> server
                    .ask("GET", "explain?message=" + id).contains("shard 1 is held"));
            assertThat(server.ask("POST", "shards/1/enable")).contains("\"mode\":\"normal\"");
            Awaitility.await().atMost(Duration.ofSeconds(60))
                    .until(() -> server.ask("GET", "queue/count").contains("\"count\":0"));
        }
    }

    /// `qmail-qread -l` and `-r`.
    @Test
    @Tag("IM-25")
    void mailIsListedCountedAndHeldByTheTransportThatDeliversIt() throws Exception {
        try (SmallServer server = start("shard.count=2", "transport.relay.kind=smtp",
                "routes.far.example=relay:127.0.0.1:1")) {
            String local = server.send("user@here.example");
            String far = server.send("bob@far.example");
            String other = server.send("bob@other.example");
            assertThat(server.ask("GET", "queue?transport=local")).contains(local).doesNotContain(far, other);
            assertThat(server.ask("GET", "queue?transport=relay")).contains(far).doesNotContain(local, other);
            assertThat(server.ask("GET", "queue/count?transport=smtp")).contains("\"count\":1");
            assertThat(server.ask("GET", "queue/count?transport=lmtp")).contains("\"count\":0");
            server.ask("POST", "queue/hold?transport=relay&author=ann&reason=x");
            assertThat(server.ask("GET", "queue?state=held")).contains(far).doesNotContain(local, other);
        }
    }

    @Test
    @Tag("IM-21")
    void aSideWithoutLanesWaitsAndTheOtherIsDelivered() throws Exception {
        try (SmtpSink far = SmtpSink.start(SinkScript.smtp());
                SmallServer server = SmallServer.start(home, "shard.count=2", "shard.remote-lanes=0",
                        "routes.far.example=smtp:127.0.0.1:" + far.port())) {
            String remote = server.send("bob@far.example");
            server.send("user@here.example");
            Awaitility.await().atMost(Duration.ofSeconds(60))
                    .until(() -> server.ask("GET", "queue/count").contains("\"count\":1"));
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> server
                    .ask("GET", "explain?message=" + remote).contains("0 of 100 lanes, by its own limit"));
            assertThat(far.connections()).isZero();
        }
    }

    @Test
    void theFolderOfADrainedShardMayGoWithItsDisk() throws Exception {
        try (SmallServer server = start("shard.count=2", "shard.interval=1s")) {
            server.ask("POST", "shards/2/drain");
            Awaitility.await().atMost(Duration.ofSeconds(60))
                    .until(() -> server.ask("GET", "shards").contains("\"state\":\"closed\""));
            Files.move(home.resolve("spool-2"), home.resolve("away"));
            assertThat(shardsOf(server, 5)).containsExactly(1);
        }
        try (SmallServer server = start("shard.count=2")) {
            assertThat(server.ask("GET", "shards")).contains("\"state\":\"closed\"");
            assertThat(shardsOf(server, 5)).containsExactly(1);
            assertThat(server.ask("POST", "shards/add")).as("not the retired one").contains("\"number\":3");
        }
    }

    @Test
    void shardsAreAddedUpToTheMaximum() throws Exception {
        try (SmallServer server = start("shard.maximum=2")) {
            server.ask("POST", "shards/add");
            refused(server, "add", "as many shards as shard.maximum permits");
        }
    }

    /// indimail's shared segments are readable by programs; here these are metrics.
    @Test
    @Tag("IM-12")
    @Tag("IM-13")
    void countModeUseAndLimitOfEachShardAreMetrics() throws Exception {
        try (SmallServer server = start("shard.count=2", "transport.local.lanes=10", "transport.smtp.lanes=20")) {
            server.ask("POST", "shards/add");
            server.ask("POST", "shards/3/disable");
            server.ask("POST", "shards/2/load?local=2/10&remote=5/20");
            assertThat(server.ask("GET", "metrics").lines()).contains("mta_shards 3.0", "mta_shards_known 3.0",
                    "mta_shard_mode{mode=\"normal\",shard=\"1\"} 1.0",
                    "mta_shard_mode{mode=\"disabled\",shard=\"3\"} 1.0",
                    "mta_shard_available{shard=\"3\"} 1.0",
                    "mta_shard_concurrency_in_use{shard=\"2\",side=\"local\"} 2.0",
                    "mta_shard_concurrency_in_use{shard=\"2\",side=\"remote\"} 5.0",
                    "mta_shard_concurrency_in_use{shard=\"1\",side=\"remote\"} 0.0",
                    "mta_shard_concurrency_configured{shard=\"1\",side=\"local\"} 4.0",
                    "mta_shard_concurrency_configured{shard=\"1\",side=\"remote\"} 7.0",
                    "mta_shard_concurrency_configured{shard=\"2\",side=\"remote\"} 20.0");
        }
    }

    @Test
    @Tag("IM-09")
    @Tag("IM-14")
    @Tag("IM-23")
    void aLoadSetByHandSendsNewMailElsewhere() throws Exception {
        try (SmallServer server = start("shard.count=2", "shard.mode=dynamic")) {
            assertThat(server.ask("POST", "shards/1/load?local=2/10&remote=5/20")).contains("\"load\":45.0",
                    "\"byHand\":true");
            assertThat(shardsOf(server, 20)).containsExactly(2);
            assertThat(server.ask("POST", "shards/1/load?local=auto&remote=auto")).contains("\"byHand\":false");
            assertThat(shardsOf(server, 40)).containsExactly(1, 2);
        }
    }

    @Test
    void aMissingFolderOfAShardStopsTheStart() throws Exception {
        try (SmallServer server = start("shard.count=2")) {
            server.ask("POST", "shards/2/disable");
        }
        Path away = home.resolve("away");
        Files.move(home.resolve("spool-2"), away);
        assertThatExceptionOfType(StartFailure.class).isThrownBy(this::start)
                .withMessageContaining("is its disk mounted?");
        Files.move(away, home.resolve("spool-2"));
        try (SmallServer server = start()) {
            assertThat(server.ask("GET", "shards")).contains("disabled");
        }
    }

    @Test
    void aDamagedFileStopsTheStart() throws Exception {
        Files.writeString(home.resolve("shards"), "slipstream-shards 1\ncount 2\nshard 1 open normal spool\n");
        assertThatExceptionOfType(StartFailure.class).isThrownBy(this::start)
                .withMessageContaining("line 3").withMessageContaining("move the file away");
    }

    @Test
    void aLostFileOfShardsIsToldAndAddOpensTheFolderAgain() throws Exception {
        try (SmallServer server = start("shard.count=2")) {
            server.ask("POST", "shards/1/disable");
            assertThat(shardsOf(server, 3)).containsExactly(2);
        }
        Files.delete(home.resolve("shards"));
        try (SmallServer server = start()) {
            assertThat(server.ask("GET", "shards")).doesNotContain("spool-2");
            assertThat(server.ask("POST", "shards/add")).contains("spool-2", "\"messages\":3");
        }
        try (Stream<Path> folders = Files.list(home)) {
            assertThat(folders.map(each -> each.getFileName().toString()).filter(name -> name.startsWith("spool"))
                    .sorted(Comparator.naturalOrder())).containsExactly("spool", "spool-2");
        }
    }
}
