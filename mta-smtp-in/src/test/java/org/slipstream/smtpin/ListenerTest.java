package org.slipstream.smtpin;

import org.junit.jupiter.api.Test;
import org.slipstream.smtpin.protocol.ServicePolicy;

import java.io.IOException;
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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

class ListenerTest {
    private final CollectedMessages house = new CollectedMessages();

    @Test
    void theTraceLineIsOnTop() throws Exception {
        try (SmtpListener listener = Ports.started(Ports.config(), house); Raw client = Raw.greetedBy(listener)) {
            client.ask("EHLO client.example");
            String reply = send(client, "Subject: x\r\n\r\nbody\r\n");
            CollectedMessages.Accepted mail = house.accepted.poll(90, TimeUnit.SECONDS);
            assertThat(mail).isNotNull();
            String id = reply.replace("250 2.0.0 queued as ", "");
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
        house.beforeCommit = () -> {
            committing.countDown();
            disk.await();
        };
        try (SmtpListener listener = Ports.started(Ports.config(), house); Raw client = Raw.greetedBy(listener)) {
            beginData(client);
            client.send("text\r\n.\r\nNOOP\r\n");
            committing.await();
            assertThat(client.socket.getInputStream().available()).isZero();
            disk.countDown();
            assertThat(client.reply()).startsWith("250 2.0.0 queued as ");
            assertThat(client.reply()).startsWith("250 2.0.0 Ok");
        }
    }

    @Test
    void whoTalksBeforeTheGreetingIsNoMailServer() throws Exception {
        // The race is the client's to win: it sends before the server looks, so try until it does.
        try (SmtpListener listener = Ports.started(Ports.config(), house)) {
            await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> {
                try (Raw client = Raw.to(listener)) {
                    client.send("EHLO early.example\r\nMAIL FROM:<a@x.example>\r\n");
                    assertThat(client.reply()).startsWith("554 5.5.0");
                    assertThat(client.isClosedByServer()).isTrue();
                }
            });
        }
    }

    @Test
    void aGreetingThatComesLateShowsWhoIsInAHurry() throws Exception {
        ListenerConfig config = Ports.config().withService(ServicePolicy.mx().withTurns(true, 10_000));
        try (SmtpListener listener = Ports.started(config, house); Raw client = Raw.to(listener)) {
            client.send("EHLO early.example\r\n");
            assertThat(client.reply()).startsWith("554 5.5.0 mx.test ");
            assertThat(client.isClosedByServer()).isTrue();
        }
        try (SmtpListener listener = Ports.started(Ports.with(config, "greetingDelayMillis", 50), house);
                Raw patient = Raw.greetedBy(listener)) {
            assertThat(patient.ask("EHLO client.example")).startsWith("250");
        }
    }

    /// Places are counted by whom the proxy speaks for.
    @Test
    void behindAProxyEachClientHasItsPlaces() throws Exception {
        ListenerConfig config = Ports.with(Ports.config(), "connectionsPerClient", 1)
                .withTrust(new ListenerConfig.Trust(InetAddress::isLoopbackAddress, _ -> false, _ -> false));
        try (SmtpListener listener = Ports.started(config, house);
                Raw one = proxied(listener, "192.0.2.1");
                Raw two = proxied(listener, "192.0.2.2")) {
            assertThat(one.reply()).startsWith("220 ");
            assertThat(two.reply()).startsWith("220 ");
            // Only now: whose header is read first would have the place.
            try (Raw oneAgain = proxied(listener, "192.0.2.1")) {
                assertThat(oneAgain.reply()).startsWith("421 4.7.0").contains("your address");
            }
            send(one, "text\r\n", "EHLO client.example");
            assertThat(house.accepted.take().content()).contains("([192.0.2.1])");
        }
    }

    private static Raw proxied(SmtpListener listener, String address) throws IOException {
        Raw client = Raw.to(listener);
        client.send("PROXY TCP4 " + address + " 198.51.100.1 50000 25\r\n");
        return client;
    }

    private static void send(Raw client, String content, String greeting) throws IOException {
        client.ask(greeting);
        assertThat(send(client, content)).startsWith("250");
    }

