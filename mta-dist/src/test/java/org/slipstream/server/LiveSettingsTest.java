package org.slipstream.server;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.admin.ApiClient;
import org.slipstream.admin.operations.ConfigurationOperations.ReloadView;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.UnusedPort;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// A server whose operator edits mta.toml and reloads: one story for each section whose settings a
/// reload puts into force.
class LiveSettingsTest {
    private static final Duration SOON = Duration.ofSeconds(90);

    @TempDir
    Path home;
    private EditedServer mta;

    @BeforeEach
    void prepare() {
        mta = new EditedServer(home);
    }

    @AfterEach
    void stop() {
        mta.close();
    }

    private static String route(SmtpSink sink) {
        return "routes.\"far.example\" = \"smtp:127.0.0.1:" + sink.port() + "\"";
    }

    private static void until(java.util.concurrent.Callable<Boolean> condition) {
        Awaitility.await().atMost(SOON).until(condition);
    }

    // ---- sessions: limits, policy, relay, local, aliases, submission, trust, hostname

    @Test
    void aSessionKeepsTheSettingsWithWhichItBeganAndTheNextOneHasTheNew() throws Exception {
        mta.start();
        try (SmtpTalker before = mta.client()) {
            assertThat(mta.changed("limits.message-size = \"1MiB\"")).containsExactly("limits.message-size");
            before.must(250, "MAIL FROM:<a@far.example> SIZE=2000000");
        }
        try (SmtpTalker after = mta.client()) {
            assertThat(after.ask("MAIL FROM:<a@far.example> SIZE=2000000")).startsWith("552 ");
        }
    }

    @Test
    void anEmptyFileOfSettingsIsRefused() throws Exception {
        mta.start("limits.hops = 40");
        for (String text : List.of("", "# cut off", "\n\n[limits]\n")) {
            Files.writeString(home.resolve("mta.toml"), text);
            ReloadView answer = mta.server().reload("test");
            assertThat(answer.problems()).singleElement().asString().contains("has no setting any more");
        }
        assertThat(mta.reload("limits.hops = 41").problems()).isEmpty();
    }

    @Test
    void recipientsAliasesAndRelayNetworksChange() throws Exception {
        mta.start("local.mailboxes = [\"ann\"]");
        assertThat(mta.send("bob@here.example")).startsWith("550");
        assertThat(mta.changed("local.mailboxes = [\"ann\", \"bob\"]", "relay.networks = [\"192.0.2.0/24\"]",
                "aliases.sales = [\"bob@here.example\"]"))
                .containsExactlyInAnyOrder("local.mailboxes", "relay.networks", "aliases.sales");
        assertThat(mta.send("bob@here.example")).startsWith("250");
        assertThat(mta.send("sales@here.example")).startsWith("250");
        assertThat(mta.send("x@far.example")).startsWith("55");
        assertThat(home.resolve("mail/here.example/bob")).satisfies(
                folder -> until(() -> Files.isDirectory(folder.resolve("new"))));
    }

    @Test
    void ratesAreCountedOnAcrossAReloadThatDoesNotChangeThem() throws Exception {
        mta.start("policy.messages-per-hour = 2", "relay.networks = [\"192.0.2.0/24\"]");
        assertThat(mta.send("user@here.example")).startsWith("250");
        assertThat(mta.changed("policy.messages-per-hour = 2", "relay.networks = [\"192.0.2.0/24\"]",
                "limits.hops = 40")).containsExactly("limits.hops");
        assertThat(mta.send("user@here.example")).startsWith("250");
        assertThat(mta.send("user@here.example")).as("the third").startsWith("450");
        mta.changed("policy.messages-per-hour = 1000", "relay.networks = [\"192.0.2.0/24\"]");
        assertThat(mta.send("user@here.example")).startsWith("250");
    }

    @Test
    void greetingsCarryTheNewNameAndTrustedClientsMayNameOthers() throws Exception {
        mta.start();
        assertThat(mta.changed("trust.xclient = [\"127.0.0.1\"]", "tls.off = [\"smtp\"]"))
                .containsExactlyInAnyOrder("trust.xclient", "tls.off");
        try (SmtpTalker client = SmtpTalker.greetedBy(mta.server().smtp().orElseThrow())) {
            assertThat(client.ask("EHLO c.example")).contains("XCLIENT").doesNotContain("STARTTLS");
        }
    }

