package org.slipstream.smtpin;

import org.junit.jupiter.api.Test;
import org.slipstream.smtpin.auth.GuessGuard;
import org.slipstream.smtpin.auth.PasswordThreads;
import org.slipstream.smtpin.auth.UserSecrets;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// Password guessing delays only other logins: hashes are computed on few threads of their own.
class PasswordThreadsTest {
    private static final int WAITING = 3;

    /// A hash that takes until the test lets it end.
    private static final class Slow implements UserSecrets {
        final CountDownLatch end = new CountDownLatch(1);
        final Queue<String> order = new ConcurrentLinkedQueue<>();
        final Queue<Thread> threads = new ConcurrentLinkedQueue<>();

        @Override
        public boolean verify(String user, String password) throws IOException {
            order.add(user);
            threads.add(Thread.currentThread());
            try {
                end.await();
            } catch (InterruptedException stop) {
                throw new IOException(stop);
            }
            return password.equals("right");
        }
    }

    private final Slow users = new Slow();
    private final PasswordThreads passwords = new PasswordThreads(1, WAITING);
    private final CollectedMessages messages = new CollectedMessages();
    private final ListenerServices services = ListenerServices.of(messages).withPasswords(passwords).withCredentials(
            users,
            new GuessGuard(new GuessGuard.GuessSettings(Duration.ZERO, Duration.ZERO, 100, Duration.ofMinutes(1),
                    Duration.ofMinutes(1)), System::nanoTime));
    private final ListenerConfig config = Ports.config().withService(Stage.service("clear"))
            .withTrust(new ListenerConfig.ProxyTrust(_ -> false, _ -> false,
                    address -> address.getHostAddress().equals("127.0.0.2")));

    @Test
    void manyGuessersWaitInAQueueOfTheirOwn() throws Exception {
        try (SmtpListener listener = Ports.started(config, services)) {
            List<SmtpTalker> guessers = new ArrayList<>();
            for (int i = 0; i <= WAITING; i++) {
                guessers.add(login(listener, "127.0.0.1", "guesser" + i, "wrong"));
                int waiting = i;
                await().atMost(Duration.ofSeconds(90))
                        .until(() -> users.threads.size() == 1 && passwords.waiting() == waiting);
            }
            // Only clients of known networks can still queue, and they are served first.
            SmtpTalker late = login(listener, "127.0.0.1", "late", "right");
            assertThat(late.reply()).isEqualTo("454 4.7.0 Temporary authentication failure");
            SmtpTalker user = login(listener, "127.0.0.2", "alice", "right");
            await().atMost(Duration.ofSeconds(90)).until(() -> passwords.waiting() == WAITING + 1);
            try (SmtpTalker honest = Ports.greeted(listener)) {
                honest.ask("EHLO honest.example");
                assertThat(ListenerTest.send(honest, "text\r\n")).startsWith("250");
            }
            users.end.countDown();
            assertThat(user.reply()).startsWith("235");
            for (SmtpTalker guesser : guessers) {
                assertThat(guesser.reply()).startsWith("535");
            }
            assertThat(users.order).containsExactly("guesser0", "alice", "guesser1", "guesser2", "guesser3");
            assertThat(users.threads).allSatisfy(thread -> {
                assertThat(thread.isVirtual()).as("holds a carrier").isFalse();
                assertThat(thread.getName()).startsWith("password-");
            });
            assertThat(late.ask("AUTH PLAIN " + plain("late", "right"))).startsWith("235");
        }
    }

    private static SmtpTalker login(SmtpListener listener, String from, String user, String password)
            throws IOException {
        SmtpTalker client = Ports.client(listener, from);
        client.reply();
        client.ask("EHLO " + user + ".example");
        client.send("AUTH PLAIN " + plain(user, password) + "\r\n");
        return client;
    }

    private static String plain(String user, String password) {
        return Base64.getEncoder().encodeToString(("\0" + user + "\0" + password).getBytes(StandardCharsets.UTF_8));
    }
}
