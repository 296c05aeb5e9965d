package org.slipstream.http;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;

import static org.assertj.core.api.Assertions.assertThat;

class HttpListenerTest {
    private static final int MOST = 100_000;
    private final CountDownLatch stalled = new CountDownLatch(1);
    private HttpListener listener;

    /// Answers with the length and the first octets of the body.
    private record Echo(Duration mostTime) implements HttpPage {
        @Override
        public HttpAnswer answer(HttpRequest request) throws IOException {
            String body = new String(request.body().readAllBytes(), StandardCharsets.UTF_8);
            return HttpAnswer.text(200, request.method() + " " + body.length() + " "
                    + body.substring(0, Math.min(10, body.length())));
        }

        @Override
        public long mostOctets() {
            return MOST;
        }
    }

    private record Answering(Writing writing) implements HttpPage {
        @Override
        public HttpAnswer answer(HttpRequest request) throws IOException {
            return writing.answer(request);
        }

        @Override
        public long mostOctets() {
            return MOST;
        }

        @Override
        public Duration mostTime() {
            return Duration.ofSeconds(20);
        }
    }

    @FunctionalInterface
    private interface Writing {
        HttpAnswer answer(HttpRequest request) throws IOException;
    }

    @BeforeEach
    void open() throws IOException {
        open(new HttpConnection.Patience(Duration.ofSeconds(20), Duration.ofSeconds(20), Duration.ofSeconds(20)),
                Duration.ofSeconds(20));
    }

    private void open(HttpConnection.Patience patience, Duration most) throws IOException {
        open(patience, most, _ -> false);
    }

