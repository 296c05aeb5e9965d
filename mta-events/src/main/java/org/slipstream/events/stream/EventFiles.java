package org.slipstream.events.stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The events of a shard on disk: files of JSON lines, in the order of the message log. May be called by any thread.
///
/// The name of a file is the place before its first event. The last whole line says how far the log has been read, so
/// events and position cannot disagree. Bytes behind it, left by a kill or a power cut, are cut off at the start: the
/// log has what they said. A file is synced before the next one begins, and from time to time ([#sync]); only what is
/// synced lets the log forget.
///
/// A file is full at an eighth of the size or of the time. Whole files are deleted: those that are too old and that
/// every subscriber has read, and beyond the size the oldest, needed or not.
public final class EventFiles implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EventFiles.class);
    private static final int PARTS = 8;
    private static final Pattern NAME = Pattern.compile("events-(\\d{15})-(\\d{12})-(\\d{9})\\.jsonl");

    private final int shard;
    private final Path folder;
    private final EventSettings settings;
    private final LongSupplier clockMillis;
    private final Supplier<Optional<EventCursor>> slowest;
    private Optional<FileChannel> current = Optional.empty();
    private long begunMillis;
    private long bytes;
    private EventCursor last;
    private long dropped;
    private boolean damaged;

    /// @param first place before the events of the file
    record EventFile(Path path, EventCursor first) {}

    private EventFiles(int shard, Path folder, EventSettings settings, LongSupplier clockMillis,
            Supplier<Optional<EventCursor>> slowest) {
        this.shard = shard;
        this.folder = folder;
        this.settings = settings;
        this.clockMillis = clockMillis;
        this.slowest = slowest;
        last = new EventCursor(shard, 0, 0, 0);
    }

    /// The folder of the events of a spool.
    public static Path folder(Path spool) {
        return spool.resolve("events");
    }

    /// @param begin the place of the first event when there are no files
    /// @param slowest the place of the subscriber that is furthest behind; empty without one
    static EventFiles open(Path folder, EventSettings settings, EventCursor begin, LongSupplier clockMillis,
            Supplier<Optional<EventCursor>> slowest) throws IOException {
        EventFiles files = new EventFiles(begin.shard(), folder, settings, clockMillis, slowest);
        files.open(begin);
        return files;
    }

    private synchronized void open(EventCursor begin) throws IOException {
        ownersFolder();
        List<EventFile> there = list(folder, shard);
        if (there.isEmpty()) {
            last = begin;
            begin();
            // The name says where events begin. After a power cut the next start would begin later without it.
            sync(folder);
            sync(Objects.requireNonNull(folder.toAbsolutePath().getParent()));
            return;
        }
        EventFile newest = there.getLast();
        last = newest.first();
        long whole = 0;
        try (RandomAccessFile file = new RandomAccessFile(newest.path().toFile(), "rw")) {
            try (EventLines lines = EventLines.open(newest.path(), 0)) {
                for (Optional<EventLines.PlacedLine> line = lines.next(); line.isPresent(); line = lines.next()) {
                    last = line.get().cursor();
                    whole = lines.position();
                }
            }
            if (file.length() > whole) {
                damaged = hasWholeLine(newest.path(), whole);
                if (damaged) {
                    log.warn("event=events-cut-off file={} bytes={} reason=\"the file is damaged\""
                            + " next=\"those that the log still has are written again\"", newest.path(),
                            file.length() - whole);
                } else {
                    log.info("event=events-cut-off file={} bytes={} next=\"the log has them\"", newest.path(),
                            file.length() - whole);
                }
                file.setLength(whole);
            }
        }
        current = Optional.of(FileChannel.open(newest.path(), StandardOpenOption.APPEND));
        bytes = whole;
        begunMillis = clockMillis.getAsLong();
        clean();
    }

    /// A kill leaves one line that is not whole, and a power cut may leave more. Only damage leaves a whole line behind
    /// one that is not: it may have been synced, so the log may have forgotten what it said.
    private static boolean hasWholeLine(Path path, long behind) throws IOException {
        try (EventLines lines = EventLines.open(path, behind)) {
            while (lines.skipLine()) {
                if (lines.next().isPresent()) {
                    return true;
                }
            }
            return false;
        }
    }

    /// True when a part of the newest file was damaged and cut off at the start.
    synchronized boolean isDamaged() {
        return damaged;
    }

    private static void sync(Path directory) throws IOException {
        try (FileChannel open = FileChannel.open(directory, StandardOpenOption.READ)) {
            open.force(true);
        }
    }

    /// Senders, recipients and replies concern the owner only.
    private void ownersFolder() throws IOException {
        if (Files.notExists(folder)) {
            Files.createDirectories(folder);
            if (Files.getFileStore(folder).supportsFileAttributeView("posix")) {
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
            }
        }
    }

    /// The files of a shard, the oldest first; empty without events.
    static List<EventFile> list(Path folder, int shard) throws IOException {
        List<EventFile> files = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
            for (Path path : all) {
                Matcher name = NAME.matcher(path.getFileName().toString());
                if (name.matches()) {
                    files.add(new EventFile(path, new EventCursor(shard, Long.parseLong(name.group(1)),
                            Long.parseLong(name.group(2)), Integer.parseInt(name.group(3)))));
                }
            }
        } catch (NoSuchFileException none) {
            return List.of();
        }
        files.sort(Comparator.comparing(EventFile::first));
        return files;
    }

    /// Deletes the events of a server that writes none any more.
    public static void deleteAll(Path folder) throws IOException {
        for (EventFile file : list(folder, 1)) {
            Files.deleteIfExists(file.path());
        }
    }

    /// The place of the latest event.
    synchronized EventCursor last() {
        return last;
    }

    /// Appends those events that are not here already. The whole batch is here, or none of it counts: the next call
    /// with it begins where the last whole line ends.
    ///
    /// @param events in order
    synchronized void append(List<MailEvent> events) throws IOException {
        StringBuilder lines = new StringBuilder();
        EventCursor reached = last;
        for (MailEvent event : events) {
            if (event.cursor().compareTo(reached) > 0) {
                lines.append(event.line());
                reached = event.cursor();
            }
        }
        if (!lines.isEmpty()) {
            append(lines.toString(), reached);
        }
    }

    /// Appends an event that the log does not have, and makes it durable.
    ///
    /// @param line of the event at a place
    synchronized void tell(Function<EventCursor, String> line) throws IOException {
        if (!last.hasPlaceBehind()) {
            throw new IOException("there are too many events before the first one of the log");
        }
        EventCursor behind = last.behind();
        append(line.apply(behind), behind);
        sync();
    }

    private void append(String lines, EventCursor reached) throws IOException {
        byte[] utf8 = lines.getBytes(StandardCharsets.UTF_8);
        if (current.isEmpty() || bytes > 0 && (bytes + utf8.length > part() || isOld())) {
            begin();
        }
        write(current.orElseThrow(), utf8);
        bytes += utf8.length;
        last = reached;
    }

    private void write(FileChannel file, byte[] utf8) throws IOException {
        try {
            ByteBuffer octets = ByteBuffer.wrap(utf8);
            while (octets.hasRemaining()) {
                file.write(octets);
            }
        } catch (IOException e) {
            // A half line would join the next one.
            current = Optional.empty();
            try (file) {
                file.truncate(bytes);
            } catch (IOException again) {
                e.addSuppressed(again);
            }
            throw e;
        }
    }

    private boolean isOld() {
        long age = clockMillis.getAsLong() - begunMillis;
        return age > settings.keep().toMillis() / PARTS || age < 0;
    }

    private long part() {
        return settings.size().bytes() / PARTS;
    }

    private void begin() throws IOException {
        close();
        current = Optional.of(FileChannel.open(folder.resolve(String.format(Locale.ROOT,
                "events-%015d-%012d-%09d.jsonl", last.segment(), last.offset(), last.number())),
                StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE));
        begunMillis = clockMillis.getAsLong();
        bytes = 0;
        clean();
    }

    private void clean() throws IOException {
        List<EventFile> files = list(folder, shard);
        long total = 0;
        for (EventFile file : files) {
            total += Files.size(file.path());
        }
        long room = settings.size().bytes() - (part() - bytes);
        Optional<EventCursor> needed = slowest.get();
        for (int i = 0; i + 1 < files.size(); i++) {
            EventFile file = files.get(i);
            EventCursor end = files.get(i + 1).first();
            boolean read = needed.isEmpty() || end.compareTo(needed.get()) <= 0;
            boolean old = clockMillis.getAsLong() - Files.getLastModifiedTime(file.path()).toMillis() > settings.keep()
                    .toMillis();
            if (total <= room && !(old && read)) {
                return;
            }
            if (!read) {
                count(file, needed.get());
            }
            total -= Files.size(file.path());
            Files.deleteIfExists(file.path());
        }
    }

    private void count(EventFile file, EventCursor needed) throws IOException {
        long lost = 0;
        try (EventLines lines = EventLines.open(file.path(), 0)) {
            for (Optional<EventLines.PlacedLine> line = lines.next(); line.isPresent(); line = lines.next()) {
                lost += line.get().cursor().compareTo(needed) > 0 ? 1 : 0;
            }
        }
        dropped += lost;
        log.warn("event=events-dropped count={} file={} reason=\"a subscriber is too far behind for events.size\"",
                lost,
                file.path());
    }

    /// Events that were deleted before every subscriber had read them, since the start.
    public synchronized long dropped() {
        return dropped;
    }

    /// Makes durable what was appended. Any thread.
    synchronized void sync() throws IOException {
        if (current.isPresent()) {
            current.get().force(false);
        }
    }

    /// The next event begins a new file.
    @Override
    public synchronized void close() throws IOException {
        if (current.isPresent()) {
            FileChannel open = current.get();
            current = Optional.empty();
            try (open) {
                open.force(false);
            }
        }
    }
}
