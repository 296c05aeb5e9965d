package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.it.fixture.PageBlocks;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.server.PackagedServer;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// `POST /api/v1/messages` of the packaged program: the examples of docs/injection.md, a kill, and a great mailing.
@RequiresPrograms({"curl", "python3", "node", "php"})
class InjectionIT {
    private static final boolean LONG = Boolean.getBoolean("slipstream.long");
    private static final int KILLS = LONG ? 30 : 3;
    private static final int CLIENTS = 6;
    private static final int GREAT = LONG ? 100_000 : 10_000;
    private static final String TEMPLATE = """
            {"from":"shop@example.org","subject":"{{n}}","text":"Dear {{n}}","html":"<p>{{n}}</p>"}
            """;

    @RegisterExtension
    final Workbench bench = new Workbench();
    private final HttpClient client = HttpClient.newHttpClient();
    private SmtpSink far;
    private PackagedServer server;
    private String token = "";

    private void start(Settings more, PackagedServer.Launch launch) {
        far = bench.smtpSink();
        server = bench.server(more.route("example.net", far).set("listen.http", "127.0.0.1:0")
                .set("policy.user-messages-per-hour", "0").set("policy.user-recipients-per-hour", "0")
                .set("events.keep", "1d"), launch);
        server.command("correct horse battery\n".getBytes(StandardCharsets.UTF_8), "user", "add", "shop", "--address",
                "shop@example.org").mustSucceed();
        token = server.command("token", "add", "web", "--rights", "send", "--user", "shop").mustSucceed().out()
                .strip();
    }

    private void start() {
        start(Settings.quick(), PackagedServer.Launch.USUAL);
    }

    private String url() {
        return "http://127.0.0.1:" + server.port("http").getPort();
    }

