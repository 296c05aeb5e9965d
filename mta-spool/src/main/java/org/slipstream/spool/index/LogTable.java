package org.slipstream.spool.index;

import org.slipstream.core.QueueId;
import org.slipstream.core.queue.QueueName;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.spool.log.HostRecord;
import org.slipstream.spool.log.LogChanges;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.Position;
import org.slipstream.spool.log.RecordPlace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.IntPredicate;

/// The queue in memory, some 70 octets for each message: when it is due, and where the log has its
/// records. It is filled from the hints of the log in a fraction of a second, and serves until the
/// index is made.
///
/// Arrays in place of objects, because a million objects take three times the memory and time. A message has a row; a
/// removal moves the last row into the gap. The positions of its records are a chain of links.
///
/// May be called by any thread.
final class LogTable implements LogChanges {
    private static final int NONE = RowNumbers.NONE;
    /// The flags of a row: its state plus one, and these two.
    private static final int STATE = 3;
    private static final int OWN_FILE = 4;
    private static final int LOST = 8;

    /// A message at one moment.
    ///
    /// @param state of [MessageStatus]
    /// @param lost the log has no record of the message itself
    /// @param records about it, in order
    record TableRow(QueueId id, RecordPlace place, long sizeBytes, long nextMillis, int state, boolean lost,
            List<Position> records) {
        TableRow {
            records = List.copyOf(records);
        }
    }

    /// Rows that are due, the oldest first.
    record DueRows(List<TableRow> rows, boolean more, OptionalLong nextMillis) {}

    private record Candidate(int row, long nextMillis, long id) {
        static final Comparator<Candidate> OLDEST_FIRST = Comparator.comparingLong(Candidate::nextMillis)
                .thenComparingLong(Candidate::id);
    }

    private final int most;
    /// Some messages found no room.
    private boolean lacksSome;
    private final RowNumbers numbers = new RowNumbers();
    private int rows;
    private long[] ids = new long[64];
    private long[] next = new long[64];
    private long[] size = new long[64];
    private int[] segment = new int[64];
    private int[] offset = new int[64];
    private byte[] flags = new byte[64];
    private int[] first = new int[64];
    private int[] last = new int[64];
    private int[] linkSegment = new int[64];
    private int[] linkOffset = new int[64];
    private int[] linkNext = new int[64];
    private int links;
    private int freeLink = NONE;
    private final Map<Long, Long> notBefore = new HashMap<>();
    private final Map<Object, LogRecord> facts = new LinkedHashMap<>();
    private Set<QueueId> freedFiles = new HashSet<>();
    private long lastId;
    /// Messages that were entered.
    private long arrivals;
    private long askedAt = -1;
    /// The ids when as many had been entered.
    private long[] ordered = {};
    private long orderedAt = -1;

    /// @param most messages; further ones wait for the index
    LogTable(int most) {
        this.most = most;
    }

    @Override
    public synchronized void stored(long id, RecordPlace place, long sizeBytes, long dueMillis, long notBeforeMillis) {
        lastId = Math.max(lastId, id);
        int row = numbers.get(id);
        if (row != NONE && is(row, LOST)) {
            // A repair found it, and the cleaner copied it.
            remove(id);
            row = NONE;
        }
        if (row != NONE) {
            segment[row] = Math.toIntExact(place.segment());
            offset[row] = Math.toIntExact(place.offset());
        } else if (enter(id, place, sizeBytes, dueMillis, MessageStatus.INCOMING, 0) && notBeforeMillis != 0) {
            notBefore.put(id, notBeforeMillis);
        }
    }

    @Override
    public synchronized void lost(long id, RecordPlace place, long sizeBytes, Position at) {
        lastId = Math.max(lastId, id);
        if (numbers.get(id) == NONE && enter(id, place, sizeBytes, 0, MessageStatus.CORRUPT, LOST)) {
            told(id, at);
        }
    }

    @Override
    public synchronized void told(long id, Position at) {
        int row = numbers.get(id);
        if (row == NONE) {
            return;
        }
        int tail = last[row];
        if (tail != NONE && at.compareTo(position(tail)) <= 0) {
            return;
        }
        int link = link(at);
        if (tail == NONE) {
            first[row] = link;
        } else {
            linkNext[tail] = link;
        }
        last[row] = link;
    }

    @Override
    public synchronized void nextAttempt(long id, long atMillis) {
        int row = numbers.get(id);
        if (row != NONE) {
            next[row] = atMillis;
            state(row, Math.max(state(row), MessageStatus.QUEUED));
        }
    }

    @Override
    public synchronized void removed(long id) {
        lastId = Math.max(lastId, id);
        remove(id);
    }

