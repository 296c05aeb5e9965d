package org.slipstream.smtpin;

import org.slipstream.core.Reply;
import org.subethamail.smtp.server.Session;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import javax.net.ssl.SSLSocket;

/// The bytes of one session, in both directions: lines and blocks in, replies out. Used by its session's thread, except for
/// [#isStuck], [#cut] and, under [Conversation]'s rule of who has the floor, [#say] and [#flush].
///
/// Replies are collected as long as the client has more commands waiting here, and leave together before we wait for it
/// (RFC 2920 section 3.2: when the input runs dry, all pending replies are sent).
final class Wire {
    /// What came where a command line was expected.
    sealed interface Line {
        /// @param text without CRLF, one character per octet
        record Text(String text) implements Line {}

        /// Longer than permitted; it has been read to its end and thrown away.
        record TooLong() implements Line {}

        /// A line end that is no CRLF, or a line that never ends.
        record Broken() implements Line {}

        /// The client has gone.
        record End() implements Line {}
    }

    private static final int INPUT_BYTES = 16 << 10;
    private static final int ENDLESS_BYTES = 1 << 20;
    private static final long NOT_AT_RISK = 0;

    private final Session session;
    private final Socket tcp;
    private final byte[] input = new byte[INPUT_BYTES];
    private final ByteArrayOutputStream line = new ByteArrayOutputStream(128);
    private Socket socket;
    private InputStream in;
    private OutputStream out;
    private int from;
    private int to;
    /// Since when we do something that only the client can end and that no socket timeout covers, in nanoseconds.
    private volatile long atRiskSince = NOT_AT_RISK;

    Wire(Session session) throws IOException {
        this.session = session;
        this.tcp = session.getSocket();
        tcp.setTcpNoDelay(true);
        adopt();
    }

    private void adopt() throws IOException {
        socket = session.getSocket();
        in = session.getRawInput();
        out = new BufferedOutputStream(socket.getOutputStream(), 2048);
    }

    /// Reads up to the end of a line.
    ///
    /// @param limitBytes with CRLF
    /// @throws SocketTimeoutException when the line is not complete after `patienceNanos`
    Line readLine(int limitBytes, long patienceNanos) throws IOException {
        long start = System.nanoTime();
        long length = 0;
        line.reset();
        while (true) {
            if (from == to && !await(patienceNanos - (System.nanoTime() - start))) {
                return new Line.End();
            }
            int end = endOfLine();
            length += end - from;
            if (length <= limitBytes) {
                line.write(input, from, end - from);
            }
            from = end;
            if (input[end - 1] == '\n') {
                return length > limitBytes ? new Line.TooLong() : line(line.toString(StandardCharsets.ISO_8859_1));
            }
            if (length > ENDLESS_BYTES) {
                return new Line.Broken();
            }
        }
    }

    private int endOfLine() {
        int at = from;
        while (at < to && input[at] != '\n') {
            at++;
        }
        return Math.min(at + 1, to);
    }

    private static Line line(String withEnd) {
        int length = withEnd.length() - 2;
        return length >= 0 && withEnd.indexOf('\r') == length
                ? new Line.Text(withEnd.substring(0, length))
                : new Line.Broken();
    }

    /// Sends what is pending and waits for input when none is here.
    ///
    /// @return false when the client has closed its side
    /// @throws SocketTimeoutException when nothing came for `patienceNanos`
    boolean await(long patienceNanos) throws IOException {
        if (from < to) {
            return true;
        }
        flush();
        if (patienceNanos <= 0) {
            throw new SocketTimeoutException();
        }
        socket.setSoTimeout(Math.clamp(patienceNanos / 1_000_000 + 1, 1, Integer.MAX_VALUE));
        from = 0;
        to = Math.max(0, in.read(input));
        return to > 0;
    }

    /// The input at hand is `buffer()[from(), to())`.
    byte[] buffer() {
        return input;
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }

    /// Takes the input up to `position` out of the buffer.
    void consumeTo(int position) {
        from = position;
    }

    /// True when the client has sent more than we have read.
    boolean clientIsAhead() throws IOException {
        return from < to || in.available() > 0;
    }

    void say(Reply reply) throws IOException {
        out.write(reply.toWire().getBytes(StandardCharsets.US_ASCII));
    }

    void flush() throws IOException {
        atRiskSince = System.nanoTime() | 1;
        try {
            out.flush();
        } finally {
            atRiskSince = NOT_AT_RISK;
        }
    }

    /// Does the server's part of a TLS handshake and goes on in TLS. What was read in clear text is forgotten.
    ///
    /// @return protocol and cipher suite
    String startTls(long patienceNanos) throws IOException {
        flush();
        atRiskSince = System.nanoTime() | 1;
        try {
            socket.setSoTimeout(Math.clamp(patienceNanos / 1_000_000, 1, Integer.MAX_VALUE));
            SSLSocket tls = session.getServer().createSSLSocket(socket);
            tls.startHandshake();
            session.setSocket(tls);
            session.setTlsStarted(true);
            adopt();
            from = 0;
            to = 0;
            return tls.getSession().getProtocol() + " " + tls.getSession().getCipherSuite();
        } finally {
            atRiskSince = NOT_AT_RISK;
        }
    }

    boolean isTls() {
        return socket instanceof SSLSocket;
    }

    /// Sends the last reply and listens a little longer. A socket that is closed with unread input makes the kernel send a
    /// reset, and a reset may overtake that reply.
    void closeSoftly(Duration lastWord) {
        try {
            flush();
            socket.shutdownOutput();
            long end = System.nanoTime() + lastWord.toNanos();
            do {
                from = to;
            } while (await(end - System.nanoTime()));
        } catch (IOException gone) {
            // It was the last word anyway.
        } finally {
            cut();
        }
    }

    /// Closes at once. Any thread may do this to end what the session's thread is waiting for.
    void cut() {
        try {
            tcp.close();
        } catch (IOException e) {
            // There is nothing left to save.
        }
    }

    /// True when a write or a handshake has made no end for longer than `limitNanos`.
    boolean isStuck(long limitNanos) {
        long since = atRiskSince;
        return since != NOT_AT_RISK && System.nanoTime() - since > limitNanos;
    }

    /// The exception for a client that leaves in the middle of something.
    static EOFException gone() {
        return new EOFException("the client closed the connection");
    }
}
