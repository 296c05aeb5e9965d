package org.slipstream.spool.log;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The log on the local disk: `log/0000000001.segment`, `log/0000000002.segment` …, and empty files as
/// marks.
///
/// The epoch is a mark, too, and it is looked for before each change. Between the look and the write a
/// successor may come, so it is the second fence here. The first is the lock of the spool, which the
/// operating system gives to one process only.
final class SegmentFiles implements LogStore {
    private static final Logger log = LoggerFactory.getLogger(SegmentFiles.class);
    private static final Pattern NAME = Pattern.compile("([0-9]{10,18})\\.segment");
    private static final Pattern EPOCH = Pattern.compile("([0-9]{10,18})\\.epoch");
    private static final Pattern MARK = Pattern.compile("[0-9]{10,18}(-[0-9]{1,18})?\\.(swept|newest|lost|epoch)");

    /// The segment that is open to append to.
    private static final class Tip {
        final Path file;
        final FileChannel channel;
        long written;
        long committed;

        Tip(Path file, FileChannel channel) {
            this.file = file;
            this.channel = channel;
        }

        void write(ByteBuffer octets) throws IOException {
            while (octets.hasRemaining()) {
                // At our own position, not at the channel's: after a short write they could differ.
                written += channel.write(octets, written);
            }
        }
    }

    private final Path directory;
    private final long epoch;
    private Optional<Tip> tip = Optional.empty();
    /// A segment whose beginning failed. A disk in trouble may have refused to delete its file, too.
    private long unbegun = -1;

    private SegmentFiles(Path directory, boolean looks) throws IOException {
        this.directory = directory;
        if (looks) {
            epoch = 0;
            return;
        }
        Files.createDirectories(directory);
        long before = owner();
        epoch = before + 1;
        rename(epochMark(before), epochMark(epoch));
    }

    /// Claims the log in a folder, which is made when it is missing.
    static SegmentFiles claim(Path directory) throws IOException {
        return new SegmentFiles(directory, false);
    }

    /// Only reads.
    static SegmentFiles toLook(Path directory) throws IOException {
        return new SegmentFiles(directory, true);
    }