    @Test
    void placesAreLimitedAndGivenBack() throws Exception {
        ListenerConfig config = Ports.with(Ports.config(), "connections", 2);
        try (SmtpListener listener = Ports.started(config, house); Raw one = Raw.greetedBy(listener)) {
            try (Raw two = Raw.greetedBy(listener); Raw three = Raw.to(listener)) {
                assertThat(three.reply()).startsWith("421 4.7.0");
                assertThat(three.isClosedByServer()).isTrue();
                assertThat(two.ask("NOOP")).startsWith("250");
            }
            await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> Raw.greetedBy(listener).close());
            assertThat(one.ask("NOOP")).startsWith("250");
        }
    }

    @Test
    void oneAddressHasOnlySoManyPlaces() throws Exception {
        ListenerConfig config = Ports.with(Ports.config(), "connectionsPerClient", 1);
        try (SmtpListener listener = Ports.started(config, house);
                Raw one = Raw.greetedBy(listener);
                Raw two = Raw.to(listener)) {
            assertThat(two.reply()).startsWith("421 4.7.0").contains("your address");
            assertThat(one.ask("QUIT")).startsWith("221");
            await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> Raw.greetedBy(listener).close());
        }
    }

    /// A refused client takes its time to leave. Its place is free at once.
    @Test
    void refusedClientsTakeNobodysPlace() throws Exception {
        ListenerConfig config = Ports.with(Ports.with(Ports.config(), "connections", 10), "connectionsPerClient", 1);
        Tuning patient = Ports.tuning(System::nanoTime, Duration.ofSeconds(60), Duration.ofSeconds(20));
        List<Raw> refused = new ArrayList<>();
        try (SmtpListener listener = new SmtpListener(config, ListenerServices.of(house), patient)) {
            listener.start();
            try (Raw first = Raw.greetedBy(listener)) {
                for (int i = 0; i < 30; i++) {
                    Raw next = Raw.to(listener);
                    refused.add(next);
                    assertThat(next.reply()).startsWith("421 4.7.0").contains("your address");
                }
                for (int i = 2; i < 9; i++) {
                    try (Raw other = Raw.to(listener, "127.0.0." + i)) {
                        assertThat(other.reply()).startsWith("220 ");
                    }
                }
                assertThat(first.ask("NOOP")).startsWith("250");
            } finally {
                for (Raw client : refused) {
                    client.close();
                }
            }
        }
    }

    /// Every client that waits while nine of ten places are taken has a tenth of the time, not only a client that begins to wait then.
    @Test
    void aFullHouseSendsAllSilentClientsAway() throws Exception {
        AtomicLong now = new AtomicLong();
        Set<Thread> sessions = ConcurrentHashMap.newKeySet();
        LongSupplier clock = () -> {
            if (Thread.currentThread().isVirtual()) {
                sessions.add(Thread.currentThread());
            }
            return now.get();
        };
        ListenerConfig config = Ports.with(Ports.config(), "connections", 20);
        List<Raw> silent = new ArrayList<>();
        try (SmtpListener listener = new SmtpListener(config, ListenerServices.of(house),
                Ports.tuning(clock, Duration.ofSeconds(60), Duration.ofMillis(100)))) {
            listener.start();
            for (int i = 0; i < 18; i++) {
                silent.add(Raw.greetedBy(listener));
            }
            // The clock jumps once, when all of them wait: a wait that begins after the jump has a time limit of its own, and a jump while
            // a reply is written ends the time limit of that reply.
            await().atMost(Duration.ofSeconds(90))
                    .until(() -> sessions.size() == 18 && sessions.stream().allMatch(ListenerTest::waitsForItsClient));
            now.addAndGet(TimeUnit.SECONDS.toNanos(31));
            for (Raw client : silent) {
                assertThat(client.reply()).isEqualTo("421 4.4.2 mx.test Timeout exceeded");
            }
        } finally {
            for (Raw client : silent) {
                client.close();
            }
        }
    }

    private static boolean waitsForItsClient(Thread session) {
        return Arrays.stream(session.getStackTrace()).anyMatch(
                frame -> frame.getClassName().equals(SocketLink.class.getName()) && frame.getMethodName().equals("read"));
    }

    @Test
    void aClientThatDisappearsInDataLeavesNothing() throws Exception {
        try (SmtpListener listener = Ports.started(Ports.config(), house)) {
            try (Raw client = Raw.greetedBy(listener)) {
                beginData(client);
                client.send("Subject: half\r\n\r\nhalf a mess");
                await().atMost(Duration.ofSeconds(90)).until(() -> house.openDrafts.get() == 1);
            }
            await().atMost(Duration.ofSeconds(90)).until(() -> house.openDrafts.get() == 0);
            assertThat(house.drafts).hasValue(1);
            assertThat(house.accepted).isEmpty();
        }
    }

    @Test
    void aClientThatIsResetInDataLeavesNothing() throws Exception {
        try (SmtpListener listener = Ports.started(Ports.config(), house)) {
            try (Raw client = Raw.greetedBy(listener)) {
                beginData(client);
                client.send("text\r\n.");
                client.socket.setSoLinger(true, 0);
            }
            await().atMost(Duration.ofSeconds(90)).until(() -> house.drafts.get() == 1 && house.openDrafts.get() == 0);
            assertThat(house.accepted).isEmpty();
        }
    }

    @Test
    void aClientThatStallsInDataIsLeft() throws Exception {
        try (SmtpListener listener = Ports.started(Ports.config(), house, Duration.ofMillis(100));
                Raw client = Raw.greetedBy(listener)) {
            beginData(client);
            client.send("text\r\n");
            assertThat(client.reply()).startsWith("421 4.4.2");
            assertThat(client.isClosedByServer()).isTrue();
            await().atMost(Duration.ofSeconds(90)).until(() -> house.openDrafts.get() == 0);
            assertThat(house.accepted).isEmpty();
        }
    }

    @Test
    void aClientThatTricklesDataIsLeft() throws Exception {
        ListenerConfig config = Ports.with(Ports.config(), "dataMinimumBytesPerSecond", 1_000_000_000);
        try (SmtpListener listener = Ports.started(config, house, Duration.ofMillis(100));
                Raw client = Raw.greetedBy(listener)) {
            beginData(client);
            while (client.socket.getInputStream().available() == 0) {
                client.send("x");
            }
            assertThat(client.reply()).startsWith("421 4.4.2");
            await().atMost(Duration.ofSeconds(90)).until(() -> house.openDrafts.get() == 0);
        }
    }

    @Test
    void aClientThatTricklesACommandIsLeft() throws Exception {
        ListenerConfig config = Ports.with(Ports.config(), "idleMillis", 100);
        try (SmtpListener listener = Ports.started(config, house); Raw client = Raw.greetedBy(listener)) {
            while (client.socket.getInputStream().available() == 0) {
                client.send("x");
                Thread.onSpinWait();
            }
            assertThat(client.reply()).startsWith("421 4.4.2");
        }
    }

    @Test
    void aClientThatReadsNoRepliesIsCut() throws Exception {
        ListenerConfig config = Ports.with(Ports.with(Ports.config(), "idleMillis", 200), "junkCommands",
                Integer.MAX_VALUE);
        try (SmtpListener listener = Ports.started(config, house); Raw client = Raw.greetedBy(listener)) {
            byte[] burst = "NOOP\r\n".repeat(10_000).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            assertThatThrownBy(() -> {
                while (true) {
                    client.send(burst);
                }
            }).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aTakenPortIsNamed() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var listener = new SmtpListener(ListenerConfig.of(ServicePolicy.mx(),
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), taken.getLocalPort()), "mx.test"), house);
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
                house);
        assertThatThrownBy(listener::start).isInstanceOf(IOException.class)
                .hasMessage("cannot listen on no.such.host.invalid:25 (smtp): unknown host");
    }

    @Test
    void aPortIsFreeAgainAfterStop() throws Exception {
        SmtpListener first = Ports.started(Ports.config(), house);
        first.close();
        var again = new InetSocketAddress(InetAddress.getLoopbackAddress(), first.port());
        try (SmtpListener second = Ports.started(ListenerConfig.of(ServicePolicy.mx(), again, "mx.test"), house)) {
            Raw.greetedBy(second).close();
        }
    }

    static void beginData(Raw client) throws IOException {
        assertThat(client.ask("HELO client.example")).startsWith("250");
        assertThat(client.ask("MAIL FROM:<a@x.example>")).startsWith("250");
        assertThat(client.ask("RCPT TO:<b@y.example>")).startsWith("250");
        assertThat(client.ask("DATA")).startsWith("354");
    }

    /// Sends one message in an open session and returns the reply to it.
    static String send(Raw client, String content) throws IOException {
        assertThat(client.ask("MAIL FROM:<a@x.example>")).startsWith("250");
        assertThat(client.ask("RCPT TO:<b@y.example>")).startsWith("250");
        assertThat(client.ask("DATA")).startsWith("354");
        client.send(content);
        return client.ask(".");
    }
}
