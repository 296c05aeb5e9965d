package org.slipstream.spool.log;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.ContentSource;
import org.slipstream.core.QueueId;

import java.io.ByteArrayInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The message log on the local disk: `box/0000000001.segment`, `box/0000000002.segment` …, and
/// `large/<queue id>.letter`.
///
/// Records are appended and never changed. A segment is deleted as a whole, from the beginning of
/// the log on, because a record must outlive the message that it is about. After every start and
/// every disk failure, records go to a new segment. The end of the old one stays as it is, so no
/// code has to append after a half-written record. The new segment is created with its first
/// record, so a server that starts and stops leaves none.
///
/// The name of the empty file `box/0000000007.swept` says that segments up to 7 were deleted in
/// order. Without it, a start could not distinguish a lost segment from one whose messages were all
/// finished.
public final class Segments implements MessageLog {
    private static final Logger LOG = LoggerFactory.getLogger(Segments.class);
    private static final Pattern NAME = Pattern.compile("([0-9]{10,18})\\.segment");
    private static final Pattern SWEPT = Pattern.compile("([0-9]{10,18})\\.swept");
    private static final long LARGEST_SEGMENT = 1 << 30;

    private final Path directory;
    private final Path corrupt;
    private final OwnFiles ownFiles;
    private final long segmentBytes;
    private final SecureRandom random = new SecureRandom();
    private final ByteBuffer staging = SegmentWriter.newStaging();
    /// Sizes of the segments before the current group.
    private final Map<Path, Long> groupStarts = new LinkedHashMap<>();
    private final Map<Long, Long> learntSalts = new ConcurrentHashMap<>();
    private Optional<SegmentWriter> open = Optional.empty();
    private boolean ownFileInGroup;
    private long lastNumber;
    private volatile long deleted;

    /// @param spool the spool's directory, writable
    public Segments(Path spool, long segmentBytes) throws IOException {
        directory = Files.createDirectories(spool.resolve("box"));
        corrupt = Files.createDirectories(spool.resolve("corrupt"));
        ownFiles = new OwnFiles(Files.createDirectories(spool.resolve("large")));
        this.segmentBytes = Math.min(segmentBytes, LARGEST_SEGMENT);
        deleted = numbers(SWEPT).stream().reduce(0L, Math::max);
        lastNumber = deleted;
    }

    @Override
    public RecordPlace append(NewMessage message) throws IOException {
        SegmentWriter segment = writable();
        boolean ownFile = message.content() instanceof NewMessage.InOwnFile;
        ownFileInGroup |= ownFile;
        return new RecordPlace(segment.number(), segment.append(message), ownFile);
    }

    @Override
    public void append(List<LogRecord> records) throws IOException {
        writable().append(records);
    }

    @Override
    public Position end() {
        return open.map(segment -> new Position(segment.number(), segment.position()))
                .orElseGet(() -> new Position(lastNumber + 1, 0));
    }

    private SegmentWriter writable() throws IOException {
        if (open.isPresent() && open.get().position() >= segmentBytes) {
            SegmentWriter full = open.get();
            full.force();
            open = Optional.empty();
            full.close();
        }
        if (open.isEmpty()) {
            // The number counts as used even when creating the file fails, because the file may
            // exist.
            lastNumber++;
            open = Optional.of(new SegmentWriter(file(lastNumber), lastNumber, random.nextLong(), staging));
        }
        SegmentWriter segment = open.get();
        groupStarts.putIfAbsent(segment.file(), segment.position());
        return segment;
    }

    @Override
    public void sync() throws IOException {
        if (ownFileInGroup) {
            ownFiles.sync();
        }
        if (open.isPresent()) {
            open.get().force();
        }
        ownFileInGroup = false;
        groupStarts.clear();
    }

    @Override
    public void abandon() {
        open.ifPresent(this::closeQuietly);
        open = Optional.empty();
        groupStarts.forEach(this::cutBack);
        groupStarts.clear();
        ownFileInGroup = false;
    }

    private void closeQuietly(SegmentWriter segment) {
        try {
            segment.close();
        } catch (IOException e) {
            LOG.warn("event=segment-close-failed segment={} error=\"{}\"", segment.number(), e.toString());
        }
    }

