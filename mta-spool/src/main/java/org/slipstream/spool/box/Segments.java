package org.slipstream.spool.box;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Letter;
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

/// The box on the local disk: `box/0000000001.segment`, `box/0000000002.segment` …, and `large/<queue id>.letter`.
///
/// Letters are appended and never moved: a segment is deleted whole when the register names nothing in it, so bodies are
/// written once and never compacted. After every start, and after every trouble with the disk, letters go to a fresh
/// segment: whatever the old one ends with stays as it is, and nobody has to know what a half-written end looks like in
/// order to append to it. The fresh segment is made with the first letter, so that a server that starts and stops leaves none.
///
/// The name of the empty file `box/0000000007.swept` says that segments up to 7 were deleted in order. Without it, a start could not
/// tell a segment that is lost from one whose letters were all finished.
public final class Segments implements LetterBox {
    private static final Logger LOG = LoggerFactory.getLogger(Segments.class);
    private static final Pattern NAME = Pattern.compile("([0-9]{10,18})\\.segment");
    private static final Pattern SWEPT = Pattern.compile("([0-9]{10,18})\\.swept");
    private static final long LARGEST_SEGMENT = 1 << 30;

    private final Path directory;
    private final Path corrupt;
    private final OwnFiles ownFiles;
    private final long segmentBytes;
    private final SegmentBook book;
    private final SecureRandom random = new SecureRandom();
    private final ByteBuffer staging = SegmentWriter.newStaging();
    /// Ends of the segments before the running group touched them.
    private final Map<Path, Long> groupStarts = new LinkedHashMap<>();
    private final Map<Long, Long> learntSalts = new ConcurrentHashMap<>();
    private volatile Optional<SegmentWriter> open = Optional.empty();
    private boolean ownFileInGroup;
    private long lastNumber;
    private long swept;

    /// @param spool the spool's directory, writable
    public Segments(Path spool, long segmentBytes, long graceMillis) throws IOException {
        directory = Files.createDirectories(spool.resolve("box"));
        corrupt = Files.createDirectories(spool.resolve("corrupt"));
        ownFiles = new OwnFiles(Files.createDirectories(spool.resolve("large")));
        this.segmentBytes = Math.min(segmentBytes, LARGEST_SEGMENT);
        book = new SegmentBook(graceMillis);
        swept = numbers(SWEPT).stream().reduce(0L, Math::max);
    }

    @Override
    public Place append(long seq, NewLetter letter) throws IOException {
        SegmentWriter segment = writable();
        boolean ownFile = letter.content() instanceof NewLetter.OwnFile;
        ownFileInGroup |= ownFile;
        return new Place(segment.number(), segment.append(seq, letter), ownFile);
    }

    @Override
    public void withdraw(long first, long last) throws IOException {
        writable().withdraw(first, last);
        barrier();
    }

    @Override
    public void note(List<Note> notes) throws IOException {
        writable().note(notes);
    }

    @Override
    public void noteEarly(List<Note> notes) {
        // The segment itself looks after whoever comes at the same time; without one, or while the next one is made, there is
        // nothing to be early for.
        Optional<SegmentWriter> current = open;
        current.ifPresent(segment -> segment.noteEarly(notes));
    }

    private SegmentWriter writable() throws IOException {
        if (open.isPresent() && open.get().position() >= segmentBytes) {
            SegmentWriter full = open.get();
            full.force();
            open = Optional.empty();
            full.close();
        }
        if (open.isEmpty()) {
            // The number is used up even when the file cannot be made: it may exist all the same.
            lastNumber++;
            open = Optional.of(new SegmentWriter(file(lastNumber), lastNumber, random.nextLong(), staging));
            book.opened(lastNumber);
        }
        SegmentWriter segment = open.get();
        groupStarts.putIfAbsent(segment.file(), segment.position());
        return segment;
    }

