package org.slipstream.spool.log;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.ContentSource;
import org.slipstream.core.QueueId;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/// The message log: records in the segments of a [LogStore], and large contents beside them
/// ([LargeContents]).
///
/// Records are appended and never changed. A segment is deleted as a whole, from the beginning of
/// the log on, because a record must outlive the message that it is about. After every start and
/// every disk failure, records go to a new segment. The end of the old one stays as it is, so no
/// code has to append after a half-written record. The new segment is created with its first
/// record, so a server that starts and stops leaves none. A group lies in one segment, so a segment
/// may be longer than its setting by a group.
///
/// **Lost segments.** [LogMarks] say which segments were deleted in order and which one is the last.
/// The header of a segment states the length of the one before. So each segment that is missing or
/// too short is found without the index ([#gaps]).
public final class Segments implements MessageLog {
    private static final Logger log = LoggerFactory.getLogger(Segments.class);
    private static final long LARGEST_SEGMENT = 1 << 30;
    /// A report of more missing numbers says no more.
    private static final int MOST_GAPS = 1_000;

    /// All that earlier processes left.
    private static final Position ALL = new Position(Long.MAX_VALUE, Long.MAX_VALUE);

    private final LogStore store;
    private final Path directory;
    private final Path corrupt;
    private final LargeContents contents;
    private final SpaceReserve reserve;
    private final long segmentBytes;
    private final SecureRandom random = new SecureRandom();
    private final ByteBuffer staging = SegmentWriter.newStaging();
    /// Where the records of a segment end before a write that was not finished.
    private final Map<Long, Long> tornAt = new ConcurrentHashMap<>();
    /// Where the records of a segment end before a group that failed. The disk may have refused to cut its octets off,
    /// and who sent the messages in them was told so.
    private final Map<Long, Long> failedAt = new ConcurrentHashMap<>();
    private final boolean looks;
    private final LogMarks marks;
    private final Map<Long, Long> learntSalts = new ConcurrentHashMap<>();
    private Optional<SegmentWriter> open = Optional.empty();
    /// Of the open segment.
    private volatile Optional<Hints> hints = Optional.empty();
    private boolean inGroup;
    /// Messages of the group whose contents are beside the log.
    private final Set<QueueId> largeInGroup = new HashSet<>();
    private long lastNumber;
    private volatile Position known = Position.START;
    /// End of the latest group.
    private volatile Position durable = ALL;

    /// @param spool the spool's directory, writable
    public Segments(Path spool, long segmentBytes) throws IOException {
        this(SegmentFiles.claim(spool.resolve("log")), new OwnFiles(spool), spool, segmentBytes);
    }

    /// @param store when it only reads, what is appended goes nowhere, and nothing is deleted
    /// @param spool for copies of damaged octets, which are on the local disk
    public Segments(LogStore store, LargeContents contents, Path spool, long segmentBytes) throws IOException {
        this.store = store;
        looks = store.epoch() == 0;
        directory = spool.resolve("log");
        corrupt = spool.resolve("corrupt");
        this.contents = contents;
        if (!looks) {
            Files.createDirectories(directory);
            Files.createDirectories(corrupt);
            Files.createDirectories(spool.resolve("large"));
        }
        reserve = new SpaceReserve(spool);
        this.segmentBytes = Math.min(segmentBytes, LARGEST_SEGMENT);
        marks = new LogMarks(store);
        // The number of a lost segment is not used again: it may come back.
        lastNumber = Math.max(marks.swept(), marks.newest());
        if (!looks && !LogMarks.exist(store)) {
            // A log of an earlier version has segments and no such mark.
            marks.newest(segments().stream().reduce(0L, Math::max));
        }
    }

    public static Segments toLook(Path spool, long segmentBytes) throws IOException {
        return new Segments(SegmentFiles.toLook(spool.resolve("log")), new OwnFiles(spool), spool, segmentBytes);
    }

    /// False when the folder of the log is missing, or is not the one that a log was in.
    public static boolean exist(Path spool) throws IOException {
        try (LogStore files = SegmentFiles.toLook(spool.resolve("log"))) {
            return exist(files);
        }
    }

    /// False when no log was in the store.
    public static boolean exist(LogStore store) throws IOException {
        return LogMarks.exist(store) || !store.segments().isEmpty();
    }

    @Override
    public RecordPlace append(NewMessage message) throws IOException {
        SegmentWriter segment = writable();
        boolean ownFile = message.content() instanceof NewMessage.InOwnFile;
        if (ownFile) {
            largeInGroup.add(message.id());
        }
        RecordPlace place = new RecordPlace(segment.number(), segment.append(message), ownFile);
        hints.ifPresent(each -> {
            each.add(LogRecord.Stored.of(message, place, false), place.offset());
            message.state().forEach(record -> each.add(record, place.offset()));
        });
        return place;
    }

