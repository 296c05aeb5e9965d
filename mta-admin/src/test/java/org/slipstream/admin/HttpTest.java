package org.slipstream.admin;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.admin.fake.FakeHosts;
import org.slipstream.admin.fake.FakeSuspensions;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/// HTTP/1.1 byte for byte, as curl and others write it, and malformed requests that must be
/// refused.
class HttpTest {
    private static final Pattern LENGTH = Pattern.compile("Content-Length: ([0-9]+)\r\n");
    private static final String STATUS = "GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n";

    @TempDir
    Path home;
    private AdminServer server;

    @BeforeEach
    void start() throws IOException {
        server = AdminServer.bind(AdminSocket.in(home));
        server.serve(new FakeOperations(), new FakeHosts(), new FakeSuspensions(), _ -> Optional.empty());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void requestsFollowEachOtherOverOneConnection() throws IOException {
        String told = exchange(STATUS + "\r\n" + STATUS + "User-Agent: curl/8\r\nAccept: */*\r\n\r\n\r\n"
                + STATUS + "Connection: close\r\n\r\n" + STATUS + "\r\n");
        assertThat(told.split("HTTP/1.1 200", -1)).as("the one after close is not answered").hasSize(1 + 3);
        assertThat(told).contains("Content-Type: application/json\r\n", "Connection: keep-alive\r\n",
                "Connection: close\r\n").containsPattern("Date: \\w{3}, \\d+ \\w{3} \\d{4} ");
    }

    @Test
    void anOlderClientAndAProxysClientAreUnderstood() throws IOException {
        assertThat(exchange("GET /api/v1/status HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 200").contains(
                "Connection: close");
        assertThat(exchange("GET http://localhost/api/v1/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 200");
    }

    @Test
    void aBodyIsReadAndDropped() throws IOException {
        String post = "POST /api/v1/queue/flush HTTP/1.1\r\nHost: x\r\nContent-Length: ";
        String told = exchange(post + "5\r\n\r\nHELLO" + STATUS + "Connection: close\r\n\r\n");
        assertThat(told.split("HTTP/1.1 200", -1)).hasSize(1 + 2);
        assertThat(exchange(post + "65537\r\n\r\n")).startsWith("HTTP/1.1 413");
        assertThat(exchange(post + "5\r\nContent-Length: 5\r\n\r\nHELLO")).startsWith("HTTP/1.1 400");
        assertThat(exchange(post + "-1\r\n\r\n")).startsWith("HTTP/1.1 400");
        assertThat(exchange(post + "5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")).startsWith("HTTP/1.1 400");
        assertThat(exchange(post.replace("Content-Length: ", "Transfer-Encoding: chunked") + "\r\n\r\n0\r\n\r\n"))
                .startsWith("HTTP/1.1 501");
    }

    @Test
    void theHeadOfAnAnswerComesWithoutItsBody() throws IOException {
        String told = exchange("HEAD /api/v1/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        assertThat(told).startsWith("HTTP/1.1 405").contains("Allow: GET\r\n").endsWith("\r\n\r\n");
    }

    @Test
    void aMalformedRequestGetsAnErrorInJsonAndEndsTheConnection() throws IOException {
        String[] nonsense = {"\r\n\r\n", "GET\r\n\r\n", "GET /api/v1/status\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n",
                "G(T / HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1 x\r\nHost: x\r\n\r\n",
                "GET /api/v1/status HTTP/1.1\nHost: x\n\n", "GET /\u0000 HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET /api/v1/status HTTP/1.1\r\n\r\n", STATUS + "Host: two\r\n\r\n", STATUS + "No colon\r\n\r\n",
                STATUS + "Blank : x\r\n\r\n", STATUS + "A: b\r\n folded\r\n\r\n", STATUS + "A: b\rc\r\n\r\n",
                STATUS + ": x\r\n\r\n", "GET api HTTP/1.1\r\nHost: x\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", "GET mailto:x HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET /<script> HTTP/1.1\r\nHost: x\r\n\r\n"};
        for (String each : nonsense) {
            assertThat(sentence(exchange(each + STATUS + "\r\n"))).as(each).startsWith("400 ");
        }
        assertThat(sentence(exchange("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))).startsWith("505 ");
        assertThat(sentence(exchange("GET /" + "a".repeat(20_000)))).startsWith("431 ");
        assertThat(sentence(exchange(STATUS + "A: b\r\n".repeat(64) + "\r\n"))).startsWith("431 ");
    }

    /// A random request is answered in JSON or not at all; the server answers the next client in
    /// any case.
    @Test
    void everyAnswerIsJsonForAnyRequest() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String whole = STATUS + "Content-Length: 3\r\nConnection: close\r\n\r\nabc";
        for (int i = 0; i < 500; i++) {
            StringBuilder spoilt = new StringBuilder(whole);
            for (int change = random.nextInt(1, 6); change > 0 && !spoilt.isEmpty(); change--) {
                int at = random.nextInt(spoilt.length());
                switch (random.nextInt(3)) {
                    case 0 -> spoilt.setCharAt(at, (char) random.nextInt(256));
                    case 1 -> spoilt.deleteCharAt(at);
                    default -> spoilt.insert(at, "\r\n: /?%\u0000<".charAt(random.nextInt(9)));
                }
            }
            // The rest of a request that lost bytes may be another request, with its own response.
            String told = exchange(spoilt.toString());
            while (!told.isEmpty()) {
                int end = told.indexOf("\r\n\r\n") + 4 + length(told);
                assertThat(sentence(told.substring(0, end))).as("seed %d: %s", seed, spoilt).doesNotContain("<");
                told = told.substring(end);
            }
        }
        assertThat(exchange(whole)).startsWith("HTTP/1.1 200");
    }

    /// Length of the first response's body, in octets.
    private static int length(String answers) {
        Matcher length = LENGTH.matcher(answers);
        assertThat(length.find()).as(answers).isTrue();
        return Integer.parseInt(length.group(1));
    }

    /// Status and sentence of the only response.
    private static String sentence(String answer) {
        String[] parts = answer.split("\r\n\r\n", 2);
        assertThat(parts[0]).startsWith("HTTP/1.1 ").contains(
                parts[0].startsWith("HTTP/1.1 2")
                        ? "Content-Type: application/json\r\n"
                        : "Content-Type: application/problem+json\r\n");
        return parts[0].substring(9, 13) + JsonMapper.shared().readTree(parts[1]).path("detail").asString("");
    }

    /// Everything that comes back until the server closes; the client closes its side first.
    private String exchange(String request) throws IOException {
        try (SocketChannel channel = AdminSocket.connect(server.socket());
                InputStream in = Channels.newInputStream(channel)) {
            channel.write(StandardCharsets.ISO_8859_1.encode(request));
            channel.shutdownOutput();
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }
}
