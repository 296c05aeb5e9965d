package org.slipstream.console;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.ApiAccess;
import org.slipstream.admin.ApiCaller;
import org.slipstream.admin.RefusalLines;
import org.slipstream.admin.Tokens;
import org.slipstream.admin.operations.ConsoleOperations;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.order.Right;
import org.slipstream.picture.LivePictures;
import org.slipstream.picture.Markup;
import org.slipstream.picture.Template;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/// The HTTP server of the console.
///
/// It listens on loopback only. A visitor logs in with a token of the API, or with a link that works
/// once; each order has the right of that token and stands in the log with its name.
///
/// A request needs a known name in `Host`, because a page of a stranger can give its own name the
/// address of this machine (DNS rebinding). A form needs the key that only a page of this console
/// has, and must not come from another origin.
///
/// The server opens in two steps, [#bind] and [#serve], so that a port that is taken refuses the
/// start, and a failed start never answers.
public final class ConsoleServer implements ConsoleOperations, AutoCloseable {
    static final int LARGEST_FORM = 1 << 16;
    private static final Logger log = LoggerFactory.getLogger(ConsoleServer.class);
    private static final int BACKLOG = 50;
    private static final String COOKIE = "slipstream";
    private static final Pattern COOKIE_VALUE = Pattern.compile("(?:^|; *)" + COOKIE + "=([0-9a-f]{64})(?:;|$)");
    private static final Pattern OWN_PAGE = Pattern.compile("/(?!/)[!-~]{0,1000}");
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
    private static final Map<String, String> FILES = Map.of("/console.js", "text/javascript", "/console.css",
            "text/css");
    private static final Template FRAME = Template.of(ConsoleServer.class, "/console/frame.html");
    private static final Template LOGIN = Template.of(ConsoleServer.class, "/console/login.html");
    private static final Template REFUSED = Template.of(ConsoleServer.class, "/console/refused.html");

    static {
        limit("jdk.httpserver.maxConnections", 400);
        limit("sun.net.httpserver.maxIdleConnections", 100);
        limit("sun.net.httpserver.idleInterval", 30);
        limit("sun.net.httpserver.maxReqTime", 20);
        limit("sun.net.httpserver.maxReqHeaders", 100);
    }

    private final HttpServer http;
    private final Set<String> names;
    private final Visitors visitors;
    private final LivePages live;
    private final RefusalLines refusals = new RefusalLines(System::nanoTime);
    private Optional<Pages> served = Optional.empty();
    private final ExecutorService threads = Executors
            .newThreadPerTaskExecutor(Thread.ofPlatform().daemon().name("console-", 1).factory());