    private HttpResponse<String> post(String type, String key, String body) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(URI.create(url() + "/api/v1/messages"))
                .header("Authorization", "Bearer " + token).header("Content-Type", type)
                .header("Idempotency-Key", key).timeout(Duration.ofMinutes(4)).POST(BodyPublishers.ofString(body))
                .build(), BodyHandlers.ofString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"send.sh", "send.py", "send.mjs", "send.php", "Send.java", "mailing.sh"})
    void anExampleOfThePageSendsMail(String file) throws Exception {
        start();
        Path folder = bench.folder();
        Files.writeString(folder.resolve(file), new PageBlocks("injection.md").program(file));
        String said = run(folder, file) + run(folder, file);
        eventually().untilAsserted(() -> assertThat(far.count()).as(said)
                .isEqualTo(file.startsWith("mailing") ? 2 : 1));
        eventually().until(() -> Queue.of(server).isEmpty());
        assertThat(far.count()).as("a repetition has the same key").isEqualTo(file.startsWith("mailing") ? 2 : 1);
        if (file.equals("send.sh")) {
            eventually().untilAsserted(() -> assertThat(
                    server.command("events", "list", "--json-lines").mustSucceed().out().lines()
                            .filter(line -> line.contains("\"kind\":\"delivered\"")))
                    .hasSize(1).allMatch(line -> line.contains("\"data\":{\"order\":4711}")
                            && line.contains("\"service\":\"http\"")));
        }
    }

    private String run(Path folder, String file) throws Exception {
        var command = switch (file.substring(file.lastIndexOf('.'))) {
            case ".sh" -> List.of("sh", "-e", file);
            case ".py" -> List.of("python3", file);
            case ".mjs" -> List.of("node", file);
            case ".php" -> List.of("php", file);
            default -> List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), file);
        };
        var builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().put("MTA_URL", url());
        builder.environment().put("MTA_TOKEN", token);
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    @Test
    void theRightsAreThoseOfTheUserAndATokenOfTheApiSendsNothing() throws Exception {
        start();
        String body = "{\"from\":\"boss@example.org\",\"to\":\"bob@example.net\",\"text\":\"x\"}";
        assertThat(post("application/json", "k", body).statusCode()).isEqualTo(403);
        assertThat(post("application/json", "k", body.replace("boss@example.org", "shop@example.org")
                .replace("bob@example.net", "bob@nowhere.here.example")).statusCode()).isIn(202, 422);
        String reading = server.command("token", "add", "monitor", "--rights", "administrate").mustSucceed().out()
                .strip();
        String sending = token;
        token = reading;
        assertThat(post("application/json", "k", body).statusCode()).isEqualTo(401);
        token = sending;
        server.command("user", "remove", "shop").mustSucceed();
        assertThat(post("application/json", "k", body).statusCode()).isEqualTo(401);
    }

    /// Each client repeats a request with its key until it is answered, as a program does after a timeout. A second
    /// message for a key would have a Message-ID of its own; a delivery that the kill repeats has the same
    /// (RFC 1047).
    @Test
    void aKillDoublesNoMessageOfARequestThatIsRepeated() throws Exception {
        long seed = System.nanoTime();
        System.out.println("InjectionIT seed " + seed);
        var random = new Random(seed);
        start(Settings.quick().set("spool.segment-size", "1MiB"), PackagedServer.Launch.USUAL);
        var numbers = new AtomicInteger();
        Set<Integer> open = ConcurrentHashMap.newKeySet();
        Set<Integer> answered = ConcurrentHashMap.newKeySet();
        for (int kill = 0; kill <= KILLS; kill++) {
            boolean last = kill == KILLS;
            try (var clients = Executors.newFixedThreadPool(CLIENTS)) {
                List<Integer> again = List.copyOf(open);
                var next = new AtomicInteger();
                for (int i = 0; i < CLIENTS; i++) {
                    clients.submit(() -> {
                        for (int at = next.getAndIncrement(); last ? at < again.size() : server.isAlive(); at = next
                                .getAndIncrement()) {
                            int number = at < again.size() ? again.get(at) : numbers.incrementAndGet();
                            open.add(number);
                            if (isAnswered(number)) {
                                open.remove(number);
                                answered.add(number);
                            }
                        }
                        return null;
                    });
                }
                if (!last) {
                    int enough = answered.size() + 60 + random.nextInt(200);
                    eventually().until(() -> answered.size() >= enough);
                    server.kill9();
                }
            }
            if (!last) {
                server.startAgain();
            }
        }
        assertThat(open).isEmpty();
        eventually().until(() -> Queue.of(server).isEmpty());
        Map<String, Set<String>> ids = new HashMap<>();
        for (ReceivedMessage each : far.messages()) {
            if (each.accepted()) {
                ids.computeIfAbsent(found(each, "X-Number: (\\d+)"), _ -> new HashSet<>())
                        .add(found(each, "Message-ID: (\\S+)"));
            }
        }
        assertThat(ids.keySet()).as("seed %d", seed)
                .isEqualTo(answered.stream().map(String::valueOf).collect(Collectors.toSet()));
        assertThat(ids.values()).as("seed %d", seed).allMatch(each -> each.size() == 1);
    }

    private static String found(ReceivedMessage message, String pattern) {
        Matcher found = Pattern.compile("(?m)^" + pattern + "\r?$")
                .matcher(new String(message.content(), StandardCharsets.ISO_8859_1));
        assertThat(found.find()).isTrue();
        return found.group(1);
    }

    private boolean isAnswered(int number) throws InterruptedException {
        try {
            return post("application/json", "k" + number, """
                    {"from":"shop@example.org","to":"bob@example.net","text":"x","headers":{"X-Number":"%d"}}"""
                    .formatted(number)).statusCode() == 202;
        } catch (IOException killed) {
            return false;
        }
    }

    /// A kill in the middle of a mailing, and the same mailing once more.
    @Test
    void aMailingGoesOnWhereAKillHasCutIt() throws Exception {
        start(Settings.quick().set("queue.deliver", "false"), PackagedServer.Launch.USUAL);
        int count = 3_000;
        String body = TEMPLATE + IntStream.rangeClosed(1, count).mapToObj(InjectionIT::line)
                .collect(Collectors.joining());
        try (var clients = Executors.newSingleThreadExecutor()) {
            clients.submit(() -> post("application/x-ndjson", "mailing", body));
            eventually().until(() -> server.log().lines().filter(line -> line.contains("event=message-accepted"))
                    .count() > count / 3);
            server.kill9();
        }
        server.startAgain();
        HttpResponse<String> answer = post("application/x-ndjson", "mailing", body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        Matcher counts = Pattern.compile("\"accepted\":(\\d+),\"refused\":0,\"repeated\":(\\d+)")
                .matcher(answer.body());
        assertThat(counts.find()).as(answer.body()).isTrue();
        assertThat(Integer.parseInt(counts.group(1)) + Integer.parseInt(counts.group(2))).isEqualTo(count);
        assertThat(Integer.parseInt(counts.group(2))).isGreaterThan(count / 3);
        assertThat(server.command("status").mustSucceed().out()).contains(String.valueOf(count));
    }

    private static String line(int number) {
        return "{\"to\":\"r" + number + "@example.net\",\"substitutions\":{\"n\":" + number + "}}\n";
    }

    @Test
    void aGreatMailingFitsIntoASmallHeap() throws Exception {
        start(Settings.quick().set("queue.deliver", "false"), PackagedServer.Launch.withJavaOptions("-Xmx128m"));
        HttpResponse<String> answer = post("application/x-ndjson", "great", TEMPLATE
                + IntStream.rangeClosed(1, GREAT).mapToObj(InjectionIT::line).collect(Collectors.joining()));
        assertThat(answer.body()).startsWith("{\"accepted\":" + GREAT + ",\"refused\":0,\"repeated\":0,");
        assertThat(server.log()).doesNotContain("OutOfMemoryError");
    }
}
