package org.slipstream.smtpin;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A client that sends exactly the bytes it is told to.
final class Raw implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 20_000;

    Socket socket;
    private InputStream in;

    Raw(Socket socket) throws IOException {
        adopt(socket);
    }

    static Raw to(SmtpListener listener) throws IOException {
        Raw raw = new Raw(new Socket(InetAddress.getLoopbackAddress(), listener.port()));
        raw.socket.setTcpNoDelay(true);
        return raw;
    }

    /// Calls from an address of its own.
    static Raw to(SmtpListener listener, String from) throws IOException {
        return new Raw(new Socket(InetAddress.getLoopbackAddress(), listener.port(), InetAddress.ofLiteral(from), 0));
    }

    /// Connects and reads the greeting.
    static Raw greetedBy(SmtpListener listener) throws IOException {
        Raw raw = to(listener);
        if (!raw.reply().startsWith("220 ")) {
            throw new IOException("not greeted");
        }
        return raw;
    }

    void adopt(Socket other) throws IOException {
        socket = other;
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = new BufferedInputStream(socket.getInputStream());
    }

    void send(String bytes) throws IOException {
        send(bytes.getBytes(StandardCharsets.ISO_8859_1));
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    /// Sends a line and returns the reply to it.
    String ask(String line) throws IOException {
        send(line + "\r\n");
        return reply();
    }

    /// The next line without CRLF; empty text at the end of the stream.
    String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b >= 0; b = in.read()) {
            line.append((char) b);
            if (b == '\n') {
                if (!line.toString().endsWith("\r\n")) {
                    throw new IOException("a reply line that does not end in CRLF: " + line);
                }
                return line.substring(0, line.length() - 2);
            }
        }
        if (!line.isEmpty()) {
            throw new IOException("half a reply line: " + line);
        }
        return "";
    }

    /// The next reply, its lines joined by `|`; empty when the server has closed.
    String reply() throws IOException {
        List<String> lines = new ArrayList<>();
        String line = line();
        lines.add(line);
        while (line.length() > 3 && line.charAt(3) == '-') {
            line = line();
            lines.add(line);
        }
        return String.join("|", lines);
    }

    /// True when the server has closed and there is nothing more to read.
    boolean isClosedByServer() throws IOException {
        return in.read() < 0;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
