package org.slipstream.smtpin;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.smtpin.command.Extension;
import org.slipstream.smtpin.protocol.ServicePolicy;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// The memory that strangers can take with open transactions is bounded for any number of sessions,
/// and is returned whatever way they end.
class MemoryBudgetTest {
    private static final String LONGEST = "RCPT TO:<user+" + "x".repeat(238) + "@y.example>";
    private static final int SESSIONS = 12;

    private final MemoryBudget budget = new MemoryBudget(256 << 10);
    private final CollectedMessages messages = new CollectedMessages();
    private final ListenerServices services = ListenerServices.of(messages).withMemory(budget);
    private final ListenerConfig config = Ports.config().withService(
            ServicePolicy.mx().with(Extension.CHUNKING));

    @Test
    void manySessionsThatHoardRecipientsShareOneBudget() throws Exception {
        try (SmtpListener listener = Ports.started(config, services)) {
            List<SmtpTalker> hoarders = new ArrayList<>();
            int kept = 0;
            for (int i = 0; i < SESSIONS; i++) {
                SmtpTalker one = Ports.greeted(listener);
                hoarders.add(one);
                kept += hoard(one);
            }
            assertThat(budget.takenBytes()).isBetween(1L, 256L << 10);
            // Far below the limit of one session, and each session has a share of its own.
            assertThat(kept).isBetween(SESSIONS * 5, 500);
            try (SmtpTalker honest = Ports.greeted(listener)) {
                honest.ask("EHLO honest.example");
                assertThat(ListenerTest.send(honest, "text\r\n")).startsWith("250");
            }
            for (int i = 0; i < SESSIONS; i++) {
                end(hoarders.get(i), i % 6);
            }
            await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> assertThat(budget.takenBytes()).isZero());
            try (SmtpTalker next = Ports.greeted(listener)) {
                assertThat(hoard(next)).isGreaterThan(100);
            }
            await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> assertThat(budget.takenBytes()).isZero());
        }
    }

    /// @return how many were accepted before there was no memory for another, which is no error of
    ///     the client
    private static int hoard(SmtpTalker client) throws IOException {
        client.ask("EHLO client.example");
        client.ask("MAIL FROM:<a@x.example>");
        for (int taken = 0;; taken++) {
            String reply = client.ask(LONGEST);
            if (!reply.startsWith("250")) {
                assertThat(reply).isEqualTo("452 4.3.1 Insufficient system storage, try again later");
                for (int more = 0; more < 30; more++) {
                    assertThat(client.ask(LONGEST)).startsWith("452 4.3.1");
                }
                return taken;
            }
        }
    }

    private void end(SmtpTalker client, int way) throws IOException {
        switch (way) {
            case 0 -> assertThat(client.ask("RSET")).startsWith("250");
            case 1 -> assertThat(client.ask("EHLO again.example")).startsWith("250");
            case 2 -> client.close();
            case 3 -> {
                client.ask("DATA");
                assertThat(client.ask(".")).startsWith("250");
            }
            case 4 -> {
                messages.disk = "commit";
                client.send("BDAT 3\r\nabcBDAT 0 LAST\r\n");
                client.reply();
                client.reply();
                messages.disk = "fine";
            }
            default -> client.ask("QUIT");
        }
    }

    /// A header that is kept for a check comes out of the same budget.
    @ParameterizedTest
    @ValueSource(ints = {1, 100})
    void aHeaderThatIsReadIsCounted(int lines) throws Exception {
        ListenerServices reading = new Stage(List.of("policy=strict")).services();
        try (SmtpListener listener = Ports.started(Ports.config(), reading.withMemory(new MemoryBudget(0)));
                SmtpTalker client = Ports.greeted(listener)) {
            ListenerTest.beginData(client);
            client.send("From: a@x.example\r\n" + ("X-Filler: " + "x".repeat(70) + "\r\n").repeat(lines));
            assertThat(client.ask("\r\n.")).startsWith(lines == 1
                    ? "250 2.0.0"
                    : "452 4.3.1 Insufficient system storage, try again later");
        }
    }
}
