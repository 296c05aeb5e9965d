package org.slipstream.it;

import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.Peer;
import org.slipstream.it.fixture.PeerMail;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Shapes;
import org.slipstream.it.fixture.Shapes.Shape;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The guarantees that hold with every mail server that receives our mail, with any extensions and
/// any number of connections.
///
/// @param server ours; its queue is empty before and after each story
/// @param peer the other
/// @param domain whose mail goes to the peer, as does that of all its subdomains
record PeerStories(PackagedServer server, Peer peer, String domain) {
    private static final Duration WAIT = Duration.ofSeconds(30);
    private static final int CLIENTS = 4;
    private static final int OF_EACH_SHAPE = 3;
    private static final int LARGE_ONES = 1;
    private static final String SENDER_HERE = "alice@here.example";

    /// Eight bits, dots, long lines, nothing at all, a mebibyte, a hundred recipients: each
    /// recipient has each of its messages once, byte for byte.
    void everyShapeArrivesOnceAndUnchanged() {
        var there = "shapes." + domain;
        var messages = someOfEachShape(there);
        sendAll(messages);
        allArriveOnce(there, messages);
    }

    /// Of three recipients one has the mail at once, one is refused and reported, and one is put
    /// off and tried again without a second copy to the first.
    void threeRecipientsHaveThreeResults() {
        var there = "fates." + domain;
        var outgoing = OutgoingMessage.of("fates@" + domain, SENDER_HERE,
                List.of("nobody@" + there, "somebody@" + there, "later@" + there), Bytes.ascii("To each his own.\r\n"));
        int reports = server.mail().count(SENDER_HERE);
        sendAll(List.of(outgoing));
        eventually().atMost(WAIT).untilAsserted(() -> assertThat(Queue.of(server).messages())
                .filteredOn(message -> message.path("why").asString().contains("come again")).singleElement()
                .satisfies(message -> assertThat(message.path("attempts").asInt()).isGreaterThan(1)));
        oneRecipientGotItAndTheRefusedOneIsReported(outgoing, there, reports);
        Queue.of(server).empty();
        emptyQueue();
    }

    /// For a server that cannot defer a recipient: two of three get the mail, one is refused and
    /// reported.
    void aRefusedRecipientIsReportedAndTheOthersHaveTheirMail() {
        var there = "refused." + domain;
        var outgoing = OutgoingMessage.of("refused@" + domain, SENDER_HERE,
                List.of("first@" + there, "nobody@" + there, "somebody@" + there), Bytes.ascii("Two of three.\r\n"));
        int reports = server.mail().count(SENDER_HERE);
        sendAll(List.of(outgoing));
        emptyQueue();
        eventually().untilAsserted(() -> assertThat(peer.facts(there)).containsExactlyInAnyOrder(
                PeerMail.fact("first@" + there, outgoing.content()),
                PeerMail.fact("somebody@" + there, outgoing.content())));
        reported("nobody@" + there, reports);
    }

    /// A server that refuses everything: every recipient is reported and none gets mail.
    void aServerThatRefusesEverybodyIsReported() {
        var there = "nothing." + domain;
        var outgoing = OutgoingMessage.of("nothing@" + domain, SENDER_HERE,
                List.of("first@" + there, "second@" + there),
                Bytes.ascii("To a closed door.\r\n"));
        int reports = server.mail().count(SENDER_HERE);
        sendAll(List.of(outgoing));
        emptyQueue();
        reported("first@" + there, reports);
        reported("second@" + there, reports);
        assertThat(peer.facts(there)).isEmpty();
    }

    /// The server is stopped while mail flows, more mail comes, and the server is started again: no
    /// mail is lost, and each second copy is one that the log called a possible duplicate.
    void itGoesAwayInTheMiddleAndComesBack() {
        var there = "away." + domain;
        var before = numbered(there, 0, 40);
        var during = numbered(there, 40, 50);
        var sending = Thread.startVirtualThread(() -> sendAll(before));
        eventually().atMost(WAIT).until(() -> peer.facts(there).size() >= 3);
        peer.stop();
        sendAll(during);
        eventually().until(() -> !sending.isAlive());
        eventually().untilAsserted(() -> assertThat(Queue.of(server).messages())
                .anySatisfy(message -> assertThat(message.path("state").asString()).isEqualTo("deferred")));
        peer.startAgain();
        emptyQueue();
        var expected = facts(Stream.concat(before.stream(), during.stream()).toList(), there);
        eventually().atMost(WAIT)
                .untilAsserted(() -> assertThat(new HashSet<>(peer.facts(there))).isEqualTo(new HashSet<>(expected)));
        long mayBeTwice = server.log().lines().filter(line -> line.contains("event=possible-duplicate")).count();
        assertThat(peer.facts(there).size() - expected.size()).as("second copies of what went to " + there)
                .isLessThanOrEqualTo((int) mayBeTwice);
    }

