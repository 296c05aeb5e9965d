package org.slipstream.events.stream;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/// Reads the streams of all shards as one. Any thread may read while events are written; each read takes a page.
///
/// The events of a shard keep their order, and so do those of a message, which stays in its shard. Between shards the
/// times of the events decide.
public final class EventReader {
    /// A page has as many events at most.
    public static final int MOST = 1000;
    private static final int MOST_CHARS = 4 << 20;

    private final Map<Integer, Path> folders;
    private final LongSupplier clockMillis;

    /// @param folders of the shards, by their numbers
    EventReader(Map<Integer, Path> folders, LongSupplier clockMillis) {
        this.folders = new TreeMap<>(folders);
        this.clockMillis = clockMillis;
    }

    /// @param lines each one event, with the cursor of a reader that has it
    /// @param next the place behind them
    public record EventPage(List<String> lines, StreamCursor next) {}

    /// One shard, and the event that is next.
    private static final class Head implements AutoCloseable {
        final int shard;
        private final List<EventFiles.EventFile> files;
        private int at;
        private Optional<EventLines> open = Optional.empty();
        private EventCursor place;
        private final LongSupplier clockMillis;
        Optional<EventLines.PlacedLine> line = Optional.empty();
        Instant time = Instant.MIN;

        Head(int shard, Path folder, EventCursor after, LongSupplier clockMillis) throws IOException {
            this.shard = shard;
            this.clockMillis = clockMillis;
            place = after;
            files = EventFiles.list(folder, shard);
            at = 0;
            while (at + 1 < files.size() && files.get(at + 1).first().compareTo(after) <= 0) {
                at++;
            }
            advance();
        }

        void advance() throws IOException {
            line = Optional.empty();
            while (line.isEmpty() && at < files.size()) {
                try {
                    if (open.isEmpty()) {
                        open = Optional.of(EventLines.after(files.get(at).path(), place));
                    }
                    line = open.get().next();
                    if (line.isEmpty() && at + 1 < files.size() && !open.get().isAtEnd()) {
                        line = Optional.of(damaged(files.get(at), files.get(at + 1).first()));
                        close();
                        at++;
                    }
                } catch (NoSuchFileException | FileNotFoundException deleted) {
                    // It became too old a moment ago.
                    line = Optional.empty();
                }
                if (line.isEmpty()) {
                    close();
                    at++;
                }
            }
            line.ifPresent(found -> {
                place = found.cursor();
                time = MailEvent.timeOf(found.text()).orElse(Instant.MIN);
            });
        }

        /// A file that another one follows was complete. Its name says where the events behind it begin.
        private EventLines.PlacedLine damaged(EventFiles.EventFile file, EventCursor end) {
            return new EventLines.PlacedLine(end, MailEvent.lost(end, 0,
                    "the file " + file.path().getFileName() + " is damaged", clockMillis.getAsLong()).line().strip());
        }

        @Override
        public void close() throws IOException {
            if (open.isPresent()) {
                open.get().close();
                open = Optional.empty();
            }
        }
    }

    /// The next events behind a place, in order.
    ///
    /// @param limit from 1 to [#MOST]
    public EventPage read(StreamCursor after, int limit) throws IOException {
        List<Head> heads = new ArrayList<>();
        PriorityQueue<Head> next = new PriorityQueue<>(
                Comparator.comparing((Head head) -> head.time).thenComparing(head -> head.shard));
        try {
            for (Map.Entry<Integer, Path> shard : folders.entrySet()) {
                Head head = new Head(shard.getKey(), shard.getValue(), after.of(shard.getKey()),
                        clockMillis);
                heads.add(head);
                if (head.line.isPresent()) {
                    next.add(head);
                }
            }
            EventPage lost = lost(after);
            EventPage page = page(next, lost.next(), limit);
            return lost.lines().isEmpty()
                    ? page
                    : new EventPage(Stream.concat(lost.lines().stream(), page.lines().stream()).toList(), page.next());
        } finally {
            for (Head head : heads) {
                head.close();
            }
        }
    }

