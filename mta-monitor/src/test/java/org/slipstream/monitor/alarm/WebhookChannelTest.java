package org.slipstream.monitor.alarm;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.monitor.alarm.AlarmNotice.NoticeKind;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class WebhookChannelTest {
    private final List<String> got = new CopyOnWriteArrayList<>();
    private HttpServer web;

    @BeforeEach
    void start() throws IOException {
        web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 5);
        web.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        answer("/ok", 204, exchange -> {});
        answer("/busy", 503, exchange -> {});
        answer("/moved", 302, exchange -> exchange.getResponseHeaders().set("Location", "/ok"));
        web.createContext("/endless", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            byte[] piece = new byte[8_192];
            while (true) {
                exchange.getResponseBody().write(piece);
            }
        });
        web.createContext("/silent", _ -> {});
        web.start();
    }

    private interface Prepared {
        void prepare(HttpExchange exchange);
    }

    private void answer(String path, int status, Prepared prepared) {
        web.createContext(path, exchange -> {
            try (exchange) {
                got.add(path + " " + exchange.getRequestHeaders().getFirst("Content-Type") + " "
                        + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
                prepared.prepare(exchange);
                exchange.sendResponseHeaders(status, -1);
            }
        });
    }

    @AfterEach
    void stop() {
        web.stop(0);
    }

    private void send(String path) throws Exception {
        send(path, Duration.ofSeconds(60));
    }

    private void send(String path, Duration limit) throws Exception {
        new WebhookChannel(URI.create("http://127.0.0.1:" + web.getAddress().getPort() + path), "mx.example",
                limit).send(
                        new AlarmNotice(NoticeKind.RECOVERED,
                                new AlarmCause("space", "", "", "new mail is refused", ""), Instant.EPOCH));
    }

    @Test
    void theFactsArePostedAsJson() throws Exception {
        send("/ok");
        assertThat(got).hasSize(1).first().asString()
                .startsWith("/ok application/json {\"text\":\"mx.example: over: space: new mail is refused\","
                        + "\"state\":\"recovered\"");
    }

    @Test
    void anAnswerThatIsNo2xxIsAFailureAndARedirectIsNotFollowed() {
        assertThatThrownBy(() -> send("/busy")).isInstanceOf(IOException.class).hasMessage("it answered with 503");
        assertThatThrownBy(() -> send("/moved")).isInstanceOf(IOException.class).hasMessage("it answered with 302");
        assertThat(got).hasSize(2).noneMatch(each -> each.startsWith("/ok"));
    }

    /// The status is the whole answer: no octet of the body is waited for.
    @Test
    void anAnswerHasABoundInTimeAndOctets() throws Exception {
        assertThatThrownBy(() -> send("/silent", Duration.ofSeconds(2))).isInstanceOf(IOException.class)
                .hasMessage("no answer within 2 s");
        send("/endless");
        web.stop(0);
        assertThatThrownBy(() -> send("/ok")).isInstanceOf(IOException.class);
    }
}
