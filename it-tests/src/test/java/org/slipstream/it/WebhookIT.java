package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.it.fixture.PageBlocks;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.sink.script.ScriptReader;
import org.slipstream.sink.server.HttpReceived;
import org.slipstream.sink.server.HttpSink;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.UnusedPort;
import org.slipstream.testkit.server.PackagedServer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The packaged server posts to web servers: to one that fails and while it is killed itself, and to the programs of
/// docs/events.md.
@RequiresPrograms({"python3", "node", "php"})
class WebhookIT {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n";

    @RegisterExtension
    final Workbench bench = new Workbench();
    private final List<HttpReceived> received = new CopyOnWriteArrayList<>();
    private PackagedServer server;
    /// Has the secret.
    private Path folder;

    private void start(int port) throws IOException {
        SmtpSink far = bench.smtpSink();
        far.change(script -> script.onRecipients(recipient -> recipient.startsWith("never")
                ? Optional.of(SinkAction.reply("550 5.1.1 User unknown"))
                : Optional.empty()));
        folder = bench.folder();
        Path secret = folder.resolve("shop.secret");
        Files.writeString(secret, SECRET);
        server = bench.server(Settings.quick().route("far.example", far).set("events.keep", "1d")
                .set("webhook.shop.url", "http://127.0.0.1:" + port + "/hook")
                .set("webhook.shop.secret-file", secret.toString()).set("webhook.shop.private-addresses", "true"));
    }

    private void send(int from, int to) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            for (int i = from; i < to; i++) {
                String name = i % 5 == 0 ? "never" : "friend";
                assertThat(talk.send(OutgoingMessage.of(i + "@x.example", "shop@here.example",
                        List.of(name + i + "@far.example"), new byte[0])).code()).isEqualTo(250);
            }
        }
    }

    private static List<String> ids(HttpReceived request) {
        List<String> ids = new ArrayList<>();
        JSON.readTree(request.body()).path("events").forEach((JsonNode each) -> ids.add(each.get("id").asString()));
        return ids;
    }

    private List<String> taken() {
        return received.stream().filter(each -> each.status() == 204).flatMap(each -> ids(each).stream()).toList();
    }

    private Set<String> truth() {
        return server.command("events", "list", "--json-lines").mustSucceed().out().lines()
                .map(each -> JSON.readTree(each).get("id").asString()).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void killsOfTheServerAndFaultsOfTheReceiverCostNoEvent() throws Exception {
        var where = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        var script = ScriptReader.read("faults",
                "[[http]]\nnth = 2\nstatus = 503\n[[http]]\nnth = 5\nthen = \"reset\"\n"
                        + "[[http]]\nnth = 8\nstatus = 500\nbody = \"300MB\"\n");
        try (HttpSink sink = HttpSink.start(where, script, received::add)) {
            start(sink.address().getPort());
            for (int kill = 0; kill < 3; kill++) {
                int requests = received.size();
                send(kill * 100, kill * 100 + 100);
                eventually().until(() -> received.size() > requests);
                server.kill9();
                server.startAgain();
            }
            send(300, 320);
            eventually().untilAsserted(() -> {
                var truth = truth();
                assertThat(truth).hasSizeGreaterThanOrEqualTo(640);
                assertThat(new TreeSet<>(taken())).isEqualTo(truth);
            });
            long twice = taken().size() - truth().size();
            System.out.println("WebhookIT: " + truth().size() + " events, " + twice + " of them again, by "
                    + received.size() + " requests");
            // A kill repeats the request under way and those whose place a rename had not reached.
            assertThat(twice).isBetween(0L, 3 * 2 * 100L);
        }
    }

    @Test
    void anOperatorTestsPausesAndReplays() throws Exception {
        var where = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (HttpSink sink = HttpSink.start(where, ScriptReader.read("good", ""), received::add)) {
            start(sink.address().getPort());
            assertThat(server.command("webhook", "test", "shop").mustSucceed().out()).isEqualTo("shop took the test\n");
            server.command("webhook", "pause", "shop").mustSucceed();
            send(1, 2);
            eventually().until(() -> truth().size() == 2);
            assertThat(server.command("webhook", "list").mustSucceed().out()).contains("shop", "paused");
            assertThat(taken()).hasSize(1);
            server.command("webhook", "resume", "shop").mustSucceed();
            eventually().untilAsserted(() -> assertThat(taken()).hasSize(3));
            server.command("webhook", "replay", "shop", "--since", "1h").mustSucceed();
            eventually().untilAsserted(() -> assertThat(taken()).hasSize(5));
            assertThat(server.command("webhook", "replay", "shop").err()).contains("give one of since and after");
            assertThat(server.command("webhook", "pause", "none").err()).contains("there is no webhook none");
            sink.follow(ScriptReader.read("bad", "[[http]]\nstatus = 403\n"));
            assertThat(server.command("webhook", "test", "shop").err()).contains("it answered with 403");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"receiver.py", "receiver.cjs", "receiver.php", "Receiver.java"})
    void aProgramOfThePageChecksTheSignatureAndLearnsWhatBecameOfMail(String file) throws Exception {
        int port = UnusedPort.now();
        start(port);
        Files.writeString(folder.resolve(file),
                new PageBlocks("events.md").program(file).replace("8040", Integer.toString(port)));
        Process program = begin(file, port);
        try (var out = program.inputReader()) {
            eventually().until(() -> isOpen(port));
            assertThat(forged(port)).isEqualTo(401);
            server.command("webhook", "test", "shop").mustSucceed();
            assertThat(out.readLine()).isEqualTo("test - -");
            send(1, 2);
            assertThat(out.readLine()).isEqualTo("accepted - <1@x.example>");
            assertThat(out.readLine()).isEqualTo("delivered friend1@far.example <1@x.example>");
        } finally {
            program.descendants().forEach(ProcessHandle::destroy);
            program.destroy();
            program.waitFor();
        }
    }

    private Process begin(String file, int port) throws IOException {
        var command = switch (file.substring(file.lastIndexOf('.'))) {
            case ".py" -> List.of("python3", file);
            case ".cjs" -> List.of("node", file);
            case ".php" -> List.of("php", "-S", "127.0.0.1:" + port, file);
            default -> List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                    System.getProperty("java.class.path"), file);
        };
        return new ProcessBuilder(command).directory(folder.toFile()).redirectError(folder.resolve("err").toFile())
                .start();
    }

    private static boolean isOpen(int port) {
        try (var _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    /// The status for a request that another secret signed.
    private static int forged(int port) throws IOException {
        String body = "{\"events\":[{\"kind\":\"bounced\"}]}";
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write(("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + body.length()
                    + "\r\nConnection: close\r\nwebhook-id: msg_1\r\nwebhook-timestamp: "
                    + System.currentTimeMillis() / 1000
                    + "\r\nwebhook-signature: v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n" + body)
                    .getBytes(StandardCharsets.US_ASCII));
            String line = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
            return Integer.parseInt(line.substring(9));
        }
    }
}