    @Override
    public void append(List<LogRecord> records) throws IOException {
        if (!looks) {
            SegmentWriter segment = writable();
            long offset = segment.position();
            segment.append(records);
            hints.ifPresent(each -> records.forEach(record -> each.add(record, offset)));
        }
    }

    @Override
    public Position end() {
        return open.map(segment -> new Position(segment.number(), segment.position()))
                .orElseGet(() -> new Position(lastNumber + 1, 0));
    }

    private SegmentWriter writable() throws IOException {
        if (!inGroup && open.isPresent() && open.get().position() >= segmentBytes) {
            endHints();
            open = Optional.empty();
        }
        if (open.isEmpty()) {
            open = Optional.of(create(lastNumber + 1));
        }
        inGroup = true;
        return open.get();
    }

    /// The number counts as used when the file exists, and not otherwise: a number without a file is a lost segment.
    private SegmentWriter create(long number) throws IOException {
        long salt = random.nextLong();
        if (durable.equals(ALL)) {
            durable = new Position(number - 1, Long.MAX_VALUE);
        }
        hints = Optional.of(new Hints(store, number, salt));
        try {
            SegmentWriter begun = new SegmentWriter(store, number, salt, soundLength(number - 1), staging);
            lastNumber = number;
            marks.newest(number);
            return begun;
        } catch (IOException | RuntimeException e) {
            hints = Optional.empty();
            throw e;
        }
    }

    /// Length of a segment that gets no more records, for the header of the next one; 0 when it cannot be told. The
    /// stated part must be durable, so it is synced first: a start reads bytes that a killed process did not sync.
    ///
    /// The newest one had a header. One that was emptied and not told yet must not be stated as empty, or its loss
    /// would never be told.
    private int soundLength(long number) {
        long least = number > 0 && number == marks.newest() ? RecordFormat.SEGMENT_HEADER : 0;
        try {
            long settled = Math.min(store.settle(number), tornAt.getOrDefault(number, (long) Integer.MAX_VALUE));
            return (int) Math.max(least, Math.min(settled, failedAt.getOrDefault(number, settled)));
        } catch (IOException e) {
            return 0;
        }
    }

    @Override
    public void moves(Set<QueueId> in, Set<QueueId> withdrawn) {
        store.moves(in, withdrawn);
    }

    @Override
    public void sync() throws IOException {
        if (!largeInGroup.isEmpty()) {
            contents.sync(Set.copyOf(largeInGroup));
        }
        if (open.isPresent()) {
            SegmentWriter segment = open.get();
            segment.commit();
            hints.ifPresent(each -> each.keep(segment.position()));
            durable = new Position(segment.number(), segment.position());
        }
        largeInGroup.clear();
        inGroup = false;
    }

    @Override
    public void abandon() {
        open.ifPresent(segment -> failedAt.put(segment.number(), durable.segment() == segment.number()
                ? durable.offset()
                : (long) RecordFormat.SEGMENT_HEADER));
        open = Optional.empty();
        store.abandon();
        // The store has failed just now, so it is not asked to keep them.
        hints = Optional.empty();
        largeInGroup.clear();
        inGroup = false;
    }

    private void endHints() {
        hints.ifPresent(Hints::write);
        hints = Optional.empty();
    }

    @Override
    public void keepReserve() throws IOException {
        if (!looks) {
            reserve.keep();
        }
    }

    @Override
    public void releaseReserve() throws IOException {
        reserve.release();
    }

    @Override
    public LargeContent ownFile(QueueId id) throws IOException {
        return contents.create(id);
    }

    @Override
    public Content content(QueueId id, RecordPlace place, long sizeBytes, Runnable damaged) {
        return new StoredContent(id, place, sizeBytes, damaged);
    }

    private final class StoredContent implements Content {
        private final QueueId id;
        private final RecordPlace place;
        private final long sizeBytes;
        private final Runnable damaged;
        /// Read for the facts, and used again for the content.
        private Optional<SegmentReader.RecordRest> ahead = Optional.empty();

        StoredContent(QueueId id, RecordPlace place, long sizeBytes, Runnable damaged) {
            this.id = id;
            this.place = place;
            this.sizeBytes = sizeBytes;
            this.damaged = damaged;
        }

        @Override
        public long sizeBytes() {
            return sizeBytes;
        }

        @Override
        public Optional<ContentFacts> facts() throws IOException {
            ahead = Optional.of(tail());
            return ahead.get().facts();
        }

