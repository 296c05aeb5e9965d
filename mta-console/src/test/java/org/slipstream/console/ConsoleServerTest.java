package org.slipstream.console;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.admin.ApiCaller;
import org.slipstream.core.order.Right;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class ConsoleServerTest {
    private static final String TOKEN = "token-of-ann";

    private final FakeApi api = new FakeApi();
    private final HttpClient http = HttpClient.newHttpClient();
    private ConsoleServer console;

    @BeforeEach
    void start() throws IOException {
        console = ConsoleServer.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), "mail.example.org");
        console.serve(api, token -> token.equals(TOKEN)
                ? Optional.of(new ApiCaller("ann", Right.OPERATE, true))
                : Optional.empty());
    }

    @AfterEach
    void stop() {
        console.close();
        http.close();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + console.address().getPort() + path));
    }

    private HttpResponse<String> get(String path, String cookie) throws Exception {
        return http.send(request(path).header("Cookie", cookie).build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> post(String path, String cookie, String form) throws Exception {
        return http.send(request(path).header("Cookie", cookie).POST(HttpRequest.BodyPublishers.ofString(form)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private String login() throws Exception {
        HttpResponse<String> answer = post("/login", "", "token=" + TOKEN);
        assertThat(answer.statusCode()).isEqualTo(303);
        return answer.headers().firstValue("Set-Cookie").orElseThrow().replaceFirst(";.*", "");
    }

    private static String field(String page, String name) {
        Matcher found = Pattern.compile("name=\"" + name + "\" value=\"([^\"]*)\"").matcher(page);
        assertThat(found.find()).as(name).isTrue();
        return found.group(1);
    }

    private String raw(String request) throws IOException {
        try (Socket socket = new Socket(console.address().getAddress(), console.address().getPort())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/queue", "/message/1m7", "/live?page=/", "/nothing"})
    void withoutASessionEachPageAsksForALogin(String path) throws Exception {
        for (String cookie : List.of("", "slipstream=" + "0".repeat(64))) {
            HttpResponse<String> answer = get(path, cookie);

            assertThat(answer.statusCode()).isEqualTo(401);
            assertThat(answer.body()).contains("name=\"token\"").doesNotContain("alert(");
        }
    }

    @Test
    void aWrongTokenOpensNothing() throws Exception {
        HttpResponse<String> answer = post("/login", "", "token=wrong");

        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.headers().firstValue("Set-Cookie")).isEmpty();
    }

    @Test
    void aLinkOpensTheConsoleOnce() throws Exception {
        URI link = URI.create(console.link(Right.READ, "root").url());
        HttpResponse<String> first = http.send(HttpRequest.newBuilder(link).build(),
                HttpResponse.BodyHandlers.ofString());

        assertThat(first.statusCode()).isEqualTo(303);
        assertThat(first.headers().firstValue("Set-Cookie").orElseThrow()).contains("HttpOnly", "SameSite=Lax");
        assertThat(get("/", first.headers().firstValue("Set-Cookie").get().replaceFirst(";.*", "")).body())
                .contains("root, may read");
        assertThat(http.send(HttpRequest.newBuilder(link).build(), HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(401);
    }

    @Test
    void aLoginLeadsToThePageThatWasAskedForAndToNoOtherServer() throws Exception {
        assertThat(post("/login", "", "token=" + TOKEN + "&back=%2Fmessage%2F1m7").headers().firstValue("Location"))
                .contains("/message/1m7");
        assertThat(post("/login", "", "token=" + TOKEN + "&back=%2F%2Fevil.example").headers().firstValue("Location"))
                .contains("/");
        assertThat(
                post("/login", "", "token=" + TOKEN + "&back=%2F%0d%0aSet-Cookie:x").headers().firstValue("Location"))
                .contains("/");
    }

    @Test
    void afterTheLogoutTheCookieIsWorthless() throws Exception {
        String cookie = login();
        String key = field(get("/queue", cookie).body(), "key");

        assertThat(post("/logout", cookie, "key=" + key).statusCode()).isEqualTo(303);
        assertThat(get("/queue", cookie).statusCode()).isEqualTo(401);
    }

    @Test
    void aNameThatIsNotOursIsRefusedSoThatNoPageCanRebindItsOwn() throws Exception {
        for (String host : List.of("evil.example", "127.0.0.1.evil.example", "", "[")) {
            assertThat(raw("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")).as(host)
                    .startsWith("HTTP/1.1 421");
        }
        assertThat(raw("GET /login HTTP/1.1\r\nHost: Mail.Example.org:8025\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 200");
    }

    @Test
    void anOrderNeedsTheKeyOfTheFormAndComesFromNoOtherOrigin() throws Exception {
        String cookie = login();
        String key = field(get("/message/1m7", cookie).body(), "key");

        assertThat(post("/order", cookie, "do=queue%2F1m7%2Fhold").statusCode()).isEqualTo(403);
        assertThat(post("/order", cookie, "do=queue%2F1m7%2Fhold&key=" + "0".repeat(64)).statusCode()).isEqualTo(403);
        HttpResponse<String> stranger = http.send(request("/order").header("Cookie", cookie)
                .header("Origin", "http://evil.example")
                .POST(HttpRequest.BodyPublishers.ofString("do=queue%2F1m7%2Fhold&key=" + key)).build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(stranger.statusCode()).isEqualTo(403);
        assertThat(get("/order?do=queue%2F1m7%2Fhold&key=" + key, cookie).statusCode()).isEqualTo(404);
        assertThat(api.orders).isEmpty();

        assertThat(post("/order", cookie, "do=queue%2F1m7%2Fhold&reason=a+b&author=x&back=%2Fqueue&key=" + key)
                .headers().firstValue("Location")).contains("/queue");
        assertThat(api.orders).containsExactly("ann queue/1m7/hold?reason=a+b");
        assertThat(get("/queue", cookie).body()).contains("Done: queue 1m7 hold.");
        assertThat(get("/queue", cookie).body()).doesNotContain("Done:");
    }

    /// However long the queue is, and once a second while the page is open.
    @Test
    void aPageReadsABoundedPartOfTheQueue() throws Exception {
        String cookie = login();
        api.asked.clear();

        for (String page : List.of("/", "/queue", "/queue?limit=100000&domain=x", "/destination/x", "/sender/x",
                "/host/x", "/message/1m7", "/scheduler", "/hosts", "/orders", "/suppressions", "/shards",
                "/settings")) {
            get(page, cookie);
        }

        List<String> ofPages = api.asked.stream().filter(each -> !each.startsWith("console ")).toList();
        assertThat(ofPages).noneMatch(each -> each.contains("queue/shape")).anyMatch(each -> each.contains("explain"));
        assertThat(ofPages).filteredOn(each -> each.contains(" queue?")).hasSize(2)
                .allMatch(each -> each.contains("limit=50") && !each.contains("limit=100000"));
        assertThat(ofPages).filteredOn(each -> each.contains(" explain?") && !each.contains("message=")).hasSize(3)
                .allMatch(each -> each.contains("most=200"));
    }

    @Test
    void aRefusalOfTheApiIsTold() throws Exception {
        String cookie = login();
        String key = field(get("/message/1m7", cookie).body(), "key");
        api.refusal = 403;

        post("/order", cookie, "do=queue%2F1m7%2Fdelete&sure=on&key=" + key);

        assertThat(get("/", cookie).body()).contains("Not done: &lt;script&gt;");
    }

    @Test
    void aGraveOrderNeedsItsTick() throws Exception {
        String cookie = login();
        String key = field(get("/message/1m7", cookie).body(), "key");

        post("/order", cookie, "do=queue%2F1m7%2Fdelete&key=" + key);

        assertThat(get("/", cookie).body()).contains("Not done: this order needs the tick");
        assertThat(api.orders).isEmpty();
    }

    @Test
    void aLimitReachesTheApiUnderItsName() throws Exception {
        String cookie = login();
        String key = field(get("/orders", cookie).body(), "key");

        post("/order", cookie, "do=limits%2Flimit&limit=window%3Afar.example&number=2&key=" + key);

        assertThat(api.orders).singleElement().asString().contains("key=window%3Afar.example", "number=2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/queue", "/queue?sender=%22%3E%3Cscript%3Ealert(1)%3C/script%3E", "/message/1m7",
            "/destination/%3Cscript%3Ealert(1)%3C%2Fscript%3E", "/sender/x", "/host/x", "/scheduler", "/hosts",
            "/orders", "/suppressions", "/events", "/trace?of=%3Cscript%3Ealert(1)%3C%2Fscript%3E", "/shards",
            "/settings",
            "/yesterday?message=1m7", "/yesterday?from=%3Cscript%3E&to=%3Cscript%3Ealert(1)%3C/script%3E",
            "/lab?scenario=ten-two-two&compare=%3Cscript%3E", "/lab",
            "/%3Cscript%3Ealert(1)%3C%2Fscript%3E"})
    void hostileTextStaysText(String path) throws Exception {
        HttpResponse<String> page = get(path, login());

        assertThat(page.body()).doesNotContain("<script>", "alert('", "onerror", "javascript:", "style=\"")
                .contains("&lt;script&gt;");
        assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow()).contains("default-src 'none'")
                .doesNotContain("unsafe");
        assertThat(page.body().length()).isLessThan(60_000);
    }

    @Test
    void theMomentsOfYesterdayHaveAddressesThatKeepTheInterval() throws Exception {
        String page = get("/yesterday?message=1m7&step=42", login()).body();

        assertThat(api.film).isEqualTo("message=1m7&step=42");
        String interval = "/yesterday?from=2026-11-27T09%3A00%3A00Z&amp;to=2026-11-27T09%3A02%3A00Z&amp;message=1m7";
        assertThat(page).contains("href=\"" + interval + "&amp;step=41\">back", interval + "&amp;step=43\">forward",
                interval + "&amp;step=99\">last", "min=\"0\" max=\"99\" value=\"42\"",
                "<strong>2026-11-27 09:00:42Z</strong>", "127 earlier ones are left out");
    }

    @Test
    void aServerWithoutAJournalSaysHowToSwitchItOn() throws Exception {
        api.refusal = 501;
        assertThat(get("/yesterday", login()).body()).contains("[journal]", "file = \"decisions.jsonl\"");
        api.refusal = 404;
        assertThat(get("/yesterday?from=x", login()).body()).contains("name=\"from\" value=\"x\"",
                "<p class=\"trouble\">&lt;script&gt;");
        api.refusal = 503;
        assertThat(get("/yesterday", login()).statusCode()).isEqualTo(503);
    }

    @Test
    void twoRunsOfTheLabStandSideBySideAndMoveTogether() throws Exception {
        String page = get("/lab?scenario=ten-two-two&compare=order%3Dfifo&step=42", login()).body();

        assertThat(api.film).isEqualTo("scenario=ten-two-two&compare=order%3Dfifo&step=42");
        assertThat(page.split("class=\"mark\"", -1)).as("four curves").hasSize(5);
        assertThat(page).contains("<h2>order=fifo</h2>", "id=\"job-smtp-1-", "id=\"job-smtp-2-",
                "scenario=ten-two-two&amp;compare=order%3Dfifo&amp;step=43").containsOnlyOnce("type=\"range\"");
    }

    @Test
    void thePresentQueueRunsUnderOtherSettings() throws Exception {
        String page = get("/lab?queue=now&set=queue.lanes%3D5&again=true&step=42", login()).body();

        assertThat(api.film).isEqualTo("set=queue.lanes%3D5&again=true&step=42");
        assertThat(page).contains("/lab?queue=now&amp;set=queue.lanes%3D5&amp;step=43", "value=\"queue.lanes=5\"")
                .doesNotContain("again=true&amp;step");
    }

    @Test
    void aScenarioOfAVisitorHasABoundAndAnAddressForAWhile() throws Exception {
        String cookie = login();
        String key = "&key=" + field(get("/lab", cookie).body(), "key");
        String most = "%23".repeat(LabPage.LONGEST_TEXT);

        assertThat(post("/lab", cookie, "text=" + most + "x" + key).statusCode()).isEqualTo(413);
        assertThat(post("/lab", cookie, "text=a").statusCode()).as("without the key").isEqualTo(403);
        assertThat(post("/lab", cookie, "text=" + "x".repeat(LabPage.LARGEST_FORM)).statusCode()).isEqualTo(413);
        HttpResponse<String> answer = post("/lab", cookie, "text=" + most + "&compare=lanes%3D5" + key);
        assertThat(answer.statusCode()).isEqualTo(303);
        String address = answer.headers().firstValue("Location").orElseThrow();
        assertThat(address).matches("/lab\\?own=[0-9a-f]{32}&compare=lanes%3D5");
        get(address, cookie);
        assertThat(api.film).isEqualTo("compare=lanes%3D5&scenario=" + most + "&step=0");

        for (int i = 0; i < LabPage.MOST_KEPT; i++) {
            post("/lab", cookie, "text=" + i + key);
        }
        assertThat(get(address, cookie).body()).contains("no longer kept");
    }

    @Test
    void aMistakeOfAScenarioIsSaidOnItsPage() throws Exception {
        api.refusal = 400;
        assertThat(get("/lab?scenario=x", login()).body()).contains("<p class=\"trouble\">&lt;script&gt;",
                "<option value=\"ten-two-two\"");
    }

    @Test
    void repeatedAttemptsAreOneLine() throws Exception {
        assertThat(get("/message/1m7", login()).body()).contains("× 3, last 2026-11-27 09:00:00Z")
                .containsOnlyOnce("<strong>deferred</strong>");
    }

    @Test
    void aFigureThatIsNotKnownIsNoZero() throws Exception {
        assertThat(get("/", login()).body()).contains("<a href=\"/queue\">—</a>");
    }

    @Test
    void formsHaveABound() throws Exception {
        String cookie = login();
        String key = "&key=" + field(get("/queue", cookie).body(), "key");

        String most = "x=" + "a".repeat(ConsoleServer.LARGEST_FORM - 2 - key.length()) + key;
        assertThat(post("/order", cookie, most).statusCode()).isEqualTo(400);
        assertThat(post("/order", cookie, "a" + most).statusCode()).isEqualTo(413);
        assertThat(post("/order", cookie, "a=&".repeat(FormText.MOST_FIELDS - 1) + key.substring(1)).statusCode())
                .isEqualTo(400);
        assertThat(post("/order", cookie, "a=&".repeat(FormText.MOST_FIELDS) + key.substring(1)).body())
                .contains("more than 200 fields");
        assertThat(post("/order", cookie, "a=%zz").statusCode()).isEqualTo(400);
    }

    @Test
    void manyMessagesAreOrderedAfterALookAndOnlyThoseThatWereShown() throws Exception {
        String cookie = login();
        String key = field(get("/queue?domain=far.example", cookie).body(), "key");
        String look = post("/order/look", cookie, "order=hold&argument=why&domain=far.example&key=" + key).body();
        assertThat(look).contains("hold why", "<strong>3</strong>");
        assertThat(api.orders).isEmpty();
        String run = "order=hold&argument=why&domain=far.example&count=3&key=" + key + "&token=" + field(look, "token");

        post("/order/run", cookie, run.replace("far.example", "example"));
        assertThat(get("/", cookie).body()).contains("not for this order");
        post("/order/run", cookie, run.replace("order=hold", "order=delete"));
        assertThat(get("/", cookie).body()).contains("not for this order");
        api.matching = 4;
        post("/order/run", cookie, run);
        assertThat(get("/", cookie).body()).contains("4 messages match now, and 3 were shown");
        assertThat(api.orders).isEmpty();

        api.matching = 3;
        post("/order/run", cookie, run);
        assertThat(api.orders).containsExactly("ann queue/hold?domain=far.example&reason=why");
        assertThat(get("/", cookie).body()).contains("3 messages held.");
    }

    @Test
    void moreThanTheCeilingNeedsATick() throws Exception {
        String cookie = login();
        String key = field(get("/queue", cookie).body(), "key");
        api.matching = BulkOrders.CEILING + 1;
        String look = post("/order/look", cookie, "order=flush&domain=far.example&key=" + key).body();
        String run = "order=flush&domain=far.example&count=" + api.matching + "&key=" + key + "&token="
                + field(look, "token");

        post("/order/run", cookie, run);
        assertThat(api.orders).isEmpty();
        post("/order/run", cookie, run + "&over=on");
        assertThat(api.orders).hasSize(1);
    }

    @Test
    void theMovingPartComesAsEventsAndBelongsToNoVisitor() throws Exception {
        String cookie = login();
        HttpResponse<InputStream> events = http.send(
                request("/live?page=%2Fmessage%2F1m7").header("Cookie", cookie).build(),
                HttpResponse.BodyHandlers.ofInputStream());

        assertThat(events.headers().firstValue("Content-Type")).contains("text/event-stream; charset=utf-8");
        try (InputStream in = events.body()) {
            String first = new String(in.readNBytes(400), StandardCharsets.UTF_8);
            assertThat(first).startsWith("event: live\ndata: ").contains("&lt;script&gt;").doesNotContain("<script>",
                    "name=\"key\"");
        }
    }

    @Test
    void viewersHaveABound() throws Exception {
        String cookie = login();
        List<InputStream> open = new ArrayList<>();
        try {
            for (int i = 0; i < LivePages.MOST_VIEWERS; i++) {
                open.add(http.send(request("/live?page=/").header("Cookie", cookie).build(),
                        HttpResponse.BodyHandlers.ofInputStream()).body());
            }
            assertThat(console.viewers()).isEqualTo(LivePages.MOST_VIEWERS);
            assertThat(get("/live?page=/", cookie).statusCode()).isEqualTo(503);
            assertThat(get("/queue", cookie).statusCode()).isEqualTo(200);
        } finally {
            for (InputStream each : open) {
                each.close();
            }
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> console.viewers() == 0);
    }
}
