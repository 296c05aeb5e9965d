package org.slipstream.server;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The table of docs/metrics.md is what a running server answers to a scrape. It is written with
/// `-Dslipstream.golden=write`.
class MetricsPageTest {
    private static final Path PAGE = Path.of("../docs/metrics.md");
    private static final String BEGIN = "<!-- metrics: written by MetricsPageTest -->\n";
    private static final String END = "<!-- end of metrics -->";
    private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"");

    @TempDir
    Path home;

    private static HttpResponse<String> get(SmallServer server, String page) throws Exception {
        URI address = URI.create("http://127.0.0.1:" + server.server().furtherPorts().get("metrics").getPort() + page);
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());
        }
    }

    private static String scrape(SmallServer server) throws Exception {
        HttpResponse<String> answer = get(server, "/metrics");
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.body();
    }

    /// Name, type and meaning of each family, with the names of its labels.
    private static String table(String scrape) {
        Map<String, String> meanings = new LinkedHashMap<>();
        Map<String, String> types = new LinkedHashMap<>();
        Map<String, Set<String>> labels = new LinkedHashMap<>();
        for (String line : scrape.lines().toList()) {
            String[] words = line.split(" ", 4);
            if (line.startsWith("# HELP ")) {
                meanings.put(words[2], words[3]);
            } else if (line.startsWith("# TYPE ")) {
                types.put(words[2], words[3]);
                labels.put(words[2], new TreeSet<>());
            } else {
                Set<String> known = labels.get(List.copyOf(types.keySet()).getLast());
                Matcher name = LABEL.matcher(line);
                while (name.find()) {
                    known.add(name.group(1));
                }
                known.remove("le");
            }
        }
        StringBuilder table = new StringBuilder("| Metric | Type | Labels | Meaning |\n|---|---|---|---|\n");
        types.forEach((name, type) -> table.append("| `").append(name).append("` | ").append(type).append(" | ")
                .append(labels.get(name).stream().map(label -> "`" + label + "`").collect(Collectors.joining(", ")))
                .append(" | ").append(meanings.get(name)).append(" |\n"));
        return table.toString();
    }

    @Test
    void eachMetricHasARowAndEachRowAMetric() throws Exception {
        // A host that accepts connections and never greets.
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                SmallServer server = SmallServer.start(home, "listen.metrics=127.0.0.1:0", "shard.count=2",
                        "local.mailboxes=*", "source.a.address-v4=127.0.0.2",
                        "routes.\"slow.example\"=smtp:127.0.0.1:" + silent.getLocalPort())) {
            server.send("user@here.example");
            server.send("user@slow.example");
            Awaitility.await().atMost(Duration.ofSeconds(90))
                    .until(() -> scrape(server).contains("mta_destination_window{"));
            String table = "\n" + table(scrape(server)) + "\n";
            String page = Files.readString(PAGE);
            int begin = page.indexOf(BEGIN) + BEGIN.length();
            int end = page.indexOf(END);
            if (System.getProperty("slipstream.golden", "").equals("write")) {
                Files.writeString(PAGE, page.substring(0, begin) + table + page.substring(end));
                return;
            }
            assertThat(page.substring(begin, end)).isEqualTo(table);
        }
    }

    private static double value(String scrape, String series) {
        return scrape.lines().filter(line -> line.startsWith(series + " ")).findFirst()
                .map(line -> Double.parseDouble(line.substring(series.length() + 1))).orElse(Double.NaN);
    }

    @Test
    void theFiguresAreThoseOfTheMailThatPassed() throws Exception {
        try (SmallServer server = SmallServer.start(home, "listen.metrics=127.0.0.1:0", "local.mailboxes=*",
                "routes.\"down.example\"=smtp:127.0.0.1:1")) {
            List<String> ids = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                ids.add(server.send("user@here.example"));
            }
            server.deferred("user@down.example");
            Map<String, Double> expected = Map.of("mta_received_messages_total", 4.0, "mta_stored_messages", 1.0,
                    "mta_deferred_messages", 1.0, "mta_time_in_queue_seconds_count{destination=\"here.example\"}", 3.0,
                    "mta_group_accumulated_inbound_associations_total{listener=\"smtp\"}", 4.0,
                    "mta_log_messages_total{shard=\"1\"}", 4.0, "mta_trouble{what=\"space\"}", 0.0,
                    "mta_group_failed_outbound_associations_total", 1.0, "mta_transmitted_recipients_total", 3.0);
            Awaitility.await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> {
                String scrape = scrape(server);
                expected.forEach((series, count) -> assertThat(value(scrape, series)).as(series).isEqualTo(count));
                assertThat(value(scrape, "mta_log_group_records_sum{shard=\"1\"}"))
                        .isGreaterThanOrEqualTo(value(scrape, "mta_log_group_records_count{shard=\"1\"}"));
                assertThat(scrape.lines().filter(line -> line.startsWith("mta_replies_total{class=\"2\"")
                        && !line.endsWith(" 0.0"))).hasSize(1);
            });
            assertThat(server.ask("GET", "metrics")).as("the socket has the same")
                    .contains("mta_stored_messages 1.0\n");
        }
    }

    @Test
    void aServerThatTakesMailIsReady() throws Exception {
        try (SmallServer server = SmallServer.start(home, "listen.metrics=127.0.0.1:0")) {
            assertThat(get(server, "/health/ready").statusCode()).isEqualTo(200);
            assertThat(get(server, "/health/live").body()).isEqualTo("live\n");
        }
    }

    @Test
    void aShardThatIsDisabledIsNotReady() throws Exception {
        try (SmallServer server = SmallServer.start(home, "listen.metrics=127.0.0.1:0", "shard.count=2")) {
            server.ask("POST", "shards/1/disable");
            assertThat(get(server, "/health/ready").statusCode()).as("the other takes mail").isEqualTo(200);
            server.ask("POST", "shards/2/disable?force=true");
            assertThat(get(server, "/health/ready").body()).contains("not ready", "no shard can store new mail");
        }
    }

    @Test
    void aPortThatIsTakenStopsTheStart() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> SmallServer.start(home, "listen.metrics=127.0.0.1:" + taken.getLocalPort()))
                    .isInstanceOf(StartFailure.class).hasMessageContaining("listen.metrics");
        }
    }
}
