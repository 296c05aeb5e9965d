package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.Keys;
import org.slipstream.it.fixture.Browser;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The console of the packaged server in a real browser. Orders are given with the keyboard alone.
///
/// Senders, subjects, replies and reasons are elements of HTML with a script. Anywhere they were taken
/// for more than text, the page would have an element with `data-evil`, or a window with an alert,
/// which fails each later step.
///
/// The pictures of all pages are in `target/console`.
@RequiresPrograms({"chromium", "chromedriver"})
class ConsoleIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final String EVIL = "<img src=x data-evil onerror=alert(1)>";
    private static final String HOSTILE = "\"" + EVIL + "\"@here.example";
    private static final Dimension PHONE = new Dimension(390, 844);
    private static final Dimension DESK = new Dimension(1_280, 900);
    private static final int MAILING = 600;
    private static PackagedServer server;
    private static Browser browser;
    private static String hostile;

    @BeforeAll
    static void start() {
        SmtpSink gone = BENCH.smtpSink();
        SmtpSink rude = BENCH.smtpSink();
        rude.change(script -> script.onRecipient("*", SinkAction.reply("451 4.7.1 " + EVIL)));
        SmtpSink slow = BENCH.smtpSink();
        slow.change(script -> script.on(SinkPhase.FINAL_DOT, SinkAction.usual().holds()));
        server = BENCH.server(Settings.quick().route("gone.example", gone).route("rude.example", rude)
                .route("slow.example", slow).set("listen.console", "127.0.0.1:0")
                .set("journal.file", "decisions.jsonl")
                .set("queue.lanes-per-destination", "2")
                .set("queue.minimal-backoff", "1h").set("queue.maximal-backoff", "1h"));
        gone.stop();
        send(OutgoingMessage.of("evil@x", HOSTILE, List.of("friend@rude.example"), Bytes.ascii(EVIL + "\r\n")));
        eventually().until(() -> Queue.of(server).messages().stream().anyMatch(
                each -> Queue.lastReply(each).contains("451")));
        hostile = idOf(HOSTILE);
        send(OutgoingMessage.of("bulk@x", "news@here.example",
                IntStream.range(0, MAILING).mapToObj(i -> "r" + i + "@slow.example").toList(), Bytes.ascii("x\r\n")));
        send(OutgoingMessage.of("one@x", "ann@here.example", "friend@slow.example"));
        send(OutgoingMessage.of("gone@x", "bob@here.example", "friend@gone.example"));
        eventually().until(() -> Queue.of(server).messages().size() == 4);
        browser = BENCH.keep(Browser.start(BENCH.folder()));
        browser.open(server.command("console").mustSucceed().out().strip());
    }

    private static void send(OutgoingMessage message) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(message).code()).isEqualTo(250);
        }
    }

    private static String idOf(String sender) {
        return Queue.of(server).messages().stream().filter(each -> each.path("sender").asString().equals(sender))
                .findFirst().orElseThrow().path("id").asString();
    }

    @BeforeEach
    void onADesk() {
        browser.look("light", DESK);
        show("/");
        browser.complaints();
    }

    private static void show(String page) {
        browser.open("http://127.0.0.1:" + server.port("console").getPort() + page);
    }

    private static void nothingIsWrong(String page) {
        assertThat(browser.count(By.tagName("h1"))).as(page).isEqualTo(1);
        assertThat(browser.tooWide()).as("%s: pixels beyond the window", page).isZero();
        assertThat(browser.count(By.cssSelector("[data-evil]"))).as(page).isZero();
        assertThat(browser.complaints()).as(page).isEmpty();
        assertThat(browser.barriers()).as(page).isEmpty();
    }

    @Test
    void eachPageCanBeReadOnAPhoneAndOnADeskInLightAndDark() {
        Map<String, String> pages = new LinkedHashMap<>();
        pages.put("overview", "/");
        pages.put("queue", "/queue");
        pages.put("message", "/message/" + hostile);
        pages.put("destination", "/destination/rude.example");
        pages.put("host", "/host/127.0.0.1");
        pages.put("sender", "/sender/news@here.example");
        pages.put("scheduler", "/scheduler");
        pages.put("hosts", "/hosts");
        pages.put("trace", "/trace?of=@rude.example");
        pages.put("orders", "/orders");
        pages.put("suppressions", "/suppressions");
        pages.put("events", "/events");
        pages.put("yesterday", "/yesterday?message=" + hostile);
        pages.put("lab", "/lab?scenario=ten-two-two&compare=order%3Dfifo&step=40");
        pages.put("shards", "/shards");
        pages.put("settings", "/settings?all=yes");
        for (Dimension size : List.of(PHONE, DESK)) {
            for (String scheme : List.of("light", "dark")) {
                browser.look(scheme, size);
                pages.forEach((name, page) -> {
                    show(page);
                    nothingIsWrong(page + " " + scheme + " " + size);
                    browser.picture(Path.of("target/console", name + "-" + scheme + "-" + size.getWidth() + ".png"));
                });
            }
        }
        browser.look("light", DESK);
        show("/queue");
        assertThat(browser.text(By.tagName("main"))).contains(EVIL);
        show("/destination/rude.example");
        assertThat(browser.text(By.tagName("main"))).contains("451 4.7.1 " + EVIL);
    }

    @Test
    void aMessageIsFoundHeldReleasedAndDeletedWithTheKeyboardAlone() {
        send(OutgoingMessage.of("keys@x", "keys@here.example", "friend@gone.example"));
        String id = idOf("keys@here.example");
        show("/");
        browser.follow("nav a[href='/queue']");
        browser.follow("a[href='/message/" + id + "']");

        browser.tabTo("form:has([value='queue/" + id + "/hold']) input[name=reason]");
        browser.press(EVIL);
        browser.pressAndWait(Keys.ENTER);
        browser.awaitText("Done: queue " + id + " hold.");
        browser.awaitText(EVIL);
        assertThat(Queue.of(server).show(id).path("state").asString()).isEqualTo("held");
        nothingIsWrong("a held message");

        browser.follow("form:has([value='queue/" + id + "/release']) button");
        browser.awaitText("Done: queue " + id + " release.");
        eventually().until(() -> !Queue.of(server).show(id).path("state").asString().equals("held"));

        // Without the tick the browser sends nothing.
        browser.tabTo("form:has([value='queue/" + id + "/delete']) button");
        browser.press(Keys.ENTER);
        assertThat(browser.url()).endsWith("/message/" + id);
        show("/message/" + id);
        browser.tabTo("form:has([value='queue/" + id + "/delete']) input[name=sure]");
        browser.press(Keys.SPACE);
        browser.follow("form:has([value='queue/" + id + "/delete']) button");
        browser.awaitText("Done: queue " + id + " delete.");
        eventually().until(() -> Queue.of(server).messages().stream()
                .noneMatch(each -> each.path("id").asString().equals(id)));
        show("/events");
        browser.awaitText("operator-request");
        browser.awaitText("/api/v1/queue/" + id + "/delete");
        assertThat(server.log()).contains("event=operator-request author=\"" + System.getProperty("user.name")
                + "\" method=POST path=\"/api/v1/queue/" + id + "/delete\"");
    }

    @Test
    void anOrderForManyIsShownBeforeItIsCarriedOutAndNeverHitsMore() {
        for (int i = 0; i < 3; i++) {
            send(OutgoingMessage.of("many" + i + "@x", "many@here.example", "friend@gone.example"));
        }
        show("/queue?sender=many@here.example");
        look();
        browser.awaitText("hold would concern 3 messages.");
        nothingIsWrong("the look");
        browser.picture(Path.of("target/console/look-light-1280.png"));
        assertThat(held()).isZero();

        send(OutgoingMessage.of("many3@x", "many@here.example", "friend@gone.example"));
        browser.follow("form[action='/order/run'] button");
        browser.awaitText("Not done: 4 messages match now, and 3 were shown; look again.");
        assertThat(held()).isZero();

        look();
        browser.follow("form[action='/order/run'] button");
        browser.awaitText("4 messages held.");
        assertThat(held()).isEqualTo(4);
    }

    private static void look() {
        browser.tabTo("form[action='/order/look'] select");
        browser.press("hold");
        browser.follow("form[action='/order/look'] button");
    }

    private static long held() {
        return Queue.of(server).messages().stream().filter(
                each -> each.path("sender").asString().equals("many@here.example")
                        && each.path("state").asString().equals("held"))
                .count();
    }

    @Test
    void aDestinationIsSuspendedAndResumedAndALimitIsSet() {
        show("/destination/gone.example");
        String suspend = "form:has([value='suspensions/suspend'])";
        browser.tabTo(suspend + " input[name=reason]");
        browser.press(EVIL);
        browser.follow(suspend + " button");
        browser.awaitText("Done: suspensions suspend.");
        assertThat(server.command("suspend", "list").mustSucceed().out()).contains("gone.example", EVIL);
        show("/");
        browser.awaitText("suspended: destination gone.example");
        nothingIsWrong("the overview with a suspension");
        show("/orders");
        browser.awaitText(EVIL);
        nothingIsWrong("the orders with a suspension");
        browser.follow("form:has([value='suspensions/resume']) button");
        browser.awaitText("Nothing is suspended.");

        show("/destination/gone.example");
        browser.tabTo("form:has([value='limits/limit']) input[name=number]");
        browser.press("1");
        browser.follow("form:has([value='limits/limit']) button");
        browser.awaitText("Done: limits limit.");
        assertThat(server.command("limit", "list").mustSucceed().out()).contains("window:gone.example");
        show("/orders");
        browser.awaitText("window:gone.example");
    }

    @Test
    void theOverviewMovesWithoutBeingLoadedAgain() {
        long before = Queue.of(server).size();
        show("/");
        browser.awaitText("in the queue");
        browser.tabTo("main a[href='/queue']");
        send(OutgoingMessage.of("moves@x", "moves@here.example", "friend@gone.example"));

        // The page may replace an element between the search for it and the look at it.
        eventually().ignoreExceptions().untilAsserted(
                () -> assertThat(browser.text(By.cssSelector("main a[href='/queue']")))
                        .isEqualTo(Long.toString(before + 1)));
        // The link keeps the focus, so the keyboard goes on from there.
        browser.press(Keys.ENTER);
        browser.awaitText("moves@here.example");
        assertThat(browser.complaints()).isEmpty();
    }
}
