package org.slipstream.smtpin;

import org.slipstream.core.Reply;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

import javax.net.ssl.SSLContext;

/// The buffered bytes of one session in both directions: lines and blocks in, replies out. Used by
/// the session's thread, except for [#abort] and, under the exclusion that [SmtpSession] describes,
/// [#send] and [#flush].
///
/// Replies are collected while more commands are buffered, and sent together before the next wait
/// for the client (RFC 2920 section 3.2: when the input is empty, all pending replies are sent).
///
/// A session waits for commands most of the time, so it waits with a small buffer. For a message it
/// borrows a large one ([BufferPool]) and returns it after the message has arrived, before it waits
/// for the disk.
final class SmtpStream {
    /// The result of reading a command line.
    sealed interface ReadLine {
        /// @param text without CRLF, one character per octet
        record Text(String text) implements ReadLine {}

        /// Longer than permitted; read to its end and discarded.
        record TooLong() implements ReadLine {}

        /// A line with a bare CR or LF, or a line without end.
        record Broken() implements ReadLine {}

        /// The client has closed the connection.
        record End() implements ReadLine {}
    }

    private static final int IDLE_BYTES = 1 << 10;
    private static final int PENDING_BYTES = 4 << 10;
    private static final int ENDLESS_BYTES = 1 << 20;

    private final Link link;
    private final BufferPool blocks;
    private final LongSupplier nanos;
    private final byte[] small = new byte[IDLE_BYTES];
    private byte[] input = small;
    private int from;
    private int to;
    private byte[] output = new byte[256];
    private int pending;
    private volatile long replyNanos;

    /// @param nanos the clock of all waits
    /// @param replyNanos how long a client may take to read replies
    SmtpStream(Link link, BufferPool blocks, LongSupplier nanos, long replyNanos) {
        this.link = link;
        this.blocks = blocks;
        this.nanos = nanos;
        this.replyNanos = replyNanos;
    }

    /// Begins a wait for the client.
    ClientWait begin(long limitNanos) {
        return new ClientWait(nanos.getAsLong(), limitNanos);
    }

    /// Reads up to the end of a line.
    ///
    /// @param limitBytes with CRLF
    /// @throws SocketTimeoutException when the line is not complete after `timeoutNanos`
    ReadLine readLine(int limitBytes, long timeoutNanos) throws IOException {
        if (from == to) {
            useSmallBuffer(); // A client that was ahead has kept the large buffer until now.
            flush();
        }
        ClientWait wait = begin(timeoutNanos);
        if (from == to && !fill(wait)) {
            return new ReadLine.End();
        }
        int end = endOfLine();
        if (input[end - 1] == '\n') {
            // Nearly all lines arrive in one piece.
            ReadLine line = end - from > limitBytes
                    ? new ReadLine.TooLong()
                    : line(new String(input, from, end - from, StandardCharsets.ISO_8859_1));
            from = end;
            return line;
        }
        return readInPieces(limitBytes, wait);
    }

    private ReadLine readInPieces(int limitBytes, ClientWait wait) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(128);
        long length = 0;
        while (true) {
            if (from == to && !fill(wait)) {
                return new ReadLine.End();
            }
            int end = endOfLine();
            length += end - from;
            if (length <= limitBytes) {
                line.write(input, from, end - from);
            }
            from = end;
            if (input[end - 1] == '\n') {
                return length > limitBytes ? new ReadLine.TooLong() : line(line.toString(StandardCharsets.ISO_8859_1));
            }
            if (length > ENDLESS_BYTES) {
                return new ReadLine.Broken();
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

    private static ReadLine line(String withEnd) {
        int length = withEnd.length() - 2;
        return length >= 0 && withEnd.indexOf('\r') == length
                ? new ReadLine.Text(withEnd.substring(0, length))
                : new ReadLine.Broken();
    }

    /// Reads exactly N bytes, and not one more from the connection.
    ///
    /// @throws EOFException when the client disconnects before
    byte[] readExactly(int bytes, ClientWait wait) throws IOException {
        byte[] all = new byte[bytes];
        int have = 0;
        while (have < bytes) {
            int count = link.read(all, have, bytes - have, checked(wait));
            if (count < 0) {
                throw disconnected();
            }
            have += count;
        }
        return all;
    }

    /// Sends pending replies and waits for input when the buffer is empty.
    ///
    /// @return false when the client has closed its side
    /// @throws SocketTimeoutException when nothing arrived within `timeoutNanos`; no later read
    ///     succeeds
    boolean await(long timeoutNanos) throws IOException {
        if (from < to) {
            return true;
        }
        flush();
        return fill(begin(timeoutNanos));
    }

    private boolean fill(ClientWait wait) throws IOException {
        flush();
        from = 0;
        to = 0;
        to = Math.max(0, link.read(input, 0, input.length, checked(wait)));
        if (to == input.length) {
            // A client that is always ahead never blocks this thread, and a virtual thread that
            // never blocks keeps its carrier thread.
            Thread.yield();
        }
        return to > 0;
    }

    // A client that sends without a pause never causes a wait, so the watchdog does not see it.
    private ClientWait checked(ClientWait wait) throws SocketTimeoutException {
        if (wait.isOver(nanos.getAsLong())) {
            throw new SocketTimeoutException("Timeout exceeded");
        }
        return wait;
    }

    /// Switches to a large buffer for a message.
    void useLargeBuffer() {
        if (input == small) {
            moveTo(blocks.borrow());
        }
    }

    /// Returns the large buffer after a message; bytes that follow the message stay buffered.
    void useSmallBuffer() {
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

    /// Buffered input is `buffer()[from(), to())`.
    byte[] buffer() {
        return input;
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }

    /// Consumes the input up to `position`.
    void consumeTo(int position) {
        from = position;
    }

    /// True when the client has sent more than was read.
    boolean clientIsAhead() throws IOException {
        return from < to || link.available() > 0;
    }

    /// True when the client sends something before the time is over.
    boolean receivesWithin(long delayNanos) throws IOException {
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

    void send(Reply reply) throws IOException {
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

    /// Performs the server's side of a TLS handshake and continues in TLS. Discards input read in
    /// clear text.
    ///
    /// @return protocol and cipher suite
    String startTls(SSLContext context, long timeoutNanos) throws IOException {
        flush();
        String tls = link.startTls(context, begin(timeoutNanos));
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

    Optional<InetAddress> localAddress() {
        return link.localAddress();
    }

    /// Limits the time that the client may take to read further replies.
    void limitReplyTime(Duration limit) {
        replyNanos = limit.toNanos();
    }

    /// Sends the last reply and reads on for a short time. Closing a socket with unread input makes
    /// the kernel send a reset, which may overtake that reply.
    ///
    /// @param mayLinger false: send and close
    void closeAfterDrain(Duration linger, boolean mayLinger) {
        try {
            ClientWait wait = begin(linger.toNanos());
            flush();
            link.endOutput(wait);
            if (mayLinger && link.isInputEnded()) {
                // Further input cannot be drained, and the client's end of the connection would go unnoticed.
                // So the client gets a short time to read its last reply, which a stop of the listener ends.
                link.awaitAbort(linger.dividedBy(10));
            } else if (mayLinger) {
                do {
                    from = to;
                } while (fill(wait));
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (IOException disconnected) {
            // The last reply is lost, and nothing else was to be sent.
        } finally {
            abort();
        }
    }

    /// Closes at once. Thread-safe; ends whatever the session's thread waits for.
    void abort() {
        link.abort();
    }

    /// The exception for a client that disconnects in the middle of a read.
    static EOFException disconnected() {
        return new EOFException("the client closed the connection");
    }
}
