package org.slipstream.spool.log;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Content;
import org.slipstream.core.QueueId;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
    private final boolean looks;
    private final LogMarks marks;
    private final SegmentEnds ends;
    private final Map<Long, Long> learntSalts = new ConcurrentHashMap<>();
    private Optional<SegmentWriter> open = Optional.empty();
    /// Of the open segment.
    private volatile Optional<Hints> hints = Optional.empty();
    private boolean inGroup;
    /// Messages of the group whose contents are beside the log.
    private final Set<QueueId> largeInGroup = new HashSet<>();
    private long lastNumber;
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
        ends = new SegmentEnds(store, marks);
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
            SegmentWriter begun = new SegmentWriter(store, number, salt, ends.soundLength(number - 1), staging);
            lastNumber = number;
            marks.newest(number);
            return begun;
        } catch (IOException | RuntimeException e) {
            hints = Optional.empty();
            throw e;
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
        open.ifPresent(segment -> ends.failed(segment.number(), durable.segment() == segment.number()
                ? durable.offset()
                : RecordFormat.SEGMENT_HEADER));
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
        return new StoredContent(id, sizeBytes, () -> SegmentReader.read(store, place, id, learntSalts),
                place.ownFile() ? Optional.of(contents) : Optional.empty(), damaged);
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
        ends.forget(number);
    }

    @Override
    public Position changes(Position from, LogChanges changes) throws IOException {
        Position end = durable;
        Position reached = from;
        for (long number : segments()) {
            if (number > marks.swept() && number >= from.segment() && number <= end.segment()) {
                reached = new Position(number, changes(number, number == from.segment() ? from.offset() : 0,
                        ends.end(number, end), changes));
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
        Optional<Long> salt = ends.salt(number);
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
        SegmentScan.walk(store, number, begin, end, ends.soundBytes(number), Optional.empty(), each -> {
            switch (each) {
                case ScannedRecord.Sound(LogRecord record, Position at) -> made.add(record, at.offset());
                case ScannedRecord.Torn(long segment, long offset, long _) -> {
                    ends.torn(segment, offset);
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

    @Override
    public void scan(Position from, Position to, Consumer<ScannedRecord> found) throws IOException {
        for (long number : segments()) {
            if (number > marks.swept() && number >= from.segment() && number <= to.segment()) {
                SegmentScan.walk(store, number, number == from.segment() ? from.offset() : 0,
                        ends.end(number, to), ends.soundBytes(number),
                        looks ? Optional.empty() : Optional.of(corrupt), each -> {
                            if (each instanceof ScannedRecord.Torn(long segment, long offset, long _)) {
                                ends.torn(segment, offset);
                            }
                            found.accept(each);
                        });
            }
        }
    }

    @Override
    public List<Gap> gaps() throws IOException {
        return ends.gaps(lastNumber);
    }

    @Override
    public void reported(Gap gap) throws IOException {
        marks.lost(gap.segment(), gap.bytes());
    }

    @Override
    public Set<Long> returned() throws IOException {
        return ends.returned();
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
        ends.known(reached);
        // A position at the beginning of a segment does not say that the segment was made.
        lastNumber = Math.max(lastNumber, reached.offset() > 0 ? reached.segment() : reached.segment() - 1);
        for (long number : segments()) {
            lastNumber = Math.max(lastNumber, number);
        }
    }

    @Override
    public void reached(Position position) {
        ends.reached(position);
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
