package org.slipstream.smtpin;

import org.slipstream.core.Reply;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

import javax.net.ssl.SSLContext;

/// The bytes of one session, in both directions: lines and blocks in, replies out. Used by its session's thread, except for
/// [#isStuck], [#cut] and, under [Conversation]'s rule of who has the floor, [#say] and [#flush].
///
/// Replies are collected as long as the client has more commands waiting here, and leave together before we wait for it
/// (RFC 2920 section 3.2: when the input runs dry, all pending replies are sent).
///
/// A session spends its life waiting for a command, so it waits with a small buffer; for a message it borrows a large one ([Blocks]) and
/// gives it back when the message has come, before it waits for the disk.
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

    private static final int IDLE_BYTES = 1 << 10;
    private static final int PENDING_BYTES = 4 << 10;
    private static final int ENDLESS_BYTES = 1 << 20;
    private static final long NOT_AT_RISK = 0;

    private final Link link;
    private final Blocks blocks;
    private final byte[] small = new byte[IDLE_BYTES];
    private byte[] input = small;
    private int from;
    private int to;
    private byte[] output = new byte[256];
    private int pending;
    /// Since when we do something that only the client can end and that no socket timeout covers, in nanoseconds.
    private volatile long atRiskSince = NOT_AT_RISK;

    Wire(Link link, Blocks blocks) {
        this.link = link;
        this.blocks = blocks;
    }

    /// Reads up to the end of a line.
    ///
    /// @param limitBytes with CRLF
    /// @throws SocketTimeoutException when the line is not complete after `patienceNanos`
    Line readLine(int limitBytes, long patienceNanos) throws IOException {
        long start = System.nanoTime();
        if (from == to) {
            narrow(); // A client that was ahead has kept it until now.
            if (!awaitOrEnd(patienceNanos)) {
                return new Line.End();
            }
        }
        int end = endOfLine();
        if (input[end - 1] == '\n') {
            // Nearly all lines come in one piece.
            Line line = end - from > limitBytes
                    ? new Line.TooLong()
                    : line(new String(input, from, end - from, StandardCharsets.ISO_8859_1));
            from = end;
            return line;
        }
        return readInPieces(limitBytes, patienceNanos, start);
    }

    private Line readInPieces(int limitBytes, long patienceNanos, long start) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(128);
        long length = 0;
        while (true) {
            if (from == to && !awaitOrEnd(patienceNanos - (System.nanoTime() - start))) {
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

    /// Reads exactly so many bytes, and not one more from the connection.
    ///
    /// @throws EOFException when the client leaves before
    byte[] readExactly(int bytes, long patienceNanos) throws IOException {
        long end = System.nanoTime() + patienceNanos;
        byte[] all = new byte[bytes];
        int have = 0;
        while (have < bytes) {
            link.patience(millis(end - System.nanoTime()));
            int count = link.read(all, have, bytes - have);
            if (count < 0) {
                throw gone();
            }
            have += count;
        }
        return all;
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
        link.patience(millis(patienceNanos));
        return fill();
    }

    /// Like [#await], where the session ends when nothing comes.
    boolean awaitOrEnd(long patienceNanos) throws IOException {
        if (from < to) {
            return true;
        }
        flush();
        link.lastPatience(millis(patienceNanos));
        return fill();
    }

    private boolean fill() throws IOException {
        from = 0;
        to = 0;
        to = Math.max(0, link.read(input, 0, input.length));
        if (to == input.length) {
            // A client that is always ahead never makes this thread wait, and a virtual thread that never waits keeps its carrier.
            Thread.yield();
        }
        return to > 0;
    }

    private static int millis(long nanos) throws SocketTimeoutException {
        if (nanos <= 0) {
            throw new SocketTimeoutException();
        }
        return Math.clamp(nanos / 1_000_000 + 1, 1, Integer.MAX_VALUE);
    }

    /// A message is about to come.
    void widen() {
        if (input == small) {
            moveTo(blocks.borrow());
        }
    }

    /// The message is over; what has come after it stays.
    void narrow() {
        if (input != small && to - from <= IDLE_BYTES) {
            byte[] block = input;
            moveTo(small);
            blocks.giveBack(block);
        }
    }

    private void moveTo(byte[] other) {
        System.arraycopy(input, from, other, 0, to - from);
        to -= from;
        from = 0;
        input = other;
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
        return from < to || link.available() > 0;
    }

    /// True when the client says something, or leaves, before the time is over.
    boolean speaksWithin(long nanos) throws IOException {
        try {
            return clientIsAhead() || nanos > 0 && await(nanos);
        } catch (SocketTimeoutException silent) {
            return false;
        }
    }

    void say(Reply reply) throws IOException {
        byte[] bytes = reply.toWire().getBytes(StandardCharsets.US_ASCII);
        if (pending + bytes.length > output.length) {
            output = java.util.Arrays.copyOf(output, Math.max(2 * output.length, pending + bytes.length));
        }
        System.arraycopy(bytes, 0, output, pending, bytes.length);
        pending += bytes.length;
        if (pending > PENDING_BYTES) {
            flush();
        }
    }

    void flush() throws IOException {
        if (pending == 0) {
            return;
        }
        int length = pending;
        pending = 0;
        atRiskSince = System.nanoTime() | 1;
        try {
            link.write(output, 0, length);
        } finally {
            atRiskSince = NOT_AT_RISK;
        }
    }

    /// Does the server's part of a TLS handshake and goes on in TLS. What was read in clear text is forgotten.
    ///
    /// @return protocol and cipher suite
    String startTls(SSLContext context, long patienceNanos) throws IOException {
        flush();
        atRiskSince = System.nanoTime() | 1;
        try {
            link.patience(millis(patienceNanos));
            String tls = link.startTls(context);
            from = 0;
            to = 0;
            return tls;
        } finally {
            atRiskSince = NOT_AT_RISK;
        }
    }

    boolean isTls() {
        return link.isTls();
    }

    Map<String, byte[]> bindings() {
        return link.bindings();
    }

    /// Sends the last reply and listens a little longer. A socket that is closed with unread input makes the kernel send a
    /// reset, and a reset may overtake that reply.
    void closeSoftly(Duration lastWord) {
        try {
            flush();
            link.endOutput();
            if (link.isDeaf()) {
                // What it may still send cannot be read away any more, so it gets some time to read its last reply. Not
                // much: we would not see it leave, and it has a place that others may want.
                Thread.sleep(lastWord.dividedBy(10));
                return;
            }
            long end = System.nanoTime() + lastWord.toNanos();
            do {
                from = to;
            } while (await(end - System.nanoTime()));
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (IOException gone) {
            // It was the last word anyway.
        } finally {
            cut();
        }
    }

    /// Closes at once. Any thread may do this to end what the session's thread is waiting for.
    void cut() {
        link.cut();
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
