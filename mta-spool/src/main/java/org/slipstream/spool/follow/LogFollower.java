package org.slipstream.spool.follow;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.log.LogChanges;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.MessageLog;
import org.slipstream.spool.log.MessageLog.ScannedRecord;
import org.slipstream.spool.log.Position;
import org.slipstream.spool.log.RecordPlace;
import org.slipstream.spool.log.StoredMessage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/// The thread `events-<shard>`: reads the durable part of the message log in order and gives a [ChangeSink] what
/// became of messages.
///
/// **Why the log.** It is the commit: a change that is in it survived, and one that is not never happened. So the
/// reader's truth needs no sync of its own, and after a crash the end of the log is read once more. Nothing is handed
/// over in memory: the log itself is the queue between mail and programs, and it has no end that overflows. Its newest
/// part is in the page cache, so reading it costs no disk.
///
/// **Facts.** An outcome has the number of a recipient, and a program wants its address. Messages that were read a
/// moment ago are in [#known]; the others come from the index. A message that the index has lost already is found in
/// the log: its segment is there, because [#firstToKeep] keeps the cleaner from deleting what may be needed.
///
/// **Copies.** The cleaner and moves between shards append a message once more with its state in the same record.
/// That is no news. A copy that cannot be told from news has the same identity for readers.
public final class LogFollower implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LogFollower.class);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SYNC_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int BATCH = 2000;
    /// Recipients of the messages in memory; each takes some 300 octets.
    static final int MOST_KNOWN = 20_000;

    /// Messages of the queue, without those that the index does not have; any order.
    @FunctionalInterface
    public interface Details {
        List<MessageDetails> of(List<QueueId> ids) throws IOException;
    }

    private static final class Life {
        final StoredMessage message;
        int attempts;

        Life(StoredMessage message, int attempts) {
            this.message = message;
            this.attempts = attempts;
        }
    }

    private record Found(LogRecord record, Position at) {}

    private final int shard;
    private final MessageLog messageLog;
    private final long segmentBytes;
    private final Supplier<Position> end;
    private final Details details;
    private final ChangeSink sink;
    private final Thread thread;
    private final Map<QueueId, Life> known = new LinkedHashMap<>(1024, 0.75f, true);
    private int knownRecipients;
    private final List<Found> batch = new ArrayList<>();
    private volatile Position reached;
    private volatile boolean closing;
    private boolean unsynced;
    private boolean failing;
    private long syncNanos = System.nanoTime();

    /// @param segmentBytes size of a full segment; @param end of the durable log
    public LogFollower(int shard, MessageLog messageLog, long segmentBytes, Supplier<Position> end, Details details,
            ChangeSink sink) throws IOException {
        this.shard = shard;
        this.messageLog = messageLog;
        this.segmentBytes = segmentBytes;
        this.end = end;
        this.details = details;
        this.sink = sink;
        reached = sink.start(end.get());
        thread = Thread.ofPlatform().daemon().name("events-" + shard).unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    /// Any thread: segments before this one may go when the index has no message in them.
    ///
    /// All may go when everything up to `applied` was taken and is durable, because a message that the index still has
    /// may have a change behind its segment. Beyond the ceiling those may go that were read or passed over; an event of
    /// a message that was in one of them has its queue id and no more.
    ///
    /// @param applied up to there the index knows what is queued; @param oldest segment of the log
    public long firstToKeep(Position applied, long oldest) {
        Position taken = reached;
        boolean all = taken.compareTo(applied) >= 0;
        boolean tooLong = (end.get().segment() - oldest) * segmentBytes > sink.ceilingBytes();
        if (!all) {
            LockSupport.unpark(thread);
        }
        if (!all && !tooLong || !sync() && !tooLong) {
            return 0;
        }
        return all ? Long.MAX_VALUE : taken.segment();
    }

    private boolean sync() {
        try {
            sink.sync();
            return true;
        } catch (IOException e) {
            log.debug("event=events-not-written error=\"{}\"", LogText.text(e.toString()));
            return false;
        }
    }

    private void run() {
        while (!closing) {
            LockSupport.parkNanos(this, turn() ? PAUSE_NANOS : RETRY_NANOS);
        }
        turn();
        try (sink) {
            sink.sync();
        } catch (IOException e) {
            log.warn("event=events-not-written error=\"{}\"", LogText.text(e.toString()));
        }
    }

    /// Reads what the log has got since the last turn.
    ///
    /// @return false after a failure
    boolean turn() {
        try {
            follow();
            if (failing) {
                log.info("event=events-written-again");
            }
            failing = false;
            long now = System.nanoTime();
            if (unsynced && now - syncNanos >= 0) {
                sink.sync();
                unsynced = false;
                syncNanos = now + SYNC_NANOS;
            }
            return true;
        } catch (IOException | RuntimeException | Error e) {
            batch.clear();
            // Their counts may have the changes that come again.
            known.clear();
            knownRecipients = 0;
            if (!failing) {
                log.warn("event=events-not-written error=\"{}\" next=\"mail goes on; the log keeps them\"",
                        LogText.text(e.toString()));
            }
            failing = true;
            return false;
        }
    }

    private void follow() throws IOException {
        Position to = end.get();
        if (reached.compareTo(to) >= 0) {
            return;
        }
        try {
            messageLog.scan(reached, to, this::meet);
            process(to);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void meet(ScannedRecord found) {
        switch (found) {
            case ScannedRecord.Sound(LogRecord record, Position at) -> {
                if (batch.size() >= BATCH && !at.equals(batch.getLast().at())) {
                    process(at);
                }
                if (isNews(record)) {
                    batch.add(new Found(record, at));
                }
            }
            case ScannedRecord.Damaged(long segment, long offset, long bytes, String _) -> {
                log.warn("event=events-lost segment={} offset={} bytes={} reason=\"the log is damaged\"", segment,
                        offset,
                        bytes);
                sink.lost(0, "a part of the message log is damaged");
            }
            case ScannedRecord.Headless _,ScannedRecord.Torn _ -> {
                // The records are read nevertheless, or there are none.
            }
        }
    }

    private static boolean isNews(LogRecord record) {
        return switch (record) {
            // @formatter:off
            case LogRecord.Stored _, LogRecord.Outcomes _, LogRecord.Hold _, LogRecord.Attempts _, LogRecord.Deleted _,
                    LogRecord.Remove _ -> true;
            default -> false;
            // @formatter:on
        };
    }

    private void process(Position upTo) {
        try {
            learn();
            List<MessageChange> changes = new ArrayList<>(batch.size());
            Changes made = new Changes(changes);
            for (int i = 0; i < batch.size(); i++) {
                made.add(i);
            }
            sink.take(changes, upTo);
            unsynced |= !changes.isEmpty();
        } catch (IOException | RuntimeException e) {
            passOver(e);
        }
        batch.clear();
        forgetOldest();
        reached = upTo;
    }

    /// Mail would fill the disk if the log waited longer.
    private void passOver(Exception e) {
        if ((end.get().segment() - reached.segment()) * segmentBytes <= sink.ceilingBytes()) {
            throw e instanceof IOException failed ? new UncheckedIOException(failed) : new IllegalStateException(e);
        }
        long count = batch.stream().mapToLong(each -> each.record() instanceof LogRecord.Outcomes outcomes
                ? outcomes.outcomes().size()
                : each.record() instanceof LogRecord.Attempts || each.record() instanceof LogRecord.Remove ? 0 : 1)
                .sum();
        log.warn("event=events-lost count={} reason=\"{}\"", count, LogText.text(e.toString()));
        sink.lost(count, "they could not be written: " + e.getMessage());
    }

    // ---- facts

    /// Finds the messages of the batch that are not known and do not begin in it.
    private void learn() throws IOException {
        Set<QueueId> wanted = new HashSet<>();
        Set<QueueId> begun = new HashSet<>();
        for (Found each : batch) {
            if (each.record() instanceof LogRecord.Stored stored) {
                begun.add(stored.id());
            } else if (each.record() instanceof LogRecord.OfMessage record && !begun.contains(record.id())
                    && !(record instanceof LogRecord.Attempts) && !(record instanceof LogRecord.Remove)
                    && !known.containsKey(record.id())) {
                wanted.add(record.id());
            }
        }
        if (wanted.isEmpty()) {
            return;
        }
        for (MessageDetails each : queued(wanted)) {
            QueueId id = each.summary().id();
            if (wanted.remove(id)) {
                keep(new Life(new StoredMessage(id, each.summary().createdMillis(), each.summary().sizeBytes(),
                        each.envelope()), attemptsBefore(each)));
            }
        }
        if (!wanted.isEmpty()) {
            learnFromLog(wanted);
        }
    }

    private List<MessageDetails> queued(Set<QueueId> wanted) {
        try {
            return details.of(List.copyOf(wanted));
        } catch (IOException e) {
            // The log has them, too.
            log.debug("event=index-not-read error=\"{}\"", LogText.text(e.toString()));
            return List.of();
        }
    }

    /// The index may have an outcome of the batch already.
    private int attemptsBefore(MessageDetails message) {
        long counted = batch.stream().filter(each -> each.record() instanceof LogRecord.Outcomes outcomes
                && outcomes.attempt() && outcomes.id().equals(message.summary().id())
                && message.recipients().stream().anyMatch(state -> state.atMillis() >= outcomes.atMillis())).count();
        return (int) Math.max(0, message.summary().attempts() - counted);
    }

    /// Messages that have left the queue already.
    private void learnFromLog(Set<QueueId> wanted) throws IOException {
        Map<QueueId, Place> places = new HashMap<>();
        messageLog.changes(Position.START, new Places(wanted, places));
        for (Map.Entry<QueueId, Place> each : places.entrySet()) {
            try {
                keep(new Life(messageLog.message(each.getKey(), each.getValue().place(), each.getValue().sizeBytes()),
                        -1));
            } catch (IOException e) {
                log.warn("event=message-not-read queue={} reason=\"{}\"", each.getKey(), LogText.text(e.toString()));
            }
        }
    }

    private record Place(RecordPlace place, long sizeBytes) {}

    private record Places(Set<QueueId> wanted, Map<QueueId, Place> found) implements LogChanges {
        @Override
        public void stored(long id, RecordPlace place, long sizeBytes, long dueMillis, long notBeforeMillis) {
            QueueId queueId = new QueueId(id);
            if (wanted.contains(queueId)) {
                found.put(queueId, new Place(place, sizeBytes));
            }
        }

        @Override
        public void lost(long id, RecordPlace place, long sizeBytes, Position at) {}

        @Override
        public void told(long id, Position at) {}

        @Override
        public void nextAttempt(long id, long atMillis) {}

        @Override
        public void removed(long id) {}

        @Override
        public void changed(LogRecord record) {}
    }

    private void keep(Life life) {
        Life before = known.put(life.message.id(), life);
        knownRecipients += life.message.envelope().recipients().size()
                - (before == null ? 0 : before.message.envelope().recipients().size());
    }

    private void forget(QueueId id) {
        Life life = known.remove(id);
        knownRecipients -= life == null ? 0 : life.message.envelope().recipients().size();
    }

    /// Not within a batch, which needs what it has learnt.
    private void forgetOldest() {
        var oldest = known.values().iterator();
        while (knownRecipients > MOST_KNOWN && oldest.hasNext()) {
            knownRecipients -= oldest.next().message.envelope().recipients().size();
            oldest.remove();
        }
    }

    /// Makes changes of records.
    private final class Changes {
        private final List<MessageChange> changes;
        private Position at = Position.START;
        private int number;
        /// The message of the record at hand, when the record is one of a message with its content.
        private Optional<QueueId> storedHere = Optional.empty();
        private boolean copy;

        Changes(List<MessageChange> changes) {
            this.changes = changes;
        }

        void add(int index) {
            Found found = batch.get(index);
            if (!found.at().equals(at)) {
                at = found.at();
                number = 0;
                storedHere = Optional.empty();
                copy = false;
            }
            switch (found.record()) {
                case LogRecord.Stored stored -> {
                    storedHere = Optional.of(stored.id());
                    copy = isCopy(stored.id(), index + 1);
                    if (!known.containsKey(stored.id())) {
                        keep(new Life(stored.message(), 0));
                    }
                    if (!copy) {
                        change(stored.id(), new MessageChange.Accepted());
                    }
                }
                case LogRecord.Outcomes outcomes -> {
                    if (!isState(outcomes.id())) {
                        decided(outcomes);
                    }
                }
                case LogRecord.Attempts(QueueId id, int count) -> {
                    Life life = known.get(id);
                    if (life != null && life.attempts >= 0) {
                        life.attempts = count;
                    }
                }
                case LogRecord.Hold(QueueId id, boolean held) -> {
                    if (!copy || !isState(id)) {
                        change(id, new MessageChange.HoldSet(held));
                    }
                }
                case LogRecord.Deleted(QueueId id) -> change(id, new MessageChange.Deleted());
                case LogRecord.Remove(QueueId id) -> forget(id);
                default -> throw new IllegalStateException("not news: " + found.record());
            }
        }

        /// The record belongs to the message before it at the same position.
        private boolean isState(QueueId id) {
            return storedHere.filter(id::equals).isPresent();
        }

        /// The state that a copy has with it begins at the same position, behind the message.
        private boolean isCopy(QueueId id, int next) {
            boolean copied = id.shard() != shard;
            for (int i = next; i < batch.size() && batch.get(i).at().equals(at) && !copied; i++) {
                LogRecord state = batch.get(i).record();
                copied = state instanceof LogRecord.Outcomes || state instanceof LogRecord.Attempts;
            }
            return copied;
        }

        private void decided(LogRecord.Outcomes outcomes) {
            Life life = known.get(outcomes.id());
            for (RecipientOutcome each : outcomes.outcomes()) {
                OptionalInt attempt = life != null && life.attempts >= 0 && each.reached().isAttempt()
                        ? OptionalInt.of(life.attempts + 1)
                        : OptionalInt.empty();
                change(outcomes.id(), new MessageChange.Decided(each, outcomes.atMillis(), attempt));
            }
            if (life != null && life.attempts >= 0 && outcomes.attempt()) {
                life.attempts++;
            }
        }

        private void change(QueueId id, MessageChange.ChangeFact what) {
            changes.add(
                    new MessageChange(at, number++, id, Optional.ofNullable(known.get(id)).map(each -> each.message),
                            what));
        }
    }

    /// Takes what is durable by now, and ends. The log stays open until then.
    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(thread);
        try {
            thread.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
