package org.slipstream.smtpin;

import org.junit.jupiter.api.Test;
import org.slipstream.smtpin.auth.GuessGuard;
import org.slipstream.smtpin.auth.LoginClient;
import org.slipstream.smtpin.auth.LoginService;
import org.slipstream.smtpin.auth.Mechanism;
import org.slipstream.smtpin.auth.PasswordThreads;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// Logins that another program decides: it may be slow, absent, or asked for nothing any more.
class LoginServiceTest {
    private static final int CLIENTS = 20;

    private final CountDownLatch slow = new CountDownLatch(1);
    private final Queue<String> cancelled = new ConcurrentLinkedQueue<>();
    private final Queue<LoginClient> begun = new ConcurrentLinkedQueue<>();
    private final PasswordThreads passwords = new PasswordThreads(1, 1);

    /// The response decides: `slow` waits, `lost` fails, and everything else is a user's name.
    private final class Elsewhere implements LoginService {
        @Override
        public List<String> names(boolean inTls) {
            return List.of("ELSEWHERE", "LOST");
        }

        @Override
        public Optional<Mechanism> begin(String mechanism, LoginClient client) throws IOException {
            begun.add(client);
            if (mechanism.equals("LOST")) {
                throw new IOException("the program is gone");
            }
            return Optional.of(mechanism).filter("ELSEWHERE"::equals).map(_ -> new Exchange());
        }
    }

    private final class Exchange implements Mechanism {
        @Override
        public boolean computes() {
            return false;
        }

        @Override
        public byte[] opening() throws IOException {
            return "who?".getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public Turn respond(byte[] response) throws IOException {
            var text = new String(response, StandardCharsets.UTF_8);
            switch (text) {
                case "slow" -> {
                    try {
                        slow.await();
                    } catch (InterruptedException stop) {
                        throw new IOException(stop);
                    }
                }
                case "lost" -> throw new IOException("the program is gone");
                case "more" -> {
                    return new Turn.Challenge("more?".getBytes(StandardCharsets.UTF_8));
                }
                default -> {
                    // A name.
                }
            }
            return text.equals("wrong") ? new Turn.Failed(text, "wrong") : new Turn.Proven(text);
        }

        @Override
        public void cancel() {
            cancelled.add("cancelled");
        }
    }

    private SmtpListener listener() throws IOException {
        var services = ListenerServices.of(new CollectedMessages()).withPasswords(passwords).withLogins(new Elsewhere(),
                new GuessGuard(new GuessGuard.GuessSettings(Duration.ZERO, Duration.ZERO, 100, Duration.ofMinutes(1),
                        Duration.ofMinutes(1)), System::nanoTime));
        return Ports.started(Ports.config().withService(Stage.service("clear")), services);
    }

    private static SmtpTalker client(SmtpListener listener) throws IOException {
        SmtpTalker client = Ports.client(listener, "127.0.0.1");
        client.reply();
        assertThat(client.ask("EHLO client.example")).contains("AUTH ELSEWHERE");
        return client;
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aSlowProgramHoldsUpOnlyTheClientsThatAskIt() throws IOException {
        try (SmtpListener listener = listener()) {
            List<SmtpTalker> waiting = new ArrayList<>();
            for (int number = 0; number < CLIENTS; number++) {
                SmtpTalker client = client(listener);
                client.send("AUTH ELSEWHERE " + base64("slow") + "\r\n");
                waiting.add(client);
            }
            await().until(() -> begun.size() == CLIENTS);
            try (SmtpTalker other = client(listener)) {
                assertThat(other.ask("AUTH ELSEWHERE " + base64("alice"))).startsWith("235");
            }
            assertThat(passwords.waiting()).isZero();
            slow.countDown();
            for (SmtpTalker client : waiting) {
                assertThat(client.reply()).startsWith("235");
                client.close();
            }
            assertThat(begun).allSatisfy(client -> {
                assertThat(client.address()).isEqualTo("127.0.0.1");
                assertThat(client.local()).contains("127.0.0.1");
            });
        }
    }

    @Test
    void troubleIsTemporaryAndAnAbandonedExchangeIsCancelled() throws IOException {
        try (SmtpListener listener = listener(); SmtpTalker client = client(listener)) {
            assertThat(client.ask("AUTH LOST")).startsWith("454 4.7.0");
            assertThat(client.ask("AUTH OTHER")).startsWith("504 5.5.4");
            assertThat(client.ask("AUTH ELSEWHERE")).isEqualTo("334 " + base64("who?"));
            assertThat(client.ask(base64("lost"))).startsWith("454 4.7.0");
            assertThat(client.ask("AUTH ELSEWHERE")).startsWith("334");
            assertThat(client.ask("*")).startsWith("501 5.7.0");
            assertThat(client.ask("AUTH ELSEWHERE")).startsWith("334");
            assertThat(client.ask("no base64!")).startsWith("501 5.5.2");
            assertThat(cancelled).hasSize(3);
            assertThat(client.ask("AUTH ELSEWHERE " + base64("wrong"))).startsWith("535 5.7.8");
            assertThat(cancelled).as("it has ended").hasSize(3);
            String reply = client.ask("AUTH ELSEWHERE " + base64("more"));
            for (int round = 0; reply.startsWith("334"); round++) {
                assertThat(round).as("an endless exchange").isLessThan(20);
                reply = client.ask(base64("more"));
            }
            assertThat(reply).startsWith("501 5.5.4");
            assertThat(client.ask("AUTH ELSEWHERE " + base64("alice"))).startsWith("235");
        }
    }
}
