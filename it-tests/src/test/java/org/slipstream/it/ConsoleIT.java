package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The console of the packaged server, in a browser and with a client that shows the octets. A message
/// waits whose sender would run as a script.
@RequiresPrograms("chromium")
class ConsoleIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final String HOSTILE = "\"<script>document.title='x'</script>\"@here.example";
    private static PackagedServer server;
    private static String id;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() {
        SmtpSink far = BENCH.smtpSink();
        server = BENCH.server(Settings.quick().route("far.example", far).set("listen.console", "127.0.0.1:0")
                .set("journal.file", "decisions.jsonl")
                .set("queue.minimal-backoff", "1h").set("queue.maximal-backoff", "1h"));
        far.stop();
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(OutgoingMessage.of("one@x", HOSTILE, "friend@far.example")).code()).isEqualTo(250);
        }
        eventually().until(() -> Queue.of(server).messages().size() == 1);
        id = Queue.of(server).messages().getFirst().path("id").asString();
    }

    private static String link(String page) {
        return server.command("console").mustSucceed().out().strip() + "&back="
                + URLEncoder.encode(page, StandardCharsets.UTF_8);
    }

    /// The page as the browser has it, with the complaints of the browser behind it.
    private String browser(String page) throws IOException, InterruptedException {
        Path out = folder.resolve("page.html");
        Path err = folder.resolve("browser.log");
        Process browser = new ProcessBuilder("chromium", "--headless", "--no-sandbox", "--disable-gpu",
                "--enable-logging=stderr", "--user-data-dir=" + folder.resolve("profile"), "--timeout=5000",
                "--dump-dom", link(page)).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        try {
            assertThat(browser.waitFor(60, TimeUnit.SECONDS)).as("the browser has ended").isTrue();
        } finally {
            browser.descendants().forEach(ProcessHandle::destroyForcibly);
            browser.destroyForcibly();
        }
        String complaints = String.join("\n", Files.readAllLines(err).stream()
                .filter(line -> line.contains("CONSOLE")).toList());
        return Files.readString(out) + complaints;
    }

    @Test
    void aBrowserShowsThePagesAndRunsNothingThatASenderWrote() throws Exception {
        for (String page : List.of("/", "/queue", "/scheduler", "/message/" + id, "/destination/far.example",
                "/yesterday?message=" + id, "/lab?scenario=ten-two-two&compare=order%3Dfifo&step=40")) {
            String shown = browser(page);

            assertThat(shown).as(page).contains("<nav aria-label=\"Pages\">", "may administrate")
                    .doesNotContain("<title>x</title>", "<script>document", "CONSOLE");
        }
        assertThat(browser("/queue")).contains("&lt;script&gt;document.title", id);
        assertThat(browser("/yesterday?message=" + id)).contains("Message " + id, "</time> arrives",
                "id=\"step\" name=\"step\"");
        assertThat(browser("/lab?scenario=ten-two-two&compare=order%3Dfifo&step=40")).contains("<h2>order=fifo</h2>",
                "1 preemptions since the start", "0 preemptions since the start");
    }

    @Test
    void anOrderOfAFormIsCarriedOutAndStandsInTheLog() throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpResponse<String> login = http.send(HttpRequest.newBuilder(URI.create(link("/message/" + id))).build(),
                    HttpResponse.BodyHandlers.ofString());
            String cookie = login.headers().firstValue("Set-Cookie").orElseThrow().replaceFirst(";.*", "");
            URI message = URI.create(link("/")).resolve(login.headers().firstValue("Location").orElseThrow());
            String page = http.send(HttpRequest.newBuilder(message).header("Cookie", cookie).build(),
                    HttpResponse.BodyHandlers.ofString()).body();
            Matcher key = Pattern.compile("name=\"key\" value=\"([0-9a-f]+)\"").matcher(page);
            assertThat(key.find()).isTrue();

            http.send(HttpRequest.newBuilder(message.resolve("/order")).header("Cookie", cookie)
                    .POST(HttpRequest.BodyPublishers.ofString("key=" + key.group(1) + "&do=queue%2F" + id
                            + "%2Fpriority&value=4"))
                    .build(), HttpResponse.BodyHandlers.ofString());
        }

        assertThat(server.command("queue", "show", id).mustSucceed().out()).contains("priority: 4");
        eventually().untilAsserted(() -> assertThat(server.log()).contains("event=operator-request author=\""
                + System.getProperty("user.name") + "\" method=POST path=\"/api/v1/queue/" + id + "/priority\""));
    }
}
