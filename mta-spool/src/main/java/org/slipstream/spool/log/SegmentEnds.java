package org.slipstream.spool.log;

import org.slipstream.spool.log.MessageLog.Gap;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/// Where the segments of a log end, and which of them are missing.
///
/// That a segment was longer once is known from the header of the next one, from [LogMarks], and from the position that
/// the index has reached. That its last octets are no records is known from a scan, or from the group that failed.
final class SegmentEnds {
    /// A report of more missing numbers says no more.
    private static final int MOST_GAPS = 1_000;

    private final LogStore store;
    private final LogMarks marks;
    /// Where the records of a segment end before a write that was not finished.
    private final Map<Long, Long> tornAt = new ConcurrentHashMap<>();
    /// Where the records of a segment end before a group that failed. The disk may have refused to cut its octets off,
    /// and who sent the messages in them was told so.
    private final Map<Long, Long> failedAt = new ConcurrentHashMap<>();
    private volatile Position known = Position.START;

    SegmentEnds(LogStore store, LogMarks marks) {
        this.store = store;
        this.marks = marks;
    }

    void torn(long number, long offset) {
        tornAt.put(number, offset);
    }

    void failed(long number, long offset) {
        failedAt.put(number, offset);
    }

    void forget(long number) {
        tornAt.remove(number);
        failedAt.remove(number);
    }

    /// The log was sound as far as there.
    void known(Position reached) {
        known = reached;
    }

    void reached(Position position) {
        known = position.compareTo(known) > 0 ? position : known;
    }

    /// Length of a segment that gets no more records, for the header of the next one; 0 when it cannot be told. The
    /// stated part must be durable, so it is synced first: a start reads bytes that a killed process did not sync.
    ///
    /// The newest one had a header. One that was emptied and not told yet must not be stated as empty, or its loss
    /// would never be told.
    int soundLength(long number) {
        long least = number > 0 && number == marks.newest() ? RecordFormat.SEGMENT_HEADER : 0;
        try {
            long settled = Math.min(store.settle(number), tornAt.getOrDefault(number, (long) Integer.MAX_VALUE));
            return (int) Math.max(least, Math.min(settled, failedAt.getOrDefault(number, settled)));
        } catch (IOException e) {
            return 0;
        }
    }

    /// Where to stop reading a segment on the way to a position.
    long end(long number, Position to) {
        return Math.min(number == to.segment() ? to.offset() : Long.MAX_VALUE,
                failedAt.getOrDefault(number, Long.MAX_VALUE));
    }

    /// Empty when the header is damaged.
    Optional<Long> salt(long number) throws IOException {
        ByteBuffer header = header(number);
        try {
            return header.remaining() < RecordFormat.SEGMENT_HEADER
                    ? Optional.empty()
                    : Optional.of(RecordFormat.salt(header, number));
        } catch (DamagedMessageException e) {
            return Optional.empty();
        }
    }

    private ByteBuffer header(long number) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(RecordFormat.SEGMENT_HEADER);
        try (LogStore.OpenSegment segment = store.open(number)) {
            int length = (int) Math.min(segment.size(), header.capacity());
            segment.read(0, header.array(), 0, length);
            return header.limit(length);
        }
    }

    /// Length of the part of a segment that is known to have been sound; 0: not known.
    long soundBytes(long number) throws IOException {
        long stated = statedBefore(number + 1);
        if (known.segment() == number) {
            stated = Math.max(stated, known.offset());
        }
        return number == marks.newest() && number > 0 ? Math.max(stated, RecordFormat.SEGMENT_HEADER) : stated;
    }

    private long statedBefore(long number) throws IOException {
        try {
            ByteBuffer header = header(number);
            if (header.remaining() < RecordFormat.SEGMENT_HEADER) {
                return 0;
            }
            RecordFormat.salt(header, number);
            return header.getInt(RecordFormat.BEFORE_OFFSET);
        } catch (NoSuchFileException | DamagedMessageException e) {
            return 0;
        }
    }

    /// @param newest number that this process knows of
    List<Gap> gaps(long newest) throws IOException {
        List<Gap> gaps = new ArrayList<>();
        Map<Long, Long> reported = marks.lost();
        SortedSet<Long> there = store.segments();
        long last = Math.max(Math.max(newest, marks.newest()), there.isEmpty() ? 0 : there.getLast());
        for (long number = marks.swept() + 1; number <= last && gaps.size() < MOST_GAPS; number++) {
            long bytes = store.size(number);
            long sound = soundBytes(number);
            if ((bytes < sound || !there.contains(number)) && bytes < reported.getOrDefault(number, bytes + 1)) {
                // A segment that was made after the damage states what was left then.
                gaps.add(new Gap(number, bytes, sound,
                        sound > RecordFormat.SEGMENT_HEADER && statedBefore(number + 1) >= sound));
            }
        }
        return gaps;
    }

    /// Reported as missing, and there again.
    Set<Long> returned() throws IOException {
        Set<Long> returned = new TreeSet<>();
        for (Map.Entry<Long, Long> each : marks.lost().entrySet()) {
            if (store.size(each.getKey()) > each.getValue()) {
                returned.add(each.getKey());
            }
        }
        store.segments().stream().filter(number -> number < marks.swept()).forEach(returned::add);
        return returned;
    }
}
