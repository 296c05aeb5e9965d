package org.slipstream.server;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.admin.ApiClient;
import org.slipstream.admin.ConfigurationOperations.ReloadView;
import org.slipstream.server.config.Config;
import org.slipstream.server.config.ConfigReader;
import org.slipstream.server.config.ReadResult;
import org.slipstream.server.config.SettingsAgain;
import org.slipstream.server.config.SettingsSource;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// A server whose operator edits mta.toml and reloads: one story for each section whose settings a
/// reload puts into force.
class LiveSettingsTest {
    private static final Duration SOON = Duration.ofSeconds(90);
    private static final byte[] CONTENT = "Subject: x\r\n\r\nx\r\n".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path home;
    private Server server;
    private final List<String> levels = new ArrayList<>();
    private final SettingsAgain source = new SettingsAgain() {
        @Override
        public ReadResult read() {
            return ConfigReader.read(SettingsSource.in(home), List.of());
        }

        @Override
        public void inForce(Config settings) {
            levels.add(settings.log().level());
        }
    };

    @BeforeEach
    void prepare() throws IOException {
        write();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    // Keys of one section may stand in several places, as --set has them; TOML knows dotted keys.
    private void write(String... lines) throws IOException {
        List<String> all = new ArrayList<>(List.of("hostname = \"mta.example\"", "listen.smtp = \"127.0.0.1:0\"",
                "local.domains = [\"here.example\"]"));
        if (IntStream.range(0, lines.length).noneMatch(i -> lines[i].startsWith("listen.submission "))) {
            all.add("listen.submission = \"off\"");
        }
        all.addAll(List.of(lines));
        Files.write(home.resolve("mta.toml"), all);
    }

    private void start(String... lines) throws Exception {
        write(lines);
        server = Server.start(((ReadResult.Accepted) source.read()).config(), source);
    }

    private ReloadView reload(String... lines) throws IOException {
        write(lines);
        return server.reload("test");
    }

    private List<String> changed(String... lines) throws IOException {
        ReloadView view = reload(lines);
        assertThat(view.problems()).isEmpty();
        assertThat(view.applied()).isTrue();
        return view.changed();
    }

    private SmtpTalker client() {
        return SmtpTalker.introducedTo(server.smtp().orElseThrow());
    }

    private String send(String... recipients) {
        try (SmtpTalker client = client()) {
            return client.send(new OutgoingMessage("a@here.example", List.of(recipients), CONTENT)).toString();
        }
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
        start();
        try (SmtpTalker before = client()) {
            assertThat(changed("limits.message-size = \"1MiB\"")).containsExactly("limits.message-size");
            before.must(250, "MAIL FROM:<a@far.example> SIZE=2000000");
        }
        try (SmtpTalker after = client()) {
            assertThat(after.ask("MAIL FROM:<a@far.example> SIZE=2000000")).startsWith("552 ");
        }
    }

    @Test
    void recipientsAliasesAndRelayNetworksChange() throws Exception {
        start("local.mailboxes = [\"ann\"]");
        assertThat(send("bob@here.example")).startsWith("550");
        assertThat(changed("local.mailboxes = [\"ann\", \"bob\"]", "relay.networks = [\"192.0.2.0/24\"]",
                "aliases.sales = [\"bob@here.example\"]"))
                .containsExactlyInAnyOrder("local.mailboxes", "relay.networks", "aliases.sales");
        assertThat(send("bob@here.example")).startsWith("250");
        assertThat(send("sales@here.example")).startsWith("250");
        assertThat(send("x@far.example")).startsWith("55");
        assertThat(home.resolve("mail/here.example/bob")).satisfies(
                folder -> until(() -> Files.isDirectory(folder.resolve("new"))));
    }

    @Test
    void ratesAreCountedOnAcrossAReloadThatDoesNotChangeThem() throws Exception {
        start("policy.messages-per-hour = 2", "relay.networks = [\"192.0.2.0/24\"]");
        assertThat(send("user@here.example")).startsWith("250");
        assertThat(changed("policy.messages-per-hour = 2", "relay.networks = [\"192.0.2.0/24\"]",
                "limits.hops = 40")).containsExactly("limits.hops");
        assertThat(send("user@here.example")).startsWith("250");
        assertThat(send("user@here.example")).as("the third").startsWith("450");
        changed("policy.messages-per-hour = 1000", "relay.networks = [\"192.0.2.0/24\"]");
        assertThat(send("user@here.example")).startsWith("250");
    }

    @Test
    void greetingsCarryTheNewNameAndTrustedClientsMayNameOthers() throws Exception {
        start();
        assertThat(changed("trust.xclient = [\"127.0.0.1\"]", "tls.off = [\"smtp\"]"))
                .containsExactlyInAnyOrder("trust.xclient", "tls.off");
        try (SmtpTalker client = SmtpTalker.greetedBy(server.smtp().orElseThrow())) {
            assertThat(client.ask("EHLO c.example")).contains("XCLIENT").doesNotContain("STARTTLS");
        }
    }

    @Test
    void moreConnectionsArePermittedAtOnce() throws Exception {
        start("limits.connections = 10", "limits.connections-per-client = 1");
        try (SmtpTalker one = client()) {
            try (SmtpTalker refused = SmtpTalker.to(server.smtp().orElseThrow())) {
                assertThat(refused.reply()).startsWith("421 ");
            }
            changed("limits.connections = 2000", "limits.connections-per-client = 500");
            List<SmtpTalker> many = IntStream.range(0, 100).mapToObj(_ -> client()).toList();
            many.forEach(SmtpTalker::close);
            one.must(250, "NOOP");
        }
    }

    // ---- ports

    @Test
    void portsAreAddedMovedAndRemovedWhileSessionsGoOn() throws Exception {
        start("listen.submission = \"127.0.0.1:0\"");
        InetSocketAddress before = server.submission().orElseThrow();
        try (SmtpTalker session = SmtpTalker.introducedTo(before)) {
            assertThat(changed("listen.lmtp = \"127.0.0.1:0\"")).containsExactlyInAnyOrder("listen.submission",
                    "listen.lmtp");
            assertThat(server.submission()).isEmpty();
            // The port's own thread closes it.
            Awaitility.await().untilAsserted(() -> assertThatThrownBy(
                    () -> new Socket(before.getAddress(), before.getPort()).close())
                    .isInstanceOf(ConnectException.class));
            assertThat(session.send(new OutgoingMessage("a@here.example", List.of("user@here.example"), CONTENT))
                    .toString()).startsWith("250");
        }
        try (SmtpTalker lmtp = SmtpTalker.greetedBy(server.furtherPorts().get("lmtp"))) {
            lmtp.must(250, "LHLO c.example");
        }
        changed("listen.submission = \"127.0.0.1:0\"");
        assertThat(server.submission()).isPresent();
        assertThat(server.furtherPorts()).isEmpty();
    }

    @Test
    void aPortThatIsTakenChangesNothingAtAll() throws Exception {
        start();
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ReloadView refused = reload("listen.submission = \"127.0.0.1:" + other.getLocalPort() + "\"",
                    "local.mailboxes = [\"bob\"]");
            assertThat(refused.applied()).isFalse();
            assertThat(refused.problems()).singleElement().asString().contains("" + other.getLocalPort())
                    .contains("listen.submission");
        }
        assertThat(send("bob@here.example")).startsWith("550");
        assertThat(server.submission()).isEmpty();
    }

