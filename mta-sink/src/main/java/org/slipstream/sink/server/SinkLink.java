package org.slipstream.sink.server;

import org.slipstream.sink.script.OctetPace;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/// One connection of a sink: buffered octets in both directions, TLS, and the ways in which a
/// connection ends. One thread.
///
/// Replies leave when there is nothing left to read, as busy servers send them. Only CRLF ends a
/// line, so that a bare LF stays visible.
public final class SinkLink {
    private static final int BUFFER = 32 * 1024;
    private static final int LONGEST_LINE = 64 << 20;
    /// Of a command; the longest one is AUTH with 12,288 octets (RFC 4954 section 4).
    private static final int LONGEST_COMMAND = 64 << 10;

    private final Closeable socket;
    private InputStream in;
    private OutputStream out;
    private final ByteArrayOutputStream replies = new ByteArrayOutputStream();
    private byte[] buffer = new byte[BUFFER];
    private int at;
    private int filled;
    private long mayRead = Long.MAX_VALUE;
    private long mayWrite = Long.MAX_VALUE;
    private OctetPace reading = OctetPace.FULL;

    /// The planned or the client's end of the connection.
    public static final class LinkClosed extends IOException {
        private static final long serialVersionUID = 1;
    }

    public SinkLink(Closeable socket, InputStream in, OutputStream out) {
        this.socket = socket;
        this.in = in;
        this.out = out;
    }

    public void limit(long readOctets, long writtenOctets) {
        mayRead = readOctets;
        mayWrite = writtenOctets;
    }

    public void write(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = (int) Math.min(bytes.length, mayWrite);
        replies.write(bytes, 0, length);
        mayWrite -= length;
        if (mayWrite == 0) {
            flush();
            throw new LinkClosed();
        }
        if (replies.size() > BUFFER) {
            flush();
        }
    }

    void drip(String text, OctetPace pace) throws IOException, InterruptedException {
        flush();
        byte[] octets = text.getBytes(StandardCharsets.UTF_8);
        for (int from = 0; from < octets.length; from += pace.octets()) {
            Thread.sleep(pace.every());
            out.write(octets, from, Math.min(pace.octets(), octets.length - from));
            out.flush();
        }
    }

    /// Reads at this speed from now on.
    void readAt(OctetPace pace) {
        reading = pace;
    }

    /// Closes after reading this many octets more.
    void closeAfter(long octets) {
        mayRead = octets;
    }

    public void flush() throws IOException {
        replies.writeTo(out);
        replies.reset();
        out.flush();
    }

    /// The next octet, -1 at the end of the stream.
    public int read() throws IOException {
        if (mayRead-- == 0) {
            flush();
            throw new LinkClosed();
        }
        if (at == filled) {
            if (in.available() == 0) {
                flush();
            }
            filled = Math.max(0, in.read(buffer, 0, reading.isSlow() ? readingSlowly() : buffer.length));
            at = 0;
            if (filled == 0) {
                return -1;
            }
        }
        return buffer[at++] & 0xff;
    }

    private int readingSlowly() throws IOException {
        try {
            Thread.sleep(reading.every());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
        return Math.min(reading.octets(), buffer.length);
    }

    private int next() throws IOException {
        int octet = read();
        if (octet < 0) {
            throw new EOFException("the client closed the connection");
        }
        return octet;
    }

    public byte[] read(int count) throws IOException {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = (byte) next();
        }
        return bytes;
    }

    public byte[] readToEnd() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int octet = read(); octet >= 0; octet = read()) {
            all.write(octet);
        }
        return all.toByteArray();
    }

    /// Up to and with CRLF.
    byte[] rawLine() throws IOException {
        return rawLine(LONGEST_LINE);
    }

    private byte[] rawLine(int longest) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(128);
        for (int before = 0;;) {
            int octet = next();
            line.write(octet);
            if (octet == '\n' && before == '\r') {
                return line.toByteArray();
            }
            if (line.size() > longest) {
                throw new IOException("endless line");
            }
            before = octet;
        }
    }

    public String line() throws IOException {
        byte[] raw = rawLine(LONGEST_COMMAND);
        return new String(raw, 0, raw.length - 2, StandardCharsets.UTF_8);
    }

    /// The content of DATA as it comes, with stuffed dots and without the line of the final dot.
    public byte[] stuffedContent() throws IOException {
        return stuffedContent(Long.MAX_VALUE);
    }

    /// Of a longer content only the beginning is kept.
    ///
    /// @param most octets that are kept
    byte[] stuffedContent(long most) throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream(4096);
        while (true) {
            byte[] line = rawLine();
            if (line.length == 3 && line[0] == '.') {
                return content.toByteArray();
            }
            if (content.size() < most) {
                content.writeBytes(line);
            }
        }
    }

    /// Reads and drops this many octets.
    void skip(long octets) throws IOException {
        for (long i = 0; i < octets; i++) {
            next();
        }
    }

    static byte[] unstuffed(byte[] wire) {
        ByteArrayOutputStream content = new ByteArrayOutputStream(wire.length);
        for (int i = 0; i < wire.length; i++) {
            boolean lineStart = i == 0 || i > 1 && wire[i - 1] == '\n' && wire[i - 2] == '\r';
            if (!lineStart || wire[i] != '.') {
                content.write(wire[i]);
            }
        }
        return content.toByteArray();
    }

    /// Forgets everything that has arrived and has not been read.
    public void discardInput() throws IOException {
        at = filled;
        while (in.available() > 0) {
            in.read(buffer);
        }
        Arrays.fill(buffer, (byte) 0);
    }

    /// Continues in TLS, on the server's side.
    public void startTls(SSLContext context) throws IOException {
        flush();
        if (!(socket instanceof Socket)) {
            throw new IOException("TLS needs a TCP socket");
        }
        SSLSocket secure = (SSLSocket) context.getSocketFactory().createSocket((Socket) socket, "client", 0, false);
        secure.setUseClientMode(false);
        secure.startHandshake();
        in = secure.getInputStream();
        out = secure.getOutputStream();
        at = filled;
    }

    /// Reads the ClientHello and sends a fatal alert (RFC 8446 section 6.2).
    void alert(int description) throws IOException {
        flush();
        read();
        out.write(new byte[]{21, 3, 3, 0, 2, 2, (byte) description});
        out.flush();
    }

    /// Closes so that the client sees a TCP reset.
    public void reset() throws IOException {
        ((Socket) socket).setSoLinger(true, 0);
        socket.close();
    }
}
