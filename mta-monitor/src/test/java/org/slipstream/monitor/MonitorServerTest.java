package org.slipstream.monitor;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

class MonitorServerTest {
    private final List<String> reasons = new ArrayList<>();
    private final AtomicInteger scrapes = new AtomicInteger();
    private volatile CountDownLatch scrape = new CountDownLatch(0);
    private volatile String help = "Messages.";
    private MonitorServer server;
    private final HttpClient client = HttpClient.newHttpClient();

    @BeforeEach
    void start() throws IOException {
        start(Duration.ofSeconds(60));
    }

    private void start(Duration longest) throws IOException {
        server = MonitorServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new MonitorPages() {
            @Override
            public MetricFamilies metrics() {
                String text = help;
                scrapes.incrementAndGet();
                try {
                    scrape.await();
                } catch (InterruptedException stop) {
                    throw new IllegalStateException(stop);
                }
                MetricFamilies families = new MetricFamilies();
                families.gauge("mta_stored_messages", text, 7);
                return families;
            }

            @Override
            public List<String> notReady() {
                return reasons;
            }
        }, longest);
    }

    @AfterEach
    void stop() {
        server.close();
        client.close();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.address().getPort() + path));
    }

    private HttpResponse<String> get(String path) throws Exception {
        return client.send(request(path).build(), BodyHandlers.ofString());
    }

    private void startAgainWithAShortLimit() throws IOException {
        server.close();
        start(Duration.ofMillis(500));
    }

    /// The short limit may also cut the answer of a busy machine, which is asked once more then.
    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(60)).ignoreExceptionsInstanceOf(IOException.class);
    }

    private int statusUncut(String path) {
        return await().until(() -> get(path).statusCode(), _ -> true);
    }

    @Test
    void theMetricsHaveTheFormatThatTheClientAccepts() throws Exception {
        assertThat(get("/metrics").body()).contains("mta_stored_messages 7.0\n").doesNotContain("# EOF");
        HttpResponse<String> open = client.send(request("/metrics")
                .header("Accept", "application/openmetrics-text; version=1.0.0").build(), BodyHandlers.ofString());
        assertThat(open.body()).endsWith("# EOF\n");
        assertThat(open.headers().firstValue("Content-Type").orElseThrow()).startsWith("application/openmetrics-text");
    }

    @Test
    void healthSaysWhyMailShouldGoElsewhere() throws Exception {
        assertThat(get("/health/live").statusCode()).isEqualTo(200);
        assertThat(get("/health/ready").body()).isEqualTo("ready\n");
        reasons.add("the server stops");
        assertThat(get("/health/ready").statusCode()).isEqualTo(503);
        assertThat(get("/health/ready").body()).isEqualTo("not ready\nthe server stops\n");
        assertThat(get("/health/live").statusCode()).as("a restart would not help").isEqualTo(200);
    }

    @Test
    void nothingElseIsAnswered() throws Exception {
        assertThat(get("/").statusCode()).isEqualTo(404);
        assertThat(get("/metrics/../health/live/x").statusCode()).isEqualTo(404);
        HttpResponse<String> post = client.send(request("/metrics").POST(BodyPublishers.ofString("x")).build(),
                BodyHandlers.ofString());
        assertThat(post.statusCode()).isEqualTo(405);
        assertThat(post.headers().firstValue("Allow")).contains("GET, HEAD");
        HttpResponse<String> head = client.send(request("/health/live").HEAD().build(), BodyHandlers.ofString());
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
    }

    @Test
    void scrapesThatHangAreBoundedAndHideNoHealth() throws Exception {
        startAgainWithAShortLimit();
        scrape = new CountDownLatch(1);
        List<CompletableFuture<HttpResponse<String>>> hanging = new ArrayList<>();
        for (int i = 0; i < MonitorServer.MOST_AT_ONCE; i++) {
            hanging.add(client.sendAsync(request("/metrics").build(), BodyHandlers.ofString()));
        }
        await().until(() -> scrapes.get() == MonitorServer.MOST_AT_ONCE);
        assertThat(statusUncut("/metrics")).isEqualTo(503);
        assertThat(statusUncut("/health/live")).isEqualTo(200);
        // The client asks once more when its connection is cut.
        hanging.forEach(each -> assertThat(each.handle((answer, cut) -> cut != null || answer.statusCode() == 503))
                .succeedsWithin(Duration.ofSeconds(60)).isEqualTo(true));
        scrape.countDown();
        await().until(() -> get("/metrics").statusCode() == 200);
    }

    @Test
    void aClientThatReadsNothingIsCut() throws Exception {
        startAgainWithAShortLimit();
        help = "x".repeat(20 << 20);
        try (Socket socket = new Socket()) {
            socket.setReceiveBufferSize(4_096);
            socket.connect(server.address());
            socket.getOutputStream()
                    .write("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            await().until(() -> scrapes.get() == 1);
            help = "Messages.";
            await().until(() -> isCut(socket));
        }
        assertThat(statusUncut("/metrics")).isEqualTo(200);
    }

    /// A client that writes learns of the end without reading.
    private static boolean isCut(Socket socket) {
        try {
            socket.getOutputStream().write('\n');
            return false;
        } catch (IOException reset) {
            return true;
        }
    }
}