    // ---- mistakes, restarts, several at once, a stop

    @Test
    void aMistakeChangesNothingAndIsToldWithItsLine() throws Exception {
        start();
        ReloadView refused = reload("local.mailboxes = [\"bob\"]", "limits.hops = \"many\"",
                "tls.certificate = \"missing.pem\"");
        assertThat(refused.applied()).isFalse();
        assertThat(refused.problems())
                .anySatisfy(each -> assertThat(each).startsWith("mta.toml:").contains("limits.hops"));
        assertThat(send("bob@here.example")).startsWith("550");
        assertThat(levels).isEmpty();
    }

    @Test
    void settingsThatNeedARestartAreToldAgainUntilTheStart() throws Exception {
        start();
        for (int i = 0; i < 2; i++) {
            ReloadView view = reload("queue.deliver = false", "spool.directory = \"elsewhere\"", "shard.count = 3");
            assertThat(view.applied()).isTrue();
            assertThat(view.changed()).isEmpty();
            assertThat(view.restart()).extracting("key").containsExactlyInAnyOrder("queue.deliver", "spool.directory",
                    "shard.count");
        }
        assertThat(send("user@here.example")).startsWith("250");
        until(() -> Files.isDirectory(home.resolve("mail/here.example/user/new")));
        assertThat(home.resolve("elsewhere")).doesNotExist();
    }

    @Test
    void theLevelOfTheLogIsToldToTheProcess() throws Exception {
        start();
        assertThat(changed("log.level = \"warn\"")).containsExactly("log.level");
        assertThat(levels).containsExactly("warn");
    }