    // Best effort: a message that stays although its client got 451 is entered at the next start
    // and delivered.
    private void cutBack(Path segment, long end) {
        try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
            channel.truncate(end);
            channel.force(true);
        } catch (IOException e) {
            LOG.warn("event=segment-truncate-failed segment={} error=\"{}\"", segment.getFileName(), e.toString());
        }
    }

    @Override
    public OwnFile ownFile(QueueId id) throws IOException {
        return ownFiles.create(id);
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
            return Optional.of(new ContentSource.InFile(
                    ownFiles.verified(id, reference.sizeBytes(), reference.crc(), damaged), 0, reference.sizeBytes()));
        }

        @Override
        public InputStream open() throws IOException {
            SegmentReader.RecordRest tail = tail();
            ahead = Optional.empty();
            if (!place.ownFile()) {
                return new ByteArrayInputStream(tail.record(), tail.offset(), tail.length());
            }
            NewMessage.InOwnFile reference = tail.reference();
            return ownFiles.open(id, reference.sizeBytes(), reference.crc(), damaged);
        }

        private SegmentReader.RecordRest tail() throws IOException {
            if (ahead.isPresent()) {
                return ahead.get();
            }
            try {
                return SegmentReader.read(file(place.segment()), place, id, learntSalts);
            } catch (DamagedMessageException e) {
                damaged.run();
                throw e;
            } catch (FileNotFoundException e) {
                if (Files.isDirectory(directory) && Files.notExists(file(place.segment()))) {
                    damaged.run();
                    throw new NoSuchFileException(file(place.segment()).toString());
                }
                throw e;
            }
        }
    }

    @Override
    public NewMessage read(QueueId id, RecordPlace place) throws IOException {
        SegmentReader.RecordRest rest = SegmentReader.read(file(place.segment()), place, id, learntSalts);
        NewMessage.ContentForm content = place.ownFile()
                ? rest.reference()
                : new NewMessage.Inline(Arrays.copyOfRange(rest.record(), rest.offset(),
                        rest.offset() + rest.length()), rest.length());
        byte[] envelope = rest.envelope();
        return new NewMessage(id, rest.createdMillis(), EnvelopeCodec.decode(ByteBuffer.wrap(envelope)), envelope,
                rest.facts(), content);
    }

    /// The mark is renamed and not created, so that a full disk does not prevent the deletion of a
    /// segment.
    @Override
    public void delete(long number) throws IOException {
        Path mark = swept(number);
        if (Files.exists(swept(deleted))) {
            Files.move(swept(deleted), mark, StandardCopyOption.ATOMIC_MOVE);
        } else {
            Files.createFile(mark);
        }
        deleted = number;
        Directories.sync(directory);
        Files.deleteIfExists(file(number));
    }

    @Override
    public void scan(Position from, Position to, Consumer<ScannedRecord> found) throws IOException {
        for (long number : segments()) {
            if (number >= from.segment() && number <= to.segment()) {
                SegmentScan.walk(file(number), number, number == from.segment() ? from.offset() : 0,
                        number == to.segment() ? to.offset() : Long.MAX_VALUE, corrupt, found);
            }
        }
    }

    /// Rewrites the header of a segment that a scan reported as [ScannedRecord.Headless]; for a
    /// stopped server.
    public void mend(long segment) throws IOException {
        Optional<Long> salt = SegmentSalt.find(file(segment), segment);
        if (salt.isEmpty()) {
            return;
        }
        try (FileChannel channel = FileChannel.open(file(segment), StandardOpenOption.WRITE)) {
            channel.write(RecordFormat.segmentHeader(segment, salt.get()), 0);
            channel.force(true);
        }
    }

    @Override
    public Set<Long> segments() throws IOException {
        return numbers(NAME);
    }

    private Set<Long> numbers(Pattern pattern) throws IOException {
        Set<Long> numbers = new TreeSet<>();
        try (Stream<Path> files = Files.list(directory)) {
            files.forEach(file -> {
                Matcher name = pattern.matcher(file.getFileName().toString());
                if (name.matches()) {
                    numbers.add(Long.parseLong(name.group(1)));
                }
            });
        }
        return numbers;
    }

    @Override
    public long deletedUpTo() {
        return deleted;
    }

    @Override
    public Set<QueueId> ownFiles() throws IOException {
        return Set.copyOf(ownFiles.list());
    }

    @Override
    public boolean hasOwnFile(QueueId id) {
        return ownFiles.has(id);
    }

    @Override
    public void deleteOwnFile(QueueId id) throws IOException {
        Files.deleteIfExists(ownFiles.file(id));
    }

    @Override
    public void startAfter(long segment) throws IOException {
        lastNumber = Math.max(lastNumber, segment);
        for (long number : segments()) {
            lastNumber = Math.max(lastNumber, number);
        }
    }

    private Path file(long number) {
        return directory.resolve(String.format(Locale.ROOT, "%010d.segment", number));
    }

    private Path swept(long number) {
        return directory.resolve(String.format(Locale.ROOT, "%010d.swept", number));
    }

    @Override
    public void close() {
        open.ifPresent(this::closeQuietly);
        open = Optional.empty();
    }
}