    private static EventPage page(PriorityQueue<Head> next, StreamCursor after, int limit) throws IOException {
        List<String> lines = new ArrayList<>();
        StreamCursor reached = after;
        int chars = 0;
        while (!next.isEmpty() && lines.size() < limit && chars < MOST_CHARS) {
            Head head = next.poll();
            EventLines.PlacedLine line = head.line.orElseThrow();
            reached = reached.with(line.cursor());
            lines.add(MailEvent.withCursor(line.text(), reached));
            chars += line.text().length();
            head.advance();
            if (head.line.isPresent()) {
                next.add(head);
            }
        }
        return new EventPage(lines, reached);
    }

    /// The place before the first event that is not older.
    public StreamCursor since(Instant time) throws IOException {
        StreamCursor cursor = StreamCursor.OLDEST;
        for (Map.Entry<Integer, Path> shard : folders.entrySet()) {
            cursor = cursor.with(since(time, shard.getKey(), shard.getValue()));
        }
        return cursor;
    }

    private static EventCursor since(Instant time, int shard, Path folder) throws IOException {
        List<EventFiles.EventFile> files = EventFiles.list(folder, shard);
        EventCursor before = new EventCursor(shard, 0, 0, 0);
        for (int i = 0; i < files.size(); i++) {
            boolean whole = i + 1 < files.size()
                    && begin(files.get(i + 1)).filter(each -> each.isBefore(time)).isPresent();
            before = whole ? before : files.get(i).first();
            try (EventLines lines = EventLines.open(files.get(i).path(), 0)) {
                for (Optional<EventLines.PlacedLine> line = lines.next(); line.isPresent() && !whole; line = lines
                        .next()) {
                    if (MailEvent.timeOf(line.get().text()).filter(at -> !at.isBefore(time)).isPresent()) {
                        return before;
                    }
                    before = line.get().cursor();
                }
            } catch (NoSuchFileException | FileNotFoundException deleted) {
                // It became too old a moment ago.
            }
        }
        return before;
    }

    /// The time of the first event of a file.
    private static Optional<Instant> begin(EventFiles.EventFile file) throws IOException {
        try (EventLines lines = EventLines.open(file.path(), 0)) {
            return lines.next().flatMap(each -> MailEvent.timeOf(each.text()));
        } catch (NoSuchFileException | FileNotFoundException deleted) {
            return Optional.empty();
        }
    }

    /// The place behind the latest event of each shard.
    public StreamCursor end() throws IOException {
        StreamCursor cursor = StreamCursor.OLDEST;
        for (Map.Entry<Integer, Path> shard : folders.entrySet()) {
            cursor = cursor.with(end(shard.getKey(), shard.getValue()));
        }
        return cursor;
    }

    private static EventCursor end(int shard, Path folder) throws IOException {
        EventCursor last = new EventCursor(shard, 0, 0, 0);
        List<EventFiles.EventFile> files = EventFiles.list(folder, shard);
        if (files.isEmpty()) {
            return last;
        }
        last = files.getLast().first();
        try (EventLines lines = EventLines.open(files.getLast().path(), 0)) {
            for (Optional<EventLines.PlacedLine> line = lines.next(); line.isPresent(); line = lines.next()) {
                last = line.get().cursor();
            }
        }
        return last;
    }

    /// An event for each shard of which events behind this place are no longer on disk.
    private EventPage lost(StreamCursor after) throws IOException {
        List<String> lines = new ArrayList<>();
        StreamCursor reached = after;
        for (Map.Entry<Integer, Path> shard : folders.entrySet()) {
            List<EventFiles.EventFile> files = EventFiles.list(shard.getValue(), shard.getKey());
            if (after.places().containsKey(shard.getKey()) && !files.isEmpty()
                    && after.of(shard.getKey()).compareTo(files.getFirst().first()) < 0) {
                reached = reached.with(files.getFirst().first());
                lines.add(MailEvent.withCursor(MailEvent.lost(files.getFirst().first(), 0,
                        "events after " + after.of(shard.getKey()) + " were deleted before they were read",
                        clockMillis.getAsLong()).line().strip(), reached));
            }
        }
        return new EventPage(lines, reached);
    }
}
