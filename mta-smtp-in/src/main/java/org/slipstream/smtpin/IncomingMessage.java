package org.slipstream.smtpin;

import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.Envelope;
import org.slipstream.core.LineEnds;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.data.DataScanner;
import org.slipstream.smtpin.data.HeaderWatch;
import org.slipstream.smtpin.data.LineWatch;
import org.slipstream.smtpin.data.OriginFields;
import org.slipstream.smtpin.policy.Header;
import org.slipstream.smtpin.policy.HeaderChange;
import org.slipstream.smtpin.protocol.Limits;
import org.slipstream.smtpin.protocol.ServerProtocol;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;

/// One message on its way from the connection into a draft, by DATA ([#take]) or in chunks
/// ([#takeChunk]).
///
/// The first fault closes the draft. The rest of the message is still read, because everything
/// after DATA is content until the final dot. No reply is sent before that dot, and no byte after
/// it is consumed.
///
/// When a message has several faults, the most severe decides the reply, not the first: which fault
/// is found first may depend on how the network has split the stream, and the reply must not
/// ([Fault] is in the order of severity).
final class IncomingMessage implements AutoCloseable {
    private enum Fault {
        NONE, POLICY, TROUBLE, LINE, NEWLINE, HOPS, HEADER, SIZE, AMBIGUOUS
    }

    private static final int BLOCK_BYTES = 8 * 1024;
    private static final byte[] CRLF = {'\r', '\n'};
    private static final String BARE = "Error: bare <CR> or <LF> received; end each line with <CR><LF> (curl: --crlf)";
    private static final DateTimeFormatter ID_TIME = DateTimeFormatter.ofPattern("yyyyMMddHHmmss")
            .withZone(ZoneOffset.UTC);

    private final Limits limits;
    private final String hostname;
    private final MessageHandler.DraftContent draft;
    private final Function<IOException, Reply> troubleReply;
    private final boolean binary;
    private final boolean readsHeader;
    private final IntPredicate memory;
    private final Instant begun;
    private final DataScanner scanner;
    private final DataScanner.Sink content = this::content;
    private final LineWatch lines;
    private final HeaderWatch header = new HeaderWatch();
    private final OriginFields origin = new OriginFields();
    /// The header of a message that may lack fields, until its end is known.
    private Optional<ByteArrayOutputStream> held;
    private final UnaryOperator<byte[]> headerEdit;
    private Optional<String> givenId = Optional.empty();
    /// The From field of a message that has none; empty: none is added.
    private final Optional<String> author;
    private final ByteArrayOutputStream headerText = new ByteArrayOutputStream(0);
    private Fault fault = Fault.NONE;
    private Optional<Reply> refusal = Optional.empty();
    private Optional<IOException> trouble = Optional.empty();
    private boolean open = true;
    private boolean complete;
    private long sizeBytes;
    private long takenBytes;
    private final LineEnds octets = new LineEnds();
    /// Facts about the lines that this server added.
    private Optional<ContentFacts> added = Optional.of(ContentFacts.EMPTY);

    /// @param binary BINARYMIME: content without lines (RFC 3030 section 3)
    /// @param readsHeader keep the header for [#header]
    /// @param memory takes N bytes of the budget for the header; false when it is spent
    /// @param rules for this client's content
    /// @param begun for the Date of a message that has none
    IncomingMessage(ListenerConfig config, MessageHandler.DraftContent draft, Function<IOException, Reply> troubleReply,
            boolean binary, boolean readsHeader, IntPredicate memory, MessageHandler.ContentRules rules,
            Instant begun) {
        this(config.limits(), config.hostname(), draft, troubleReply, binary, readsHeader, memory, rules, begun,
                Optional.empty());
    }

    /// @param author for the From of a message that has none
    IncomingMessage(Limits limits, String hostname, MessageHandler.DraftContent draft,
            Function<IOException, Reply> troubleReply, boolean binary, boolean readsHeader, IntPredicate memory,
            MessageHandler.ContentRules rules, Instant begun, Optional<String> author) {
        this.author = author;
        this.memory = memory;
        this.limits = limits;
        this.hostname = hostname;
        this.draft = draft;
        this.troubleReply = troubleReply;
        this.binary = binary;
        this.readsHeader = readsHeader;
        this.begun = begun;
        this.scanner = new DataScanner(rules.normalizes());
        this.lines = new LineWatch(rules.normalizes());
        this.headerEdit = rules.header();
        this.held = rules.completes() ? Optional.of(new ByteArrayOutputStream()) : Optional.empty();
    }

    /// Writes this server's Received line, which counts neither as size nor as part of the client's
    /// header.
    void begin(String received) {
        add(received.getBytes(StandardCharsets.UTF_8));
    }

    private void add(byte[] lines) {
        added = added.flatMap(before -> ContentFacts.of(lines).map(before::and));
        write(lines, 0, lines.length);
    }

