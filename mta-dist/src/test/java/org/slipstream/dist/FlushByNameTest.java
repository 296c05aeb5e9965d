package org.slipstream.dist;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.admin.ApiClient;
import org.slipstream.dist.config.ConfigReader;
import org.slipstream.dist.config.ReadResult;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/// A flush by name, on a whole server whose two peers close each connection before they greet: it tries what it names, and leaves the
/// other message at its time and the other destination dead.
class FlushByNameTest {
    private static final Pattern REPLY = Pattern.compile("queued as ([0-9a-z]+)");

    @TempDir
    Path home;

    private final Closer one = new Closer();
    private final Closer two = new Closer();
    private Server server;
    private ApiClient operator;

    FlushByNameTest() throws IOException {}

    /// A peer that accepts connections, counts them, and closes them.
    private static final class Closer implements AutoCloseable {
        private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        final AtomicInteger connections = new AtomicInteger();

        Closer() throws IOException {
            Thread.ofVirtual().start(this::accept);
        }

        private void accept() {
            while (!socket.isClosed()) {
                try (Socket _ = socket.accept()) {
                    connections.incrementAndGet();
                } catch (IOException closed) {
                    return;
                }
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @BeforeEach
    void start() throws Exception {
        server = Server.start(((ReadResult.Accepted) ConfigReader.read(home, List.of("hostname=mta.example",
                "listen.smtp=127.0.0.1:0", "listen.submission=off", "local.domains=here.example",
                "queue.minimal-backoff=1h", "queue.maximal-backoff=1h",
                "concurrency.initial-destination-concurrency=1",
                "routes.one.example=smtp:127.0.0.1:" + one.socket.getLocalPort(),
                "routes.two.example=smtp:127.0.0.1:" + two.socket.getLocalPort()))).config());
        operator = ApiClient.connect(server.admin(), Duration.ofSeconds(30));
    }

    @AfterEach
    void stop() throws Exception {
        operator.close();
        server.close();
        one.close();
        two.close();
    }

    @Test
    void ofOneMessageItTriesThatMessageAndLeavesTheOtherDestinationDead() throws Exception {
        String first = deferred("ann@one.example");
        String second = deferred("bob@two.example");
        String nextOfSecond = field(second, "nextAttempt");
        int before = two.connections.get();

        assertThat(operator.ask("POST", "queue/" + first + "/flush").status()).isEqualTo(200);
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> field(first, "attempts").equals("2"));
        String third = deferred("eve@two.example");

        assertThat(field(second, "nextAttempt")).isEqualTo(nextOfSecond);
        assertThat(field(second, "attempts")).isEqualTo("1");
        assertThat(field(third, "attempts")).as("put off without a connection").isEqualTo("0");
        assertThat(two.connections).hasValue(before);
    }

    @Test
    void ofOneDomainItTriesThatDomainAndNoOther() throws Exception {
        String first = deferred("ann@one.example");
        String second = deferred("bob@two.example");
        String nextOfFirst = field(first, "nextAttempt");
        int before = one.connections.get();

        assertThat(operator.ask("POST", "queue/flush?domain=two.example").status()).isEqualTo(200);
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> field(second, "attempts").equals("2"));
        String third = deferred("eve@one.example");

        assertThat(field(first, "nextAttempt")).isEqualTo(nextOfFirst);
        assertThat(field(third, "attempts")).as("put off without a connection").isEqualTo("0");
        assertThat(one.connections).hasValue(before);
    }

    /// @return the queue id of a message that has been deferred
    private String deferred(String recipient) throws IOException {
        String id = send(recipient);
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> field(id, "state").equals("deferred")
                && !field(id, "code").equals("due"));
        return id;
    }

    private String field(String id, String name) throws IOException {
        Matcher value = Pattern.compile("\"" + name + "\":\"?([^\",}]*)")
                .matcher(operator.ask("GET", "queue/" + id).body());
        return value.find() ? value.group(1) : "";
    }

    private String send(String recipient) throws IOException {
        InetSocketAddress smtp = server.smtp().orElseThrow();
        try (Socket socket = new Socket(smtp.getAddress(), smtp.getPort());
                BufferedReader in = new BufferedReader(
                        new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
            in.readLine();
            for (String line : List.of("HELO client.example", "MAIL FROM:<a@here.example>",
                    "RCPT TO:<" + recipient + ">", "DATA")) {
                say(socket, in, line);
            }
            Matcher queued = REPLY.matcher(say(socket, in, "Subject: x\r\n\r\nx\r\n."));
            assertThat(queued.find()).isTrue();
            return queued.group(1);
        }
    }

    private static String say(Socket socket, BufferedReader in, String line) throws IOException {
        socket.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
        String reply = in.readLine();
        assertThat(reply).as(line).matches("[23].*");
        return reply;
    }
}