    @Override
    public synchronized void changed(LogRecord record) {
        switch (record) {
            case LogRecord.MakeDue(QueueId id, long nowMillis) -> {
                int row = numbers.get(id.value());
                if (row != NONE && next[row] > nowMillis && mayBeDue(row, nowMillis)) {
                    next[row] = nowMillis;
                }
            }
            case LogRecord.Hold(QueueId id, boolean held) -> {
                int row = numbers.get(id.value());
                if (row != NONE && state(row) != MessageStatus.CORRUPT) {
                    state(row, held ? MessageStatus.HELD : MessageStatus.QUEUED);
                }
            }
            case LogRecord.SetAside(QueueId id) -> setAside(id.value());
            case LogRecord.ForgetHost _,LogRecord.ForgetOrder _ -> facts.remove(record.subject());
            case LogRecord.KeepHost _,LogRecord.KeepOrder _ -> facts.put(record.subject(), record);
            default -> throw new IllegalArgumentException("not a whole change: " + record);
        }
    }

    synchronized void setAside(long id) {
        int row = numbers.get(id);
        if (row != NONE) {
            state(row, MessageStatus.CORRUPT);
        }
    }

    private boolean enter(long id, RecordPlace place, long sizeBytes, long dueMillis, int state, int more) {
        if (rows == most) {
            lacksSome = true;
            return false;
        }
        if (rows == ids.length) {
            grow(Math.min(most, ids.length * 2));
        }
        int row = rows++;
        arrivals++;
        ids[row] = id;
        next[row] = dueMillis;
        size[row] = sizeBytes;
        segment[row] = Math.toIntExact(place.segment());
        offset[row] = Math.toIntExact(place.offset());
        flags[row] = (byte) (state + 1 | more | (place.ownFile() ? OWN_FILE : 0));
        first[row] = NONE;
        last[row] = NONE;
        numbers.put(id, row);
        freedFiles.remove(new QueueId(id));
        return true;
    }

    private void grow(int length) {
        ids = Arrays.copyOf(ids, length);
        next = Arrays.copyOf(next, length);
        size = Arrays.copyOf(size, length);
        segment = Arrays.copyOf(segment, length);
        offset = Arrays.copyOf(offset, length);
        flags = Arrays.copyOf(flags, length);
        first = Arrays.copyOf(first, length);
        last = Arrays.copyOf(last, length);
    }

    private void remove(long id) {
        int row = numbers.get(id);
        if (row == NONE) {
            return;
        }
        if (is(row, OWN_FILE)) {
            freedFiles.add(new QueueId(id));
        }
        if (last[row] != NONE) {
            linkNext[last[row]] = freeLink;
            freeLink = first[row];
        }
        notBefore.remove(id);
        numbers.remove(id);
        int end = --rows;
        if (row != end) {
            ids[row] = ids[end];
            next[row] = next[end];
            size[row] = size[end];
            segment[row] = segment[end];
            offset[row] = offset[end];
            flags[row] = flags[end];
            first[row] = first[end];
            last[row] = last[end];
            numbers.put(ids[row], row);
        }
    }

    private int link(Position at) {
        int link = freeLink;
        if (link != NONE) {
            freeLink = linkNext[link];
        } else {
            if (links == linkNext.length) {
                linkSegment = Arrays.copyOf(linkSegment, links * 2);
                linkOffset = Arrays.copyOf(linkOffset, links * 2);
                linkNext = Arrays.copyOf(linkNext, links * 2);
            }
            link = links++;
        }
        linkSegment[link] = Math.toIntExact(at.segment());
        linkOffset[link] = Math.toIntExact(at.offset());
        linkNext[link] = NONE;
        return link;
    }

    private Position position(int link) {
        return new Position(linkSegment[link], linkOffset[link]);
    }

    private boolean is(int row, int flag) {
        return (flags[row] & flag) != 0;
    }

    private int state(int row) {
        return (flags[row] & STATE) - 1;
    }

    private void state(int row, int state) {
        flags[row] = (byte) (flags[row] & ~STATE | state + 1);
    }

    private boolean mayBeDue(int row, long atMillis) {
        return notBefore.isEmpty() || notBefore.getOrDefault(ids[row], 0L) <= atMillis;
    }

    private TableRow row(int row) {
        List<Position> records = new ArrayList<>();
        for (int link = first[row]; link != NONE; link = linkNext[link]) {
            records.add(position(link));
        }
        return new TableRow(new QueueId(ids[row]), new RecordPlace(segment[row], offset[row], is(row, OWN_FILE)),
                size[row],
                next[row], state(row), is(row, LOST), records);
    }

    /// True when a message without a row may be in the queue.
    synchronized boolean lacksSome() {
        return lacksSome;
    }

    synchronized Optional<TableRow> row(QueueId id) {
        int row = numbers.get(id.value());
        return row == NONE ? Optional.empty() : Optional.of(row(row));
    }

