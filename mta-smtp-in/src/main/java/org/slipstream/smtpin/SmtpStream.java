package org.slipstream.smtpin;

import org.slipstream.core.Reply;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.function.LongSupplier;

import javax.net.ssl.SSLContext;

/// The bytes of one session, in both directions: lines and blocks in, replies out. Used by its session's thread, except for
/// [#cut] and, under [Conversation]'s rule of who has the floor, [#say] and [#flush].
///
/// Replies are collected as long as the client has more commands waiting here, and leave together before we wait for it
/// (RFC 2920 section 3.2: when the input runs dry, all pending replies are sent).
///
/// A session spends its life waiting for a command, so it waits with a small buffer; for a message it borrows a large one ([Blocks]) and
/// gives it back when the message has come, before it waits for the disk.
final class SmtpStream {
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

    private final Link link;
    private final Blocks blocks;
    private final LongSupplier nanos;
    private final byte[] small = new byte[IDLE_BYTES];
    private byte[] input = small;
    private int from;
    private int to;
    private byte[] output = new byte[256];
    private int pending;
    private volatile long replyNanos;

    /// @param nanos the clock of all waits
    /// @param replyNanos how long a client may take to read what we send
    SmtpStream(Link link, Blocks blocks, LongSupplier nanos, long replyNanos) {
        this.link = link;
        this.blocks = blocks;
        this.nanos = nanos;
        this.replyNanos = replyNanos;
    }

    /// A wait for the client that begins now.
    ClientWait begin(long limitNanos) {
        return new ClientWait(nanos.getAsLong(), limitNanos);
    }

    /// Reads up to the end of a line.
    ///
    /// @param limitBytes with CRLF
    /// @throws SocketTimeoutException when the line is not complete after `patienceNanos`
    Line readLine(int limitBytes, long patienceNanos) throws IOException {
        if (from == to) {
            narrow(); // A client that was ahead has kept it until now.
            flush();
        }
        ClientWait wait = begin(patienceNanos);
        if (from == to && !fill(wait)) {
            return new Line.End();
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
        return readInPieces(limitBytes, wait);
    }

    private Line readInPieces(int limitBytes, ClientWait wait) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(128);
        long length = 0;
        while (true) {
            if (from == to && !fill(wait)) {
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
    byte[] readExactly(int bytes, ClientWait wait) throws IOException {
        byte[] all = new byte[bytes];
        int have = 0;
        while (have < bytes) {
            int count = link.read(all, have, bytes - have, checked(wait));
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
    /// @throws SocketTimeoutException when nothing came for `patienceNanos`; nothing more can be read then
    boolean await(long patienceNanos) throws IOException {
        if (from < to) {
            return true;
        }
        flush();
        return fill(begin(patienceNanos));
    }

    private boolean fill(ClientWait wait) throws IOException {
        flush();
        from = 0;
        to = 0;
        to = Math.max(0, link.read(input, 0, input.length, checked(wait)));
        if (to == input.length) {
            // A client that is always ahead never makes this thread wait, and a virtual thread that never waits keeps its carrier.
            Thread.yield();
        }
        return to > 0;
    }

    // A client that sends without a pause is never waited for, and so not seen by the watchdog.
    private ClientWait checked(ClientWait wait) throws SocketTimeoutException {
        if (wait.isOver(nanos.getAsLong())) {
            throw new SocketTimeoutException("Timeout exceeded");
        }
        return wait;
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

    /// True when the client says something before the time is over.
    boolean speaksWithin(long delayNanos) throws IOException {
        boolean ahead = clientIsAhead();
        if (ahead || delayNanos <= 0) {
            return ahead;
        }
        try {
            int millis = Math.clamp(delayNanos / 1_000_000 + 1, 1, Integer.MAX_VALUE);
            from = 0;
            to = 0;
            to = Math.max(0, link.readWithin(input, 0, input.length, millis, begin(delayNanos + replyNanos)));
            return to > 0;
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
        link.write(output, 0, length, begin(replyNanos));
    }

    /// Does the server's part of a TLS handshake and goes on in TLS. What was read in clear text is forgotten.
    ///
    /// @return protocol and cipher suite
    String startTls(SSLContext context, long patienceNanos) throws IOException {
        flush();
        String tls = link.startTls(context, begin(patienceNanos));
        from = 0;
        to = 0;
        return tls;
    }

    boolean isTls() {
        return link.isTls();
    }

    Map<String, byte[]> bindings() {
        return link.bindings();
    }

    /// From now on the client has so long to read what we send.
    void hurry(Duration limit) {
        replyNanos = limit.toNanos();
    }

    /// Sends the last reply and listens a little longer. A socket that is closed with unread input makes the kernel send a
    /// reset, and a reset may overtake that reply.
    ///
    /// @param mayLinger false: send it and close
    void closeSoftly(Duration lastWord, boolean mayLinger) {
        try {
            ClientWait wait = begin(lastWord.toNanos());
            flush();
            link.endOutput(wait);
            if (mayLinger && link.isDeaf()) {
                // What it may still send cannot be read away any more, so it gets some time to read its last reply. Not
                // much: we would not see it leave.
                Thread.sleep(lastWord.dividedBy(10));
            } else if (mayLinger) {
                do {
                    from = to;
                } while (fill(wait));
            }
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

    /// The exception for a client that leaves in the middle of something.
    static EOFException gone() {
        return new EOFException("the client closed the connection");
    }
}