    /// Takes `block[from, to)` and returns the position behind the last byte that belongs to the
    /// message.
    int take(byte[] block, int from, int to) throws IOException {
        int position = scanner.scan(block, from, to, content);
        takenBytes += position - from;
        if (scanner.done()) {
            complete = true;
            endOfContent();
        }
        if (scanner.bareNewline()) {
            refuse(Fault.AMBIGUOUS, Reply.of(521, "5.5.2", hostname + " " + BARE));
        } else if (scanner.longestLineBytes() > limits.textLine().bytes()) {
            refuse(Fault.LINE, lineTooLong());
        }
        return position;
    }

    /// Takes a piece of a chunk.
    void takeChunk(byte[] block, int from, int to) throws IOException {
        takenBytes += to - from;
        if (binary) {
            content(block, from, to - from);
            scanOctets(block, from, to);
        } else {
            lines.pass(block, from, to, content);
            checkLines(false);
        }
    }

    /// Ends the last chunk. A text without a final CRLF gets one, so that stored content always
    /// consists of lines.
    void endOfChunks() {
        complete = true;
        if (!binary) {
            checkLines(true);
        }
        endOfContent();
        if (!binary && !lines.atLineStart()) {
            write(CRLF, 0, CRLF.length);
        }
    }

    // No 521 here: a chunk's end is unambiguous, so the session may continue.
    private void checkLines(boolean isEnd) {
        if (lines.bareNewline(isEnd)) {
            refuse(Fault.NEWLINE, Reply.of(550, "5.6.0", BARE));
        } else if (lines.longestLineBytes() > limits.textLine().bytes()) {
            refuse(Fault.LINE, lineTooLong());
        }
    }

    private Reply lineTooLong() {
        return Reply.of(500, "5.6.0", "Line too long, at most " + limits.textLine().bytes() + " octets");
    }

    private void content(byte[] block, int offset, int length) {
        sizeBytes += length;
        int headerBytes = header.over() ? 0 : scanHeader(block, offset, length);
        checkLimits();
        if (refusal.isPresent()) {
            return;
        }
        int kept = held.isPresent() ? headerBytes : 0;
        if (headerBytes > 0 && header.over()) {
            endOfHeader();
        }
        write(block, offset + kept, length - kept);
    }

    // Idempotent.
    private void endOfHeader() {
        origin.end();
        held.ifPresent(this::complete);
        held = Optional.empty();
    }

    /// Writes the header and adds missing fields after its last field, like Postfix. A line that is
    /// not a field would continue the last added field; an empty line separates them.
    private void complete(ByteArrayOutputStream given) {
        byte[] bytes = given.toByteArray();
        int end = (int) header.fieldBytes();
        String missing = missingFields();
        boolean runsOn = !missing.isEmpty() && header.over() && bytes[end] != '\r';
        byte[] fields = (missing + (runsOn ? "\r\n" : "")).getBytes(StandardCharsets.UTF_8);
        writeFields(Arrays.copyOf(bytes, end));
        add(fields);
        write(bytes, end, bytes.length - end);
    }

    /// Nothing is known about fields that the server has changed.
    private void writeFields(byte[] given) {
        byte[] fields = headerEdit.apply(given);
        if (!Arrays.equals(fields, given)) {
            added = Optional.empty();
        }
        write(fields, 0, fields.length);
    }

    /// RFC 5321 section 6.4 permits such repairs for own users only.
    private String missingFields() {
        String date = origin.hasDate() ? "" : "Date: " + ReceivedLine.date(begun) + "\r\n";
        if (origin.messageId().isEmpty()) {
            givenId = Optional.of("<" + ID_TIME.format(begun) + "." + id() + "@" + hostname + ">");
        }
        String from = origin.hasFrom() ? "" : author.map(name -> "From: " + name + "\r\n").orElse("");
        return from + date + givenId.map(id -> "Message-ID: " + id + "\r\n").orElse("");
    }

    /// @return how many of these bytes belong to the header
    private int scanHeader(byte[] block, int offset, int length) {
        long before = header.bytes();
        header.scan(block, offset, length);
        int count = (int) (header.bytes() - before);
        origin.scan(block, offset, count);
        if ((readsHeader || held.isPresent()) && refusal.isEmpty()) {
            keepHeader(block, offset, count);
        }
        return count;
    }

    // A buffer that doubles takes at most twice the bytes that it holds.
    private void keepHeader(byte[] block, int offset, int length) {
        int copies = (readsHeader ? 1 : 0) + (held.isPresent() ? 1 : 0);
        if (!hasMemory(2 * copies * length)) {
            return;
        }
        if (readsHeader) {
            headerText.write(block, offset, length);
        }
        held.ifPresent(fields -> fields.write(block, offset, length));
    }

    private boolean hasMemory(int bytes) {
        if (memory.test(bytes)) {
            return true;
        }
        trouble = Optional.of(new IOException("no memory for the header: limits.transaction-memory is exhausted"));
        refuse(Fault.TROUBLE, ServerProtocol.NO_MEMORY);
        return false;
    }

    private void endOfContent() {
        if (refusal.isEmpty()) {
            endOfHeader();
        }
    }