    private void open(HttpConnection.Patience patience, Duration most, Predicate<InetAddress> limited)
            throws IOException {
        listener = HttpListener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), Optional::empty,
                patience,
                limited);
        listener.serve(Map.of("/echo", new Echo(most),
                "/unread", new Answering(_ -> HttpAnswer.text(403, "not you")),
                "/broken", new Answering(_ -> {
                    throw new IllegalStateException("a fault");
                }),
                "/stall", new Answering(_ -> {
                    try {
                        stalled.await();
                    } catch (InterruptedException interrupted) {
                        Thread.currentThread().interrupt();
                    }
                    return HttpAnswer.text(200, "late");
                })));
    }

    @AfterEach
    void close() {
        stalled.countDown();
        listener.close();
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(90));
    }

    private Socket connected() throws IOException {
        Socket socket = new Socket(listener.address().getAddress(), listener.address().getPort());
        socket.setSoTimeout(30_000);
        return socket;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
    }

    private static String all(Socket socket) throws IOException {
        try {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (SocketException reset) {
            return "reset";
        }
    }

    private String asked(String text) throws IOException {
        try (Socket socket = connected()) {
            send(socket, text);
            return all(socket);
        }
    }

    private static String post(String path, String headers, String body) {
        return "POST " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + headers + "\r\n" + body;
    }

    private static String length(int octets) {
        return "Content-Length: " + octets + "\r\n";
    }

    @Test
    void aBodyWithALengthAndOneInChunksAreTheSame() throws IOException {
        assertThat(asked(post("/echo", length(5), "hello"))).startsWith("HTTP/1.1 200 ").endsWith("POST 5 hello\n");
        assertThat(asked(post("/echo", "Transfer-Encoding: chunked\r\n",
                "2;name=\"v\"\r\nhe\r\n3\r\nllo\r\n0\r\nTrailer: x\r\n\r\n"))).endsWith("POST 5 hello\n");
    }

    @Test
    void requestsFollowEachOtherAlsoBehindABodyThatNobodyRead() throws IOException {
        try (Socket socket = connected()) {
            send(socket, "POST /unread HTTP/1.1\r\nHost: x\r\n" + length(5) + "\r\nhello"
                    + "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"
                    + "GET /echo/below HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            assertThat(all(socket)).contains("403", "POST 1 a", "GET 0").doesNotContain("404");
        }
    }

    @Test
    void aPathThatOnlyBeginsLikeAPageIsNone() throws IOException {
        assertThat(asked(post("/echoes", length(0), ""))).startsWith("HTTP/1.1 404 ");
    }

    @ParameterizedTest
    @CsvSource({"100000,200", "100001,413"})
    void aBodyHasALimit(int octets, int status) throws IOException {
        String body = "x".repeat(octets);
        assertThat(asked(post("/echo", length(octets), body))).startsWith("HTTP/1.1 " + status + " ");
        assertThat(asked(post("/echo", "Transfer-Encoding: chunked\r\n",
                Integer.toHexString(octets) + "\r\n" + body + "\r\n0\r\n\r\n"))).startsWith("HTTP/1.1 " + status + " ");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "Content-Length: 3,Transfer-Encoding: chunked|400", "Transfer-Encoding: gzip|501",
            "Transfer-Encoding: chunked,Transfer-Encoding: chunked|501", "Content-Length: 3,Content-Length: 3|400",
            "Content-Length: -1|400", "Content-Length: +3|400", "Content-Length: 9999999999999999999|400",
            "Content-Length : 3|400"})
    void aFormThatTwoProgramsReadInTwoWaysIsRefused(String headers, int status) throws IOException {
        assertThat(asked(post("/echo", String.join("\r\n", headers.split(",")) + "\r\n", "abc")))
                .startsWith("HTTP/1.1 " + status + " ");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"g|400", "-1|400", "ffffffffffffffff|400", "2|400"})
    void aMalformedChunkIsRefused(String size, int status) throws IOException {
        assertThat(asked(post("/echo", "Transfer-Encoding: chunked\r\n", size + "\r\nabc\r\n0\r\n\r\n")))
                .startsWith("HTTP/1.1 " + status + " ");
    }

    @Test
    void trailersHaveTheLimitOfAHead() throws IOException {
        assertThat(asked(post("/echo", "Transfer-Encoding: chunked\r\n", "0\r\n" + "a: b\r\n".repeat(65) + "\r\n")))
                .startsWith("HTTP/1.1 431 ");
        assertThat(asked(post("/echo", "Transfer-Encoding: chunked\r\n",
                "1;" + "x".repeat(HttpReader.LONGEST_HEAD_BYTES) + "\r\na\r\n0\r\n\r\n")))
                .startsWith("HTTP/1.1 431 ");
    }

    @Test
    void aClientThatAsksFirstSendsNoBodyThatIsRefused() throws IOException {
        String expect = "Expect: 100-continue\r\n";
        try (Socket socket = connected()) {
            send(socket, post("/unread", expect + length(50_000), ""));
            assertThat(all(socket)).startsWith("HTTP/1.1 403 ");
        }
        try (Socket socket = connected()) {
            send(socket, post("/echo", expect + length(5), ""));
            byte[] goOn = socket.getInputStream().readNBytes("HTTP/1.1 100 Continue\r\n\r\n".length());
            assertThat(new String(goOn, StandardCharsets.US_ASCII)).startsWith("HTTP/1.1 100 ");
            send(socket, "hello");
            assertThat(all(socket)).endsWith("POST 5 hello\n");
        }
    }

    @Test
    void aFaultOfAPageIsAnAnswerAndTheConnectionGoesOn() throws IOException {
        assertThat(asked("GET /broken HTTP/1.1\r\nHost: x\r\n\r\n" + post("/echo", length(1), "x")))
                .startsWith("HTTP/1.1 500 ").endsWith("POST 1 x\n");
    }

    @Test
    void aSlowHeadIsCut() throws IOException {
        close();
        open(new HttpConnection.Patience(Duration.ofMillis(300), Duration.ofSeconds(20), Duration.ofSeconds(20)),
                Duration.ofSeconds(20));
        try (Socket socket = connected()) {
            send(socket, "GET /echo HT");
            assertThat(all(socket)).isIn("", "reset");
        }
    }

    @Test
    void aConnectionWithoutAFurtherRequestIsCut() throws IOException {
        close();
        open(new HttpConnection.Patience(Duration.ofSeconds(20), Duration.ofMillis(300), Duration.ofSeconds(20)),
                Duration.ofSeconds(20));
        try (Socket socket = connected()) {
            send(socket, "GET /echo HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(all(socket)).endsWith("GET 0 \n");
        }
    }

    @Test
    void aSilentBodyIsCutAndAnOctetNowAndThenHasTheTimeOfTheRequest() throws IOException {
        close();
        open(new HttpConnection.Patience(Duration.ofSeconds(20), Duration.ofSeconds(20), Duration.ofMillis(300)),
                Duration.ofMillis(900));
        try (Socket socket = connected()) {
            send(socket, post("/echo", length(5), "he"));
            assertThat(all(socket)).doesNotContain("200");
        }
        try (Socket socket = connected()) {
            send(socket, post("/echo", length(MOST), "he"));
            await().pollInterval(Duration.ofMillis(20)).until(() -> {
                try {
                    send(socket, "x");
                    return false;
                } catch (SocketException closed) {
                    return true;
                }
            });
        }
    }

    @Test
    void aConnectionThatWaitsMakesRoomAndOneAtWorkDoesNot() throws Exception {
        List<Socket> open = new ArrayList<>();
        try {
            for (int i = 0; i < HttpListener.MOST_CONNECTIONS; i++) {
                open.add(connected());
            }
            await().until(() -> listener.connections() == HttpListener.MOST_CONNECTIONS);
            assertThat(asked(post("/echo", length(1), "x"))).endsWith("POST 1 x\n");
            assertThat(listener.connections()).isLessThanOrEqualTo(HttpListener.MOST_CONNECTIONS);
        } finally {
            for (Socket each : open) {
                each.close();
            }
        }
    }

    @Test
    void whenAllAreAtWorkAFurtherOneIsRefused() throws Exception {
        List<Socket> open = new ArrayList<>();
        try {
            for (int i = 0; i < HttpListener.MOST_CONNECTIONS; i++) {
                Socket socket = connected();
                open.add(socket);
                send(socket, "GET /stall HTTP/1.1\r\nHost: x\r\n\r\n");
            }
            await().until(() -> listener.working() == HttpListener.MOST_CONNECTIONS);
            assertThat(asked(post("/echo", length(1), "x"))).isIn("", "reset");
        } finally {
            for (Socket each : open) {
                each.close();
            }
        }
    }

    @Test
    void aStrangerTakesAPartOfTheConnectionsOnly() throws Exception {
        listener.close();
        open(HttpConnection.Patience.STANDARD, Duration.ofSeconds(20), InetAddress.ofLiteral("127.0.0.2")::equals);
        List<Socket> open = new ArrayList<>();
        try {
            for (int i = 0; i < HttpListener.MOST_OF_A_CLIENT; i++) {
                Socket socket = stranger();
                open.add(socket);
                send(socket, "GET /stall HTTP/1.1\r\nHost: x\r\n\r\n");
            }
            await().until(() -> listener.working() == HttpListener.MOST_OF_A_CLIENT);
            try (Socket more = stranger()) {
                assertThat(all(more)).isIn("", "reset");
            }
            assertThat(asked(post("/echo", length(1), "x"))).as("another client").endsWith("POST 1 x\n");
        } finally {
            for (Socket each : open) {
                each.close();
            }
        }
    }

    private Socket stranger() throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.2"), 0));
        socket.setSoTimeout(30_000);
        socket.connect(listener.address());
        return socket;
    }
}
