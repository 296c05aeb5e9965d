package org.slipstream.spool.work;

import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.Position;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The end of the log that the index does not have yet, in memory, by subject. May be called by any
/// thread.
///
/// The records of a message that is finished before the index thread takes them cancel each other.
/// So a server that delivers what it receives hardly writes to the index.
///
/// **Bounds.** The tail has a limit in messages and in bytes. From half of the limit each commit
/// waits a little, and at the limit new mail is refused with 451. Outcomes are never refused,
/// because they shorten the queue.
public final class Tail {
    /// Approximate heap size of the objects of a record.
    private static final int RECORD_BYTES = 150;
    private static final int RECIPIENT_BYTES = 200;
    private static final long LONGEST_WAIT_MILLIS = 1_000;

    /// All records of one subject.
    ///
    /// @param start of the group in which the first of them was appended
    /// @param sinceNanos time of that group
    private record Pending(Position start, long sinceNanos, List<LogRecord> records) {
        Optional<LogRecord.Stored> stored() {
            return records.getFirst() instanceof LogRecord.Stored stored ? Optional.of(stored) : Optional.empty();
        }

        int bytes() {
            int bytes = RECORD_BYTES * records.size();
            for (LogRecord record : records) {
                bytes += switch (record) {
                    case LogRecord.Stored stored -> stored.envelopeBytes().length
                            + RECIPIENT_BYTES * stored.message().envelope().recipients().size();
                    case LogRecord.Lost lost -> RECIPIENT_BYTES * lost.message().envelope().recipients().size();
                    case LogRecord.Outcomes outcomes -> RECORD_BYTES * outcomes.outcomes().size();
                    case LogRecord.PastAttempts past -> RECORD_BYTES * past.attempts().size();
                    default -> 0;
                };
            }
            return bytes;
        }
    }

    /// Records that the index thread applies in one transaction.
    ///
    /// @param position of the index after them
    record Batch(List<LogRecord> records, Position position, long lastId) {}

    /// The log's end and the records before it that wait here, at one moment.
    ///
    /// @param position of the index when it has everything but these records
    /// @param starts of each subject that waits: from there on its records are here
    record Unapplied(Position position, Position end, Map<Object, Position> starts) {
        boolean contains(LogRecord record, Position at) {
            Position start = starts.get(record.subject());
            return start != null && at.compareTo(start) >= 0;
        }
    }

    private final int mostMessages;
    private final long mostBytes;
    private final Map<Object, Pending> pending = new LinkedHashMap<>();
    /// Taken by the index thread and not yet applied.
    private final Map<Object, Pending> taken = new LinkedHashMap<>();
    /// Subjects of records applied while tasks that are based on an earlier query wait for the log
    /// thread.
    private final Set<Object> learnt = new HashSet<>();
    private int waitingTasks;
    private boolean keepsRemovals;
    private Position end;
    private long lastId;
    private long bytes;
    private long takenBytes;

    public Tail(int mostMessages, long mostBytes, Position end, long lastId) {
        this.mostMessages = mostMessages;
        this.mostBytes = mostBytes;
        this.end = end;
        this.lastId = lastId;
    }

    /// Adds a group that is durable in the log.
    ///
    /// @param reached the log's end after it
    /// @return messages with own content files that were finished without the index
    synchronized Set<QueueId> add(List<LogRecord> group, Position reached, long nanos) {
        Set<QueueId> files = Set.of();
        for (LogRecord record : group) {
            if (record instanceof LogRecord.Remove(QueueId id)) {
                Optional<LogRecord.Stored> stored = removed(id, nanos);
                if (stored.filter(each -> each.place().ownFile()).isPresent()) {
                    files = files.isEmpty() ? new HashSet<>() : files;
                    files.add(id);
                }
            } else {
                add(record, nanos);
            }
        }
        end = reached;
        return files;
    }

    private void add(LogRecord record, long nanos) {
        if (record instanceof LogRecord.Stored stored) {
            lastId = Math.max(lastId, stored.id().value());
        }
        Pending of = pending.computeIfAbsent(record.subject(), _ -> new Pending(end, nanos, new ArrayList<>(2)));
        bytes -= of.records().isEmpty() ? 0 : of.bytes();
        of.records().add(record);
        bytes += of.bytes();
    }

    /// @return the message, when the index never had it and never will
    private Optional<LogRecord.Stored> removed(QueueId id, long nanos) {
        Pending before = pending.remove(id);
        if (before != null) {
            bytes -= before.bytes();
            if (before.stored().filter(each -> !each.copied()).isPresent() && !taken.containsKey(id)
                    && !keepsRemovals) {
                return before.stored();
            }
        }
        add(new LogRecord.Remove(id), nanos);
        return Optional.empty();
    }

    /// @param keeps the index reads the log itself, so it may know a message that is still here
    synchronized void keepRemovals(boolean keeps) {
        keepsRemovals = keeps;
    }

