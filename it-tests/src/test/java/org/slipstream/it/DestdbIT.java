package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The server's knowledge of other hosts, the operator's commands about it, and a restart that
/// keeps all of it. The next attempt of every message is an hour away, so deliveries start only on
/// command. Each test has a sink and a domain of its own.
class DestdbIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final Map<String, SmtpSink> SINKS = new HashMap<>();
    private static PackagedServer server;

    @BeforeAll
    static void start() {
        var settings = Settings.quick().set("queue.minimal-backoff", "1h").set("queue.maximal-backoff", "1h").set(
                "queue.recipients-per-delivery", "2");
        for (var domain : List.of("dead.example", "quiet.example", "busy.example")) {
            SINKS.put(domain, BENCH.smtpSink());
            settings = settings.route(domain, SINKS.get(domain));
        }
        server = BENCH.server(settings);
    }

    @Test
    @Tag("FI-39")
    void aDeadHostIsRememberedOverARestartAndNotAskedAgainBeforeItsTime() {
        var far = SINKS.get("dead.example");
        far.stop();
        // Each failed attempt is one failure of the destination; when the cohorts have counted
        // enough of them, its last host is marked.
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            var many = IntStream.range(0, 12).mapToObj(i -> "friend" + i + "@dead.example").toList();
            assertThat(talk.send(OutgoingMessage.of("one@x", "someone@client.example", many, "Text.\r\n".getBytes()))
                    .code())
                    .isEqualTo(250);
        }
        eventually().untilAsserted(() -> assertThat(states(far)).contains("retry"));
        assertThat(server.stop()).isZero();
        server.startAgain();
        assertThat(states(far)).contains("retry");
        far.startAgain();
        send("two@x", "dead.example");
        eventually().untilAsserted(() -> assertThat(why("dead.example")).contains("delivery temporarily suspended"));
        assertThat(far.connections()).as("no connection was opened").isZero();
        server.command("destdb", "forget", host(far)).mustSucceed();
        server.command("queue", "flush", "--domain", "dead.example").mustSucceed();
        eventually().untilAsserted(
                () -> assertThat(far.messages()).extracting(ReceivedMessage::id).contains("one@x", "two@x"));
        assertThat(states(far)).doesNotContain("retry");
    }

    @Test
    void aSuspendedHostIsLeftAloneAlsoAfterARestartUntilItIsResumed() {
        var far = SINKS.get("quiet.example");
        send("before@x", "quiet.example");
        eventually().untilAsserted(() -> assertThat(far.messages()).hasSize(1));
        int before = far.connections();
        server.command("destdb", "suspend", host(far), "--reason", "their disk is full", "--author", "ann", "--for",
                "2h").mustSucceed();
        send("while@x", "quiet.example");
        eventually().untilAsserted(() -> assertThat(why("quiet.example")).contains("their disk is full", "ann"));
        assertThat(server.stop()).isZero();
        server.startAgain();
        assertThat(server.command("destdb", "list").mustSucceed().out()).contains("suspended",
                "their disk is full (ann)");
        server.command("queue", "flush", "--domain", "quiet.example").mustSucceed();
        send("again@x", "quiet.example");
        eventually().untilAsserted(() -> assertThat(whys("quiet.example")).hasSize(2)
                .allSatisfy(why -> assertThat(why).contains("their disk is full")));
        assertThat(far.connections()).as("a flush does not overrule an operator").isEqualTo(before);
        server.command("destdb", "resume", host(far)).mustSucceed();
        assertThat(server.command("destdb", "resume", host(far)).exit()).isEqualTo(1);
        server.command("queue", "flush", "--domain", "quiet.example").mustSucceed();
        eventually().untilAsserted(() -> assertThat(far.messages()).extracting(ReceivedMessage::id)
                .containsExactlyInAnyOrder("before@x", "while@x", "again@x"));
    }

    @Test
    @Tag("FI-35")
    void aBurstNeedsFewConnectionsAndTwoAreKept() {
        var far = SINKS.get("busy.example");
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            IntStream.range(0, 300).forEach(i -> assertThat(
                    talk.send(OutgoingMessage.of("burst" + i + "@x", "someone@client.example", "friend@busy.example"))
                            .code())
                    .isEqualTo(250));
        }
        eventually().untilAsserted(() -> assertThat(far.messages()).hasSize(300));
        assertThat(far.messages()).extracting(ReceivedMessage::id).doesNotHaveDuplicates();
        assertThat(far.connections()).isLessThan(150);
        assertThat(server.command("destdb", "show", host(far)).mustSucceed().out()).contains(host(far));
        assertThat(view(far).path("connections").size()).isLessThanOrEqualTo(2);
    }

    @Test
    void anUnknownHostIsAnsweredWithNoAndAnAddressCanBeSuspendedInAdvance() {
        assertThat(server.command("destdb", "show", "mx.nowhere.example").exit()).isEqualTo(1);
        var refused = server.command("destdb", "suspend", "mx.nowhere.example", "--reason", "x");
        assertThat(refused.exit()).isEqualTo(1);
        assertThat(refused.err()).contains("no known host has this name");
        assertThat(server.command("destdb", "suspend", "192.0.2.99", "--reason", "asked by them").mustSucceed().out())
                .contains("[192.0.2.99]:25/may");
        assertThat(server.command("destdb", "resume", "192.0.2.99").mustSucceed().out())
                .contains("resumed [192.0.2.99]:25/may");
    }

    private static String host(SmtpSink sink) {
        return "[127.0.0.1]:" + sink.port() + "/may";
    }

    private static JsonNode view(SmtpSink sink) {
        var known = JsonMapper.shared()
                .readTree(server.command("destdb", "list", "--json").mustSucceed().out()).path("hosts");
        return known.valueStream().filter(each -> each.path("host").asString().equals(host(sink))).findFirst()
                .orElseThrow(() -> new AssertionError(host(sink) + " is not known: " + known));
    }

    private static List<String> states(SmtpSink sink) {
        return view(sink).path("states").valueStream().map(state -> state.path("state").asString()).toList();
    }

    private static String why(String domain) {
        return whys(domain).stream().reduce((_, last) -> last).orElse("");
    }

    private static List<String> whys(String domain) {
        return Queue.of(server).messages().stream()
                .filter(message -> message.path("recipients").path(0).path("address").asString().endsWith("@" + domain)
                        && message.path("state").asString().equals("deferred"))
                .map(message -> message.path("why").asString()).toList();
    }

    private static void send(String id, String domain) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(OutgoingMessage.of(id, "someone@client.example", "friend@" + domain)).code())
                    .isEqualTo(250);
        }
    }
}
