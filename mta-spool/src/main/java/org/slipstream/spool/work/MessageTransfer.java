package org.slipstream.spool.work;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.spool.MovableMessages;
import org.slipstream.spool.MovingMessage;
import org.slipstream.spool.NoSpaceException;
import org.slipstream.spool.index.DamagedRowsException;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.log.DamagedMessageException;
import org.slipstream.spool.log.LargeContent;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.MessageLog;
import org.slipstream.spool.log.NewMessage;
import org.slipstream.spool.log.UndecidedException;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/// Moves messages between spools, on the reader threads of each.
///
/// A message that comes in is one record with its state ([NewMessage#state]). So after a power cut
/// the log has both or neither, and never a message whose delivered recipients are open again.
final class MessageTransfer {
    private static final Logger log = LoggerFactory.getLogger(MessageTransfer.class);
    private static final int BLOCK_BYTES = 64 << 10;

    private final MessageLog messageLog;
    private final Tail tail;
    private final LogWriter writer;
    private final Indexer indexer;
    private final ReaderThreads readers;
    private final SpaceGuard space;
    private final BiConsumer<QueueId, String> setAside;
    /// Messages that are or may be in two spools.
    private final Set<QueueId> inTransit = ConcurrentHashMap.newKeySet();

    /// @param setAside marks a damaged message
    MessageTransfer(MessageLog messageLog, Tail tail, LogWriter writer, Indexer indexer,
            ReaderThreads readers, SpaceGuard space, BiConsumer<QueueId, String> setAside) {
        this.messageLog = messageLog;
        this.tail = tail;
        this.writer = writer;
        this.indexer = indexer;
        this.readers = readers;
        this.space = space;
        this.setAside = setAside;
    }

    boolean isInTransit(QueueId id) {
        return inTransit.contains(id);
    }

    void settled(QueueId id) {
        inTransit.remove(id);
    }

    // ---- out

    void export(QueueId id, OptionalLong dueMillis, Consumer<MovableMessages.Exported> then) {
        inTransit.add(id);
        // An empty change, so that the log has all changes that were ordered before.
        Task.Changes marker = new Task.Changes(List.of(), () -> {
            if (!readers.execute(() -> then.accept(exported(id, dueMillis)))) {
                then.accept(closed());
            }
        });
        if (!writer.add(marker)) {
            then.accept(closed());
        }
    }

    private static MovableMessages.Exported closed() {
        return new MovableMessages.Exported.Unavailable(new IOException("the spool is closed"));
    }

    private MovableMessages.Exported exported(QueueId id, OptionalLong dueMillis) {
        try {
            indexer.bringUp();
            Optional<MessageDetails> message = indexer.index().message(id);
            return message.isEmpty()
                    ? new MovableMessages.Exported.Gone()
                    : new MovableMessages.Exported.Ready(read(message.get(), dueMillis));
        } catch (DamagedRowsException | DamagedMessageException | FileNotFoundException | NoSuchFileException e) {
            setAside.accept(id, FailureWords.of(e));
            return new MovableMessages.Exported.Damaged(FailureWords.of(e));
        } catch (IOException e) {
            return new MovableMessages.Exported.Unavailable(e);
        } catch (RuntimeException e) {
            return new MovableMessages.Exported.Unavailable(new IOException(e));
        }
    }

    private MovingMessage read(MessageDetails message, OptionalLong dueMillis) throws IOException {
        QueueId id = message.summary().id();
        List<LogRecord> state = state(message, dueMillis);
        QueueIndex.Located located = located(id);
        NewMessage stored;
        try {
            stored = messageLog.read(id, located.place());
        } catch (DamagedMessageException | FileNotFoundException e) {
            // The cleaner may have copied it to another place in between.
            QueueIndex.Located again = located(id);
            if (again.equals(located)) {
                throw e;
            }
            located = again;
            stored = messageLog.read(id, located.place());
        }
        return new MovingMessage(message.summary(), dueMillis.orElse(message.nextAttemptMillis()),
                stored.withState(state), messageLog.content(id, located.place(), located.sizeBytes(),
                        () -> setAside.accept(id, "its content is damaged or missing")));
    }

    private QueueIndex.Located located(QueueId id) throws IOException {
        return indexer.index().locate(id).orElseThrow(() -> new NoSuchFileException("no message " + id));
    }

