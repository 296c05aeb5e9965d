package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;
import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// `queue list` shows the true state of mail that waits: the reason, the beginning and the end of
/// the wait.
class QueueTruthIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();

    private static Settings slow(SmtpSink sink) {
        return Settings.quick().route("slow.example", sink).set("queue.minimal-backoff", "1h")
                .set("queue.maximal-backoff", "1h");
    }

    /// A host that is not known to work has one connection until it greets.
    @Test
    void mailForAPeerThatNeverGreetsSaysWhatItWaitsForSinceWhenAndUntilWhen() {
        var sink = BENCH.smtpSink();
        sink.change(script -> script.on(SinkPhase.CONNECT, SinkAction.stall()));
        var server = BENCH.server(BENCH.folder().resolve("silent"), slow(sink));
        IntStream.range(0, 40).forEach(i -> send(server, "m" + i + "@x"));

        eventually().untilAsserted(() -> assertThat(codes(server)).hasSize(40)
                .as("nobody else is on the wire").containsOnly("greeting", "ahead", "host-limit")
                .filteredOn("greeting"::equals).hasSize(1));
        assertThat(Queue.of(server).messages()).allSatisfy(message -> {
            assertThat(message.path("state").asString()).isEqualTo("active");
            assertThat(message.path("nextAttempt").asString()).as("it is being tried").isEmpty();
            assertThat(message.path("attempts").asInt()).as("and has not been").isZero();
        });
        var greeting = of(server, "greeting").getFirst();
        assertThat(greeting.path("why").asString())
                .isEqualTo("waits for the greeting of 127.0.0.1[127.0.0.1]:" + sink.port());
        var phase = greeting.path("phase");
        assertThat(Duration.between(moment(phase, "since"), moment(phase, "until"))).isEqualTo(Duration.ofMinutes(5));
        assertThat(of(server, "ahead")).allSatisfy(message -> assertThat(message.path("why").asString())
                .contains(" ahead on a connection to ", "waits for the greeting of"));
        assertThat(of(server, "host-limit")).hasSizeGreaterThan(30)
                .allSatisfy(message -> assertThat(message.path("phase").path("figures").path("atWork").asInt())
                        .isEqualTo(1));

        var list = server.command("queue", "list").mustSucceed().out();
        assertThat(list).contains("PHASE", "waits for the greeting of 127.0.0.1[127.0.0.1]:" + sink.port() + ", for 4m",
                "1 of 1 at work").doesNotContain("delivering");
        assertThat(server.command("queue", "show", greeting.path("id").asString()).mustSucceed().out())
                .contains("greeting").containsPattern("next +-");
    }

    @Test
    void mailForASuspendedHostHasNotBeenTriedAndWaitsForTheEndOfTheSuspension() {
        var sink = BENCH.smtpSink();
        var server = BENCH.server(BENCH.folder().resolve("suspended"), slow(sink));
        var host = "[127.0.0.1]:" + sink.port() + "/may";
        server.command("destdb", "suspend", host, "--reason", "their disk is full", "--author", "ann", "--for", "2h")
                .mustSucceed();
        send(server, "put-off@x");
        eventually().untilAsserted(() -> assertThat(codes(server)).containsExactly("suspended"));
        var message = Queue.of(server).messages().getFirst();
        assertThat(message.path("attempts").asInt()).isZero();
        assertThat(message.path("why").asString()).contains("suspended by ann until ", "their disk is full");
        assertThat(Instant.parse(message.path("nextAttempt").asString())).as("not the next look, in an hour")
                .isAfter(Instant.parse(message.path("created").asString()).plus(Duration.ofMinutes(90)));
        server.command("destdb", "resume", host).mustSucceed();
        eventually().untilAsserted(() -> assertThat(sink.messages()).hasSize(1));
    }

    @Test
    void mailOfAServerThatDoesNotDeliverSaysSo() {
        var sink = BENCH.smtpSink();
        var server = BENCH.server(BENCH.folder().resolve("resting"), slow(sink).set("queue.deliver", "false"));
        send(server, "kept@x");
        assertThat(codes(server)).containsExactly("resting");
        var message = Queue.of(server).messages().getFirst();
        assertThat(message.path("why").asString()).contains("queue.deliver is false");
        assertThat(message.path("nextAttempt").asString()).isEmpty();
        assertThat(server.command("status").mustSucceed().out()).contains("queue.deliver is false");
    }

    private static Instant moment(JsonNode phase, String name) {
        return Instant.parse(phase.path(name).asString());
    }

    private static List<String> codes(PackagedServer server) {
        return Queue.of(server).messages().stream().map(QueueTruthIT::code).toList();
    }

    private static List<JsonNode> of(PackagedServer server, String code) {
        return Queue.of(server).messages().stream().filter(message -> code(message).equals(code)).toList();
    }

    private static String code(JsonNode message) {
        return message.path("phase").path("code").asString();
    }

    private static void send(PackagedServer server, String id) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(OutgoingMessage.of(id, "someone@client.example", "friend@slow.example")).code())
                    .isEqualTo(250);
        }
    }
}
