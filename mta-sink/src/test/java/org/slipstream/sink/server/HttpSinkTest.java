package org.slipstream.sink.server;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.Network;
import org.slipstream.http.HttpPost;
import org.slipstream.http.HttpPost.PostAnswer;
import org.slipstream.sink.script.ScriptReader;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The sender of all posts against a web server with each fault in turn. None costs more than its bound.
@Timeout(60)
class HttpSinkTest {
    private static final byte[] BODY = "{\"a\":1}".getBytes(StandardCharsets.US_ASCII);
    /// Of the senders that wait in vain.
    private static final Duration LIMIT = Duration.ofSeconds(2);
    /// The first answer of a busy machine takes seconds.
    private static final Duration PATIENT = Duration.ofSeconds(20);
    /// The buffers of both ends of a connection take less, and 300 MB is much more.
    private static final long MOST_OCTETS = 64 << 20;

    private final List<HttpReceived> received = new CopyOnWriteArrayList<>();
    private HttpSink sink;

    @BeforeEach
    void start() throws IOException {
        sink = HttpSink.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                ScriptReader.read("script", ""), received::add);
    }

    @AfterEach
    void stop() {
        sink.close();
    }

    private void follow(String script) {
        sink.follow(ScriptReader.read("script", script.replace('~', '\n')));
    }

    private PostAnswer post(String address, Duration limit) throws IOException {
        return new HttpPost(HttpPost.ofSystem(_ -> true), trusting(), limit).send(URI.create(address),
                Map.of("Content-Type", "application/json"), BODY);
    }

    private String page(String scheme, String host) {
        return scheme + "://" + host + ":" + sink.address().getPort() + "/hook?a=%20b";
    }

    private PostAnswer post() throws IOException {
        return post(page("http", "127.0.0.1"), PATIENT);
    }

    /// Trusts every certificate; the name in it is compared nevertheless.
    private static Supplier<SSLSocketFactory> trusting() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[]{new X509TrustManager() {
                @Override
                public void checkClientTrusted(X509Certificate[] chain, String kind) {}

                @Override
                public void checkServerTrusted(X509Certificate[] chain, String kind) {}

                @Override
                public X509Certificate[] getAcceptedIssuers() {
                    return new X509Certificate[0];
                }
            }}, null);
            return context::getSocketFactory;
        } catch (java.security.GeneralSecurityException e) {
            throw new LinkageError("every JDK has TLS", e);
        }
    }

    @Test
    void aRequestArrivesAsItWasMeant() throws IOException {
        assertThat(post().isTaken()).isTrue();
        assertThat(received).singleElement().satisfies(each -> {
            assertThat(each.method()).isEqualTo("POST");
            assertThat(each.path()).isEqualTo("/hook?a=%20b");
            assertThat(each.body()).isEqualTo(BODY);
            assertThat(each.header("host")).hasValue("127.0.0.1:" + sink.address().getPort());
            assertThat(each.header("content-type")).hasValue("application/json");
            assertThat(each.status()).isEqualTo(204);
        });
    }

    @Test
    void lettersBeyondAsciiAreEscapedAndIpv6HasItsBrackets() throws IOException {
        String page = "http://[::ffff:127.0.0.1]:" + sink.address().getPort() + "/ü";
        assertThat(post(page, PATIENT).isTaken()).isTrue();
        assertThat(received.getFirst().path()).isEqualTo("/%C3%BC");
        assertThat(received.getFirst().header("host")).hasValue("[::ffff:127.0.0.1]:" + sink.address().getPort());
    }

    /// The status counts, whatever the server says of a body, which nothing here reads.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            status = 200~body = "300MB"                          | 200
            status = 200~body = "1KiB"~fault = "long-length"     | 200
            status = 200~body = "1KiB"~fault = "short-length"    | 200
            status = 200~body = "1KiB"~fault = "negative-length" | 200
            status = 200~body = "1KiB"~fault = "two-lengths"     | 200
            status = 200~fault = "bad-chunks"                    | 200
            status = 302~headers = ["Location: http://127.0.0.1:1/"] | 302
            status = 500~then = "stall"                          | 500
            status = 410                                         | 410
            """)
    void aLieAboutTheBodyChangesNothing(String rule, int status) throws IOException {
        follow("[[http]]~" + rule);
        assertThat(post().status()).isEqualTo(status);
        assertThat(received).hasSize(1);
        assertThat(sink.octetsSent()).isLessThan(MOST_OCTETS);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            then = "stall"                                       | no answer within 2 s
            delay = "1m"                                         | no answer within 2 s
            status = 200~drip = { octets = 1, every = "200ms" }  | no answer within 2 s
            status = 200~fault = "endless-head"                  | the head of the answer has no end
            status = 200~fault = "endless-line"                  | the answer has a line without an end
            status = 200~fault = "not-http"                      | the answer is not HTTP
            status = 200~fault = "informational"                 | the answer never comes to its status
            then = "close"                                       | the server closed the connection before its answer
            then = "reset"                                       | Connection reset
            """)
    void aFailureHasABoundAndAReason(String rule, String reason) {
        follow("[[http]]~" + rule);
        Duration limit = reason.startsWith("no answer") ? LIMIT : PATIENT;
        assertThatThrownBy(() -> post(page("http", "127.0.0.1"), limit)).isInstanceOf(IOException.class)
                .hasMessageContaining(reason);
        assertThat(sink.octetsSent()).isLessThan(MOST_OCTETS);
    }

    @Test
    void theReceiversWishToBeAskedLaterIsRead() throws IOException {
        follow("[[http]]~first = 1~status = 503~headers = [\"Retry-After: 7\"]~"
                + "[[http]]~nth = 2~status = 503~headers = [\"Retry-After: soon\"]");
        assertThat(post().retryAfter()).hasValue(Duration.ofSeconds(7));
        assertThat(post().retryAfter()).isEmpty();
        assertThat(post().isTaken()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"good, ''", "wrong-name, No subject alternative", "handshake-failure, handshake_failure",
            "old-protocols, protocol_version", "closes, 'terminated'"})
    void tlsHasTheNameThatWasAskedFor(String tls, String failure) throws IOException {
        follow("[server]~tls = \"" + tls + "\"");
        if (failure.isEmpty()) {
            assertThat(post(page("https", "127.0.0.1"), PATIENT).isTaken()).isTrue();
        } else {
            assertThatThrownBy(() -> post(page("https", "127.0.0.1"), PATIENT)).hasMessageContaining(failure);
            assertThat(received).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"http://user:secret@127.0.0.1/, names a user", "http://127.0.0.1/#part, has a fragment",
            "ftp://127.0.0.1/, is not an address", "http:/nohost, is not an address"})
    void anAddressThatSaysMoreThanAPageIsRefused(String page, String reason) {
        assertThatThrownBy(() -> post(page, PATIENT)).hasMessageContaining(reason);
        assertThat(received).isEmpty();
    }

    @Test
    void aHeaderFieldCannotBeginAnother() {
        HttpPost sender = new HttpPost(HttpPost.ofSystem(_ -> true), LIMIT);
        assertThatThrownBy(() -> sender.send(URI.create(page("http", "127.0.0.1")), Map.of("X", "a\r\nY: b"), BODY))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(received).isEmpty();
    }

    @Test
    void anAddressThatIsNotPermittedIsNotConnectedTo() {
        HttpPost sender = new HttpPost(HttpPost.ofSystem(Network::isPublic), LIMIT);
        assertThatThrownBy(() -> sender.send(URI.create(page("http", "localhost")), Map.of(), BODY))
                .hasMessageContaining("is not a public one");
        assertThat(received).isEmpty();
    }
}