    /// All of these once and no others, at this domain.
    void allArriveOnce(String there, List<OutgoingMessage> messages) {
        emptyQueue();
        var expected = facts(messages, there);
        eventually().atMost(WAIT).pollInterval(Duration.ofMillis(250))
                .untilAsserted(() -> assertThat(peer.facts(there)).containsExactlyInAnyOrderElementsOf(expected));
    }

    void emptyQueue() {
        eventually().atMost(WAIT).untilAsserted(() -> assertThat(Queue.of(server).messages()).isEmpty());
        eventually().until(() -> Queue.of(server).isEmpty());
    }

    /// Several clients at once.
    void sendAll(List<OutgoingMessage> messages) {
        try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            var sent = IntStream.range(0, CLIENTS).mapToObj(client -> clients.submit(() -> {
                try (var talk = SmtpTalker.introducedTo(server.smtp())) {
                    for (int i = client; i < messages.size(); i += CLIENTS) {
                        assertThat(talk.send(messages.get(i)).code()).isEqualTo(250);
                    }
                }
                return client;
            })).toList();
            for (var client : sent) {
                client.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        } catch (java.util.concurrent.ExecutionException e) {
            throw new AssertionError("our own server did not take the mail", e);
        }
    }

    /// Small messages that are difficult for some servers: a line with a single dot, eight bits.
    static List<OutgoingMessage> numbered(String there, int from, int to) {
        return IntStream.range(from, to).mapToObj(number -> OutgoingMessage.of("number-" + number + "@" + there,
                "someone@client.example", List.of("friend" + number + "@" + there),
                ("Number " + number + "\r\n.\r\nGrüße\r\n..\r\n").getBytes(StandardCharsets.UTF_8))).toList();
    }

    private void oneRecipientGotItAndTheRefusedOneIsReported(OutgoingMessage outgoing, String there, int reports) {
        eventually().untilAsserted(() -> assertThat(peer.facts(there))
                .containsExactly(PeerMail.fact("somebody@" + there, outgoing.content())));
        reported("nobody@" + there, reports);
    }

    private void reported(String refused, int reportsBefore) {
        eventually().until(() -> server.mail().count(SENDER_HERE) == reportsBefore + 1);
        assertThat(server.mail().newMail(SENDER_HERE)).map(report -> new String(report, StandardCharsets.UTF_8))
                .filteredOn(report -> report.contains(refused)).singleElement()
                .satisfies(report -> assertThat(report).contains("Final-Recipient: rfc822; " + refused, "Status: 5.")
                        .doesNotContain("Final-Recipient: rfc822; somebody@", "Final-Recipient: rfc822; later@"));
    }

    private static List<String> facts(List<OutgoingMessage> messages, String there) {
        return messages.stream().flatMap(outgoing -> outgoing.recipients().stream()
                .filter(recipient -> recipient.endsWith("@" + there))
                .map(recipient -> PeerMail.fact(recipient, outgoing.content()))).toList();
    }

    private static List<OutgoingMessage> someOfEachShape(String there) {
        Map<Shape, Integer> taken = new HashMap<>();
        List<OutgoingMessage> messages = new ArrayList<>();
        for (var outgoing : Shapes.thousand(there, there)) {
            var shape = shapeOf(outgoing);
            boolean heavy = shape == Shape.LARGE || shape == Shape.MANY_RECIPIENTS;
            if (taken.merge(shape, 1, Integer::sum) <= (heavy ? LARGE_ONES : OF_EACH_SHAPE)) {
                messages.add(outgoing);
            }
        }
        return messages;
    }

    private static Shape shapeOf(OutgoingMessage outgoing) {
        return Arrays.stream(Shape.values())
                .filter(shape -> outgoing.id().contains("-" + shape.name().toLowerCase(Locale.ROOT) + "@")).findFirst()
                .orElseThrow();
    }
}