    /// Rows whose next attempt is due; held ones are among those of the deferred queue.
    synchronized DueRows due(DueQuery query) {
        int wanted = query.queue() == QueueName.INCOMING ? MessageStatus.INCOMING : MessageStatus.QUEUED;
        PriorityQueue<Candidate> oldest = new PriorityQueue<>(Candidate.OLDEST_FIRST.reversed());
        long nextMillis = Long.MAX_VALUE;
        boolean more = false;
        for (int row = 0; row < rows; row++) {
            int state = state(row);
            boolean queued = state == wanted;
            if (queued && next[row] > query.furthestMillis() && mayBeDue(row, query.furthestMillis())) {
                next[row] = query.furthestMillis();
            }
            boolean held = wanted == MessageStatus.QUEUED && state == MessageStatus.HELD
                    && new QueueId(ids[row]).createdMillis() < query.heldCreatedBeforeMillis();
            if (!queued && !held) {
                continue;
            }
            if (next[row] > query.nowMillis()) {
                nextMillis = queued ? Math.min(nextMillis, next[row]) : nextMillis;
                continue;
            }
            if (oldest.size() == query.limit()) {
                more = true;
                Candidate latest = oldest.peek();
                if (latest == null || latest.nextMillis() <= next[row]) {
                    nextMillis = queued ? Math.min(nextMillis, next[row]) : nextMillis;
                    continue;
                }
                oldest.remove();
                nextMillis = Math.min(nextMillis, latest.nextMillis());
            }
            oldest.add(new Candidate(row, next[row], ids[row]));
        }
        List<TableRow> found = oldest.stream().sorted(Candidate.OLDEST_FIRST).map(each -> row(each.row())).toList();
        return new DueRows(found, more,
                nextMillis == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(nextMillis));
    }

    /// The next rows in order of id.
    synchronized List<TableRow> page(long after, int limit, Set<Integer> states) {
        return page(after, limit, row -> states.contains(state(row)));
    }

    /// The next rows in order of id that would be due later than `nowMillis` and may be due then.
    synchronized List<TableRow> notDue(long after, int limit, long nowMillis) {
        return page(after, limit, row -> next[row] > nowMillis && mayBeDue(row, nowMillis));
    }

    private List<TableRow> page(long after, int limit, IntPredicate wanted) {
        if (orderedAt != arrivals && askedAt == arrivals) {
            // A reader of all pages, for example of a start that compares two spools.
            ordered = Arrays.copyOf(ids, rows);
            Arrays.sort(ordered);
            orderedAt = arrivals;
        }
        askedAt = arrivals;
        return orderedAt == arrivals ? nextOrdered(after, limit, wanted) : smallest(after, limit, wanted);
    }

    private List<TableRow> nextOrdered(long after, int limit, IntPredicate wanted) {
        int from = Arrays.binarySearch(ordered, after);
        return Arrays.stream(ordered, from < 0 ? -from - 1 : from + 1, ordered.length).mapToInt(numbers::get)
                .filter(row -> row != NONE && wanted.test(row)).limit(limit).mapToObj(this::row).toList();
    }

    private List<TableRow> smallest(long after, int limit, IntPredicate wanted) {
        PriorityQueue<Long> smallest = new PriorityQueue<>(Comparator.reverseOrder());
        for (int row = 0; row < rows; row++) {
            if (ids[row] > after && (smallest.size() < limit || ids[row] < smallest.peek()) && wanted.test(row)) {
                smallest.add(ids[row]);
                if (smallest.size() > limit) {
                    smallest.remove();
                }
            }
        }
        return smallest.stream().sorted().map(id -> row(numbers.get(id))).toList();
    }

    synchronized QueueIndex.Totals totals() {
        long held = 0;
        long corrupt = 0;
        long bytes = 0;
        for (int row = 0; row < rows; row++) {
            switch (state(row)) {
                case MessageStatus.CORRUPT -> corrupt++;
                case MessageStatus.HELD -> {
                    held++;
                    bytes += size[row];
                }
                default -> bytes += size[row];
            }
        }
        return new QueueIndex.Totals(rows - corrupt, held, corrupt, bytes);
    }

    synchronized QueueIndex.Named named() {
        Map<Long, Long> messages = new HashMap<>();
        Map<Long, Long> aside = new HashMap<>();
        Set<QueueId> files = new HashSet<>();
        for (int row = 0; row < rows; row++) {
            messages.merge((long) segment[row], 1L, Long::sum);
            if (state(row) == MessageStatus.CORRUPT) {
                aside.merge((long) segment[row], 1L, Long::sum);
            }
            if (is(row, OWN_FILE)) {
                files.add(new QueueId(ids[row]));
            }
        }
        return new QueueIndex.Named(messages, aside, files);
    }

    synchronized Set<QueueId> inSegment(long number) {
        Set<QueueId> found = new HashSet<>();
        for (int row = 0; row < rows; row++) {
            if (segment[row] == number && state(row) != MessageStatus.CORRUPT) {
                found.add(new QueueId(ids[row]));
            }
        }
        return found;
    }

    synchronized List<HostRecord> hosts() {
        return facts.values().stream().filter(LogRecord.KeepHost.class::isInstance)
                .map(each -> ((LogRecord.KeepHost) each).host()).toList();
    }

    synchronized List<StandingOrder> orders() {
        return facts.values().stream().filter(LogRecord.KeepOrder.class::isInstance)
                .map(each -> ((LogRecord.KeepOrder) each).order()).toList();
    }

    /// Removed messages with own content files, since the last call.
    synchronized Set<QueueId> freedFiles() {
        Set<QueueId> taken = freedFiles;
        freedFiles = new HashSet<>();
        return taken;
    }

    /// The greatest queue id that the log names.
    synchronized long lastId() {
        return lastId;
    }
}