    private void checkLimits() {
        if (sizeBytes > limits.messageSize().bytes()) {
            refuse(Fault.SIZE, Reply.of(552, "5.3.4",
                    "Message size exceeds fixed limit of " + limits.messageSize().bytes() + " octets"));
        } else if (header.bytes() > limits.headerSize().bytes() || header.lines() > limits.headerLines()) {
            refuse(Fault.HEADER, Reply.of(552, "5.3.4", "Message header size exceeds fixed limit"));
        } else if (header.received() > limits.hops()) {
            refuse(Fault.HOPS, Reply.of(554, "5.4.6", "Too many hops, possible mail loop"));
        }
    }

    /// True at the end of the message.
    boolean isComplete() {
        return complete;
    }

    /// True when a bare line end may have ended the message in the client's view.
    boolean isAmbiguous() {
        return scanner.bareNewline();
    }

    /// True when the content ends like a message whose end is malformed.
    boolean hasMalformedEnd() {
        return scanner.malformedEnd();
    }

    /// Refuses a malformed end of data, for which the client waits for a reply. A fault found
    /// before stays.
    void refuseMalformedEnd() {
        refuse(Fault.AMBIGUOUS, Reply.of(521, "5.5.2", hostname + " End data with <CR><LF>.<CR><LF>"));
    }

    boolean isEndless() {
        return takenBytes > limits.endlessBytes();
    }

    /// Changes the header of a complete message.
    void change(HeaderChange change) {
        if (refusal.isEmpty() && !change.isEmpty() && hasMemory(4 * (int) header.bytes())) {
            guarded(() -> rewrite(change));
        }
    }

    private void rewrite(HeaderChange change) throws IOException {
        byte[] lines = change.addedLines();
        byte[] before = change.removals().isEmpty() ? new byte[0] : fields();
        byte[] rest = change.remaining(before);
        if (rest.length == before.length) {
            added = added.flatMap(facts -> ContentFacts.of(lines).map(facts::and));
            draft.replaceStart(0, lines);
        } else {
            // The facts are a sum, from which lines cannot be taken out.
            added = Optional.empty();
            byte[] start = Arrays.copyOf(lines, lines.length + rest.length);
            System.arraycopy(rest, 0, start, lines.length, rest.length);
            draft.replaceStart(before.length, start);
        }
    }

    /// The header as it is stored, with the lines of this server.
    private byte[] fields() throws IOException {
        HeaderWatch watch = new HeaderWatch();
        ByteArrayOutputStream fields = new ByteArrayOutputStream();
        byte[] block = new byte[BLOCK_BYTES];
        try (InputStream content = draft.content().open()) {
            for (int got = content.read(block); got >= 0 && !watch.over(); got = content.read(block)) {
                watch.scan(block, 0, got);
                fields.write(block, 0, got);
            }
        }
        return Arrays.copyOf(fields.toByteArray(), (int) watch.fieldBytes());
    }

    /// Everything that was stored so far.
    Content content() {
        return draft.content();
    }

    /// Makes a complete message without faults durable.
    void commit(Envelope envelope, EnvelopeExtras extras) {
        if (refusal.isEmpty()) {
            guarded(() -> draft.commit(envelope, extras, facts()));
        }
    }

    /// The client's Message-ID or the one that was added.
    Optional<String> messageId() {
        return origin.messageId().or(() -> givenId);
    }

    /// True when its header has `TLS-Required: No`.
    boolean isTlsOptional() {
        return origin.isTlsOptional();
    }

    QueueId id() {
        return draft.id();
    }

    /// Size of the content as the client sent it, with dots unstuffed.
    long sizeBytes() {
        return sizeBytes;
    }

    /// True after an octet above 127.
    boolean eightBit() {
        return binary ? octets.eightBit() : seen().eightBit();
    }

    // Binary content has no lines.
    private Optional<ContentFacts> facts() {
        return binary ? Optional.empty() : added.map(seen()::and);
    }

    /// Only one of the two has scanned anything.
    private ContentFacts seen() {
        return scanner.facts().and(lines.facts());
    }

    /// The client's header, without this server's Received line; empty when the header is not kept.
    Header header() {
        return readsHeader ? Header.parse(headerText.toByteArray(), headerText.size()) : new Header(List.of());
    }

    /// The reply to the most severe fault so far.
    Optional<Reply> refusal() {
        return refusal;
    }

    /// The cause of a refusal that is a local problem.
    Optional<IOException> trouble() {
        return fault == Fault.TROUBLE ? trouble : Optional.empty();
    }

    /// Refuses the message by policy.
    void refuse(Reply reply) {
        refuse(Fault.POLICY, reply);
    }

    private void refuse(Fault other, Reply reply) {
        if (other.compareTo(fault) > 0) {
            fault = other;
            refusal = Optional.of(reply);
        }
        held = Optional.empty();
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

    private void scanOctets(byte[] block, int from, int to) {
        for (int at = from; at < to; at++) {
            at = octets.next(block, at, to);
        }
    }

    @FunctionalInterface
    private interface DiskWork {
        void run() throws IOException;
    }
}
