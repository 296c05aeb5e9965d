package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.UnusedPort;
import org.slipstream.testkit.server.PackagedServer;
import org.slipstream.testkit.server.ProgramRun;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// A Prometheus with the configuration of examples/monitoring scrapes a server, loads the rules, and
/// answers each query of the dashboard.
@RequiresPrograms({"prometheus", "promtool"})
class PrometheusIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final Path EXAMPLE = Path.of("../examples/monitoring").toAbsolutePath().normalize();
    private static final JsonMapper JSON = new JsonMapper();

    private final Path folder = BENCH.folder();
    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void theRulesPassTheirTests() {
        ProgramRun run = ProgramRun.of("promtool", "test", "rules", EXAMPLE.resolve("rules-test.yml").toString());
        assertThat(run.exit()).as(run.out() + run.err()).isZero();
    }

    @Test
    void aPrometheusScrapesTheServerAndAnswersTheDashboard() throws Exception {
        PackagedServer server = BENCH.keep(PackagedServer.start(Program.folder(), BENCH.home(),
                List.of("listen.smtp=127.0.0.1:0", "listen.submission=off", "listen.metrics=127.0.0.1:0",
                        "local.domains=here.example", "local.mailboxes=*")));
        try (SmtpTalker talker = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talker.send(new OutgoingMessage("a@x.example", List.of("user@here.example"),
                    "Subject: x\r\n\r\nx\r\n".getBytes(StandardCharsets.US_ASCII))).code()).isEqualTo(250);
        }
        int metrics = server.port("metrics").getPort();
        String text = get("http://127.0.0.1:" + metrics + "/metrics");
        ProgramRun lint = ProgramRun.of(text.getBytes(StandardCharsets.UTF_8), List.of("promtool", "check",
                "metrics"));
        assertThat(lint.exit()).as(lint.out() + lint.err()).isZero();
        assertThat(get("http://127.0.0.1:" + metrics + "/health/ready")).isEqualTo("ready\n");
        int port = prometheus(metrics);
        eventually()
                .untilAsserted(() -> assertThat(values(port, "mta_transmitted_recipients_total{job=\"slipstream\"}"))
                        .containsExactly("1"));
        assertThat(values(port, "mta_time_in_queue_seconds_count{destination=\"here.example\"}"))
                .containsExactly("1");
        // A disk that stands still for a moment is a trouble.
        eventually().untilAsserted(() -> assertThat(values(port, "sum(mta_trouble)")).containsExactly("0"));
        JsonNode rules = JSON.readTree(get("http://127.0.0.1:" + port + "/api/v1/rules")).at("/data/groups/0/rules");
        assertThat(rules).hasSizeGreaterThan(5);
        for (String query : dashboard()) {
            assertThat(JSON.readTree(query(port, query)).get("status").asString()).as(query).isEqualTo("success");
        }
    }

    /// Names of metrics in rules and panels are those of the table.
    @Test
    void theExampleUsesMetricsThatExist() throws IOException {
        String page = Files.readString(Path.of("../docs/metrics.md"));
        List<String> texts = new ArrayList<>(dashboard());
        texts.add(Files.readString(EXAMPLE.resolve("rules.yml")));
        assertThat(texts).hasSizeGreaterThan(20);
        Pattern.compile("\\b(?:mta|jvm|process)_[a-z_]+").matcher(String.join("\n", texts)).results()
                .map(found -> found.group().replaceAll("_(?:bucket|sum|count)$", ""))
                .forEach(name -> assertThat(page).contains("`" + name + "`"));
    }

    private static List<String> dashboard() throws IOException {
        List<String> queries = new ArrayList<>();
        for (JsonNode panel : JSON.readTree(Files.readString(EXAMPLE.resolve("dashboard.json"))).get("panels")) {
            for (JsonNode target : panel.get("targets")) {
                queries.add(target.get("expr").asString().replace("$instance", ".*").replace("$__rate_interval", "1m"));
            }
        }
        return queries;
    }

    private int prometheus(int metrics) throws IOException {
        Files.copy(EXAMPLE.resolve("rules.yml"), folder.resolve("rules.yml"));
        Path config = Files.writeString(folder.resolve("prometheus.yml"),
                Files.readString(EXAMPLE.resolve("prometheus.yml")).replace("127.0.0.1:9626", "127.0.0.1:" + metrics)
                        .replace("15s", "1s"));
        int port = UnusedPort.now();
        Process process = new ProcessBuilder("prometheus", "--config.file=" + config,
                "--storage.tsdb.path=" + folder.resolve("tsdb"), "--storage.tsdb.retention.size=64MB",
                "--web.listen-address=127.0.0.1:" + port).redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(folder.resolve("prometheus.log").toFile())).start();
        BENCH.keep(() -> {
            process.destroy();
            process.waitFor();
        });
        eventually().until(() -> get("http://127.0.0.1:" + port + "/-/ready").contains("Ready"));
        return port;
    }

    private String get(String address) throws IOException {
        try {
            return client.send(HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.ofString()).body();
        } catch (ConnectException notYet) {
            return "";
        } catch (InterruptedException stop) {
            throw new IllegalStateException(stop);
        }
    }

    private String query(int port, String expression) throws IOException {
        return get("http://127.0.0.1:" + port + "/api/v1/query?query="
                + URLEncoder.encode(expression, StandardCharsets.UTF_8));
    }

    private List<String> values(int port, String expression) throws IOException {
        List<String> values = new ArrayList<>();
        JSON.readTree(query(port, expression)).at("/data/result")
                .forEach(each -> values.add(each.get("value").get(1).asString()));
        return values;
    }
}
