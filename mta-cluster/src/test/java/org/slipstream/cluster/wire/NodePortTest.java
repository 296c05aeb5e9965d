package org.slipstream.cluster.wire;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Nodes of one cluster talk to each other over the port, and strangers do not.
class NodePortTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    @TempDir
    static Path folder;
    private static Path ownFile;
    private static ClusterIdentity own;
    private static ClusterIdentity other;
    private static NodePort port;
    private static NodeClient client;
    private static final AtomicInteger ANSWERED = new AtomicInteger();

    @BeforeAll
    static void open() throws Exception {
        ownFile = Identities.file(folder, "own");
        own = ClusterIdentity.read(ownFile);
        other = ClusterIdentity.read(Identities.file(folder, "other"));
        port = NodePort.bind(ANY, own);
        port.serve(Map.of("echo", message -> {
            ANSWERED.incrementAndGet();
            if (message.startsWith("?")) {
                throw new IllegalArgumentException("a message of the future");
            }
            return message.equals("much") ? "x".repeat(NodePort.MOST_OCTETS + 1) : message;
        }));
        client = new NodeClient(own);
    }

    @AfterAll
    static void close() {
        client.close();
        port.close();
    }

    private static String where(InetSocketAddress address) {
        return "127.0.0.1:" + address.getPort();
    }

    private static String ask(String message) throws IOException {
        return client.ask(where(port.address()), "echo", message, SOON);
    }

    private static Socket secured(SSLContext context) throws IOException {
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(port.address().getAddress(),
                port.address().getPort());
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static String say(Socket socket, String text) {
        try (socket) {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (IOException refused) {
            return "refused";
        }
    }

    @Test
    void aNodeIsAnsweredAndTheLongestMessageFits() throws IOException {
        assertThat(ask("{\"a\":1}")).isEqualTo("{\"a\":1}");
        String longest = "y".repeat(NodePort.MOST_OCTETS);
        assertThat(ask(longest)).isEqualTo(longest);
        assertThatThrownBy(() -> ask(longest + "y")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> ask("much")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> ask("? later")).hasMessageContaining("400").hasMessageContaining("of the future");
        assertThat(ask("after all")).isEqualTo("after all");
    }

    @Test
    void aPeerWithAnotherKeyOrNoneSendsNoMessage() throws Exception {
        int before = ANSWERED.get();
        try (NodeClient stranger = new NodeClient(other)) {
            assertThatThrownBy(() -> stranger.ask(where(port.address()), "echo", "x", SOON))
                    .isInstanceOf(IOException.class);
        }
        SSLContext trusting = SSLContext.getInstance("TLS");
        trusting.init(null, new TrustManager[]{new TrustsAll()}, null);
        String post = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx";
        assertThat(say(secured(trusting), post)).isIn("refused", "");
        assertThat(say(new Socket(port.address().getAddress(), port.address().getPort()), post))
                .doesNotContain("200");
        assertThat(ANSWERED).hasValue(before);
    }

    @Test
    void aNodeDoesNotTalkToAStranger() throws IOException {
        try (NodePort stranger = NodePort.bind(ANY, other)) {
            AtomicInteger heard = new AtomicInteger();
            stranger.serve(Map.of("echo", message -> Integer.toString(heard.incrementAndGet())));
            assertThatThrownBy(() -> client.ask(where(stranger.address()), "echo", "x", SOON))
                    .isInstanceOf(IOException.class);
            assertThat(heard).hasValue(0);
        }
    }

    @Test
    void aMessageOfAGibibyteIsRefusedByItsHead() throws IOException {
        int before = ANSWERED.get();
        assertThat(say(secured(own.context()), "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1073741824\r\n\r\n"))
                .startsWith("HTTP/1.1 413");
        assertThat(ANSWERED).hasValue(before);
    }

    @Test
    void halfMessagesAndManySilentPeersKeepNoNodeOut() throws IOException {
        List<Socket> peers = new ArrayList<>();
        try {
            for (int i = 0; i < 1_000; i++) {
                Socket peer = new Socket(port.address().getAddress(), port.address().getPort());
                peers.add(peer);
                if (i % 2 == 0) {
                    peer.getOutputStream().write("\u0016\u0003\u0001".getBytes(StandardCharsets.ISO_8859_1));
                }
            }
            assertThat(ask("through")).isEqualTo("through");
        } finally {
            for (Socket peer : peers) {
                peer.close();
            }
        }
    }

    @Test
    void aSilentNodeCostsNoMoreThanTheTimeout() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> client.ask("127.0.0.1:" + silent.getLocalPort(), "echo", "x",
                    Duration.ofMillis(300))).isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> client.ask("no address", "echo", "x", SOON)).hasMessageContaining("no address");
    }

    @Test
    void aFileWithoutACertificateOrAKeyIsNamed() throws IOException {
        Path half = Files.writeString(folder.resolve("half.pem"),
                Files.readString(ownFile).replaceAll("(?s)-----BEGIN CERT.*", ""));
        assertThatThrownBy(() -> ClusterIdentity.read(half)).hasMessageContaining("half.pem")
                .hasMessageContaining("CERTIFICATE");
        Path nonsense = Files.writeString(folder.resolve("nonsense.pem"),
                Files.readString(ownFile).replaceAll("(?m)^MI", "MX"));
        assertThatThrownBy(() -> ClusterIdentity.read(nonsense)).hasMessageContaining("nonsense.pem");
        Path huge = Files.write(folder.resolve("huge.pem"), new byte[(64 << 10) + 1]);
        assertThatThrownBy(() -> ClusterIdentity.read(huge)).hasMessageContaining("longer than");
    }

    private static final class TrustsAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {
            // All of them.
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {
            // All of them.
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
