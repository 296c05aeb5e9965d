package org.slipstream.smtpin;

import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.data.DataScanner;
import org.slipstream.smtpin.data.HeaderWatch;
import org.slipstream.smtpin.data.LineWatch;
import org.slipstream.smtpin.policy.Header;
import org.slipstream.smtpin.protocol.Limits;
import org.slipstream.smtpin.protocol.Protocol;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntPredicate;

/// One message on its way from the wire into a draft, by DATA ([#take]) or in chunks ([#takeChunk]).
///
/// The first thing that is wrong with the message closes the draft; the rest of the message is
/// still taken, because what a client sends after DATA is content until its final dot, whatever we think of it. Nothing
/// is ever answered before that dot, and no byte after it is touched.
///
/// When several things are wrong, the gravest decides the answer, not the first: which is first may depend on how the network has cut
/// the stream, and the answer must not ([Fault] is in the order of gravity).
final class Intake implements AutoCloseable {
    private enum Fault {
        NONE, POLICY, TROUBLE, LINE, NEWLINE, HOPS, HEADER, SIZE, AMBIGUOUS
    }

    private static final byte[] CRLF = {'\r', '\n'};

    private final Limits limits;
    private final String hostname;
    private final MailDoor.DraftLetter draft;
    private final Function<IOException, Reply> troubleReply;
    private final boolean binary;
    private final boolean readsHeader;
    private final IntPredicate memory;
    private final DataScanner scanner = new DataScanner();
    private final DataScanner.Sink content = this::content;
    private final LineWatch lines = new LineWatch();
    private final HeaderWatch header = new HeaderWatch();
    private final ByteArrayOutputStream headerText = new ByteArrayOutputStream(0);
    private Fault fault = Fault.NONE;
    private Optional<Reply> refusal = Optional.empty();
    private Optional<IOException> trouble = Optional.empty();
    private boolean open = true;
    private boolean complete;
    private long sizeBytes;
    private long takenBytes;
    private boolean eightBit;

    /// @param binary BINARYMIME: lines mean nothing (RFC 3030 section 3)
    /// @param readsHeader keep the header for [#header]
    /// @param memory asked for so many bytes to keep the header in; false when there are none
    Intake(ListenerConfig config, MailDoor.DraftLetter draft, Function<IOException, Reply> troubleReply,
            boolean binary, boolean readsHeader, IntPredicate memory) {
        this.memory = memory;
        this.limits = config.limits();
        this.hostname = config.hostname();
        this.draft = draft;
        this.troubleReply = troubleReply;
        this.binary = binary;
        this.readsHeader = readsHeader;
    }

    /// Writes our own trace line, which counts neither as size nor as header of the client's.
    void begin(String received) {
        byte[] bytes = received.getBytes(StandardCharsets.UTF_8);
        write(bytes, 0, bytes.length);
    }

    /// Takes `block[from, to)` and returns the position behind the last byte that belongs to the message.
    int take(byte[] block, int from, int to) throws IOException {
        int position = scanner.scan(block, from, to, content);
        takenBytes += position - from;
        complete = scanner.done();
        if (scanner.bareNewline()) {
            refuse(Fault.AMBIGUOUS, Reply.of(521, "5.5.2", hostname + " Lines end with CRLF and nothing else"));
        } else if (scanner.longestLineBytes() > limits.textLineBytes()) {
            refuse(Fault.LINE, lineTooLong());
        }
        return position;
    }

    /// Takes a piece of a chunk.
    void takeChunk(byte[] block, int from, int to) {
        takenBytes += to - from;
        if (!binary) {
            lines.see(block, from, to);
            judgeLines(false);
        }
        content(block, from, to - from);
    }

    /// The last chunk is over. A text whose last line the client left open gets an end, so that every letter here has lines.
    void endOfChunks() {
        complete = true;
        if (binary) {
            return;
        }
        judgeLines(true);
        if (!lines.atLineStart()) {
            write(CRLF, 0, CRLF.length);
        }
    }

    // No 521 here: where a chunk ends is not in doubt, so the session may go on.
    private void judgeLines(boolean isEnd) {
        if (lines.bareNewline(isEnd)) {
            refuse(Fault.NEWLINE, Reply.of(550, "5.6.0", "Lines end with CRLF and nothing else"));
        } else if (lines.longestLineBytes() > limits.textLineBytes()) {
            refuse(Fault.LINE, lineTooLong());
        }
    }

