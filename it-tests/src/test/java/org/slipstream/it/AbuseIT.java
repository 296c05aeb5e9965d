package org.slipstream.it;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.HostilePeers;
import org.slipstream.testkit.server.PackagedServer;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Hostile clients and next hops, few of each kind; `AbuseMain` of mta-testkit runs many. After each of them
/// honest mail is accepted and delivered.
class AbuseIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final int ENOUGH = 2_000;
    private static final int MAILINGS = 10;
    private static final Pattern MAILING = Pattern.compile("Subject: (mailing [0-9]+)");
    private static final List<String> CROWD = IntStream.range(0, 1_000).mapToObj(i -> "r" + i + "@far.example")
            .toList();
    private static final AtomicInteger HONEST = new AtomicInteger();
    private static PackagedServer server;
    private final Deque<SmtpTalker> open = new ArrayDeque<>();

    @BeforeAll
    static void start() {
        server = BENCH.server(Settings.quick().set("limits.connections", "400").set("limits.connections-per-client",
                "150").set("limits.message-size", "1MiB").set("limits.recipients", "10"));
    }

    @AfterEach
    void honestMailIsStillTakenAndDelivered() {
        int count = HONEST.incrementAndGet();
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(OutgoingMessage.of("honest" + count + "@x", "a@client.example", "honest@here.example"))
                    .code())
                    .isEqualTo(250);
        } finally {
            closeAll();
        }
        eventually().until(() -> server.mail().count("honest@here.example") == count);
        assertThat(server.isAlive()).isTrue();
    }

    private void closeAll() {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private SmtpTalker keep(SmtpTalker wire) {
        open.push(wire);
        return wire;
    }

    @Test
    void clientsThatSayNothingAndClientsThatDripAreSentAway() {
        var hasty = BENCH.server(Settings.quick().set("limits.connections-per-client", "150").set("limits.idle", "3s"));
        for (int i = 0; i < 50; i++) {
            keep(SmtpTalker.to(hasty.smtp())).reply();
        }
        var dripping = keep(SmtpTalker.to(hasty.smtp()));
        dripping.reply();
        dripping.send("EH");
        assertThat(open.peekLast().reply()).startsWith("421 4.4.2 ");
        assertThat(dripping.reply()).startsWith("421 4.4.2 ");
        assertThat(dripping.isClosedByServer()).isTrue();
    }

    /// On a server of its own with a long timeout for silent clients: on a slow machine, the first
    /// clients must not be disconnected before the last one connects.
    @Test
    void oneAddressHasNoMoreThanItsPlaces() {
        var slow = BENCH.server(Settings.quick().set("limits.connections-per-client", "20"));
        for (int i = 0; i < 20; i++) {
            assertThat(keep(SmtpTalker.to(slow.smtp())).reply()).startsWith("220 ");
        }
        var oneMore = keep(SmtpTalker.to(slow.smtp()));
        assertThat(oneMore.reply()).startsWith("421 4.7.0 ");
        assertThat(oneMore.isClosedByServer()).isTrue();
        closeAll();
        // A place is free when the server has seen that its client has gone.
        eventually().until(() -> {
            try (var next = SmtpTalker.to(slow.smtp())) {
                return next.reply().startsWith("220 ");
            }
        });
    }

    @Test
    void connectionsThatAreOpenedAndDroppedLeaveNothing() {
        for (int i = 0; i < ENOUGH; i++) {
            SmtpTalker.to(server.smtp()).close();
        }
        eventually().until(() -> {
            try (var next = SmtpTalker.to(server.smtp())) {
                return next.reply().startsWith("220 ");
            }
        });
    }

    @Test
    void aCommandLineWithoutEndIsNoLine() {
        var wire = keep(SmtpTalker.introducedTo(server.smtp()));
        var block = Bytes.ascii("x".repeat(8_192));
        for (int i = 0; i < ENOUGH && wire.trySend(block); i++) {
            // One line of sixteen megabytes.
        }
        wire.trySend(Bytes.ascii("\r\n"));
        assertThat(wire.replyOrNothing()).matches("|(500|521) 5\\.5\\.2 .*");
    }

    @Test
    void aLineAndAHeaderWithoutEndAreRefusedAndNothingIsKept() {
        endless("x".repeat(8_192), "552 5.3.4 ", "500 5.6.0 ");
        endless("X-Endless: ".concat("y".repeat(60)).concat("\r\n").repeat(100), "552 5.3.4 ");
    }

    /// The server reads twice the permitted size before it disconnects; below that, the reply comes
    /// at the final dot.
    private void endless(String block, String... replies) {
        var wire = keep(SmtpTalker.introducedTo(server.smtp()));
        wire.ask("MAIL FROM:<a@client.example>");
        wire.ask("RCPT TO:<endless@here.example>");
        assertThat(wire.ask("DATA")).startsWith("354");
        for (int i = 0; i < ENOUGH && wire.trySend(Bytes.ascii(block)); i++) {
            // Far beyond the limit, without a final dot.
        }
        var reply = wire.replyOrNothing();
        assertThat(reply).matches(text -> text.isEmpty() || Arrays.stream(replies).anyMatch(text::startsWith),
                "one of " + String.join(", ", replies));
        assertThat(server.mail().count("endless@here.example")).isZero();
    }

    @Test
    void recipientsWithoutEndArePutOffAndTheClientIsSentAway() {
        var wire = keep(SmtpTalker.introducedTo(server.smtp()));
        wire.ask("MAIL FROM:<a@client.example>");
        int taken = 0;
        var reply = "";
        for (int i = 0; i < ENOUGH && !reply.startsWith("421"); i++) {
            reply = wire.ask("RCPT TO:<r" + i + "@here.example>");
            taken += reply.startsWith("250") ? 1 : 0;
            assertThat(reply).matches("(250|452 4.5.3|421 4.7.0) .*");
            if (i == 500) {
                break;
            }
        }
        assertThat(taken).isEqualTo(10);
    }

    @Test
    void aGibibyteIsRefusedBeforeItIsSent() {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.say("MAIL FROM:<a@client.example> SIZE=1073741824").toString()).startsWith("552 5.3.4 ");
        }
    }

    @Test
    void noiseInsteadOfATlsHandshakeEndsTheSession() {
        var wire = keep(SmtpTalker.introducedTo(server.smtp()));
        assertThat(wire.ask("STARTTLS")).startsWith("220 ");
        wire.trySend(Bytes.ascii("\0\1\2noise".repeat(1_000)));
        assertThat(wire.isClosedByServerInTheEnd()).isTrue();
    }

    @Test
    void noiseFromTheFirstByteEndsTheSession() {
        var wire = keep(SmtpTalker.to(server.smtp()));
        wire.trySend(new byte[]{22, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3, '\r', '\n'});
        wire.trySend(Bytes.ascii("\u0001\u0002\u0003\r\n".repeat(200)));
        assertThat(wire.isClosedByServerInTheEnd()).isTrue();
    }

    /// 200 MB of texts would fill the heap of the usual size, and again at the next start.
    @Test
    void aNextHopThatRefusesThousandsOfRecipientsAtLengthFillsNoHeap() {
        SmtpSink sink = BENCH.keep(SmtpSink.start(HostilePeers.longRefusals().countsOnly()));
        var attacked = BENCH.server(Settings.quick().route("far.example", sink));
        for (int i = 0; i < MAILINGS; i++) {
            sendTo(attacked, "mailing " + i, CROWD);
            sendTo(attacked, "honest", List.of("honest@here.example"));
        }
        eventually().until(() -> attacked.mail().count("honest@here.example") == MAILINGS);
        eventually().until(() -> attacked.mail().count("a@here.example") > 0);
        assertThat(attacked.isAlive()).isTrue();
        attacked.kill9();
        attacked.startAgain();
        sendTo(attacked, "honest", List.of("honest@here.example"));
        eventually().until(() -> attacked.mail().count("honest@here.example") == MAILINGS + 1);
        eventually().until(() -> reported(attacked).size() == MAILINGS);
        assertThat(attacked.isAlive()).isTrue();
        assertThat(attacked.mail().newMail("a@here.example")).allSatisfy(report -> {
            assertThat(report).hasSizeLessThan(2 << 20);
            assertThat(new String(report, StandardCharsets.UTF_8))
                    .contains("Final-Recipient: rfc822; r999@far.example");
        });
    }

    private static void sendTo(PackagedServer at, String subject, List<String> recipients) {
        try (var talk = SmtpTalker.introducedTo(at.smtp())) {
            assertThat(talk.send(new OutgoingMessage("a@here.example", recipients,
                    Bytes.ascii("Subject: " + subject + "\r\n\r\nx\r\n"))).code()).isEqualTo(250);
        }
    }

    private static Set<String> reported(PackagedServer at) {
        return at.mail().newMail("a@here.example").stream()
                .flatMap(report -> MAILING.matcher(new String(report, StandardCharsets.UTF_8)).results())
                .map(MatchResult::group).collect(Collectors.toSet());
    }
}
