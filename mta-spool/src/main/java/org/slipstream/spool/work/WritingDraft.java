package org.slipstream.spool.work;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.spool.Draft;
import org.slipstream.spool.NoSpaceException;
import org.slipstream.spool.log.EnvelopeCodec;
import org.slipstream.spool.log.LargeContent;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.MessageLog;
import org.slipstream.spool.log.NewMessage;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;

/// A draft of one session thread: in memory up to `inlineBytes`, or until [DraftMemory] is used up,
/// then in a file of its own. The session thread writes and syncs a large message, so that the log
/// thread never waits for a megabyte.
final class WritingDraft implements Draft {
    private static final Logger log = LoggerFactory.getLogger(WritingDraft.class);
    private static final int FIRST_BYTES = 8 << 10;
    /// Space for a message of 64 KiB with its trace lines.
    private static final int SECOND_BYTES = 72 << 10;
    private static final byte[] NOTHING = {};
    private static final long LOOK_EVERY_BYTES = 1 << 20;

    private final QueueId id;
    private final MessageLog messageLog;
    private final LogWriter writer;
    private final SpaceGuard space;
    private final LongSupplier clock;
    private final int inlineBytes;
    private final DraftMemory shared;
    private final Tail tail;
    private final List<LogRecord> about;
    private long borrowed;
    private byte[] memory;
    private int used;
    private long flushed;
    private Optional<LargeContent> file = Optional.empty();
    private Optional<IOException> failed = Optional.empty();
    /// Failures from here on do not concern our own file.
    private boolean handedOver;
    private boolean ended;
    private Runnable whenEnded;

    /// @param about changes of the message that this one is a report about
    WritingDraft(QueueId id, MessageLog messageLog, LogWriter writer, SpaceGuard space, LongSupplier clock,
            int inlineBytes, DraftMemory shared, Tail tail, List<LogRecord> about, Runnable whenEnded) {
        this.about = about;
        this.whenEnded = whenEnded;
        this.shared = shared;
        this.memory = shared.borrow(FIRST_BYTES);
        this.tail = tail;
        this.id = id;
        this.messageLog = messageLog;
        this.writer = writer;
        this.space = space;
        this.clock = clock;
        this.inlineBytes = inlineBytes;
    }

