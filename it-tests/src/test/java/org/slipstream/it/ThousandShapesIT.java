package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Shapes;
import org.slipstream.it.fixture.Trace;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// A thousand messages of the shapes that public mail has, from several clients at once, half to
/// mailboxes here, half to a sink: each recipient gets each of its messages exactly once and
/// unchanged.
class ThousandShapesIT {
    private static final int CLIENTS = 8;
    @RegisterExtension
    final Workbench bench = new Workbench();

    @Test
    void eachRecipientGetsEachMessageOnceAndUnchanged() {
        var far = bench.smtpSink();
        var server = bench.server(Settings.quick().sendingLongLines().route("far.example", far));
        var messages = Shapes.thousand("here.example", "far.example");

        sendAll(server, messages);

        eventually().atMost(Duration.ofSeconds(120)).pollInterval(Duration.ofMillis(250))
                .until(() -> Queue.of(server).isEmpty());
        var arrivedFar = far.messages().stream().flatMap(mail -> mail.recipients().stream()
                .map(recipient -> recipient + " " + Bytes.digest(Trace.of(mail.content()).original()))).toList();
        assertThat(arrivedFar).containsExactlyInAnyOrderElementsOf(expected(messages, "far.example"));
        assertThat(arrivedHere(server, messages))
                .containsExactlyInAnyOrderElementsOf(expected(messages, "here.example"));
        assertThat(Queue.of(server).status().path("corrupt").asInt()).isZero();
    }

    private static void sendAll(PackagedServer server, List<OutgoingMessage> messages) {
        var troubles = new ConcurrentLinkedQueue<String>();
        var left = new ConcurrentLinkedQueue<>(messages);
        try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < CLIENTS; i++) {
                clients.submit(() -> client(server, left, troubles));
            }
        }
        assertThat(troubles).isEmpty();
    }

    private static void client(PackagedServer server, ConcurrentLinkedQueue<OutgoingMessage> left,
            ConcurrentLinkedQueue<String> troubles) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            for (var outgoing = left.poll(); outgoing != null; outgoing = left.poll()) {
                var answer = talk.send(outgoing);
                if (answer.code() != 250) {
                    troubles.add(outgoing.id() + ": " + answer);
                }
            }
        } catch (RuntimeException | AssertionError e) {
            troubles.add(e.toString());
        }
    }

    private static List<String> expected(List<OutgoingMessage> messages, String domain) {
        var all = new ArrayList<String>();
        for (var outgoing : messages) {
            var digest = Bytes.digest(outgoing.content());
            recipientsIn(outgoing, domain).forEach(recipient -> all.add(recipient + " " + digest));
        }
        return all;
    }

    private static List<String> arrivedHere(PackagedServer server, List<OutgoingMessage> messages) {
        return messages.stream().flatMap(outgoing -> recipientsIn(outgoing, "here.example")).distinct()
                .flatMap(mailbox -> server.mail().newMail(mailbox).stream()
                        .map(mail -> mailbox + " " + Bytes.digest(Trace.of(mail).original())))
                .toList();
    }

    private static Stream<String> recipientsIn(OutgoingMessage outgoing, String domain) {
        return outgoing.recipients().stream().filter(recipient -> recipient.endsWith("@" + domain));
    }
}