    @Test
    void reloadsAtTheSameTimeFollowEachOtherAndNoneBeginsDuringAStop() throws Exception {
        start();
        write("limits.hops = 40");
        List<CompletableFuture<ReloadView>> many = IntStream.range(0, 8)
                .mapToObj(_ -> CompletableFuture.supplyAsync(() -> server.reload("test"))).toList();
        assertThat(many.stream().map(CompletableFuture::join).filter(each -> !each.changed().isEmpty())).hasSize(1);
        server.close();
        assertThat(server.reload("late").problems()).singleElement().asString().contains("stops");
    }

    // ---- the queue: routes, lanes, rates, retry policies, placement, client, smart hosts, reports

    @Test
    void routesLanesAndHoldsOfDestinationsApplyToWaitingMail() throws Exception {
        try (SmtpSink slow = SmtpSink.start(SinkScript.smtp().on(SinkPhase.CONNECT, SinkAction.stall()));
                SmtpSink good = SmtpSink.start()) {
            start(route(slow), "queue.lanes-per-destination = 1", "concurrency.initial-destination-concurrency = 1");
            IntStream.range(0, 12).forEach(i -> send("u" + i + "@far.example"));
            until(() -> slow.connections() == 1);
            changed(route(slow), "queue.lanes-per-destination = 4",
                    "concurrency.initial-destination-concurrency = 4");
            changed(route(good), "queue.lanes-per-destination = 4",
                    "concurrency.initial-destination-concurrency = 4");
            send("new@far.example");
            until(() -> good.messages().stream().anyMatch(each -> each.toString().contains("new@far.example")));
        }
    }

    @Test
    void moreLanesOfOneDestinationOpenMoreConnections() throws Exception {
        try (SmtpSink slow = SmtpSink.start(SinkScript.smtp().waitsBeforeReplies(Duration.ofMillis(20)))) {
            String policy = "destination.\"far.example\".lanes = ";
            start(route(slow), policy + 1, "placement.connection-depth = 1");
            IntStream.range(0, 5).forEach(i -> send("u" + i + "@far.example"));
            until(() -> slow.count() == 5);
            assertThat(slow.mostTransactions()).isEqualTo(1);
            changed(route(slow), policy + 5, "placement.connection-depth = 1");
            IntStream.range(0, 40).forEach(i -> send("v" + i + "@far.example"));
            until(() -> slow.count() == 45);
            assertThat(slow.mostTransactions()).isBetween(2, 5);
        }
    }

    @Test
    void aHeldTransportGoesOnAfterAReload() throws Exception {
        try (SmtpSink sink = SmtpSink.start()) {
            start(route(sink), "transport.smtp.lanes = 0");
            send("u@far.example");
            assertThat(changed(route(sink))).containsExactly("transport.smtp.lanes");
            try (ApiClient operator = ApiClient.connect(server.admin(), SOON)) {
                operator.ask("POST", "queue/flush");
            }
            until(() -> sink.count() == 1);
        }
    }

    @Test
    void theNextAttemptFollowsTheNewRetryPolicy() throws Exception {
        try (SmtpSink defers = SmtpSink.start(
                SinkScript.smtp().on(SinkPhase.RCPT, SinkAction.reply("450 4.2.1 later")))) {
            start(route(defers), "queue.minimal-backoff = \"1h\"", "queue.maximal-backoff = \"2h\"");
            changed(route(defers), "queue.minimal-backoff = \"100ms\"", "queue.maximal-backoff = \"200ms\"",
                    "queue.scan-interval = \"100ms\"", "retry.\"quick\".kind = \"list\"",
                    "retry.\"quick\".pauses = \"100ms\"", "queue.retry = \"quick\"");
            send("u@far.example");
            until(() -> defers.connections() + defers.commands().stream()
                    .filter(each -> each.startsWith("RCPT")).count() > 3);
        }
    }

    @Test
    void aSmartHostGetsTheLoginOfTheFileThatWasRead() throws Exception {
        try (SmtpSink host = SmtpSink.start(SinkScript.smtp().withExtensions("AUTH PLAIN"))) {
            start(route(host));
            send("u@far.example");
            until(() -> host.count() == 1);
            Path logins = Files.writeString(home.resolve("logins"), "127.0.0.1:" + host.port() + " me secret\n");
            Files.setPosixFilePermissions(logins, PosixFilePermissions.fromString("rw-------"));
            assertThat(changed(route(host), "smarthost.credentials = \"logins\"",
                    "smarthost.login-in-the-clear = true", "smtp-client.command-timeout = \"77s\""))
                    .containsExactlyInAnyOrder("smarthost.credentials", "smarthost.login-in-the-clear",
                            "smtp-client.command-timeout");
            send("v@far.example");
            until(() -> host.commands().stream().anyMatch(each -> each.startsWith("AUTH PLAIN")));
        }
    }
}