    @Override
    public QueueId id() {
        return id;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        requireSound();
        try {
            if (length <= inlineBytes - used && reserve(used + length)) {
                System.arraycopy(bytes, offset, memory, used, length);
                used += length;
            } else {
                flush();
                flush(bytes, offset, length);
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /// The content is incomplete: nothing can be added or committed.
    private IOException failed(IOException e) {
        IOException reason = translated(e);
        failed = Optional.of(reason);
        discard();
        return reason;
    }

    private boolean reserve(int bytes) {
        if (bytes <= memory.length) {
            return true;
        }
        int size = bytes <= SECOND_BYTES ? Math.min(SECOND_BYTES, inlineBytes) : inlineBytes;
        // Once it has a file, a draft needs only its buffer.
        if (file.isPresent() || !shared.take(size - memory.length)) {
            return false;
        }
        borrowed += size - memory.length;
        byte[] larger = shared.borrow(size);
        System.arraycopy(memory, 0, larger, 0, used);
        shared.giveBack(memory);
        memory = larger;
        return true;
    }

    /// From here on `memory` is only the buffer before the file.
    private void flush() throws IOException {
        flush(memory, 0, used);
        used = 0;
    }

    private void flush(byte[] bytes, int offset, int length) throws IOException {
        if (file.isEmpty()) {
            file = Optional.of(messageLog.ownFile(id));
        }
        if (flushed / LOOK_EVERY_BYTES != (flushed + length) / LOOK_EVERY_BYTES) {
            space.require();
        }
        file.get().write(bytes, offset, length);
        flushed += length;
    }

    @Override
    public Content content() {
        return new Content() {
            @Override
            public long sizeBytes() {
                return flushed + used;
            }

            @Override
            public InputStream open() throws IOException {
                requireSound();
                if (file.isEmpty()) {
                    // The block serves other drafts once this one has ended.
                    return new ByteArrayInputStream(Arrays.copyOf(memory, used));
                }
                flush();
                return file.get().open();
            }
        };
    }

    @Override
    public void replaceStart(int bytes, byte[] start) throws IOException {
        requireSound();
        if (file.isEmpty()) {
            byte[] rest = Arrays.copyOfRange(memory, bytes, used);
            used = 0;
            write(start, 0, start.length);
            write(rest, 0, rest.length);
            return;
        }
        try {
            flush();
            file.get().replaceStart(bytes, start);
            flushed += start.length - bytes;
        } catch (IOException e) {
            throw failed(e);
        }
    }

    @Override
    public MessageSummary commit(Envelope envelope, Optional<ContentFacts> facts, Optional<Instruction.HoldNote> hold)
            throws IOException {
        requireSound();
        try {
            long createdMillis = clock.getAsLong();
            NewMessage message = new NewMessage(id, createdMillis, envelope, EnvelopeCodec.encode(envelope), facts,
                    finished(), state(hold));
            handedOver = true;
            store(message);
            ended = true;
            int recipients = envelope.recipients().size();
            return new MessageSummary(id, envelope.sender(), createdMillis, message.content().sizeBytes(), recipients,
                    recipients, 0, 0, hold.isPresent(), 0, envelope.options());
        } catch (IOException e) {
            throw translated(e);
        } finally {
            // A draft is committed at most once, whatever the result.
            close();
        }
    }

    private List<LogRecord> state(Optional<Instruction.HoldNote> hold) {
        if (hold.isEmpty()) {
            return about;
        }
        List<LogRecord> state = new ArrayList<>(about);
        state.add(new LogRecord.Hold(id, true));
        state.add(new LogRecord.Instructed(id, new Instruction.Hold(hold)));
        return state;
    }

    private NewMessage.ContentForm finished() throws IOException {
        if (file.isPresent()) {
            flush();
            return file.get().finish();
        }
        // The one allocation of the message's size; the block serves the next draft.
        NewMessage.Inline content = new NewMessage.Inline(Arrays.copyOf(memory, used), used);
        giveBackBlock();
        return content;
    }

    private void store(NewMessage message) throws IOException {
        waitForSpace();
        Task.Deposit deposit = new Task.Deposit(message);
        if (!writer.add(deposit)) {
            throw new IOException("the spool is closed");
        }
        try {
            deposit.safe().join();
        } catch (CompletionException _) {
            Throwable why = deposit.safe().exceptionNow();
            throw new IOException("queue=" + id + " could not be stored: " + why.getMessage(), why);
        }
    }

    private void waitForSpace() {
        try {
            tail.waitForSpace();
        } catch (InterruptedException e) {
            // The wait ends early; the commit continues.
            Thread.currentThread().interrupt();
        }
    }

    private IOException translated(IOException e) {
        if (e instanceof NoSpaceException || !SpaceGuard.isNoSpace(e)) {
            return e;
        }
        space.ranOut(!handedOver);
        return new NoSpaceException("no space left for queue=" + id, e);
    }

    private void requireSound() throws IOException {
        if (ended) {
            throw new IllegalStateException("draft " + id + " has ended");
        }
        if (failed.isPresent()) {
            throw failed.get();
        }
    }

    @Override
    public void close() {
        if (!ended) {
            ended = true;
            discard();
        }
        giveBack();
        whenEnded.run();
        whenEnded = () -> {};
    }

    private void giveBack() {
        shared.giveBack(borrowed);
        borrowed = 0;
        giveBackBlock();
    }

    private void giveBackBlock() {
        shared.giveBack(memory);
        memory = NOTHING;
    }

    private void discard() {
        used = 0;
        try {
            if (file.isPresent()) {
                file.get().discard();
            }
        } catch (IOException e) {
            // The next start deletes it.
            log.warn("event=draft-not-deleted queue={} error=\"{}\"", id, e.toString());
        }
        file = Optional.empty();
    }
}