    @Override
    public void barrier() throws IOException {
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
            LOG.warn("event=segment-not-closed segment={} error=\"{}\"", segment.number(), e.toString());
        }
    }

    // Best effort: a letter that stays although its sender was refused is entered by the next replay, and delivered.
    private void cutBack(Path segment, long end) {
        try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
            channel.truncate(end);
            channel.force(true);
        } catch (IOException e) {
            LOG.warn("event=segment-not-cut-back segment={} error=\"{}\"", segment.getFileName(), e.toString());
        }
    }

    @Override
    public OwnFile ownFile(QueueId id) throws IOException {
        return ownFiles.create(id);
    }

    @Override
    public Letter letter(QueueId id, Place place, long sizeBytes, Runnable damaged) {
        return new StoredContent(id, place, sizeBytes, damaged);
    }

    private final class StoredContent implements Letter {
        private final QueueId id;
        private final Place place;
        private final long sizeBytes;
        private final Runnable damaged;

        StoredContent(QueueId id, Place place, long sizeBytes, Runnable damaged) {
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
        public InputStream open() throws IOException {
            try {
                SegmentReader.Tail tail = SegmentReader.read(file(place.segment()), place, id, learntSalts);
                if (!place.ownFile()) {
                    return new ByteArrayInputStream(tail.record(), tail.offset(), tail.length());
                }
                ByteBuffer reference = ByteBuffer.wrap(tail.record(), tail.offset(), tail.length());
                return ownFiles.open(id, reference.getLong(), reference.getInt(), damaged);
            } catch (DamagedLetterException e) {
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
    public void entered(QueueId id, Place place) {
        book.entered(place);
    }

    @Override
    public void released(QueueId id, Place place, long nowMillis) {
        book.released(place);
        if (place.ownFile()) {
            book.condemn(new SegmentBook.Waste.Letter(id), nowMillis);
        }
    }

    @Override
    public long sweep(long nowMillis, boolean hurry) {
        book.settle(nowMillis);
        for (var waste = book.next(nowMillis, hurry); waste.isPresent(); waste = book.next(nowMillis, hurry)) {
            try {
                switch (waste.get()) {
                    case SegmentBook.Waste.Segment(long number) -> delete(number);
                    case SegmentBook.Waste.Letter(QueueId id) -> Files.deleteIfExists(ownFiles.file(id));
                }
                LOG.debug("event=box-file-deleted file={}", waste.get());
            } catch (IOException e) {
                // The next start finds it again.
                LOG.warn("event=box-file-not-deleted file={} error=\"{}\"", waste.get(), e.toString());
            }
        }
        return book.nextMillis();
    }

    /// The mark is moved and not made, so that a full disk does not keep a segment from being deleted.
    private void delete(long number) throws IOException {
        Path mark = swept(number);
        if (Files.exists(swept(swept))) {
            Files.move(swept(swept), mark, StandardCopyOption.ATOMIC_MOVE);
        } else {
            Files.createFile(mark);
        }
        swept = number;
        Directories.sync(directory);
        Files.deleteIfExists(file(number));
    }

    @Override
    public void scanOne(long segment, long offset, Consumer<Found> found) throws IOException {
        SegmentScan.walk(file(segment), segment, offset, corrupt, found);
    }

    /// Writes the beginning of a segment anew that a scan has found [Found.Headless]; for a stopped server.
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
    public long closedSegments() {
        return book.closed();
    }

    @Override
    public Optional<Long> firstSegment() {
        return book.firstNamed();
    }

    @Override
    public Place copy(long seq, Found.Stored found) throws IOException {
        SegmentReader.Tail tail = SegmentReader.read(file(found.place().segment()), found.place(), found.letter().id(),
                learntSalts);
        NewLetter.Content content;
        if (found.place().ownFile()) {
            ByteBuffer reference = ByteBuffer.wrap(tail.record(), tail.offset(), tail.length());
            content = new NewLetter.OwnFile(reference.getLong(), reference.getInt());
        } else {
            content = new NewLetter.Inline(Arrays.copyOfRange(tail.record(), tail.offset(),
                    tail.offset() + tail.length()), tail.length());
        }
        StoredLetter letter = found.letter();
        return append(seq, new NewLetter(letter.id(), letter.createdMillis(), letter.envelope(),
                EnvelopeCodec.encode(letter.envelope()), content));
    }

    @Override
    public void moved(Place from, Place to) {
        book.entered(to);
        book.released(from);
    }

    @Override
    public Set<Long> segments() {
        try {
            return numbers(NAME);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
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
    public long sweptUpTo() {
        return swept;
    }

    @Override
    public boolean hasOwnFile(QueueId id) {
        return ownFiles.has(id);
    }

    @Override
    public void adopt(Map<Long, Long> named, Set<QueueId> namedOwnFiles, long lastSegment, long nowMillis)
            throws IOException {
        lastNumber = Math.max(lastSegment, swept);
        for (long number : segments()) {
            lastNumber = Math.max(lastNumber, number);
            book.found(number, named.getOrDefault(number, 0L));
        }
        for (QueueId id : ownFiles.list()) {
            if (!namedOwnFiles.contains(id)) {
                book.condemn(new SegmentBook.Waste.Letter(id), nowMillis);
            }
        }
        book.settle(nowMillis);
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
