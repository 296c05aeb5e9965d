package org.slipstream.monitor;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.monitor.MetricFamilies.TextFormat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// The HTTP server for programs that watch this one: `/metrics`, `/health/live`, `/health/ready`. It
/// answers GET and HEAD, reads no body, and changes nothing.
///
/// Bounds: [#MOST_AT_ONCE] answers at once, each within [#MOST_SECONDS]; then the connection is cut,
/// also when the client reads nothing. A request must come within ten seconds, and an idle connection
/// is closed after thirty. Health has permits of its own, so that scrapes never hide it.
public final class MonitorServer implements AutoCloseable {
    static final int MOST_AT_ONCE = 8;
    static final int MOST_SECONDS = 20;
    private static final String MOST_CONNECTIONS = "256";
    private static final int BACKLOG = 50;
    private static final Logger log = LoggerFactory.getLogger(MonitorServer.class);

    static {
        // The JDK reads these once for the process. A value of the operator stays.
        standard("jdk.httpserver.maxConnections", MOST_CONNECTIONS);
        standard("sun.net.httpserver.maxReqTime", "10");
        standard("sun.net.httpserver.idleInterval", "30");
        standard("sun.net.httpserver.maxReqHeaderSize", "65536");
    }

    private final HttpServer http;
    private final MonitorPages pages;
    private final Duration longest;
    private final Semaphore scrapes = new Semaphore(MOST_AT_ONCE);
    private final Semaphore checks = new Semaphore(MOST_AT_ONCE);
    private final ScheduledThreadPoolExecutor cutter = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().daemon().name("monitor-cut").factory());

    private MonitorServer(HttpServer http, MonitorPages pages, Duration longest) {
        this.http = http;
        this.pages = pages;
        this.longest = longest;
        cutter.setRemoveOnCancelPolicy(true);
    }

    /// @throws IOException when the address cannot be opened
    public static MonitorServer start(InetSocketAddress where, MonitorPages pages) throws IOException {
        return start(where, pages, Duration.ofSeconds(MOST_SECONDS));
    }

    static MonitorServer start(InetSocketAddress where, MonitorPages pages, Duration longest) throws IOException {
        MonitorServer server = new MonitorServer(HttpServer.create(where, BACKLOG), pages, longest);
        server.http.setExecutor(Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("monitor-", 1).factory()));
        server.http.createContext("/", server::handle);
        server.http.start();
        return server;
    }

    private static void standard(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    public InetSocketAddress address() {
        return http.getAddress();
    }

    @Override
    public void close() {
        http.stop(0);
        cutter.shutdownNow();
    }

    private record Page(int status, String contentType, byte[] body) {
        static Page text(int status, String text) {
            return new Page(status, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    private void handle(HttpExchange exchange) {
        String path = exchange.getRequestURI().getPath();
        Semaphore permits = "/metrics".equals(path) ? scrapes : checks;
        boolean permitted = permits.tryAcquire();
        ScheduledFuture<?> cut = cutter.schedule(exchange::close, longest.toMillis(), TimeUnit.MILLISECONDS);
        try (exchange) {
            send(exchange, permitted ? page(exchange, String.valueOf(path)) : Page.text(503, "too many requests"));
        } catch (IOException gone) {
            log.debug("event=monitor-client-gone error=\"{}\"", LogText.text(gone.toString()));
        } catch (RuntimeException ours) {
            log.warn("event=monitor-request-failed path=\"{}\" error=\"{}\"", LogText.text(String.valueOf(path)),
                    LogText.text(FailureWords.of(ours)), ours);
        } finally {
            cut.cancel(false);
            if (permitted) {
                permits.release();
            }
        }
    }

    private Page page(HttpExchange exchange, String path) {
        if (!List.of("GET", "HEAD").contains(exchange.getRequestMethod())) {
            exchange.getResponseHeaders().set("Allow", "GET, HEAD");
            return Page.text(405, "only GET and HEAD");
        }
        return switch (path) {
            case "/metrics" -> {
                TextFormat format = TextFormat.of(
                        Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst("Accept"), ""));
                yield new Page(200, format.contentType(), pages.metrics().octets(format));
            }
            case "/health/live" -> Page.text(200, "live");
            case "/health/ready" -> {
                List<String> reasons = pages.notReady();
                yield reasons.isEmpty()
                        ? Page.text(200, "ready")
                        : Page.text(503, "not ready\n" + String.join("\n", reasons));
            }
            default -> Page.text(404, "the pages are /metrics, /health/live and /health/ready");
        };
    }

    private static void send(HttpExchange exchange, Page page) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", page.contentType());
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
        boolean head = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(page.status(), head ? -1 : page.body().length);
        if (!head) {
            exchange.getResponseBody().write(page.body());
        }
    }
}
