package org.slipstream.smtpin;

import org.junit.jupiter.api.Test;
import org.slipstream.smtpin.protocol.ServicePolicy;
import org.slipstream.testkit.SimulatedClock;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

class ListenerTest {
    private final CollectedMessages messages = new CollectedMessages();

    @Test
    void theTraceLineIsOnTop() throws Exception {
        try (SmtpListener listener = Ports.started(Ports.config(), messages);
                SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            String reply = send(client, "Subject: x\r\n\r\nbody\r\n");
            CollectedMessages.Accepted mail = messages.accepted.poll(90, TimeUnit.SECONDS);
            assertThat(mail).isNotNull();
            String id = reply.replace("250 2.0.0 Ok: queued as ", "");
            assertThat(mail.content()).isEqualTo("Received: from client.example ([127.0.0.1])\r\n"
                    + "\tby mx.test (Slipstream) with ESMTP id " + id + "\r\n\tfor <b@y.example>;\r\n"
                    + "\tSat, 21 Nov 2026 12:00:00 +0000\r\nSubject: x\r\n\r\nbody\r\n");
            assertThat(mail.client().service()).isEqualTo("smtp");
            assertThat(mail.client().helo()).contains("client.example");
        }
    }

    @Test
    void theAnswerWaitsForTheDisk() throws Exception {
        CountDownLatch disk = new CountDownLatch(1);
        CountDownLatch committing = new CountDownLatch(1);
        messages.beforeCommit = () -> {
            committing.countDown();
            disk.await();
        };
        try (SmtpListener listener = Ports.started(Ports.config(), messages);
                SmtpTalker client = Ports.greeted(listener)) {
            beginData(client);
            client.send("text\r\n.\r\nNOOP\r\n");
            committing.await();
            assertThat(client.socket().getInputStream().available()).isZero();
            disk.countDown();
            assertThat(client.reply()).startsWith("250 2.0.0 Ok: queued as ");
            assertThat(client.reply()).startsWith("250 2.0.0 Ok");
        }
    }