    private Reply lineTooLong() {
        return Reply.of(500, "5.6.0", "Line too long, at most " + limits.textLineBytes() + " octets");
    }

    private void content(byte[] block, int offset, int length) {
        sizeBytes += length;
        if (!header.over()) {
            seeHeader(block, offset, length);
        }
        judge();
        if (refusal.isEmpty()) {
            eightBit = eightBit || hasHighBit(block, offset, length);
            write(block, offset, length);
        }
    }

    private void seeHeader(byte[] block, int offset, int length) {
        long before = header.bytes();
        header.see(block, offset, length);
        if (readsHeader && refusal.isEmpty()) {
            keepHeader(block, offset, (int) (header.bytes() - before));
        }
    }

    // A buffer that doubles has twice the room that it needs at worst.
    private void keepHeader(byte[] block, int offset, int length) {
        if (memory.test(2 * length)) {
            headerText.write(block, offset, length);
        } else {
            trouble = Optional.of(new IOException("no memory for the header: limits.transaction-memory is spent"));
            refuse(Fault.TROUBLE, Protocol.NO_MEMORY);
        }
    }

    private void judge() {
        if (sizeBytes > limits.messageBytes()) {
            refuse(Fault.SIZE, Reply.of(552, "5.3.4", "Message too big, at most " + limits.messageBytes() + " octets"));
        } else if (header.bytes() > limits.headerBytes() || header.lines() > limits.headerLines()) {
            refuse(Fault.HEADER, Reply.of(552, "5.3.4", "Message header too big"));
        } else if (header.received() > limits.hops()) {
            refuse(Fault.HOPS, Reply.of(554, "5.4.6", "Too many hops, this message is going in circles"));
        }
    }

    /// True when the message has ended.
    boolean isComplete() {
        return complete;
    }

    /// True when the client may think that its message has ended where we do not.
    boolean isAmbiguous() {
        return scanner.bareNewline();
    }

    boolean isEndless() {
        return takenBytes > limits.endlessBytes();
    }

    /// Makes a complete message durable, unless something was wrong with it.
    void commit(Envelope envelope, EnvelopeExtras extras) {
        if (refusal.isEmpty()) {
            guarded(() -> draft.commit(envelope, extras));
        }
    }

    QueueId id() {
        return draft.id();
    }

    /// Of the content as the client sent it, dots unstuffed.
    long sizeBytes() {
        return sizeBytes;
    }

    boolean eightBit() {
        return eightBit;
    }

    /// Without our trace line; empty when it was not to be kept.
    Header header() {
        return readsHeader ? Header.parse(headerText.toByteArray(), headerText.size()) : new Header(List.of());
    }

    /// What is wrong so far.
    Optional<Reply> refusal() {
        return refusal;
    }

    /// Local trouble, when that is what the refusal is about.
    Optional<IOException> trouble() {
        return fault == Fault.TROUBLE ? trouble : Optional.empty();
    }

    /// The policy does not want the message.
    void refuse(Reply reply) {
        refuse(Fault.POLICY, reply);
    }

    private void refuse(Fault other, Reply reply) {
        if (other.compareTo(fault) > 0) {
            fault = other;
            refusal = Optional.of(reply);
        }
        close();
    }

    @Override
    public void close() {
        if (open) {
            open = false;
            draft.close();
        }
    }

    private void write(byte[] block, int offset, int length) {
        if (refusal.isEmpty()) {
            guarded(() -> draft.write(block, offset, length));
        }
    }

    private void guarded(DiskWork work) {
        try {
            work.run();
        } catch (IOException e) {
            trouble = Optional.of(e);
            refuse(Fault.TROUBLE, troubleReply.apply(e));
        }
    }

    private static boolean hasHighBit(byte[] block, int offset, int length) {
        int all = 0;
        for (int i = offset; i < offset + length; i++) {
            all |= block[i];
        }
        return all < 0;
    }

    @FunctionalInterface
    private interface DiskWork {
        void run() throws IOException;
    }
}
