package org.slipstream.smtpout.wire;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Connects a socket to a host through the proxy of a source: by SOCKS5 (RFC 1928), or with a PROXY header of
/// version 2 before the first octet of SMTP.
///
/// **Fault of the proxy or of the host?** The difference decides whether a source is suspended or a host has
/// failed. All that the proxy does before it has the request is its own: no connection, garbage, silence, a
/// login that it refuses. Of the answers to the request those that name the network or the host (REP 3 to 6)
/// are of the host, and so is silence after it, because the proxy waits for the host then. Every other answer
/// is of the proxy. A PROXY header has no answer, so only the connection to the proxy can fail.
///
/// **Bounds.** One deadline holds for everything, whatever pace the proxy has. The longest answer that is read
/// has 262 octets, each field exactly, so the first octet of SMTP stays in the socket.
final class ProxyConnection {
    private static final int VERSION = 5;
    private static final int WITHOUT_LOGIN = 0;
    private static final int USER_PASSWORD = 2;
    private static final int CONNECT = 1;
    private static final int IP_V4 = 1;
    private static final int NAME = 3;
    private static final int IP_V6 = 4;
    private static final byte[] SIGNATURE = {13, 10, 13, 10, 0, 13, 10, 'Q', 'U', 'I', 'T', 10};
    private static final byte PROXY_COMMAND = 0x21;
    private static final byte TCP4 = 0x11;
    private static final byte TCP6 = 0x21;

    private final Socket socket;
    private final long deadlineNanos;

    private ProxyConnection(Socket socket, long millis) {
        this.socket = socket;
        this.deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /// @param source that the host is to see; used by PROXY only
    /// @param millis for everything
    /// @throws NoSourceException when the proxy fails
    /// @throws IOException when the host does
    static void connect(Socket socket, ProxyExit exit, Optional<? extends InetAddress> source, InetSocketAddress host,
            long millis) throws IOException {
        ProxyConnection connection = new ProxyConnection(socket, millis);
        try {
            connection.reach(exit);
            switch (exit) {
                case ProxyExit.Socks5 socks -> connection.negotiate(socks);
                case ProxyExit.ProxyHeader _ -> connection.write(header(source, host));
            }
        } catch (IOException | RuntimeException failure) {
            throw new NoSourceException(new IOException("proxy " + exit + ": "
                    + (failure instanceof EOFException ? "the connection was closed" : failure.getMessage()),
                    failure));
        }
        if (exit instanceof ProxyExit.Socks5 socks) {
            connection.request(socks, host);
        }
        socket.setSoTimeout(0);
    }

    private void reach(ProxyExit exit) throws IOException {
        socket.connect(new InetSocketAddress(InetAddress.ofLiteral(exit.host()), exit.port()), left());
    }

    // ---- SOCKS5

    private void negotiate(ProxyExit.Socks5 socks) throws IOException {
        write(socks.login().isPresent()
                ? new byte[]{VERSION, 2, WITHOUT_LOGIN, USER_PASSWORD}
                : new byte[]{VERSION, 1, WITHOUT_LOGIN});
        require(next() == VERSION, "the answer is not that of SOCKS5");
        int method = next();
        if (method == USER_PASSWORD && socks.login().isPresent()) {
            logIn(socks.login().get());
        } else {
            require(method == WITHOUT_LOGIN, socks.login().isPresent()
                    ? "it accepts no login by user and password"
                    : "it wants a login: set exit-login");
        }
    }

    private void logIn(ProxyExit.ProxyLogin login) throws IOException {
        byte[] user = login.user().getBytes(StandardCharsets.UTF_8);
        byte[] password = login.password().getBytes(StandardCharsets.UTF_8);
        write(ByteBuffer.allocate(3 + user.length + password.length).put((byte) 1).put((byte) user.length).put(user)
                .put((byte) password.length).put(password).array());
        require(next() == 1, "the answer to the login is not that of RFC 1929");
        require(next() == 0, "it refused the login of " + login.user());
    }

    private void request(ProxyExit.Socks5 socks, InetSocketAddress host) throws IOException {
        byte[] address = host.getAddress().getAddress();
        try {
            write(ByteBuffer.allocate(6 + address.length).put((byte) VERSION).put((byte) CONNECT).put((byte) 0)
                    .put((byte) (host.getAddress() instanceof Inet4Address ? IP_V4 : IP_V6)).put(address)
                    .putShort((short) host.getPort()).array());
            int version = next();
            require(version == VERSION, "the answer to the request is not that of SOCKS5");
            int reply = next();
            next();
            // The address at the proxy, of which only the length matters.
            int octets = switch (next()) {
                case IP_V4 -> 4;
                case IP_V6 -> 16;
                case NAME -> next();
                default -> throw new IOException("the answer to the request has no address");
            };
            for (int i = 0; i < octets + 2; i++) {
                next();
            }
            switch (reply) {
                case 0 -> {
                    // Connected.
                }
                case 3 -> throw new HostFailure(new NoRouteToHostException("Network is unreachable"));
                case 4 -> throw new HostFailure(new NoRouteToHostException("No route to host"));
                case 5 -> throw new HostFailure(new ConnectException("Connection refused"));
                case 6 -> throw new HostFailure(new SocketTimeoutException("Connection timed out"));
                default -> throw new IOException("it refused the request (REP " + reply + ")");
            }
        } catch (HostFailure ofHost) {
            throw ofHost.failure;
        } catch (SocketTimeoutException silence) {
            throw silence;
        } catch (IOException failure) {
            throw new NoSourceException(new IOException("proxy " + socks + ": "
                    + (failure instanceof EOFException ? "the connection was closed" : failure.getMessage()),
                    failure));
        }
    }

    private static final class HostFailure extends IOException {
        private static final long serialVersionUID = 1L;
        private final IOException failure;

        HostFailure(IOException failure) {
            super(failure);
            this.failure = failure;
        }
    }

    private static void require(boolean holds, String otherwise) throws IOException {
        if (!holds) {
            throw new IOException(otherwise);
        }
    }

    // ---- PROXY

    /// The header (PROXY protocol, section 2.2). Without a source of the family the proxy chooses its own, which
    /// the zero address says.
    static byte[] header(Optional<? extends InetAddress> source, InetSocketAddress host) {
        byte[] to = host.getAddress().getAddress();
        byte[] from = source.map(InetAddress::getAddress).orElseGet(() -> new byte[to.length]);
        return ByteBuffer.allocate(SIGNATURE.length + 4 + 2 * to.length + 4).put(SIGNATURE).put(PROXY_COMMAND)
                .put(host.getAddress() instanceof Inet4Address ? TCP4 : TCP6)
                .putShort((short) (2 * to.length + 4)).put(from).put(to).putShort((short) 0)
                .putShort((short) host.getPort()).array();
    }

    // ---- octets

    private int left() throws SocketTimeoutException {
        long millis = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
        if (millis < 1) {
            throw new SocketTimeoutException("Connection timed out");
        }
        return (int) Math.min(millis, Integer.MAX_VALUE);
    }

    private void write(byte[] octets) throws IOException {
        left();
        socket.getOutputStream().write(octets);
    }

    private int next() throws IOException {
        socket.setSoTimeout(left());
        return new DataInputStream(socket.getInputStream()).readUnsignedByte();
    }
}