    @Test
    void aPeerThatTalksBeforeTheGreetingIsNoMailServer() throws Exception {
        // The client must win this race: it sends before the server looks, so the test repeats
        // until it does.
        try (SmtpListener listener = Ports.started(Ports.config(), messages)) {
            await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> {
                try (SmtpTalker client = Ports.client(listener)) {
                    client.send("EHLO early.example\r\nMAIL FROM:<a@x.example>\r\n");
                    assertThat(client.reply()).startsWith("554 5.5.0");
                    assertThat(client.isClosedInOrder()).isTrue();
                }
            });
        }
    }

    @Test
    void aGreetingThatComesLateShowsWhoIsInAHurry() throws Exception {
        ListenerConfig config = Ports.config().withService(ServicePolicy.mx().withTurns(true, 10_000));
        try (SmtpListener listener = Ports.started(config, messages); SmtpTalker client = Ports.client(listener)) {
            client.send("EHLO early.example\r\n");
            assertThat(client.reply()).startsWith("554 5.5.0 mx.test ");
            assertThat(client.isClosedInOrder()).isTrue();
        }
        try (SmtpListener listener = Ports.started(Ports.with(config, "greetingDelayMillis", 50), messages);
                SmtpTalker slow = Ports.greeted(listener)) {
            assertThat(slow.ask("EHLO client.example")).startsWith("250");
        }
    }

    /// Connections are counted by the address that the proxy forwards.
    @Test
    void behindAProxyEachClientHasItsPlaces() throws Exception {
        ListenerConfig config = Ports.with(Ports.config(), "connectionsPerClient", 1)
                .withTrust(new ListenerConfig.ProxyTrust(InetAddress::isLoopbackAddress, _ -> false, _ -> false));
        try (SmtpListener listener = Ports.started(config, messages);
                SmtpTalker one = proxied(listener, "192.0.2.1");
                SmtpTalker two = proxied(listener, "192.0.2.2")) {
            assertThat(one.reply()).startsWith("220 ");
            assertThat(two.reply()).startsWith("220 ");
            // Only now: the connection whose header is read first would take the slot.
            try (SmtpTalker oneAgain = proxied(listener, "192.0.2.1")) {
                assertThat(oneAgain.reply()).startsWith("421 4.7.0").contains("your address");
            }
            send(one, "text\r\n", "EHLO client.example");
            assertThat(messages.accepted.take().content()).contains("([192.0.2.1])");
        }
    }

    private static SmtpTalker proxied(SmtpListener listener, String address) throws IOException {
        SmtpTalker client = Ports.client(listener);
        client.send("PROXY TCP4 " + address + " 198.51.100.1 50000 25\r\n");
        return client;
    }

    private static void send(SmtpTalker client, String content, String greeting) throws IOException {
        client.ask(greeting);
        assertThat(send(client, content)).startsWith("250");
    }

    @Test
    void placesAreLimitedAndGivenBack() throws Exception {
        ListenerConfig config = Ports.with(Ports.config(), "connections", 2);
        try (SmtpListener listener = Ports.started(config, messages); SmtpTalker one = Ports.greeted(listener)) {
            try (SmtpTalker two = Ports.greeted(listener); SmtpTalker three = Ports.client(listener)) {
                assertThat(three.reply()).startsWith("421 4.7.0");
                assertThat(three.isClosedInOrder()).isTrue();
                assertThat(two.ask("NOOP")).startsWith("250");
            }
            await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> Ports.greeted(listener).close());
            assertThat(one.ask("NOOP")).startsWith("250");
        }
    }

    @Test
    void oneAddressHasOnlySoManyPlaces() throws Exception {
        ListenerConfig config = Ports.with(Ports.config(), "connectionsPerClient", 1);
        try (SmtpListener listener = Ports.started(config, messages);
                SmtpTalker one = Ports.greeted(listener);
                SmtpTalker two = Ports.client(listener)) {
            assertThat(two.reply()).startsWith("421 4.7.0").contains("your address");
            assertThat(one.ask("QUIT")).startsWith("221");
            await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> Ports.greeted(listener).close());
        }
    }

    /// A refused client is slow to leave. Its slot is free at once.
    @Test
    void refusedClientsTakeNoConnectionOfOthers() throws Exception {
        ListenerConfig config = Ports.with(Ports.with(Ports.config(), "connections", 10), "connectionsPerClient", 1);
        Tuning slow = Ports.tuning(System::nanoTime, Duration.ofSeconds(60), Duration.ofSeconds(20));
        List<SmtpTalker> refused = new ArrayList<>();
        try (SmtpListener listener = new SmtpListener(config, ListenerServices.of(messages), slow)) {
            listener.start();
            try (SmtpTalker first = Ports.greeted(listener)) {
                for (int i = 0; i < 30; i++) {
                    SmtpTalker next = Ports.client(listener);
                    refused.add(next);
                    assertThat(next.reply()).startsWith("421 4.7.0").contains("your address");
                }
                for (int i = 2; i < 9; i++) {
                    try (SmtpTalker other = Ports.client(listener, "127.0.0." + i)) {
                        assertThat(other.reply()).startsWith("220 ");
                    }
                }
                assertThat(first.ask("NOOP")).startsWith("250");
            } finally {
                for (SmtpTalker client : refused) {
                    client.close();
                }
            }
        }
    }

    /// While nine of ten places are taken, waits under way get a tenth of the time, not only new
    /// ones.
    @Test
    void aFullListenerDisconnectsAllSilentClients() throws Exception {
        SimulatedClock clock = new SimulatedClock();
        Set<Thread> sessions = ConcurrentHashMap.newKeySet();
        LongSupplier watched = () -> {
            if (Thread.currentThread().isVirtual()) {
                sessions.add(Thread.currentThread());
            }
            return clock.nanos();
        };
        ListenerConfig config = Ports.with(Ports.config(), "connections", 20);
        List<SmtpTalker> silent = new ArrayList<>();
        try (SmtpListener listener = new SmtpListener(config, ListenerServices.of(messages),
                Ports.tuning(watched, Duration.ofSeconds(60), Duration.ofMillis(100)))) {
            listener.start();
            for (int i = 0; i < 18; i++) {
                silent.add(Ports.greeted(listener));
            }
            // The clock jumps once, when all sessions wait. A wait that begins after the jump has a
            // time limit of its own, and a jump during a write ends the time limit of that write.
            await().atMost(Duration.ofSeconds(90))
                    .until(() -> sessions.size() == 18 && sessions.stream().allMatch(ListenerTest::isReading));
            clock.advance(Duration.ofSeconds(31));
            for (SmtpTalker client : silent) {
                assertThat(client.reply()).isEqualTo("421 4.4.2 mx.test Timeout exceeded");
            }
        } finally {
            for (SmtpTalker client : silent) {
                client.close();
            }
        }
    }

    private static boolean isReading(Thread session) {
        return Arrays.stream(session.getStackTrace()).anyMatch(
                frame -> frame.getClassName().equals(SocketLink.class.getName())
                        && frame.getMethodName().equals("read"));
    }

    @Test
    void aClientThatDisappearsInDataLeavesNothing() throws Exception {
        try (SmtpListener listener = Ports.started(Ports.config(), messages)) {
            try (SmtpTalker client = Ports.greeted(listener)) {
                beginData(client);
                client.send("Subject: half\r\n\r\nhalf a mess");
                await().atMost(Duration.ofSeconds(90)).until(() -> messages.openDrafts.get() == 1);
            }
            await().atMost(Duration.ofSeconds(90)).until(() -> messages.openDrafts.get() == 0);
            assertThat(messages.drafts).hasValue(1);
            assertThat(messages.accepted).isEmpty();
        }
    }

    @Test
    void aClientThatIsResetInDataLeavesNothing() throws Exception {
        try (SmtpListener listener = Ports.started(Ports.config(), messages)) {
            try (SmtpTalker client = Ports.greeted(listener)) {
                beginData(client);
                client.send("text\r\n.");
                client.socket().setSoLinger(true, 0);
            }
            await().atMost(Duration.ofSeconds(90))
                    .until(() -> messages.drafts.get() == 1 && messages.openDrafts.get() == 0);
            assertThat(messages.accepted).isEmpty();
        }
    }

    @Test
    void aClientThatStallsInDataIsLeft() throws Exception {
        try (SmtpListener listener = Ports.started(Ports.config(), messages, Duration.ofSeconds(1));
                SmtpTalker client = Ports.greeted(listener)) {
            beginData(client);
            client.send("text\r\n");
            assertThat(client.reply()).startsWith("421 4.4.2");
            assertThat(client.isClosedInOrder()).isTrue();
            await().atMost(Duration.ofSeconds(90)).until(() -> messages.openDrafts.get() == 0);
            assertThat(messages.accepted).isEmpty();
        }
    }

    @Test
    void aClientThatTricklesDataIsLeft() throws Exception {
        ListenerConfig config = Ports.with(Ports.config(), "dataRate", 1_000_000_000);
        try (SmtpListener listener = Ports.started(config, messages, Duration.ofMillis(100));
                SmtpTalker client = Ports.greeted(listener)) {
            beginData(client);
            trickle(client);
            assertThat(client.reply()).startsWith("421 4.4.2");
            await().atMost(Duration.ofSeconds(90)).until(() -> messages.openDrafts.get() == 0);
        }
    }

    @Test
    void aClientThatTricklesACommandIsLeft() throws Exception {
        ListenerConfig config = Ports.with(Ports.config(), "idle", 100);
        try (SmtpListener listener = Ports.started(config, messages); SmtpTalker client = Ports.greeted(listener)) {
            trickle(client);
            assertThat(client.reply()).startsWith("421 4.4.2");
        }
    }

    /// Until the server replies. It closes soon after that, perhaps before the client has looked; the
    /// reply can be read all the same.
    private static void trickle(SmtpTalker client) throws IOException {
        byte[] octet = {'x'};
        while (client.socket().getInputStream().available() == 0 && client.trySend(octet)) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aClientThatReadsNoRepliesIsCut() throws Exception {
        ListenerConfig config = Ports.with(Ports.with(Ports.config(), "idle", 200), "junkCommands",
                Integer.MAX_VALUE);
        try (SmtpListener listener = Ports.started(config, messages); SmtpTalker client = Ports.greeted(listener)) {
            byte[] burst = "NOOP\r\n".repeat(10_000).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            assertThatThrownBy(() -> {
                while (true) {
                    client.send(burst);
                }
            }).isInstanceOf(UncheckedIOException.class);
        }
    }

    @Test
    void aFaultWhileAcceptingDoesNotCloseThePort() throws Exception {
        AtomicBoolean faulty = new AtomicBoolean(true);
        Supplier<AcceptedSocket> sockets = () -> {
            if (faulty.getAndSet(false)) {
                throw new IllegalStateException("no socket for the first client");
            }
            return AcceptedSocket.unconnected();
        };
        try (SmtpListener listener = new SmtpListener(Ports.config(), ListenerServices.of(messages),
                Ports.tuning(Duration.ofSeconds(60)), sockets)) {
            listener.start();
            try (SmtpTalker client = Ports.greeted(listener)) {
                assertThat(client.ask("NOOP")).startsWith("250");
            }
        }
        assertThat(faulty).isFalse();
        // Other tests of this process log failures of other sockets.
        assertThat(LogTest.lines("event=accept-failed").stream()
                .filter(line -> line.contains(" listener=smtp error=\"no socket for the first client\" "))).hasSize(1);
    }

    @Test
    void aTakenPortIsNamed() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var listener = new SmtpListener(ListenerConfig.of(ServicePolicy.mx(),
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), taken.getLocalPort()), "mx.test"),
                    messages);
            assertThatThrownBy(listener::start).isInstanceOf(IOException.class).hasMessageMatching(
                    "cannot listen on (localhost|127\\.0\\.0\\.1):" + taken.getLocalPort() + " \\(smtp\\): .+");
            listener.close();
        }
    }

    @Test
    void anUnknownHostIsNamed() {
        var listener = new SmtpListener(
                ListenerConfig.of(ServicePolicy.mx(), InetSocketAddress.createUnresolved("no.such.host.invalid", 25),
                        "mx.test"),
                messages);
        assertThatThrownBy(listener::start).isInstanceOf(IOException.class)
                .hasMessage("cannot listen on no.such.host.invalid:25 (smtp): unknown host");
    }

    @Test
    void aPortIsFreeAgainAfterStop() throws Exception {
        SmtpListener first = Ports.started(Ports.config(), messages);
        first.close();
        var again = new InetSocketAddress(InetAddress.getLoopbackAddress(), first.port());
        try (SmtpListener second = Ports.started(ListenerConfig.of(ServicePolicy.mx(), again, "mx.test"), messages)) {
            Ports.greeted(second).close();
        }
    }

    static void beginData(SmtpTalker client) throws IOException {
        assertThat(client.ask("HELO client.example")).startsWith("250");
        assertThat(client.ask("MAIL FROM:<a@x.example>")).startsWith("250");
        assertThat(client.ask("RCPT TO:<b@y.example>")).startsWith("250");
        assertThat(client.ask("DATA")).startsWith("354");
    }

    /// Sends one message in an open session and returns the reply to it.
    static String send(SmtpTalker client, String content) throws IOException {
        assertThat(client.ask("MAIL FROM:<a@x.example>")).startsWith("250");
        assertThat(client.ask("RCPT TO:<b@y.example>")).startsWith("250");
        assertThat(client.ask("DATA")).startsWith("354");
        client.send(content);
        return client.ask(".");
    }
}
