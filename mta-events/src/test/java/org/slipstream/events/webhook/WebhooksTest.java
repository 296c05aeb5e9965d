package org.slipstream.events.webhook;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.DataSize;
import org.slipstream.events.stream.EventCursor;
import org.slipstream.events.stream.EventSettings;
import org.slipstream.events.stream.EventStream;
import org.slipstream.events.stream.ShardEvents;
import org.slipstream.events.stream.StreamCursor;
import org.slipstream.events.stream.StreamWorld;
import org.slipstream.http.HttpPost;
import org.slipstream.sink.script.ScriptReader;
import org.slipstream.sink.server.HttpReceived;
import org.slipstream.sink.server.HttpSink;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// Webhooks against a real web server, which fails in each way.
@Timeout(120)
class WebhooksTest {
    private static final WebhookSecret SECRET = WebhookSecret.parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
            .orElseThrow();
    private static final WebhookPace QUICK = new WebhookPace(Duration.ofMillis(20), Duration.ofMillis(40),
            Duration.ofMillis(40), Duration.ofDays(3));
    private static final Pattern PLACE = Pattern.compile("\"cursor\":\"1\\.1\\.(\\d+)\\.1\"");

    @TempDir
    Path spool;
    private final List<HttpReceived> received = new CopyOnWriteArrayList<>();
    private HttpSink sink;
    private EventStream stream;
    private ShardEvents shard;
    private Webhooks hooks;
    private int written;

