package org.slipstream.sink.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.slipstream.sink.server.SinkServer;
import org.slipstream.sink.store.CaughtMail;
import org.slipstream.sink.store.SessionLog;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// The web page of the sink, by HTTP.
///
/// Requests need a known name in `Host`, because a page of a stranger can give its own name the
/// address of this machine (DNS rebinding). Requests that change something must not come from a page
/// of another origin.
public final class SinkWeb implements AutoCloseable {
    private static final int LARGEST_BODY = 1 << 20;
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " img-src 'self' data:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    private static final Map<String, String> PAGE = Map.of("", "text/html", "page.js", "text/javascript", "page.css",
            "text/css");

    private final HttpServer http;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final SinkApi api;
    private final Set<String> names;

    private SinkWeb(HttpServer http, SinkApi api, Set<String> names) {
        this.http = http;
        this.api = api;
        this.names = names;
    }

    /// @param scriptText the script that the server follows
    /// @param names of this machine by which the page may be asked for, beside those of loopback
    public static SinkWeb start(InetSocketAddress where, SinkServer server, CaughtMail store, SessionLog sessions,
            String scriptText, List<String> names) throws IOException {
        Set<String> known = new TreeSet<>(List.of("localhost", "127.0.0.1", "[::1]"));
        names.forEach(name -> known.add(name.toLowerCase(Locale.ROOT)));
        SinkWeb web = new SinkWeb(HttpServer.create(where, 50), new SinkApi(server, store, sessions, scriptText),
                known);
        web.http.setExecutor(web.threads);
        web.http.createContext("/", web::handle);
        web.http.start();
        return web;
    }

    public InetSocketAddress address() {
        return http.getAddress();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            WebReply reply;
            try {
                reply = reply(exchange);
            } catch (WebQuery.WrongParameter wrong) {
                reply = WebReply.wrong(400, String.valueOf(wrong.getMessage()));
            } catch (InterruptedException stopped) {
                reply = WebReply.wrong(503, "The sink stops.");
            } catch (RuntimeException broken) {
                reply = WebReply.wrong(500, "internal error: " + broken);
            }
            send(exchange, reply);
        }
    }

    private WebReply reply(HttpExchange exchange) throws IOException, InterruptedException {
        String method = exchange.getRequestMethod();
        String host = Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst("Host"), "");
        if (!isKnown(host)) {
            return WebReply.wrong(421, "The name in Host, \"" + host + "\", is not known; start with --web-name NAME.");
        }
        String origin = exchange.getRequestHeaders().getFirst("Origin");
        if (!method.equals("GET") && origin != null && !origin.equalsIgnoreCase("http://" + host)) {
            return WebReply.wrong(403, "A page of another origin, " + origin + ", changes nothing here.");
        }
        List<String> path = Arrays.stream(exchange.getRequestURI().getPath().split("/")).filter(part -> !part.isEmpty())
                .toList();
        if (path.size() > 2 && path.subList(0, 2).equals(List.of("api", "v1"))) {
            return apiReply(exchange, method, path.subList(2, path.size()));
        }
        return page(method, String.join("/", path));
    }

    private WebReply apiReply(HttpExchange exchange, String method, List<String> path)
            throws IOException, InterruptedException {
        byte[] body;
        try (InputStream in = exchange.getRequestBody()) {
            body = in.readNBytes(LARGEST_BODY + 1);
        }
        if (body.length > LARGEST_BODY) {
            return WebReply.wrong(413, "A script has at most " + LARGEST_BODY + " octets.");
        }
        return api.reply(method, path, new WebQuery(exchange.getRequestURI()), body);
    }

    private boolean isKnown(String host) {
        try {
            String name = new URI("http://" + host).getHost();
            return name != null && names.contains(name.toLowerCase(Locale.ROOT));
        } catch (java.net.URISyntaxException malformed) {
            return false;
        }
    }

    private static WebReply page(String method, String path) throws IOException {
        if (!PAGE.containsKey(path) || !method.equals("GET")) {
            return WebReply.wrong(404, "There is no " + method + " /" + path + ".");
        }
        String name = "/sink-page/" + (path.isEmpty() ? "index.html" : path);
        try (InputStream in = Objects.requireNonNull(SinkWeb.class.getResourceAsStream(name), name)) {
            return WebReply.of(200, PAGE.get(path) + "; charset=utf-8", in.readAllBytes());
        }
    }

    private static void send(HttpExchange exchange, WebReply reply) throws IOException {
        var headers = exchange.getResponseHeaders();
        headers.set("Content-Security-Policy", POLICY);
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("Cache-Control", "no-store");
        reply.headers().forEach(headers::set);
        boolean hasBody = reply.body().length > 0 && !exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(reply.status(), hasBody ? reply.body().length : -1);
        if (hasBody) {
            exchange.getResponseBody().write(reply.body());
        }
    }

    @Override
    public void close() {
        http.stop(0);
        threads.shutdownNow();
    }
}