    private List<LogRecord> state(MessageDetails message, OptionalLong dueMillis) throws IOException {
        QueueId id = message.summary().id();
        List<LogRecord> state = KnownState.withAttempts(indexer.index(), message);
        if (dueMillis.isPresent()) {
            boolean deferred = state.removeIf(LogRecord.NextAttempt.class::isInstance);
            // A message that nothing was recorded of stays in the incoming queue.
            if (deferred && !state.isEmpty() || dueMillis.getAsLong() > message.nextAttemptMillis()) {
                state.add(new LogRecord.NextAttempt(id, dueMillis.getAsLong()));
            }
        }
        if (indexer.index().queued(List.of(id)).isEmpty()) {
            state.add(new LogRecord.SetAside(id));
        }
        return state;
    }

    // ---- in

    void take(MovingMessage message, Consumer<Optional<IOException>> then) {
        if (!inTransit.add(message.id())) {
            then.accept(Optional.of(new IOException("the message is on its way already")));
            return;
        }
        Consumer<Optional<IOException>> ended = trouble -> {
            if (trouble.isPresent()) {
                settled(message.id());
            }
            then.accept(trouble);
        };
        if (!readers.execute(() -> taken(message, ended))) {
            ended.accept(Optional.of(new IOException("the spool is closed")));
        }
    }

    private void taken(MovingMessage message, Consumer<Optional<IOException>> then) {
        try {
            requireRoom(message.id());
            NewMessage stored = message.stored();
            if (stored.content() instanceof NewMessage.InOwnFile expected) {
                copy(message, expected);
            }
            Task.Deposit deposit = Task.Deposit.moved(stored);
            deposit.safe().whenComplete((_, why) -> then.accept(why == null
                    ? Optional.empty()
                    : Optional.of(refused(stored, why))));
            if (!writer.add(deposit)) {
                deposit.safe().completeExceptionally(new IOException("the spool is closed"));
            }
        } catch (IOException e) {
            then.accept(Optional.of(e));
        } catch (RuntimeException e) {
            then.accept(Optional.of(new IOException(e)));
        }
    }

    private void requireRoom(QueueId id) throws IOException {
        space.require();
        if (tail.isFull()) {
            throw new IOException("the queue index is too far behind the message log: " + tail.size() + " messages");
        }
        if (tail.mentions(id)) {
            indexer.bringUp();
        }
        if (indexer.index().locate(id).isPresent()) {
            throw new IOException("the message is in this spool already");
        }
    }

    /// Runs on the thread that ends the wait.
    private IOException refused(NewMessage stored, Throwable why) {
        // Of a group that may be in nevertheless, another node may own the log by now.
        if (stored.content() instanceof NewMessage.InOwnFile && !(why instanceof UndecidedException)) {
            discard(stored.id());
        }
        return SpaceGuard.isNoSpace(why)
                ? noSpace(stored.id(), why, false)
                : new IOException("queue=" + stored.id() + " could not be stored: " + why.getMessage(), why);
    }

    private NoSpaceException noSpace(QueueId id, Throwable why, boolean ownFile) {
        space.ranOut(ownFile);
        return new NoSpaceException("no space left for queue=" + id, why);
    }

    private void copy(MovingMessage message, NewMessage.InOwnFile expected) throws IOException {
        indexer.reuseFile(message.id());
        if (messageLog.hasOwnFile(message.id())) {
            // Of a former stay of the message here: its deletion may still be under way.
            indexer.settle();
            messageLog.deleteOwnFile(message.id());
        }
        LargeContent file = messageLog.ownFile(message.id());
        try (InputStream input = message.content().open()) {
            byte[] block = new byte[BLOCK_BYTES];
            for (int length = input.read(block); length >= 0; length = input.read(block)) {
                file.write(block, 0, length);
            }
            if (!file.finish().equals(expected)) {
                throw new DamagedMessageException("wrong checksum or size of a large message");
            }
        } catch (IOException e) {
            file.discard();
            throw SpaceGuard.isNoSpace(e) ? noSpace(message.id(), e, true) : e;
        }
    }

    private void discard(QueueId id) {
        try {
            messageLog.deleteOwnFile(id);
        } catch (IOException e) {
            // The next start deletes it.
            log.warn("event=file-not-deleted queue={} error=\"{}\"", id, e.toString());
        }
    }
}