    /// The names in the folder that have this form.
    static Set<Matcher> names(Path directory, Pattern form) throws IOException {
        if (Files.notExists(directory)) {
            return Set.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> form.matcher(file.getFileName().toString())).filter(Matcher::matches)
                    .collect(Collectors.toSet());
        }
    }

    private long owner() throws IOException {
        return names(directory, EPOCH).stream().mapToLong(name -> Long.parseLong(name.group(1))).max().orElse(0);
    }

    private static String epochMark(long epoch) {
        return String.format(Locale.ROOT, "%010d.epoch", epoch);
    }

    private void requireOwner() throws IOException {
        if (epoch == 0) {
            throw new NotOwnerException(0, owner());
        }
        if (Files.notExists(directory.resolve(epochMark(epoch)))) {
            long owner = owner();
            if (owner > epoch) {
                throw new NotOwnerException(epoch, owner);
            }
            throw new IOException("the folder " + directory + " is not the one in which the log was opened: is its disk"
                    + " mounted?");
        }
    }

    @Override
    public boolean isClaimedSince() throws IOException {
        return epoch != 0 && owner() > epoch;
    }

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public SortedSet<Long> segments() throws IOException {
        return names(directory, NAME).stream().map(name -> Long.parseLong(name.group(1)))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Override
    public long size(long segment) throws IOException {
        try {
            return Files.size(file(segment));
        } catch (NoSuchFileException e) {
            return 0;
        }
    }

    /// Opens the file for each reading, because messages are rarely read from disk, and an interrupted
    /// reader must not close a channel that others use (RandomAccessFile ignores interrupts).
    @Override
    public OpenSegment open(long segment) throws IOException {
        Path file = file(segment);
        try {
            return new OpenFile(new RandomAccessFile(file.toFile(), "r"));
        } catch (FileNotFoundException e) {
            // Also thrown when the process has no file descriptor left.
            if (Files.isDirectory(directory) && Files.notExists(file)) {
                throw new NoSuchFileException(file.toString());
            }
            throw e;
        }
    }

    private record OpenFile(RandomAccessFile file, Arena arena) implements OpenSegment {
        OpenFile(RandomAccessFile file) {
            this(file, Arena.ofConfined());
        }

        @Override
        public long size() throws IOException {
            return file.length();
        }

        @Override
        public void read(long offset, byte[] into, int at, int length) throws IOException {
            file.seek(offset);
            file.readFully(into, at, length);
        }

        @Override
        public ByteBuffer view(long limit) throws IOException {
            return file.getChannel()
                    .map(FileChannel.MapMode.READ_ONLY, 0, Math.min(limit, file.length()), arena).asByteBuffer();
        }

        @Override
        public void close() throws IOException {
            arena.close();
            file.close();
        }
    }

    @Override
    public Set<String> marks() throws IOException {
        return names(directory, MARK).stream().map(Matcher::group).filter(name -> !name.endsWith(".epoch"))
                .collect(Collectors.toSet());
    }

    @Override
    public void mark(String before, String name) throws IOException {
        requireOwner();
        rename(before, name);
    }

    private void rename(String before, String name) throws IOException {
        Path from = directory.resolve(before);
        if (Files.isRegularFile(from)) {
            Files.move(from, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } else if (Files.notExists(directory.resolve(name))) {
            Files.createFile(directory.resolve(name));
        }
        Directories.sync(directory);
    }

    @Override
    public void unmark(String name) throws IOException {
        requireOwner();
        Files.deleteIfExists(directory.resolve(name));
    }

    @Override
    public void begin(long segment, ByteBuffer first) throws IOException {
        requireOwner();
        closeTip();
        Path file = file(segment);
        if (unbegun == segment) {
            Files.deleteIfExists(file);
        }
        Tip made = new Tip(file, FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
        try {
            made.write(first);
            made.channel.force(true);
            made.committed = made.written;
            Directories.sync(directory);
            tip = Optional.of(made);
        } catch (IOException e) {
            unbegun = segment;
            made.channel.close();
            // Otherwise a full disk collects one empty segment per attempt.
            Files.deleteIfExists(file);
            throw e;
        }
    }

    @Override
    public void append(ByteBuffer octets) throws IOException {
        requireOwner();
        tip().write(octets);
    }

    private Tip tip() throws IOException {
        return tip.orElseThrow(() -> new IOException("no segment was begun"));
    }

    @Override
    public void commit() throws IOException {
        requireOwner();
        Tip open = tip();
        open.channel.force(false);
        open.committed = open.written;
    }

    // Best effort: a message that stays although its client got 451 is entered at the next start
    // and delivered.
    @Override
    public void abandon() {
        Optional<Tip> failed = tip;
        closeTip();
        if (failed.isEmpty()) {
            return;
        }
        try {
            // The successor may count on what is there.
            requireOwner();
            try (FileChannel channel = FileChannel.open(failed.get().file, StandardOpenOption.WRITE)) {
                channel.truncate(failed.get().committed);
                channel.force(true);
            }
        } catch (IOException e) {
            log.warn("event=segment-truncate-failed segment={} error=\"{}\"", failed.get().file.getFileName(),
                    e.toString());
        }
    }

    @Override
    public long settle(long segment) throws IOException {
        requireOwner();
        try (FileChannel channel = FileChannel.open(file(segment), StandardOpenOption.WRITE)) {
            channel.force(true);
            return channel.size();
        }
    }

    @Override
    public void mend(long segment, ByteBuffer first) throws IOException {
        requireOwner();
        try (FileChannel channel = FileChannel.open(file(segment), StandardOpenOption.WRITE)) {
            channel.write(first, 0);
            channel.force(true);
        }
    }

    @Override
    public void delete(long segment) throws IOException {
        requireOwner();
        Files.deleteIfExists(file(segment));
        Files.deleteIfExists(hintFile(segment));
    }

    @Override
    public void addHints(long segment, boolean first, ByteBuffer chunk) throws IOException {
        try (FileChannel channel = FileChannel.open(hintFile(segment), StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                first ? StandardOpenOption.TRUNCATE_EXISTING : StandardOpenOption.APPEND)) {
            while (chunk.hasRemaining()) {
                channel.write(chunk);
            }
        }
    }

    @Override
    public ByteBuffer hints(long segment, long most) throws IOException {
        Path file = hintFile(segment);
        try {
            return Files.size(file) > most ? ByteBuffer.allocate(0) : ByteBuffer.wrap(Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            return ByteBuffer.allocate(0);
        }
    }

    private Path hintFile(long segment) {
        return directory.resolve(String.format(Locale.ROOT, "%010d.hint", segment));
    }

    private Path file(long segment) {
        return directory.resolve(String.format(Locale.ROOT, "%010d.segment", segment));
    }

    private void closeTip() {
        tip.ifPresent(open -> {
            try {
                open.channel.close();
            } catch (IOException e) {
                log.warn("event=segment-close-failed segment={} error=\"{}\"", open.file.getFileName(), e.toString());
            }
        });
        tip = Optional.empty();
    }

    @Override
    public void close() {
        closeTip();
    }
}
