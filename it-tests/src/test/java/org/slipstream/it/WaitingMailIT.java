package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.MailAssert;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.arrives;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Mail that cannot be delivered now stays in the queue, shows the reason, and is delivered later.
/// All tests share one server; each has a domain with a sink of its own and leaves the queue empty.
class WaitingMailIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final Map<String, SmtpSink> SINKS = new HashMap<>();
    private static PackagedServer server;

    @BeforeAll
    static void start() {
        var settings = Settings.quick();
        for (var domain : List.of("away.example", "partly.example", "lost.example", "restart.example",
                "finish.example")) {
            SINKS.put(domain, BENCH.smtpSink());
            settings = settings.route(domain, SINKS.get(domain));
        }
        server = BENCH.server(settings);
    }

    @Test
    void mailWaitsForASinkThatIsAwayAndFlowsWhenItIsBack() {
        var far = SINKS.get("away.example");
        far.stop();
        var outgoing = OutgoingMessage.of("waiting@x", "someone@client.example", "friend@away.example");
        send(outgoing);
        eventually().untilAsserted(() -> assertThat(Queue.of(server).messages()).singleElement().satisfies(message -> {
            assertThat(message.path("state").asString()).isEqualTo("deferred");
            assertThat(message.path("attempts").asInt()).isPositive();
            assertThat(message.path("why").asString()).isNotBlank();
            assertThat(message.path("nextAttempt").asString()).isNotBlank();
        }));
        far.startAgain();
        arrives(outgoing, far);
        eventually().until(() -> Queue.of(server).isEmpty());
    }

    @Test
    void onlyTheRecipientThatWasPutOffIsTriedAgain() {
        var far = SINKS.get("partly.example");
        far.change(script -> script.onRecipient("later@*", SinkAction.reply("451 4.7.1 greylisted")));
        var outgoing = OutgoingMessage.of("part@x", "someone@client.example",
                List.of("now@partly.example", "later@partly.example"),
                Bytes.ascii("Now and later.\r\n"));
        send(outgoing);
        eventually().untilAsserted(() -> assertThat(Queue.of(server).messages()).singleElement()
                .satisfies(message -> assertThat(message.path("why").asString()).contains("greylisted")));
        assertThat(far.messages()).singleElement()
                .satisfies(mail -> assertThat(mail.recipients()).containsExactly("now@partly.example"));
        far.follow(SinkScript.smtp());
        eventually().untilAsserted(() -> assertThat(far.messages()).hasSize(2).last()
                .satisfies(mail -> assertThat(mail.recipients()).containsExactly("later@partly.example")));
        eventually().until(() -> Queue.of(server).isEmpty());
    }

    /// At most one extra copy for each final reply that was lost (limits.md, promise 2).
    @Test
    void aLostFinalReplyCostsOneExtraCopyAndNoMail() {
        var far = SINKS.get("lost.example");
        far.change(script -> script.on(SinkPhase.FINAL_DOT, SinkAction.close().applies(1)));
        send(OutgoingMessage.of("twice@x", "someone@client.example", "friend@lost.example"));
        eventually().until(() -> Queue.of(server).isEmpty());
        assertThat(far.messages()).extracting(ReceivedMessage::id).containsExactly("twice@x", "twice@x");
    }

    /// For maintenance: mail is accepted and kept.
    @Test
    void aServerThatDoesNotDeliverKeepsWhatComesUntilOneDoes() {
        var far = BENCH.smtpSink();
        var settings = Settings.quick().route("kept.example", far);
        var keeper = BENCH.server(BENCH.folder().resolve("keeper"), settings.set("queue.deliver", "false"));
        var outgoing = OutgoingMessage.of("kept@x", "someone@client.example", "friend@kept.example");
        try (var talk = SmtpTalker.introducedTo(keeper.smtp())) {
            assertThat(talk.send(outgoing).code()).isEqualTo(250);
        }
        keeper.command("queue", "flush").mustSucceed();
        assertThat(Queue.of(keeper).messages()).singleElement()
                .satisfies(message -> assertThat(message.path("attempts").asInt()).isZero());
        assertThat(keeper.stop()).isZero();
        assertThat(far.connections()).isZero();
        keeper.startAgain(settings.pairs());
        arrives(outgoing, far);
        eventually().until(() -> Queue.of(keeper).isEmpty());
    }

    @Test
    void anOrderlyRestartKeepsWhatWaits() {
        var far = SINKS.get("restart.example");
        far.stop();
        var outgoing = OutgoingMessage.of("restart@x", "someone@client.example", "friend@restart.example");
        send(outgoing);
        eventually().untilAsserted(() -> assertThat(Queue.of(server).messages()).hasSize(1));
        var id = Queue.of(server).messages().getFirst().path("id").asString();
        assertThat(server.stop()).isZero();
        server.startAgain();
        assertThat(Queue.of(server).messages()).singleElement()
                .satisfies(message -> assertThat(message.path("id").asString()).isEqualTo(id));
        far.startAgain();
        arrives(outgoing, far);
        eventually().until(() -> Queue.of(server).isEmpty());
    }

    /// A transfer in progress may end before the server does (limits.md, promise 8).
    @Test
    void aStopLetsTheTransferInProgressFinish() {
        var far = SINKS.get("finish.example");
        far.change(script -> script.on(SinkPhase.FINAL_DOT, SinkAction.usual().holds()));
        var outgoing = OutgoingMessage.of("finish@x", "someone@client.example", "friend@finish.example");
        send(outgoing);
        eventually().until(() -> far.connections() == 1);
        var stopping = Thread.startVirtualThread(server::stop);
        eventually().untilAsserted(() -> assertThat(canConnect()).as("new clients are turned away").isFalse());
        far.release();
        eventually().until(() -> !stopping.isAlive());
        server.startAgain();
        eventually().until(() -> Queue.of(server).isEmpty());
        assertThat(far.messages()).hasSize(1);
        MailAssert.unchangedOnTheWire(outgoing.content(), far.messages().getFirst().content());
    }

    private static boolean canConnect() {
        try (var talk = SmtpTalker.to(server.smtp())) {
            return talk.reply().startsWith("220");
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    private static void send(OutgoingMessage outgoing) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(outgoing).code()).isEqualTo(250);
        }
    }
}