    /// The next transaction of the index thread: what was taken before and has not been applied, or
    /// what was added before `beforeNanos`, at most so many records.
    synchronized Batch take(long beforeNanos, int most) {
        if (taken.isEmpty()) {
            Iterator<Map.Entry<Object, Pending>> oldest = pending.entrySet().iterator();
            int records = 0;
            while (oldest.hasNext() && records < most) {
                Map.Entry<Object, Pending> next = oldest.next();
                if (next.getValue().sinceNanos() - beforeNanos > 0) {
                    break;
                }
                records += next.getValue().records().size();
                taken.put(next.getKey(), next.getValue());
                oldest.remove();
            }
            takenBytes = taken.values().stream().mapToLong(Pending::bytes).sum();
            bytes -= takenBytes;
        }
        return new Batch(taken.values().stream().flatMap(each -> each.records().stream()).toList(), start(), lastId);
    }

    private Position start() {
        return pending.isEmpty() ? end : pending.values().iterator().next().start();
    }

    /// Records before it are applied or need no index.
    synchronized Position position() {
        return taken.isEmpty() ? start() : taken.values().iterator().next().start();
    }

    /// All records that the index lacks. Later ones come after [Unapplied#end].
    synchronized Unapplied unapplied() {
        Map<Object, Position> starts = HashMap.newHashMap(size());
        taken.forEach((subject, each) -> starts.put(subject, each.start()));
        pending.forEach((subject, each) -> starts.putIfAbsent(subject, each.start()));
        return new Unapplied(position(), end, starts);
    }

    /// The records that were taken, subject by subject.
    synchronized List<Batch> single() {
        Position from = position();
        return taken.values().stream().map(each -> new Batch(List.copyOf(each.records()), from, 0)).toList();
    }

    /// The batch is in the index.
    synchronized void applied() {
        if (waitingTasks > 0) {
            learnt.addAll(taken.keySet());
        }
        taken.clear();
        takenBytes = 0;
        notifyAll();
    }

    /// The greatest queue id in the log, including messages that the index never gets.
    synchronized long lastId() {
        return lastId;
    }

    /// The durable end of the log.
    synchronized Position end() {
        return end;
    }

    /// How much of the space for what the index lacks is in use; 1 and more: no new mail is taken.
    synchronized double filled() {
        return fill();
    }

    /// Number of subjects that wait for the index.
    synchronized int size() {
        return pending.size() + taken.size();
    }

    /// True when the index does not have all records of this message or host.
    synchronized boolean mentions(Object subject) {
        return pending.containsKey(subject) || taken.containsKey(subject);
    }

    /// Called by the index thread before it applies more: a task that is based on a query now
    /// waits.
    synchronized void taskWaits() {
        waitingTasks++;
    }

    /// Called when the log thread has executed such a task.
    synchronized void taskDone() {
        waitingTasks--;
        if (waitingTasks == 0) {
            learnt.clear();
        }
    }

    /// True when the query that a waiting task is based on may be out of date: the log has more
    /// records of the subject, applied or not.
    synchronized boolean hasNews(Object subject) {
        return mentions(subject) || learnt.contains(subject);
    }

    /// Place of the content of a message that is in the tail.
    synchronized Optional<QueueIndex.Located> locate(QueueId id) {
        return stored(id).map(stored -> new QueueIndex.Located(stored.place(), stored.message().sizeBytes()));
    }

    synchronized Optional<Envelope> envelope(QueueId id) {
        return stored(id).map(stored -> stored.message().envelope());
    }

    private Optional<LogRecord.Stored> stored(QueueId id) {
        return records(id).filter(LogRecord.Stored.class::isInstance).map(LogRecord.Stored.class::cast).findFirst();
    }

    private Stream<LogRecord> records(QueueId id) {
        return Stream.of(taken, pending).flatMap(map -> Stream.ofNullable(map.get(id)))
                .flatMap(each -> each.records().stream());
    }

    /// Waiting recipients of a message that the index does not have.
    synchronized Optional<List<Recipient>> openRecipients(QueueId id) {
        return stored(id).map(stored -> {
            Set<Integer> done = new HashSet<>();
            records(id).forEach(record -> {
                if (record instanceof LogRecord.Outcomes outcomes) {
                    outcomes.outcomes().stream().filter(each -> !(each.outcome() instanceof Outcome.Deferred))
                            .map(RecipientOutcome::number).forEach(done::add);
                }
            });
            return stored.message().envelope().recipients().stream().filter(each -> !done.contains(each.number()))
                    .toList();
        });
    }

    /// True when there is no space for another message.
    synchronized boolean isFull() {
        return fill() >= 1;
    }

    private double fill() {
        return Math.max((double) size() / mostMessages, (double) (bytes + takenBytes) / mostBytes);
    }

    /// From half of the limit: waits for the index, longer the fuller the tail is, a second at
    /// most.
    synchronized void waitForSpace() throws InterruptedException {
        double over = 2 * fill() - 1;
        if (over > 0) {
            wait(Math.max(1, (long) (Math.min(1, over) * LONGEST_WAIT_MILLIS)));
        }
    }
}
