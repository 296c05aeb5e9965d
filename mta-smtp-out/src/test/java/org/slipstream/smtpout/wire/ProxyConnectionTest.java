package org.slipstream.smtpout.wire;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.SocketChannel;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// The way through a proxy, with proxies that keep to RFC 1928 and others that do not. A proxy that fails is a
/// trouble of the source; a host that the proxy cannot reach is a trouble of the host.
@Timeout(60)
class ProxyConnectionTest {
    private static final InetSocketAddress HOST = new InetSocketAddress(InetAddress.ofLiteral("192.0.2.25"), 25);
    private static final InetSocketAddress HOST_V6 = new InetSocketAddress(InetAddress.ofLiteral("2001:db8::25"), 25);
    private static final String REQUEST = "05010001c00002190019";
    private static final Optional<ProxyExit.ProxyLogin> LOGIN = Optional.of(new ProxyExit.ProxyLogin("ann", "secret"));
    private static final long LONG = 30_000;

    private final ServerSocket listener = listening();
    private final CompletableFuture<String> received = new CompletableFuture<>();

    private static ServerSocket listening() {
        try {
            return new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void stop() throws IOException {
        listener.close();
    }

    /// A proxy that reads the given number of octets before each answer, in hexadecimal. `-` closes, an empty
    /// answer is silence.
    private ProxyExit.Socks5 proxy(Optional<ProxyExit.ProxyLogin> login, Object... script) {
        Thread.ofVirtual().start(() -> {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            try (Socket socket = listener.accept()) {
                InputStream in = socket.getInputStream();
                for (int i = 0; i < script.length; i += 2) {
                    all.write(in.readNBytes((int) script[i]));
                    String answer = (String) script[i + 1];
                    if (answer.equals("-")) {
                        return;
                    }
                    socket.getOutputStream().write(HexFormat.of().parseHex(answer));
                }
                received.complete(HexFormat.of().formatHex(all.toByteArray()));
                in.readAllBytes();
            } catch (IOException gone) {
                // The client has left.
            } finally {
                received.complete(HexFormat.of().formatHex(all.toByteArray()));
            }
        });
        return new ProxyExit.Socks5("127.0.0.1", listener.getLocalPort(), login);
    }

    private static Socket connect(ProxyExit exit, InetSocketAddress host, long millis) throws IOException {
        Socket socket = SocketChannel.open().socket();
        try {
            ProxyConnection.connect(socket, exit, Optional.empty(), host, millis);
            return socket;
        } catch (IOException failed) {
            socket.close();
            throw failed;
        }
    }

    @Test
    void aProxyGetsTheAddressAndTheFirstOctetOfSmtpStaysInTheSocket() throws IOException {
        String greeting = HexFormat.of().formatHex("220 hi\r\n".getBytes(US_ASCII));
        ProxyExit exit = proxy(Optional.empty(), 3, "0500", 10, "05000001" + "7f000001" + "1234" + greeting);
        try (Socket socket = connect(exit, HOST, LONG)) {
            assertThat(new String(socket.getInputStream().readNBytes(8), US_ASCII)).isEqualTo("220 hi\r\n");
            assertThat(socket.getSoTimeout()).isZero();
        }
        assertThat(received.join()).isEqualTo("050100" + REQUEST);
    }

    @Test
    void ipV6AndAnAnswerWithAName() throws IOException {
        ProxyExit exit = proxy(Optional.empty(), 3, "0500", 22,
                "05000003" + "04" + HexFormat.of().formatHex("exit".getBytes(US_ASCII)) + "0019");
        connect(exit, HOST_V6, LONG).close();
        assertThat(received.join()).isEqualTo("050100" + "05010004" + "20010db8000000000000000000000025" + "0019");
    }

    @Test
    void theLoginFollowsWhereTheProxyAsksForIt() throws IOException {
        ProxyExit exit = proxy(LOGIN, 4, "0502", 12, "0100", 10, "05000001000000000000");
        connect(exit, HOST, LONG).close();
        assertThat(received.join()).isEqualTo("05020002" + "0103616e6e06736563726574" + REQUEST);
    }

    @ParameterizedTest
    @CsvSource({"0, Network is unreachable, 3", "1, No route to host, 4", "2, Connection refused, 5",
            "3, Connection timed out, 6"})
    void theHostIsAtFaultWhenTheProxySaysSo(int kind, String words, int reply) {
        ProxyExit exit = proxy(Optional.empty(), 3, "0500", 10, "050" + reply + "000100000000" + "0000");
        List<Class<? extends IOException>> kinds = List.of(NoRouteToHostException.class, NoRouteToHostException.class,
                ConnectException.class, SocketTimeoutException.class);
        assertThatThrownBy(() -> connect(exit, HOST, LONG)).isExactlyInstanceOf(kinds.get(kind)).hasMessage(words);
    }

    /// The faults of a proxy in turn: what it answers to the greeting, and to the request.
    @ParameterizedTest
    @CsvSource({"-, '', the connection was closed", "05, -, the connection was closed", "04ff, '', not that of SOCKS5",
            "474554, '', not that of SOCKS5", "05ff, '', it wants a login", "0502, '', it wants a login",
            "0500, -, the connection was closed", "0500, 05000001-, the connection was closed",
            "0500, 05010001000000000000, it refused the request (REP 1)",
            "0500, 05020001000000000000, it refused the request (REP 2)",
            "0500, 05070001000000000000, it refused the request (REP 7)",
            "0500, 05ff0001000000000000, it refused the request (REP 255)",
            "0500, 0500000900, has no address", "0500, 220d0a, not that of SOCKS5"})
    void everythingElseIsTheFaultOfTheProxy(String hello, String answer, String words) {
        boolean half = answer.length() > 1 && answer.endsWith("-");
        ProxyExit exit = half
                ? proxy(Optional.empty(), 3, hello, 10, answer.substring(0, answer.length() - 1), 0, "-")
                : hello.equals("05")
                        ? proxy(Optional.empty(), 3, hello, 0, "-")
                        : proxy(Optional.empty(), 3, hello, 10, answer);
        assertThatThrownBy(() -> connect(exit, HOST, LONG)).isInstanceOf(NoSourceException.class)
                .hasMessageContaining("proxy socks5://127.0.0.1:" + listener.getLocalPort())
                .hasMessageContaining(words);
    }

    @Test
    void aLoginThatIsRefused() {
        ProxyExit exit = proxy(LOGIN, 4, "0502", 12, "0101");
        assertThatThrownBy(() -> connect(exit, HOST, LONG)).isInstanceOf(NoSourceException.class)
                .hasMessageContaining("it refused the login of ann").hasMessageNotContaining("secret");
    }

    @Test
    void aProxyThatIsNotThere() throws IOException {
        listener.close();
        ProxyExit exit = new ProxyExit.Socks5("127.0.0.1", listener.getLocalPort(), Optional.empty());
        assertThatThrownBy(() -> connect(exit, HOST, LONG)).isInstanceOf(NoSourceException.class);
    }

    @Test
    void silenceBeforeTheRequestIsOfTheProxyAndSilenceBehindItOfTheHost() {
        ProxyExit mute = proxy(Optional.empty(), 3, "");
        assertThatThrownBy(() -> connect(mute, HOST, 50)).isInstanceOf(NoSourceException.class)
                .hasMessageContaining("timed out");
        ProxyExit waits = proxy(Optional.empty(), 3, "0500", 10, "");
        assertThatThrownBy(() -> connect(waits, HOST, 3_000)).isExactlyInstanceOf(SocketTimeoutException.class);
    }

    /// Each octet alone would be in time.
    @Test
    void oneDeadlineHoldsForAllOctets() {
        Thread.ofVirtual().start(() -> {
            try (Socket socket = listener.accept()) {
                socket.getOutputStream().write(HexFormat.of().parseHex("0500050000" + "03ff"));
                while (!socket.isClosed()) {
                    socket.getOutputStream().write('x');
                    LockSupport.parkNanos(20_000_000);
                }
            } catch (IOException gone) {
                // The client has left.
            }
        });
        ProxyExit exit = new ProxyExit.Socks5("127.0.0.1", listener.getLocalPort(), Optional.empty());
        assertThatThrownBy(() -> connect(exit, HOST, 3_000)).isExactlyInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void thePROXYHeaderNamesTheSourceAndTheHost() {
        Optional<InetAddress> source = Optional.of(InetAddress.ofLiteral("198.51.100.7"));
        assertThat(HexFormat.of().formatHex(ProxyConnection.header(source, HOST)))
                .isEqualTo(
                        "0d0a0d0a000d0a515549540a" + "21" + "11" + "000c" + "c6336407" + "c0000219" + "0000" + "0019");
        assertThat(HexFormat.of().formatHex(ProxyConnection.header(Optional.empty(), HOST_V6)))
                .isEqualTo("0d0a0d0a000d0a515549540a" + "21" + "21" + "0024" + "00".repeat(16)
                        + "20010db8000000000000000000000025" + "0000" + "0019");
    }

    @Test
    void anExitIsALiteralAddressAndAPort() {
        assertThat(ProxyExit.parse("socks5://192.0.2.9:1080")).map(Object::toString)
                .contains("socks5://192.0.2.9:1080");
        assertThat(ProxyExit.parse("proxy://[2001:db8::9]:25").map(ProxyExit::host)).contains("2001:db8::9");
        for (String wrong : List.of("", "none", "socks5://", "socks5://proxy.example:1080", "socks5://192.0.2.9",
                "socks5://192.0.2.9:0", "socks5://192.0.2.9:65536", "socks4://192.0.2.9:1080",
                "socks5://0.0.0.0:1080", "socks5://a:b@192.0.2.9:1080")) {
            assertThat(ProxyExit.parse(wrong)).as(wrong).isEmpty();
        }
        assertThat(new ProxyExit.ProxyLogin("a", "x".repeat(255)).toString()).doesNotContain("xx");
        assertThatThrownBy(() -> new ProxyExit.ProxyLogin("a", "x".repeat(256)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