    private ConsoleServer(HttpServer http, Set<String> names) {
        this.http = http;
        this.names = names;
        this.visitors = new Visitors(System::currentTimeMillis);
        this.live = new LivePages(() -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
    }

    /// The server of the JDK reads its limits once, as properties of the system.
    private static void limit(String property, int value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, Integer.toString(value));
        }
    }

    /// Takes the port; requests are not yet answered.
    ///
    /// @param where on loopback
    /// @param hostname of this server, under which a tunnel may be opened
    /// @throws IOException when the port is taken
    public static ConsoleServer bind(InetSocketAddress where, String hostname) throws IOException {
        return new ConsoleServer(HttpServer.create(where, BACKLOG), new TreeSet<>(
                List.of("localhost", "127.0.0.1", "[::1]", hostname.toLowerCase(Locale.ROOT))));
    }

    /// Answers requests. Called once.
    public void serve(ApiAccess api, Tokens tokens) {
        Pages pages = new Pages(api);
        served = Optional.of(pages);
        http.setExecutor(threads);
        http.createContext("/", exchange -> handle(exchange, pages, api, tokens));
        http.start();
    }

    public InetSocketAddress address() {
        return http.getAddress();
    }

    @Override
    public LinkView link(Right right, String author) {
        String host = address().getAddress().getHostAddress();
        return new LinkView("http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + address().getPort()
                + "/login?once=" + visitors.link(right, author), right.word(),
                TimeUnit.MILLISECONDS.toSeconds(Visitors.LINK_MILLIS));
    }

    @Override
    public void close() {
        live.close();
        served.ifPresent(Pages::close);
        http.stop(0);
        threads.shutdownNow();
    }

    // ---- one request

    private void handle(HttpExchange exchange, Pages pages, ApiAccess api, Tokens tokens) throws IOException {
        try (exchange) {
            try {
                secure(exchange);
                answer(exchange, pages, api, tokens);
            } catch (RefusedException refused) {
                send(exchange, refused.status(), refusal(exchange, refused));
            } catch (RuntimeException ours) {
                log.warn("event=console-request-failed method={} path=\"{}\" error=\"{}\"",
                        LogText.word(exchange.getRequestMethod()), LogText.text(exchange.getRequestURI().getPath()),
                        LogText.text(FailureWords.of(ours)), ours);
                send(exchange, 500, refusal(exchange,
                        new RefusedException(500,
                                "The page could not be made; the log of the server has the reason.")));
            }
        }
    }

    private void secure(HttpExchange exchange) {
        var headers = exchange.getResponseHeaders();
        headers.set("Content-Security-Policy", POLICY);
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Referrer-Policy", "same-origin");
        headers.set("Cross-Origin-Opener-Policy", "same-origin");
        headers.set("Cache-Control", "no-store");
        String host = header(exchange, "Host");
        if (!isKnown(host)) {
            throw new RefusedException(421, "The name in Host is not one of this console; use http://127.0.0.1:"
                    + address().getPort() + ".");
        }
        String origin = header(exchange, "Origin");
        if (!isReading(exchange) && !origin.isEmpty() && !origin.equalsIgnoreCase("http://" + host)) {
            throw new RefusedException(403, "A page of another origin gives no orders here.");
        }
    }

    private boolean isKnown(String host) {
        try {
            String name = new URI("http://" + host).getHost();
            return name != null && names.contains(name.toLowerCase(Locale.ROOT));
        } catch (URISyntaxException malformed) {
            return false;
        }
    }

    private static String header(HttpExchange exchange, String name) {
        return Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst(name), "");
    }

    private static boolean isReading(HttpExchange exchange) {
        return exchange.getRequestMethod().equals("GET") || exchange.getRequestMethod().equals("HEAD");
    }

    private void answer(HttpExchange exchange, Pages pages, ApiAccess api, Tokens tokens) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String type = FILES.get(path);
        if (type != null) {
            file(exchange, path, type);
            return;
        }
        boolean reading = isReading(exchange);
        if (!reading && !exchange.getRequestMethod().equals("POST")) {
            throw new RefusedException(405, "Pages are read with GET, and orders are given with POST.");
        }
        FormText form = FormText.read(reading ? rawQuery(exchange) : body(exchange, largestForm(path)));
        if (path.equals("/login")) {
            login(exchange, reading, form, tokens);
            return;
        }
        Optional<Visitor> found = cookie(exchange).flatMap(visitors::find);
        if (found.isEmpty()) {
            send(exchange, 401, frame(exchange, Optional.empty(), "Log in", loginForm(exchange, "")));
            return;
        }
        Visitor visitor = found.get();
        if (path.equals("/live") && exchange.getRequestMethod().equals("GET")) {
            String page = form.get("page").filter(each -> OWN_PAGE.matcher(each).matches()).orElse("/");
            live.show(exchange, page, () -> moving(pages, page, api));
        } else if (reading) {
            page(exchange, pages, path, form, new Asking(api, visitor.caller()), visitor);
        } else {
            if (!form.get("key").equals(Optional.of(visitor.formKey()))) {
                throw new RefusedException(403, "This form is of an earlier visit; load the page again.");
            }
            if (path.equals("/logout")) {
                cookie(exchange).ifPresent(visitors::leave);
                redirect(exchange, "/login");
                return;
            }
            post(exchange, pages, path, form, new Asking(api, visitor.caller()), visitor);
        }
    }

    /// The moving part of a page, the same for each viewer. A failure is shown in its place.
    private static Markup moving(Pages pages, String uri, ApiAccess api) {
        ApiCaller viewer = new ApiCaller("console", Right.READ, true);
        try {
            URI page = URI.create(uri);
            return pages.find(page.getPath()).view(new PageRequest(pages.rest(page.getPath()),
                    FormText.read(Objects.requireNonNullElse(page.getRawQuery(), "")), uri, new Asking(api, viewer),
                    Visitor.of(viewer, ""))).live();
        } catch (RefusedException refused) {
            return REFUSED.markup(Map.of("status", refused.status(), "sentence", refused.sentence()));
        } catch (IllegalArgumentException malformed) {
            return Markup.NONE;
        }
    }

    private void page(HttpExchange exchange, Pages pages, String path, FormText query, Asking asking, Visitor visitor)
            throws IOException {
        String uri = exchange.getRequestURI().toString();
        PageView view = pages.find(path).view(new PageRequest(pages.rest(path), query, uri, asking, visitor));
        send(exchange, 200, frame(exchange, Optional.of(visitor), view));
    }

    private void post(HttpExchange exchange, Pages pages, String path, FormText form, Asking asking, Visitor visitor)
            throws IOException {
        switch (pages.order(path, form, asking, visitor)) {
            case Pages.OrderResult.Said(String sentence) -> {
                String back = form.get("back").filter(each -> OWN_PAGE.matcher(each).matches()).orElse("/");
                visitor.said().set(sentence);
                redirect(exchange, back);
            }
            case Pages.OrderResult.Shown(PageView view) ->
                send(exchange, 200, frame(exchange, Optional.of(visitor), view));
            case Pages.OrderResult.Moved(String to) -> redirect(exchange, to);
        }
    }

    // ---- logging in

    private void login(HttpExchange exchange, boolean reading, FormText form, Tokens tokens) throws IOException {
        Optional<ApiCaller> caller = Optional.empty();
        String wrong = "";
        if (reading && form.get("once").isPresent()) {
            caller = visitors.use(form.get("once").get());
            wrong = "This link was used, or is older than two minutes. \"mta console\" makes another.";
        } else if (!reading) {
            caller = find(tokens, form.get("token").orElse(""));
            wrong = "There is no such token; \"mta token list\" shows their names.";
        }
        if (caller.isPresent()) {
            exchange.getResponseHeaders().set("Set-Cookie",
                    COOKIE + "=" + visitors.enter(caller.get()) + "; HttpOnly; SameSite=Lax; Path=/");
            log.info("event=console-login author=\"{}\" right={}", LogText.text(caller.get().name()),
                    caller.get().right().word());
            redirect(exchange, form.get("back").filter(each -> OWN_PAGE.matcher(each).matches()).orElse("/"));
            return;
        }
        if (!wrong.isEmpty()) {
            String client = exchange.getRemoteAddress().getAddress().getHostAddress();
            refusals.toTell(client)
                    .ifPresent(count -> log.warn("event=console-login-refused client={} count={}", client, count));
        }
        send(exchange, wrong.isEmpty() ? 200 : 401,
                frame(exchange, Optional.empty(), "Log in", loginForm(exchange, wrong)));
    }

    private static Optional<ApiCaller> find(Tokens tokens, String token) {
        try {
            return tokens.find(token);
        } catch (IOException unreadable) {
            throw new RefusedException(500, "The file of tokens cannot be read: " + FailureWords.of(unreadable));
        }
    }

    private static Markup loginForm(HttpExchange exchange, String wrong) {
        String asked = exchange.getRequestURI().toString();
        return LOGIN.markup(Map.of("wrong", wrong.isEmpty() ? List.of() : List.of(wrong), "back",
                asked.startsWith("/log") ? "/" : asked));
    }

    private static Optional<String> cookie(HttpExchange exchange) {
        return Optional.of(COOKIE_VALUE.matcher(header(exchange, "Cookie"))).filter(found -> found.find())
                .map(found -> found.group(1));
    }

    // ---- answers

    private String refusal(HttpExchange exchange, RefusedException refused) {
        return frame(exchange, cookie(exchange).flatMap(visitors::find), "Refused",
                REFUSED.markup(Map.of("status", refused.status(), "sentence", refused.sentence())));
    }

    private String frame(HttpExchange exchange, Optional<Visitor> visitor, String title, Markup main) {
        return frame(exchange, visitor, PageView.still(title, main));
    }

    private String frame(HttpExchange exchange, Optional<Visitor> visitor, PageView view) {
        String said = visitor.map(each -> each.said().getAndSet("")).orElse("");
        String uri = exchange.getRequestURI().toString();
        return FRAME.fill(Map.of("title", view.title(), "live", view.live(), "rest", view.rest(), "moves",
                view.moves() ? List.of("/live?page=" + FormText.encoded(uri)) : List.of(), "said",
                said.isEmpty() ? List.of() : List.of(said), "visitor",
                visitor.map(each -> List.of(Map.of("name", each.caller().name(), "right", each.caller().right().word(),
                        "key", each.formKey()))).orElse(List.of()),
                "nav", visitor.isEmpty() ? List.of() : Pages.navigation(exchange.getRequestURI().getPath())));
    }

    private static void file(HttpExchange exchange, String path, String type) throws IOException {
        try (InputStream in = Objects.requireNonNull(ConsoleServer.class.getResourceAsStream("/console" + path))) {
            // The files are those of this program, so a browser may keep them for a while.
            exchange.getResponseHeaders().set("Cache-Control", "max-age=600");
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            send(exchange, 200, type,
                    (path.endsWith(".css") ? LivePictures.style().text() + text : text)
                            .getBytes(StandardCharsets.UTF_8));
        }
    }

    private static void redirect(HttpExchange exchange, String to) throws IOException {
        exchange.getResponseHeaders().set("Location", to);
        exchange.sendResponseHeaders(303, -1);
    }

    private static void send(HttpExchange exchange, int status, String page) throws IOException {
        send(exchange, status, "text/html", page.getBytes(StandardCharsets.UTF_8));
    }

    private static void send(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type + "; charset=utf-8");
        boolean headOnly = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, headOnly ? -1 : body.length);
        if (!headOnly) {
            exchange.getResponseBody().write(body);
        }
    }

    private static String rawQuery(HttpExchange exchange) {
        return Objects.requireNonNullElse(exchange.getRequestURI().getRawQuery(), "");
    }

    private static int largestForm(String path) {
        return path.equals(LabPage.FORM) ? LabPage.LARGEST_FORM : LARGEST_FORM;
    }

    private static String body(HttpExchange exchange, int largest) throws IOException {
        byte[] body = exchange.getRequestBody().readNBytes(largest + 1);
        if (body.length > largest) {
            throw new RefusedException(413, "A form has at most " + largest + " octets.");
        }
        return new String(body, StandardCharsets.UTF_8);
    }

    /// For tests.
    int viewers() {
        return live.viewers();
    }
}