    @Test
    void moreConnectionsArePermittedAtOnce() throws Exception {
        mta.start("limits.connections = 10", "limits.connections-per-client = 1");
        try (SmtpTalker one = mta.client()) {
            try (SmtpTalker refused = SmtpTalker.to(mta.server().smtp().orElseThrow())) {
                assertThat(refused.reply()).startsWith("421 ");
            }
            mta.changed("limits.connections = 2000", "limits.connections-per-client = 500");
            List<SmtpTalker> many = IntStream.range(0, 100).mapToObj(_ -> mta.client()).toList();
            many.forEach(SmtpTalker::close);
            one.must(250, "NOOP");
        }
    }

    // ---- ports

    @Test
    void portsAreAddedMovedAndRemovedWhileSessionsGoOn() throws Exception {
        mta.start(unused("submission"));
        InetSocketAddress before = mta.server().submission().orElseThrow();
        try (SmtpTalker session = SmtpTalker.introducedTo(before)) {
            assertThat(mta.changed("listen.lmtp = \"127.0.0.1:0\"")).containsExactlyInAnyOrder("listen.submission",
                    "listen.lmtp");
            assertThat(mta.server().submission()).isEmpty();
            // The port's own thread closes it.
            Awaitility.await().atMost(SOON).untilAsserted(() -> assertThatThrownBy(
                    () -> new Socket(before.getAddress(), before.getPort()).close())
                    .isInstanceOf(ConnectException.class));
            assertThat(session
                    .send(new OutgoingMessage("a@here.example", List.of("user@here.example"), EditedServer.CONTENT))
                    .toString()).startsWith("250");
        }
        try (SmtpTalker lmtp = SmtpTalker.greetedBy(mta.server().furtherPorts().get("lmtp"))) {
            lmtp.must(250, "LHLO c.example");
        }
        mta.changed("listen.submission = \"127.0.0.1:0\"");
        assertThat(mta.server().submission()).isPresent();
        assertThat(mta.server().furtherPorts()).isEmpty();
    }

