package org.slipstream.admin;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/// The HTTP side of the API: a port on loopback, a virtual thread per request, JSON in every answer.
///
/// Opened in two steps, because the port must be known before the token and the port can be written for the command
/// line, and nobody may be served before that: [#bind], then [#serve].
public final class AdminServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);
    private static final int BACKLOG = 50;
    /// More at once only means that the operator's tools have run wild; the spool has mail to write.
    private static final int REQUESTS_AT_ONCE = 16;

    private final HttpServer http;
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("admin-", 1).factory());
    private final Semaphore room = new Semaphore(REQUESTS_AT_ONCE);
    private final JsonMapper json = JsonMapper.builder().build();

    private AdminServer(HttpServer http) {
        this.http = http;
    }

    /// Takes the port; nobody is answered yet.
    ///
    /// @param address on loopback; port 0 takes any free one
    public static AdminServer bind(InetSocketAddress address) throws IOException {
        if (address.getAddress() == null || !address.getAddress().isLoopbackAddress()) {
            throw new IllegalArgumentException("the API is for this machine only, not for " + address);
        }
        return new AdminServer(HttpServer.create(address, BACKLOG));
    }

    /// Where it listens, with the real port.
    public InetSocketAddress address() {
        return http.getAddress();
    }

    /// Answers from now on. Called once.
    ///
    /// @param token what callers show as `Authorization: Bearer …`
    public void serve(String token, Operations operations, HostOperations hosts) {
        Gate gate = new Gate(token, address().getPort());
        Api api = new Api(operations, hosts);
        http.setExecutor(threads);
        http.createContext("/", exchange -> handle(exchange, gate, api));
        http.start();
    }

    /// Takes no new request and lets those in progress finish for up to a second. May be called twice.
    @Override
    public void close() {
        http.stop(1);
        threads.shutdown();
    }

    private void handle(HttpExchange exchange, Gate gate, Api api) throws IOException {
        try (exchange) {
            Answer answer = gate.refuse(headers(exchange, "Host"), headers(exchange, "Origin"),
                    headers(exchange, "Authorization")).orElseGet(() -> answer(exchange, api));
            send(exchange, answer);
        }
    }

    private static List<String> headers(HttpExchange exchange, String name) {
        return exchange.getRequestHeaders().getOrDefault(name, List.of());
    }

    private Answer answer(HttpExchange exchange, Api api) {
        if (!room.tryAcquire()) {
            return new Answer(503, Map.of("error", "too many requests at once"), Map.of("Retry-After", "1"));
        }
        String method = exchange.getRequestMethod();
        String path = exchange.getRequestURI().getPath();
        try {
            return api.answer(method, path,
                    Optional.ofNullable(exchange.getRequestURI().getRawQuery()).orElse(""));
        } catch (IOException | RuntimeException ours) {
            LOG.warn("event=admin-request-failed method={} path={}", method, exchange.getRequestURI().getRawPath(),
                    ours);
            return Answer.error(500, "the server could not do it: " + ours.getMessage());
        } finally {
            room.release();
        }
    }

    private void send(HttpExchange exchange, Answer answer) throws IOException {
        byte[] body = json.writeValueAsBytes(answer.body());
        var headers = exchange.getResponseHeaders();
        headers.set("Content-Type", "application/json");
        headers.set("Cache-Control", "no-store");
        headers.set("X-Content-Type-Options", "nosniff");
        answer.headers().forEach(headers::set);
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(answer.status(), -1);
            return;
        }
        exchange.sendResponseHeaders(answer.status(), body.length);
        exchange.getResponseBody().write(body);
    }
}
