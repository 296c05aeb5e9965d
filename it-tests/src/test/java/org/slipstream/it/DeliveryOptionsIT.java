package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.arrives;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The delivery options of a message from MAIL to the next host or back, with the packaged program:
/// FUTURERELEASE, DELIVERBY, MT-PRIORITY and REQUIRETLS.
class DeliveryOptionsIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final int MOST_SECONDS_UNTIL_RELEASE = 256;
    private static SmtpSink far;
    private static SmtpSink away;
    private static PackagedServer server;

    @BeforeAll
    static void start() {
        far = BENCH.smtpSink();
        away = BENCH.smtpSink();
        far.change(script -> script.withExtensions("DELIVERBY 1", "MT-PRIORITY"));
        server = BENCH.server(Settings.quick().route("far.example", far).route("away.example", away));
    }

    @Test
    void eachPortOffersItsOwnExtensions() {
        try (var talk = SmtpTalker.greetedBy(server.submission())) {
            assertThat(talk.must(250, "EHLO client.example").lines()).contains("DELIVERBY", "MT-PRIORITY")
                    .anyMatch(line -> line.matches("FUTURERELEASE 2592000 20..-..-..T..:..:..Z"))
                    .doesNotContain("REQUIRETLS");
            talk.startTls();
            assertThat(talk.must(250, "EHLO client.example").lines()).contains("REQUIRETLS");
        }
        try (var talk = SmtpTalker.greetedBy(server.smtp())) {
            assertThat(talk.must(250, "EHLO client.example").lines()).contains("DELIVERBY", "MT-PRIORITY")
                    .noneMatch(line -> line.startsWith("FUTURERELEASE") || line.equals("REQUIRETLS"));
            assertThat(talk.say("MAIL FROM:<a@client.example> HOLDFOR=5").code()).isEqualTo(555);
            assertThat(talk.say("MAIL FROM:<a@client.example> REQUIRETLS").code()).isEqualTo(555);
        }
        try (var talk = SmtpTalker.introducedTo(server.submission())) {
            assertThat(talk.say("MAIL FROM:<a@client.example> HOLDFOR=2592001").code()).isEqualTo(501);
        }
    }

    /// On a server of its own, which is killed. The duration of two starts depends on the machine:
    /// when the release time passes before all steps are done, the test begins again with more
    /// time.
    @Test
    void mailForLaterLeavesLaterAlsoAfterACrashAndAFlush() {
        for (int seconds = 8; !leavesLater(seconds); seconds *= 2) {
            assertThat(seconds).as("seconds until the release").isLessThan(MOST_SECONDS_UNTIL_RELEASE);
        }
    }

    /// @return false when the release time came before the server was there again
    private static boolean leavesLater(int seconds) {
        var sink = BENCH.smtpSink();
        var mortal = BENCH.server(Settings.quick().route("later.example", sink));
        var outgoing = OutgoingMessage.of("later@x", "boss@here.example", "friend@later.example");
        var release = Instant.now().plusSeconds(seconds).truncatedTo(ChronoUnit.SECONDS);
        send(mortal.submission(), outgoing, "HOLDUNTIL=" + release);
        mortal.command("queue", "flush").mustSucceed();
        mortal.kill9();
        mortal.startAgain();
        mortal.command("queue", "flush").mustSucceed();
        boolean early = Instant.now().isBefore(release);
        arrives(outgoing, sink);
        var arrivedAt = Instant.now().minusNanos(System.nanoTime() - sink.messages().getFirst().atNanos());
        assertThat(arrivedAt).isAfterOrEqualTo(release);
        eventually().until(() -> Queue.of(mortal).isEmpty());
        return early;
    }

    @Test
    void mailThatCannotArriveInTimeIsReturned() {
        away.stop();
        var outgoing = OutgoingMessage.of("hurry@x", "hurried@here.example", "friend@away.example");
        long sent = System.nanoTime();
        send(server.smtp(), outgoing, "BY=4;R");
        eventually().until(() -> server.mail().count("hurried@here.example") == 1);
        assertThat(System.nanoTime() - sent).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(4));
        assertThat(report("hurried@here.example")).contains("5.4.7", "Action: failed");
        eventually().until(() -> Queue.of(server).isEmpty());
        away.startAgain();
    }

    @Test
    void theRestOfTheTimeAndThePriorityArePassedOn() {
        var outgoing = OutgoingMessage.of("on@x", "boss@here.example", "friend@far.example");
        send(server.smtp(), outgoing, "BY=600;NT MT-PRIORITY=3");
        arrives(outgoing, far);
        assertThat(far.messages()).singleElement().satisfies(mail -> assertThat(mail.mailArguments())
                .containsPattern(" BY=(600|5[0-9]{2});NT ?").contains(" MT-PRIORITY=3"));
    }

    @Test
    void mailThatRequiresTlsIsReturnedWithoutItsContent() {
        var outgoing = OutgoingMessage.of("secret@x", "secretive@here.example", "friend@away.example");
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            talk.startTls();
            talk.must(250, "EHLO client.example");
            talk.must(250, "MAIL FROM:<secretive@here.example> REQUIRETLS");
            talk.must(250, "RCPT TO:<friend@away.example>");
            talk.must(354, "DATA");
            assertThat(talk.data(outgoing.content()).code()).isEqualTo(250);
        }
        eventually().until(() -> server.mail().count("secretive@here.example") == 1);
        assertThat(report("secretive@here.example")).contains("5.7.10", "Action: failed").doesNotContain("secret@x");
        assertThat(away.messages()).isEmpty();
    }

    /// RFC 1985, on a server that would try again in an hour.
    @Test
    void aHostThatWasAwayAsksForItsMailAndGetsIt() {
        var sink = BENCH.smtpSink();
        sink.change(script -> script.onRecipient("friend@*", SinkAction.reply("451 4.2.0 not now")));
        var slow = BENCH
                .server(Settings.quick().set("queue.minimal-backoff", "1h").set("queue.maximal-backoff", "1h")
                        .route("back.example", sink));
        var outgoing = OutgoingMessage.of("etrn@x", "boss@here.example", "friend@back.example");
        try (var talk = SmtpTalker.introducedTo(slow.smtp())) {
            assertThat(talk.send(outgoing).code()).isEqualTo(250);
        }
        eventually().untilAsserted(() -> assertThat(Queue.of(slow).messages()).singleElement()
                .satisfies(message -> assertThat(message.path("state").asString()).isEqualTo("deferred")));
        sink.follow(SinkScript.smtp());
        try (var talk = SmtpTalker.introducedTo(slow.smtp())) {
            talk.must(253, "ETRN back.example");
            talk.must(459, "ETRN else.example");
        }
        arrives(outgoing, sink);
        eventually().until(() -> Queue.of(slow).isEmpty());
        try (var talk = SmtpTalker.introducedTo(slow.smtp())) {
            talk.must(251, "ETRN back.example");
        }
    }

    private static String report(String mailbox) {
        return new String(server.mail().newMail(mailbox).getFirst(), StandardCharsets.UTF_8);
    }

    private static void send(InetSocketAddress port, OutgoingMessage outgoing, String options) {
        try (var talk = SmtpTalker.introducedTo(port)) {
            talk.must(250, "MAIL FROM:<" + outgoing.sender() + "> " + options);
            talk.must(250, "RCPT TO:<" + outgoing.recipients().getFirst() + ">");
            talk.must(354, "DATA");
            assertThat(talk.data(outgoing.content()).code()).isEqualTo(250);
        }
    }
}