        @Override
        public Optional<ContentSource> source() throws IOException {
            SegmentReader.RecordRest tail = tail();
            ahead = Optional.empty();
            if (!place.ownFile()) {
                return Optional.of(new ContentSource.InMemory(tail.record(), tail.offset(), tail.length()));
            }
            NewMessage.InOwnFile reference = tail.reference();
            Optional<FileChannel> file = large(contents::file);
            return file.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new ContentSource.InFile(CheckedContent.verified(file.get(), reference, damaged), 0,
                            reference.sizeBytes()));
        }

        @Override
        public InputStream open() throws IOException {
            SegmentReader.RecordRest tail = tail();
            ahead = Optional.empty();
            if (!place.ownFile()) {
                return new ByteArrayInputStream(tail.record(), tail.offset(), tail.length());
            }
            return new CheckedContent(large(contents::open), tail.reference(), damaged);
        }

        private interface Opening<T> {
            T of(QueueId id) throws IOException;
        }

        private <T> T large(Opening<T> opening) throws IOException {
            try {
                return opening.of(id);
            } catch (NoSuchFileException e) {
                damaged.run();
                throw e;
            }
        }

        private SegmentReader.RecordRest tail() throws IOException {
            if (ahead.isPresent()) {
                return ahead.get();
            }
            try {
                return SegmentReader.read(store, place, id, learntSalts);
            } catch (DamagedMessageException | NoSuchFileException e) {
                damaged.run();
                throw e;
            }
        }
    }

    @Override
    public StoredMessage message(QueueId id, RecordPlace place, long sizeBytes) throws IOException {
        SegmentReader.RecordRest rest = SegmentReader.read(store, place, id, learntSalts);
        return new StoredMessage(id, rest.createdMillis(), sizeBytes,
                EnvelopeCodec.decode(ByteBuffer.wrap(rest.envelope())));
    }

    @Override
    public List<LogRecord> records(Position at) throws IOException {
        return SegmentReader.records(store, at, learntSalts);
    }

    @Override
    public NewMessage read(QueueId id, RecordPlace place) throws IOException {
        SegmentReader.RecordRest rest = SegmentReader.read(store, place, id, learntSalts);
        NewMessage.ContentForm content = place.ownFile()
                ? rest.reference()
                : new NewMessage.Inline(Arrays.copyOfRange(rest.record(), rest.offset(),
                        rest.offset() + rest.length()), rest.length());
        byte[] envelope = rest.envelope();
        return new NewMessage(id, rest.createdMillis(), EnvelopeCodec.decode(ByteBuffer.wrap(envelope)), envelope,
                rest.facts(), content);
    }

    @Override
    public void delete(long number) throws IOException {
        if (looks) {
            return;
        }
        if (number > marks.swept()) {
            marks.swept(number);
        }
        store.delete(number);
        tornAt.remove(number);
        failedAt.remove(number);
    }

    private long end(long number, Position to) {
        return Math.min(number == to.segment() ? to.offset() : Long.MAX_VALUE,
                failedAt.getOrDefault(number, Long.MAX_VALUE));
    }

    @Override
    public Position changes(Position from, LogChanges changes) throws IOException {
        Position end = durable;
        Position reached = from;
        for (long number : segments()) {
            if (number > marks.swept() && number >= from.segment() && number <= end.segment()) {
                reached = new Position(number, changes(number, number == from.segment() ? from.offset() : 0,
                        end(number, end), changes));
            }
        }
        return reached;
    }

    /// @param end of the durable records, or later
    /// @return the end of what was told
    private long changes(long number, long after, long end, LogChanges changes) throws IOException {
        Optional<Hints> current = hints.filter(each -> each.number() == number);
        int told = current.isPresent() ? current.get().tell(after, changes) : 0;
        if (told > 0) {
            return told;
        }
        Optional<Long> salt = salt(number);
        long begin = salt.isEmpty()
                ? after
                : Math.max(after, Hints.read(store, number, salt.get(), after, store.size(number), changes));
        told = current.isPresent() ? current.get().tell(begin, changes) : 0;
        return told > 0
                ? told
                : withoutHints(number, begin, Math.min(end, store.size(number)),
                        new Hints(store, number, salt.orElse(0L)), changes);
    }

    /// Reads the segment itself, and makes the hints of a whole one.
    private long withoutHints(long number, long begin, long end, Hints made, LogChanges changes) throws IOException {
        if (end <= begin) {
            return end;
        }
        AtomicBoolean sound = new AtomicBoolean(begin <= RecordFormat.SEGMENT_HEADER && !looks);
        AtomicLong reached = new AtomicLong(end);
        SegmentScan.walk(store, number, begin, end, soundBytes(number), Optional.empty(), each -> {
            switch (each) {
                case ScannedRecord.Sound(LogRecord record, Position at) -> made.add(record, at.offset());
                case ScannedRecord.Torn(long segment, long offset, long _) -> {
                    tornAt.put(segment, offset);
                    reached.set(offset);
                }
                case ScannedRecord.Damaged _,ScannedRecord.Headless _ -> sound.set(false);
            }
        });
        made.synced(reached.get());
        made.tell(begin, changes);
        if (sound.get() && hints.filter(open -> open.number() == number).isEmpty()) {
            made.write();
        }
        return reached.get();
    }

    /// Empty when the header is damaged.
    private Optional<Long> salt(long number) throws IOException {
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

    @Override
    public void scan(Position from, Position to, Consumer<ScannedRecord> found) throws IOException {
        for (long number : segments()) {
            if (number > marks.swept() && number >= from.segment() && number <= to.segment()) {
                SegmentScan.walk(store, number, number == from.segment() ? from.offset() : 0,
                        end(number, to), soundBytes(number),
                        looks ? Optional.empty() : Optional.of(corrupt), each -> {
                            if (each instanceof ScannedRecord.Torn(long segment, long offset, long _)) {
                                tornAt.put(segment, offset);
                            }
                            found.accept(each);
                        });
            }
        }
    }

    /// Length of the part of a segment that is known to have been sound; 0: not known.
    private long soundBytes(long number) throws IOException {
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

    @Override
    public List<Gap> gaps() throws IOException {
        List<Gap> gaps = new ArrayList<>();
        Map<Long, Long> reported = marks.lost();
        SortedSet<Long> there = store.segments();
        long last = Math.max(Math.max(lastNumber, marks.newest()), there.isEmpty() ? 0 : there.getLast());
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

    @Override
    public void reported(Gap gap) throws IOException {
        marks.lost(gap.segment(), gap.bytes());
    }

    @Override
    public Set<Long> returned() throws IOException {
        Set<Long> returned = new TreeSet<>();
        for (Map.Entry<Long, Long> each : marks.lost().entrySet()) {
            if (store.size(each.getKey()) > each.getValue()) {
                returned.add(each.getKey());
            }
        }
        segments().stream().filter(number -> number < marks.swept()).forEach(returned::add);
        return returned;
    }

    @Override
    public void returnedAreIndexed() throws IOException {
        for (long number : returned()) {
            marks.found(number);
        }
    }

    @Override
    public boolean lacksSegments() {
        return !marks.lost().isEmpty();
    }

    @Override
    public void note(String name, List<String> lines) throws IOException {
        if (!looks) {
            Files.write(corrupt.resolve(name), lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
    }

    /// Rewrites the header of a segment that a scan reported as [ScannedRecord.Headless]; for a
    /// stopped server.
    public void mend(long segment) throws IOException {
        Optional<Long> salt;
        try (LogStore.OpenSegment damaged = store.open(segment)) {
            salt = SegmentSalt.find(damaged, segment);
        }
        if (salt.isPresent()) {
            store.mend(segment, RecordFormat.segmentHeader(segment, salt.get(), 0));
        }
    }

    @Override
    public Set<Long> segments() throws IOException {
        return store.segments();
    }

    @Override
    public long deletedUpTo() {
        return marks.swept();
    }

    @Override
    public Set<QueueId> ownFiles() throws IOException {
        return Set.copyOf(contents.list());
    }

    @Override
    public boolean hasOwnFile(QueueId id) throws IOException {
        return contents.has(id);
    }

    @Override
    public void deleteOwnFile(QueueId id) throws IOException {
        if (!looks) {
            contents.delete(id);
        }
    }

    @Override
    public void setOwnFileAside(QueueId id) throws IOException {
        if (!looks) {
            contents.setAside(id);
        }
    }

    @Override
    public boolean restoreOwnFile(QueueId id) throws IOException {
        boolean there = contents.isAside(id);
        if (there && !looks) {
            contents.restore(id);
        }
        return there;
    }

    @Override
    public Optional<String> danger() throws IOException {
        return store.danger();
    }

    @Override
    public boolean isClaimedSince() throws IOException {
        return store.isClaimedSince();
    }

    @Override
    public void startAfter(Position reached) throws IOException {
        known = reached;
        // A position at the beginning of a segment does not say that the segment was made.
        lastNumber = Math.max(lastNumber, reached.offset() > 0 ? reached.segment() : reached.segment() - 1);
        for (long number : segments()) {
            lastNumber = Math.max(lastNumber, number);
        }
    }

    @Override
    public void reached(Position position) {
        known = position.compareTo(known) > 0 ? position : known;
    }

    @Override
    public void endWriting() {
        endHints();
        open = Optional.empty();
    }

    @Override
    public void close() {
        endWriting();
        store.close();
    }
}
