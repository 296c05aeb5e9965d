package org.slipstream.bench.abuse;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/// A client from one of many addresses of the loopback network, as a crowd would come from many machines.
final class Caller implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 30_000;
    private static final AtomicInteger NEXT = new AtomicInteger();

    private final Socket socket;
    private final InputStream in;

    private Caller(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream(), 512);
    }

    /// @param network the third octet of its address; the last is another one each time
    static Caller from(int network, InetSocketAddress server) throws IOException {
        int last = Math.floorMod(NEXT.getAndIncrement(), 250) + 1;
        Socket socket = new Socket();
        try {
            socket.bind(new InetSocketAddress(
                    InetAddress.getByAddress(new byte[]{127, 0, (byte) network, (byte) last}), 0));
            socket.connect(server, PATIENCE_MILLIS);
            socket.setSoTimeout(PATIENCE_MILLIS);
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

    /// The last line of the next reply; empty when the server has hung up.
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
            throw new IOException("said " + line + ", heard " + reply);
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

    void endOutput() throws IOException {
        socket.shutdownOutput();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException gone) {
            // Then it is closed.
        }
    }
}
