package org.slipstream.smtpin;

import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.data.DataScanner;
import org.slipstream.smtpin.data.HeaderWatch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Function;

/// One message on its way from the wire into a draft.
///
/// The first thing that is wrong with the message decides the answer and closes the draft; the rest of the message is
/// still taken, because what a client sends after DATA is content until its final dot, whatever we think of it. Nothing
/// is ever answered before that dot, and no byte after it is touched.
final class Intake implements AutoCloseable {
    /// A client that goes on so far beyond the limit does not mean to end.
    private final long endlessBytes;
    private final ListenerConfig config;
    private final MailDoor.DraftLetter draft;
    private final Function<IOException, Reply> troubleReply;
    private final DataScanner scanner = new DataScanner();
    private final HeaderWatch header = new HeaderWatch();
    private Optional<Reply> refusal = Optional.empty();
    private Optional<IOException> trouble = Optional.empty();
    private boolean open = true;
    private long sizeBytes;
    private long takenBytes;
    private boolean eightBit;

    Intake(ListenerConfig config, MailDoor.DraftLetter draft, Function<IOException, Reply> troubleReply) {
        this.config = config;
        this.draft = draft;
        this.troubleReply = troubleReply;
        this.endlessBytes = 2 * Math.min(config.messageBytes(), Long.MAX_VALUE / 4) + (1 << 20);
    }

    /// Writes our own trace line, which counts neither as size nor as header of the client's.
    void begin(String received) {
        byte[] bytes = received.getBytes(StandardCharsets.US_ASCII);
        write(bytes, 0, bytes.length);
    }

    /// Takes `block[from, to)` and returns the position behind the last byte that belongs to the message.
    int take(byte[] block, int from, int to) throws IOException {
        int position = scanner.scan(block, from, to, this::content);
        takenBytes += position - from;
        if (scanner.bareNewline()) {
            refuse(Reply.of(521, "5.5.2", config.hostname() + " Lines end with CRLF and nothing else"));
        } else if (scanner.longestLineBytes() > config.textLineBytes()) {
            refuse(Reply.of(500, "5.6.0", "Line too long, at most " + config.textLineBytes() + " octets"));
        }
        return position;
    }

    private void content(byte[] block, int offset, int length) {
        sizeBytes += length;
        if (refusal.isPresent()) {
            return;
        }
        header.see(block, offset, length);
        judge();
        if (refusal.isEmpty()) {
            eightBit |= hasHighBit(block, offset, length);
            write(block, offset, length);
        }
    }

    private void judge() {
        if (sizeBytes > config.messageBytes()) {
            refuse(Reply.of(552, "5.3.4", "Message too big, at most " + config.messageBytes() + " octets"));
        } else if (header.bytes() > config.headerBytes() || header.lines() > config.headerLines()) {
            refuse(Reply.of(552, "5.3.4", "Message header too big"));
        } else if (header.received() > config.hops()) {
            refuse(Reply.of(554, "5.4.6", "Too many hops, this message is going in circles"));
        }
    }

    /// True when the final dot has been seen.
    boolean isComplete() {
        return scanner.done();
    }

    /// True when the client may think that its message has ended where we do not.
    boolean isAmbiguous() {
        return scanner.bareNewline();
    }

    boolean isEndless() {
        return takenBytes > endlessBytes;
    }

    /// Makes a complete message durable, unless something was wrong with it.
    ///
    /// @return what is wrong
    Optional<Reply> finish(Transaction mail) {
        if (refusal.isEmpty()) {
            Envelope envelope = mail.envelope(eightBit);
            guarded(() -> draft.commit(envelope));
        }
        return refusal;
    }

    QueueId id() {
        return draft.id();
    }

    /// Of the content as the client sent it, dots unstuffed.
    long sizeBytes() {
        return sizeBytes;
    }

    /// What is wrong so far.
    Optional<Reply> refusal() {
        return refusal;
    }

    /// Local trouble, which is behind the refusal when there was some.
    Optional<IOException> trouble() {
        return trouble;
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
            refuse(troubleReply.apply(e));
        }
    }

    // The first reason stands, except that an ambiguous end of data overrides: it ends the session.
    private void refuse(Reply reply) {
        if (refusal.isEmpty() || reply.code() == 521) {
            refusal = Optional.of(reply);
        }
        close();
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