    @BeforeEach
    void start() throws IOException {
        sink = HttpSink.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                ScriptReader.read("script", ""), received::add);
        stream = new EventStream(new EventSettings(Duration.ofDays(1), DataSize.of(64 << 20)), spool,
                System::currentTimeMillis);
        shard = stream.shard(1, spool);
        shard.open(new EventCursor(1, 1, 0, 0));
        hooks = hooks(QUICK);
    }

    @AfterEach
    void stop() throws IOException {
        hooks.close();
        sink.close();
        shard.close();
    }

    /// An exchange that is given up is repeated, so the events of a slow moment would come twice.
    private Webhooks hooks(WebhookPace pace) {
        return hooks(pace, Duration.ofSeconds(60));
    }

    private Webhooks hooks(WebhookPace pace, Duration exchange) {
        return new Webhooks(stream, spool.resolve("webhooks"), System::currentTimeMillis,
                _ -> new HttpPost(HttpPost.ofSystem(_ -> true), exchange), pace);
    }

    private void follow(String script) {
        sink.follow(ScriptReader.read("script", script.replace('~', '\n')));
    }

    private WebhookReceiver receiver(String name, int batch) {
        return new WebhookReceiver(name, new WebhookSettings(
                Optional.of(URI.create("http://127.0.0.1:" + sink.address().getPort() + "/" + name)), Optional.empty(),
                List.of(), List.of(), batch, true), List.of(SECRET));
    }

    private void use(WebhookReceiver... receivers) {
        hooks.use(List.of(receivers));
    }

    private void write(int count) throws IOException {
        write(count, 1);
    }

    private void write(int count, int recipients) throws IOException {
        List<org.slipstream.events.stream.MailEvent> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(StreamWorld.accepted(StreamWorld.cursor(++written), 1_800_000_000_000L, recipients));
        }
        shard.append(events);
    }

    private static ConditionFactory eventually() {
        return Awaitility.await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(10));
    }

    private static List<Integer> events(HttpReceived request) {
        Matcher place = PLACE.matcher(new String(request.body(), StandardCharsets.UTF_8));
        List<Integer> found = new ArrayList<>();
        while (place.find()) {
            found.add(Integer.parseInt(place.group(1)));
        }
        return found;
    }

    /// Those that the receiver took, in the order in which they came.
    private List<Integer> taken() {
        return received.stream().filter(each -> each.status() / 100 == 2).flatMap(each -> events(each).stream())
                .toList();
    }

    private List<Integer> sizes() {
        return received.stream().map(each -> events(each).size()).toList();
    }

    private static List<Integer> to(int last) {
        return IntStream.rangeClosed(1, last).boxed().toList();
    }

    private String place() {
        return stream.subscribers().place("webhook-shop").orElseThrow().toString();
    }

    private WebhookState state() {
        return hooks.states().getFirst();
    }

    @Test
    void eventsComeInOrderSignedAndOnce() throws Exception {
        use(receiver("shop", 3));
        write(7);
        eventually().untilAsserted(() -> assertThat(taken()).isEqualTo(to(7)));
        HttpReceived first = received.getFirst();
        assertThat(first.header("webhook-signature")).hasValue(SECRET.sign(first.header("webhook-id").orElseThrow(),
                Long.parseLong(first.header("webhook-timestamp").orElseThrow()), first.body()));
        assertThat(new String(first.body(), StandardCharsets.UTF_8)).startsWith("{\"events\":[\n{\"v\":1,");
        assertThat(sizes()).allMatch(size -> size <= 3);
        eventually().until(() -> place().equals("1.1.7.1"));
        assertThat(state().sent()).isEqualTo(7);
        assertThat(state().word()).isEqualTo("active");
    }

    @Test
    void aNewWebhookBeginsWithTheNextEventAndGoesOnAfterARestart() throws Exception {
        write(2);
        use(receiver("shop", 1));
        write(1);
        eventually().until(() -> place().equals("1.1.3.1"));
        hooks.close();
        write(1);
        hooks = hooks(QUICK);
        use(receiver("shop", 1));
        eventually().untilAsserted(() -> assertThat(taken()).containsExactly(3, 4));
    }

    /// Each fault for five requests: then all events are there, in order.
    @ParameterizedTest
    @ValueSource(
            strings = {"status = 500", "status = 404", "status = 302~headers = [\"Location: http://127.0.0.1:1/\"]",
                    "status = 503~headers = [\"Retry-After: 999999999\"]", "then = \"reset\"", "then = \"close\"",
                    "status = 500~body = \"300MB\"", "status = 500~fault = \"two-lengths\"",
                    "status = 500~fault = \"negative-length\"", "status = 500~fault = \"bad-chunks\"",
                    "status = 200~fault = \"endless-head\"", "status = 200~fault = \"endless-line\"",
                    "status = 200~fault = \"not-http\"", "status = 200~fault = \"informational\"", "then = \"stall\"",
                    "status = 200~drip = { octets = 1, every = \"300ms\" }"})
    void noFaultOfAReceiverCostsAnEvent(String fault) throws Exception {
        hooks = hooks(QUICK, Duration.ofSeconds(1));
        follow("[[http]]~first = 2~" + fault);
        use(receiver("shop", 4));
        write(9);
        eventually().untilAsserted(() -> {
            assertThat(taken()).endsWith(9);
            assertThat(List.copyOf(new java.util.TreeSet<>(taken()))).isEqualTo(to(9));
        });
        eventually().until(() -> state().failures() == 0);
        assertThat(sink.octetsSent()).isLessThan(64 << 20);
    }

    /// One dead receiver changes nothing for another one.
    @Test
    void receiversDoNotWaitForEachOther() throws Exception {
        follow("[[http]]~first = 1~then = \"stall\"");
        use(receiver("dead", 1));
        write(1);
        eventually().until(() -> received.size() == 1);
        follow("");
        use(receiver("dead", 1), receiver("live", 10));
        write(20);
        eventually().untilAsserted(() -> assertThat(received.stream().filter(each -> each.path().equals("/live"))
                .flatMap(each -> events(each).stream()).toList()).endsWith(21));
    }

    @Test
    void aRequestThatIsRefusedForItsContentIsHalvedUntilItFits() throws Exception {
        follow("[[http]]~first = 3~status = 422");
        use(receiver("shop", 8));
        write(8);
        eventually().untilAsserted(() -> assertThat(taken()).isEqualTo(to(8)));
        assertThat(sizes()).containsExactly(8, 4, 2, 1, 2, 4, 1);
    }

    @Test
    void aReceiverThatIsGoneGetsNoMoreRequestsUntilAnOperatorResumesIt() throws Exception {
        follow("[[http]]~first = 1~status = 410");
        use(receiver("shop", 1));
        write(2);
        eventually().until(() -> state().word().equals("paused"));
        assertThat(hooks.trouble()).hasValue("shop is paused: it answered with 410 (Gone)");
        hooks.close();
        hooks = hooks(QUICK);
        use(receiver("shop", 1));
        assertThat(state().reason()).isEqualTo("it answered with 410 (Gone)");
        assertThat(received).hasSize(1);
        hooks.resume("shop");
        eventually().untilAsserted(() -> assertThat(taken()).isEqualTo(to(2)));
        assertThat(hooks.trouble()).isEmpty();
    }

    @Test
    void aReceiverThatFailsForTooLongIsPausedWithItsEvents() throws Exception {
        hooks = hooks(new WebhookPace(Duration.ofMillis(10), Duration.ofMillis(10), Duration.ofMillis(10),
                Duration.ofMillis(50)));
        follow("[[http]]~status = 500");
        use(receiver("shop", 1));
        write(1);
        eventually().until(() -> state().word().equals("paused"));
        assertThat(state().reason()).contains("it has failed for").contains("it answered with 500");
        follow("");
        hooks.resume("shop");
        eventually().untilAsserted(() -> assertThat(taken()).containsExactly(1));
    }

    @Test
    void anOperatorPausesReplaysAndTests() throws Exception {
        use(receiver("shop", 10));
        write(3);
        eventually().untilAsserted(() -> assertThat(taken()).isEqualTo(to(3)));
        assertThat(hooks.pause("shop", "ann")).isTrue();
        write(2);
        assertThat(hooks.test("shop")).hasValue("");
        assertThat(new String(received.getLast().body(), StandardCharsets.UTF_8)).contains("\"kind\":\"test\"");
        assertThat(state().reason()).isEqualTo("ann");
        assertThat(hooks.trouble()).isEmpty();
        assertThat(taken()).isEqualTo(to(3));
        hooks.replay("shop", StreamCursor.parse("1.1.1.1").orElseThrow());
        hooks.resume("shop");
        eventually().untilAsserted(() -> assertThat(taken()).containsExactly(1, 2, 3, 2, 3, 4, 5));
        follow("[[http]]~status = 500");
        assertThat(hooks.test("shop")).hasValue("it answered with 500");
        assertThat(hooks.pause("other", "ann") || hooks.resume("other")).isFalse();
        assertThat(hooks.test("other")).isEmpty();
    }

    @Test
    void aReplayDuringARequestHolds() throws Exception {
        follow("[[http]]~first = 1~delay = \"500ms\"~status = 204");
        use(receiver("shop", 10));
        write(2);
        eventually().until(() -> received.size() == 1);
        hooks.replay("shop", StreamCursor.OLDEST);
        eventually().untilAsserted(() -> assertThat(taken()).endsWith(1, 2).hasSizeGreaterThan(2));
        eventually().until(() -> place().equals("1.1.2.1"));
    }

    @Test
    void aRequestHasOneMebibyteAtMost() throws Exception {
        use(receiver("shop", 1000));
        hooks.pause("shop", "ann");
        write(450, 100);
        hooks.resume("shop");
        eventually().untilAsserted(() -> assertThat(taken()).isEqualTo(to(450)));
        assertThat(received).hasSizeGreaterThan(1).allMatch(each -> each.body().length <= (1 << 20) + 20);
    }

    @Test
    void theEndOfTheServerWaitsForNoReceiver() throws Exception {
        hooks = hooks(QUICK, Duration.ofDays(1));
        follow("[[http]]~first = 1~then = \"stall\"");
        use(receiver("shop", 1));
        write(1);
        eventually().until(() -> received.size() == 1);
        hooks.close();
        hooks = hooks(QUICK);
        use(receiver("shop", 1));
        eventually().untilAsserted(() -> assertThat(taken()).containsExactly(1));
        assertThat(received.getFirst().header("webhook-id")).isEqualTo(received.getLast().header("webhook-id"));
    }

    @Test
    void aWebhookThatTheSettingsNoLongerHaveLosesItsPlace() throws Exception {
        use(receiver("shop", 1), receiver("audit", 1));
        stream.subscribers().move("billing", StreamCursor.OLDEST);
        hooks.pause("audit", "ann");
        use(receiver("shop", 2));
        assertThat(stream.subscribers().all()).containsOnlyKeys("webhook-shop", "billing");
        assertThat(hooks.states()).hasSize(1);
        write(1);
        eventually().untilAsserted(() -> assertThat(taken()).containsExactly(1));
        use(receiver("audit", 1));
        assertThat(state().word()).isEqualTo("active");
    }
}
