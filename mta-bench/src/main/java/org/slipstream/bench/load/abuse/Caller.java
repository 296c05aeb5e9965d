package org.slipstream.bench.load.abuse;

import org.slipstream.testkit.TestCertificates;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/// A client from one of many addresses of the loopback network, in place of many machines.
final class Caller implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 30_000;
    private static final AtomicInteger NEXT = new AtomicInteger();
    private static final SSLContext TRUSTING = TestCertificates.trustingAll();

    private final Socket tcp;
    private Socket socket;
    private InputStream in;

    private Caller(Socket tcp) throws IOException {
        this.tcp = tcp;
        adopt(tcp);
    }

    private void adopt(Socket other) throws IOException {
        socket = other;
        in = new BufferedInputStream(other.getInputStream(), 512);
    }

    /// @param network the third octet of its address; the last is another one each time
    static Caller from(int network, InetSocketAddress server) throws IOException {
        return at(network, Math.floorMod(NEXT.getAndIncrement(), 250) + 1, server);
    }

    /// @param last the last octet of its address
    static Caller at(int network, int last, InetSocketAddress server) throws IOException {
        Socket socket = new Socket();
        try {
            socket.bind(new InetSocketAddress(
                    InetAddress.getByAddress(new byte[]{127, 0, (byte) network, (byte) last}), 0));
            socket.connect(server, TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.setTcpNoDelay(true);
            return new Caller(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    void send(String text) throws IOException {
        send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void send(byte[] octets) throws IOException {
        socket.getOutputStream().write(octets);
    }

    /// The last line of the next reply; empty when the server has disconnected.
    String reply() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int octet = in.read(); octet >= 0; octet = in.read()) {
            if (octet != '\n') {
                line.append((char) octet);
            } else if (line.length() > 3 && line.charAt(3) == '-') {
                line.setLength(0);
            } else {
                return line.toString().strip();
            }
        }
        return "";
    }

    void must(String code, String line) throws IOException {
        send(line + "\r\n");
        String reply = reply();
        if (!reply.startsWith(code)) {
            throw new IOException("said " + line + ", read " + reply);
        }
    }

    /// Greeted, and as far as DATA.
    void begin(String recipient) throws IOException {
        greeted();
        must("250", "MAIL FROM:<a@client.example>");
        must("250", "RCPT TO:<" + recipient + ">");
        must("354", "DATA");
    }

    void greeted() throws IOException {
        String greeting = reply();
        if (!greeting.startsWith("220")) {
            throw new IOException("greeted with " + greeting);
        }
        must("250", "EHLO client.example");
    }

    /// Continues in TLS with any certificate.
    void startTls() throws IOException {
        must("220", "STARTTLS");
        SSLSocket tls = (SSLSocket) TRUSTING.getSocketFactory().createSocket(tcp, "mail.here.example", tcp.getPort(),
                true);
        tls.startHandshake();
        adopt(tls);
    }

    /// The socket below TLS, if there is TLS.
    void sendRaw(byte[] octets) throws IOException {
        tcp.getOutputStream().write(octets);
    }

    /// Returns when the server has closed the connection, or after half a minute.
    void awaitClose() throws IOException {
        while (in.read() >= 0) {
            // The rest of the replies.
        }
    }

    void endOutput() throws IOException {
        socket.shutdownOutput();
    }

    @Override
    public void close() {
        try {
            // At once, also when a close message of TLS would have to wait.
            tcp.close();
        } catch (IOException gone) {
            // Then it is closed.
        }
    }
}
