package org.slipstream.server.daily;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.core.Network;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;
import org.slipstream.testkit.TestAuthority;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

import javax.net.ssl.SSLContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Reports for a real web server, and its failures.
@Timeout(60)
class ReportPostTest {
    private static final SSLContext GOOD = new TestAuthority("ca").serving("reports.example");
    private static final byte[] REPORT = "a packed report".getBytes(StandardCharsets.US_ASCII);
    private static final DnsLookup LOOPBACK = (name, type) -> type == RecordType.A
            ? new TextAnswer.Found(List.of("127.0.0.1"))
            : new TextAnswer.None(true);

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> bodies = new CopyOnWriteArrayList<>();
    private HttpsServer server = serve(GOOD);
    private volatile int status = 201;

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private HttpsServer serve(SSLContext certificate) {
        try {
            HttpsServer made = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
            made.setHttpsConfigurator(new HttpsConfigurator(certificate));
            made.createContext("/", this::answer);
            made.start();
            return made;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                + exchange.getRequestHeaders().getFirst("Content-Type"));
        bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.US_ASCII));
        exchange.getResponseHeaders().add("Location", "https://127.0.0.1:1/elsewhere");
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    private String page(String host) {
        return "https://" + host + ":" + server.getAddress().getPort() + "/v1?of=us";
    }

    private static ReportPost post(Predicate<InetAddress> permitted) {
        return post(permitted, Duration.ofSeconds(30));
    }

    private static ReportPost post(Predicate<InetAddress> permitted, Duration exchange) {
        return new ReportPost(GOOD::getSocketFactory, permitted, exchange);
    }

    private static URI send(ReportPost post, String... pages) throws IOException {
        return post.send(LOOPBACK, List.of(pages).stream().map(URI::create).toList(), "application/tlsrpt+gzip",
                REPORT);
    }

    private static void fails(String reason, String page) {
        assertThatThrownBy(() -> send(post(_ -> true), page)).isInstanceOf(IOException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void theReportIsPostedAndTheFirstPageThatTakesItIsEnough() throws IOException {
        assertThat(send(post(_ -> true), "https://reports.example:1/nobody", page("reports.example"),
                page("reports.example"))).hasToString(page("reports.example"));
        assertThat(requests).containsExactly("POST /v1?of=us application/tlsrpt+gzip");
        assertThat(bodies).containsExactly("a packed report");
    }

    @Test
    void aRedirectionIsAFailureAndIsNotFollowed() {
        status = 307;
        fails("it answered with 307", page("reports.example"));
        assertThat(requests).hasSize(1);
    }

    @Test
    void anErrorOfTheServerIsAFailure() {
        status = 503;
        fails("reports.example: it answered with 503", page("reports.example"));
    }

    @Test
    void aCertificateForAnotherNameOrOfAnUnknownAuthorityEndsItBeforeTheReport() {
        fails("other.example: ", page("other.example"));
        server.stop(0);
        server = serve(new TestAuthority("unknown").serving("reports.example"));
        fails("reports.example: ", page("reports.example"));
        assertThat(requests).isEmpty();
    }

    /// A record of a stranger could name a page of the operator's own network.
    @Test
    void anAddressThatIsNotPublicIsNotConnectedTo() {
        assertThatThrownBy(() -> send(post(Network::isPublic), page("reports.example")))
                .hasMessageContaining("DNS has no public address of it");
        assertThat(requests).isEmpty();
    }

    @Test
    void aServerThatNeverEndsItsAnswerHasALimitInTime() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> send(post(_ -> true, Duration.ofSeconds(2)),
                    "https://reports.example:" + silent.getLocalPort() + "/")).isInstanceOf(IOException.class)
                    .hasMessageContaining("no answer within 2 s");
        }
    }

    @Test
    void anAnswerWithoutAnEndIsReadToALimit() throws Exception {
        try (ServerSocket endless = GOOD.getServerSocketFactory().createServerSocket(0, 10,
                InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                try (var socket = endless.accept(); OutputStream out = socket.getOutputStream()) {
                    byte[] octets = "x".repeat(1_000).getBytes(StandardCharsets.US_ASCII);
                    while (true) {
                        out.write(octets);
                    }
                } catch (IOException closed) {
                    // The client has read enough.
                }
            });
            fails("the answer has a line without an end", "https://reports.example:" + endless.getLocalPort() + "/");
        }
    }
}