    @Test
    void aPortThatIsTakenChangesNothingAtAll() throws Exception {
        mta.start();
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ReloadView refused = mta.reload("listen.submission = \"127.0.0.1:" + other.getLocalPort() + "\"",
                    "local.mailboxes = [\"bob\"]");
            assertThat(refused.applied()).isFalse();
            assertThat(refused.problems()).singleElement().asString().contains("" + other.getLocalPort())
                    .startsWith("mta.toml:4: listen.submission: ");
        }
        assertThat(mta.send("bob@here.example")).startsWith("550");
        assertThat(mta.server().submission()).isEmpty();
    }

    @Test
    void thePortOfTheLoopbackBecomesThePortOfAllAddressesAndItsSessionsGoOn() throws Exception {
        mta.start(unused("smtp"));
        int port = mta.server().smtp().orElseThrow().getPort();
        try (SmtpTalker session = mta.client()) {
            assertThat(mta.changed("listen.smtp = \"*:" + port + "\"")).containsExactly("listen.smtp");
            assertThat(greeting("127.0.0.2", port)).startsWith("220 ");
            assertThat(session
                    .send(new OutgoingMessage("a@here.example", List.of("user@here.example"), EditedServer.CONTENT))
                    .toString()).startsWith("250");
        }
        mta.changed("listen.smtp = \"127.0.0.1:" + port + "\"");
        assertThat(greeting("127.0.0.1", port)).startsWith("220 ");
        assertRefused("127.0.0.2", port);
    }

    @Test
    void twoServicesExchangeTheirPorts() throws Exception {
        mta.start(unused("smtp"), unused("submission"));
        int smtp = mta.server().smtp().orElseThrow().getPort();
        int submission = mta.server().submission().orElseThrow().getPort();
        mta.changed("listen.smtp = \"127.0.0.1:" + submission + "\"", "listen.submission = \"127.0.0.1:" + smtp + "\"");
        assertThat(mta.server().smtp().orElseThrow().getPort()).isEqualTo(submission);
        assertThat(mta.server().submission().orElseThrow().getPort()).isEqualTo(smtp);
        assertThat(greeting("127.0.0.1", smtp)).startsWith("220 ");
        assertThat(greeting("127.0.0.1", submission)).startsWith("220 ");
    }

    @Test
    void aPortThatGaveItsPlaceOpensAgainWhenTheReloadIsRefused() throws Exception {
        mta.start(unused("smtp"));
        int port = mta.server().smtp().orElseThrow().getPort();
        try (SmtpTalker session = mta.client();
                ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ReloadView refused = mta.reload("listen.smtp = \"*:" + port + "\"",
                    "listen.submission = \"127.0.0.1:" + other.getLocalPort() + "\"", "local.mailboxes = [\"bob\"]");
            assertThat(refused.applied()).isFalse();
            assertThat(refused.problems()).singleElement().asString().contains("listen.submission: ");
            assertThat(mta.send("user@here.example")).startsWith("250");
            assertThat(mta.send("bob@here.example")).as("the former settings").startsWith("550");
            assertRefused("127.0.0.2", port);
            session.must(250, "NOOP");
        }
        mta.changed("listen.smtp = \"*:" + port + "\"");
        assertThat(greeting("127.0.0.2", port)).startsWith("220 ");
    }

    /// A port that no other program gets while it is released.
    private static String unused(String service) {
        return "listen." + service + " = \"127.0.0.1:" + UnusedPort.now() + "\"";
    }

    private static String greeting(String address, int port) throws IOException {
        try (SmtpTalker client = SmtpTalker.to(new InetSocketAddress(address, port))) {
            return client.reply();
        }
    }

    private static void assertRefused(String address, int port) {
        assertThatThrownBy(() -> new Socket(address, port).close()).isInstanceOf(ConnectException.class);
    }

    // ---- mistakes, restarts, several at once, a stop

    @Test
    void aMistakeChangesNothingAndIsToldWithItsLine() throws Exception {
        mta.start();
        ReloadView refused = mta.reload("local.mailboxes = [\"bob\"]", "limits.hops = \"many\"",
                "tls.certificate = \"missing.pem\"");
        assertThat(refused.applied()).isFalse();
        assertThat(refused.problems())
                .anySatisfy(each -> assertThat(each).startsWith("mta.toml:").contains("limits.hops"));
        assertThat(mta.send("bob@here.example")).startsWith("550");
        assertThat(mta.levels()).isEmpty();
    }

    @Test
    void aFileThatIsNoUseChangesNothingNowOrAtTheNextStart() throws Exception {
        mta.start();
        Files.writeString(home.resolve("file"), "x");
        for (String line : List.of("spool.directory = \"file\"", "log.file = \"missing/mta.log\"",
                "log.file = \"spool\"", "tls.certificate = \"spool\"", "smarthost.credentials = \"missing\"",
                "policy.header-checks = \"spool\"")) {
            ReloadView refused = mta.reload("limits.hops = 40", line, "tls.key = \"file\"".repeat(
                    line.startsWith("tls") ? 1 : 0));
            assertThat(refused.applied()).as(line).isFalse();
            String key = line.substring(0, line.indexOf(' '));
            assertThat(refused.problems()).first().asString().startsWith("mta.toml:6: " + key + ": ")
                    .doesNotContain("Exception");
        }
        assertThat(mta.levels()).isEmpty();
    }

    @Test
    void settingsThatNeedARestartAreToldAgainUntilTheStart() throws Exception {
        mta.start();
        for (int i = 0; i < 2; i++) {
            ReloadView view = mta.reload("queue.deliver = false", "spool.directory = \"elsewhere\"", "shard.count = 3");
            assertThat(view.applied()).isTrue();
            assertThat(view.changed()).isEmpty();
            assertThat(view.restart()).extracting("key").containsExactlyInAnyOrder("queue.deliver", "spool.directory",
                    "shard.count");
        }
        assertThat(mta.send("user@here.example")).startsWith("250");
        until(() -> Files.isDirectory(home.resolve("mail/here.example/user/new")));
        assertThat(home.resolve("elsewhere")).doesNotExist();
    }

    @Test
    void theLevelOfTheLogIsToldToTheProcess() throws Exception {
        mta.start();
        assertThat(mta.changed("log.level = \"warn\"")).containsExactly("log.level");
        assertThat(mta.levels()).containsExactly("warn");
    }

    @Test
    void reloadsAtTheSameTimeFollowEachOtherAndNoneBeginsDuringAStop() throws Exception {
        mta.start();
        mta.write("limits.hops = 40");
        List<CompletableFuture<ReloadView>> many = IntStream.range(0, 8)
                .mapToObj(_ -> CompletableFuture.supplyAsync(() -> mta.server().reload("test"))).toList();
        assertThat(many.stream().map(CompletableFuture::join).filter(each -> !each.changed().isEmpty())).hasSize(1);
        mta.server().close();
        assertThat(mta.server().reload("late").problems()).singleElement().asString().contains("stops");
    }

    @Test
    void aReloadThatStillReadsDoesNotDelayAStopAndStartsNothing() throws Exception {
        mta.start();
        CountDownLatch reads = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor(); SmtpTalker session = mta.client()) {
            mta.beforeRead = () -> {
                reads.countDown();
                assertThatNoException().isThrownBy(goesOn::await);
            };
            mta.write("listen.submission = \"127.0.0.1:0\"");
            Future<ReloadView> slow = threads.submit(() -> mta.server().reload("slow"));
            reads.await();
            Future<?> stop = threads.submit(mta::close);
            try {
                assertThat(session.reply()).startsWith("421 ").contains("Shutting down");
                stop.get();
            } finally {
                goesOn.countDown();
            }
            assertThat(slow.get().problems()).containsExactly("the server stops");
            assertThat(mta.server().submission()).isEmpty();
        }
    }

    @Test
    void theServerHasAnotherNameForNewSessionsAndNewConnections() throws Exception {
        try (SmtpSink sink = SmtpSink.start()) {
            mta.start(route(sink), "queue.idle-connection = \"0s\"");
            mta.send("u@far.example");
            until(() -> sink.count() == 1);
            try (SmtpTalker before = mta.client()) {
                assertThat(mta.changed(route(sink), "queue.idle-connection = \"0s\"",
                        "hostname = \"other.example\"")).contains("hostname");
                assertThat(before.ask("EHLO client.example")).startsWith("250-mta.example");
            }
            try (SmtpTalker after = SmtpTalker.to(mta.server().smtp().orElseThrow())) {
                assertThat(after.reply()).startsWith("220 other.example ");
            }
            mta.send("v@far.example");
            until(() -> sink.count() == 2);
            assertThat(sink.commands()).contains("EHLO mta.example", "EHLO other.example");
            assertThat(sink.contents().getLast()).contains("by other.example");
        }
    }

    // ---- the queue: routes, lanes, rates, retry policies, placement, client, smart hosts, reports

    @Test
    void routesLanesAndHoldsOfDestinationsApplyToWaitingMail() throws Exception {
        try (SmtpSink slow = SmtpSink.start(SinkScript.smtp().on(SinkPhase.CONNECT, SinkAction.stall()));
                SmtpSink good = SmtpSink.start()) {
            mta.start(route(slow), "queue.lanes-per-destination = 1",
                    "concurrency.initial-destination-concurrency = 1");
            IntStream.range(0, 12).forEach(i -> mta.send("u" + i + "@far.example"));
            until(() -> slow.connections() == 1);
            mta.changed(route(slow), "queue.lanes-per-destination = 4",
                    "concurrency.initial-destination-concurrency = 4");
            mta.changed(route(good), "queue.lanes-per-destination = 4",
                    "concurrency.initial-destination-concurrency = 4");
            mta.send("new@far.example");
            until(() -> good.messages().stream().anyMatch(each -> each.toString().contains("new@far.example")));
        }
    }

    @Test
    void moreLanesOfOneDestinationOpenMoreConnections() throws Exception {
        try (SmtpSink slow = SmtpSink.start(SinkScript.smtp().waitsBeforeReplies(Duration.ofMillis(20)))) {
            String policy = "destination.\"far.example\".lanes = ";
            mta.start(route(slow), policy + 1, "placement.connection-depth = 1");
            IntStream.range(0, 5).forEach(i -> mta.send("u" + i + "@far.example"));
            until(() -> slow.count() == 5);
            assertThat(slow.mostTransactions()).isEqualTo(1);
            mta.changed(route(slow), policy + 5, "placement.connection-depth = 1");
            slow.change(script -> script.on(SinkPhase.RCPT, SinkAction.usual().holds()));
            IntStream.range(0, 40).forEach(i -> mta.send("v" + i + "@far.example"));
            until(() -> slow.mostTransactions() > 1);
            slow.release();
            until(() -> slow.count() == 45);
            assertThat(slow.mostTransactions()).isBetween(2, 5);
        }
    }

    @Test
    void connectionsFollowThePlacementAndADeliveryInProgressEndsOnItsOwn() throws Exception {
        try (SmtpSink sink = SmtpSink.start(SinkScript.smtp()
                .on(SinkPhase.FINAL_DOT, SinkAction.usual().holds().applies(1)))) {
            mta.start(route(sink), "queue.idle-connection = \"1h\"");
            mta.send("held@far.example");
            until(() -> sink.commands().contains("DATA"));
            assertThat(mta.changed(route(sink), "queue.idle-connection = \"1h\"",
                    "placement.connection-age = \"1ms\"")).containsExactly("placement.connection-age");
            sink.release();
            until(() -> sink.count() == 1);
            for (int i = 2; i <= 4; i++) {
                int number = i;
                mta.send("u" + i + "@far.example");
                until(() -> sink.count() == number);
            }
            assertThat(sink.connections()).as("with the former age all share one").isEqualTo(4);
        }
    }

    @Test
    void aHeldTransportGoesOnAfterAReload() throws Exception {
        try (SmtpSink sink = SmtpSink.start()) {
            mta.start(route(sink), "transport.smtp.lanes = 0");
            mta.send("u@far.example");
            assertThat(mta.changed(route(sink))).containsExactly("transport.smtp.lanes");
            try (ApiClient operator = ApiClient.connect(mta.server().admin(), SOON)) {
                operator.ask("POST", "queue/flush");
            }
            until(() -> sink.count() == 1);
        }
    }

    @Test
    void theNextAttemptFollowsTheNewRetryPolicy() throws Exception {
        try (SmtpSink defers = SmtpSink.start(
                SinkScript.smtp().on(SinkPhase.RCPT, SinkAction.reply("450 4.2.1 later")))) {
            mta.start(route(defers), "queue.minimal-backoff = \"1h\"", "queue.maximal-backoff = \"2h\"");
            mta.changed(route(defers), "queue.minimal-backoff = \"100ms\"", "queue.maximal-backoff = \"200ms\"",
                    "queue.scan-interval = \"100ms\"", "retry.\"quick\".kind = \"list\"",
                    "retry.\"quick\".pauses = \"100ms\"", "queue.retry = \"quick\"");
            mta.send("u@far.example");
            until(() -> defers.connections() + defers.commands().stream()
                    .filter(each -> each.startsWith("RCPT")).count() > 3);
        }
    }

    @Test
    void aSmartHostGetsTheLoginOfTheFileThatWasRead() throws Exception {
        try (SmtpSink host = SmtpSink.start(SinkScript.smtp().withExtensions("AUTH PLAIN"))) {
            mta.start(route(host));
            mta.send("u@far.example");
            until(() -> host.count() == 1);
            Path logins = Files.writeString(home.resolve("logins"), "127.0.0.1:" + host.port() + " me secret\n");
            Files.setPosixFilePermissions(logins, PosixFilePermissions.fromString("rw-------"));
            assertThat(mta.changed(route(host), "smarthost.credentials = \"logins\"",
                    "smarthost.login-in-the-clear = true", "smtp-client.command-timeout = \"77s\""))
                    .containsExactlyInAnyOrder("smarthost.credentials", "smarthost.login-in-the-clear",
                            "smtp-client.command-timeout");
            mta.send("v@far.example");
            until(() -> host.commands().stream().anyMatch(each -> each.startsWith("AUTH PLAIN")));
        }
    }
}
