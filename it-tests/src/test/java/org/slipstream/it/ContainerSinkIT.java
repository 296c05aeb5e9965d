package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.MailContainer;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.RequiresEngine;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Shapes;
import org.slipstream.it.fixture.Trace;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Mail to `smtp-sink` in a container that is paused, is killed, and refuses.
@RequiresEngine
class ContainerSinkIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static MailContainer sink;
    private static PackagedServer server;

    @BeforeAll
    static void start() {
        sink = BENCH.keep(MailContainer.smtpSink());
        var refusing = BENCH.keep(MailContainer.smtpSink("-f", "RCPT", "-B", "550 5.1.1 nobody here"));
        server = BENCH.server(Settings.quick().sendingLongLines().route("far.example", sink.route())
                .route("refusing.example", refusing.route()).set("smtp-client.greeting-timeout", "2s"));
    }

    @Test
    void mailOfEveryShapeReachesTheSinkUnchanged() {
        var messages = Shapes.thousand("far.example", "far.example").stream()
                .filter(outgoing -> outgoing.recipients().size() == 1).limit(60).toList();
        send(messages);
        eventually().until(() -> Queue.of(server).isEmpty());
        assertThat(dumpedDigests()).containsAll(messages.stream().map(ContainerSinkIT::digest).toList());
    }

    @Test
    void mailWaitsWhileTheSinkIsDeadAndFlowsWhenItIsBack() {
        var messages = messages("dead", 10);
        sink.kill();
        try {
            send(messages);
            eventually().untilAsserted(() -> assertThat(Queue.of(server).messages()).hasSize(10)
                    .allSatisfy(message -> assertThat(Queue.lastReply(message)).isNotBlank()));
        } finally {
            sink.startAgain();
        }
        eventually().until(() -> Queue.of(server).isEmpty());
        assertThat(dumpedDigests()).containsAll(messages.stream().map(ContainerSinkIT::digest).toList());
    }

    @Test
    void mailWaitsWhileTheSinkIsFrozenBeforeItsGreeting() {
        var messages = messages("frozen", 3);
        // On a connection of the tests before, the mail would wait for another reply.
        eventually().until(() -> Queue.of(server).status().path("connections").path("open").asInt() == 0);
        sink.pause();
        try {
            send(messages);
            eventually().untilAsserted(() -> assertThat(Queue.of(server).messages()).hasSize(3)
                    .allSatisfy(message -> assertThat(Queue.lastReply(message)).isNotBlank()));
        } finally {
            sink.resume();
        }
        eventually().until(() -> Queue.of(server).isEmpty());
        assertThat(dumpedDigests()).containsAll(messages.stream().map(ContainerSinkIT::digest).toList());
    }

    @Test
    void aSinkThatRefusesEveryRecipientMakesABounce() {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(OutgoingMessage.of("refused@x", "alice@here.example", "bob@refusing.example")).code())
                    .isEqualTo(250);
        }
        eventually().until(() -> server.mail().count("alice@here.example") == 1);
        assertThat(new String(server.mail().newMail("alice@here.example").getFirst())).contains("multipart/report",
                "550 5.1.1 nobody here", "bob@refusing.example");
        eventually().until(() -> Queue.of(server).isEmpty());
    }

    private static List<OutgoingMessage> messages(String name, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> OutgoingMessage.of(name + i + "@client.example", "a@client.example", "b@far.example"))
                .toList();
    }

    private static void send(List<OutgoingMessage> messages) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            for (var outgoing : messages) {
                assertThat(talk.send(outgoing).code()).isEqualTo(250);
            }
        }
    }

    private static List<String> dumpedDigests() {
        return sink.dumped().stream().map(dump -> Bytes.digest(Trace.of(dump).original())).toList();
    }

    private static String digest(OutgoingMessage outgoing) {
        return Bytes.digest(Bytes.unixLines(outgoing.content()));
    }
}
