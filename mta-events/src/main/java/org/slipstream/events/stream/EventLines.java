package org.slipstream.events.stream;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/// Reads the lines of a file of events. It ends at the first line that is not whole: the rest is still being written,
/// or a power cut left it.
final class EventLines implements AutoCloseable {
    private static final int BLOCK_BYTES = 64 << 10;
    /// An accepted message with all the recipients that it names has some 40 KiB.
    private static final int LONGEST = 1 << 20;

    /// @param text without its end
    record PlacedLine(EventCursor cursor, String text) {}

    private final RandomAccessFile file;
    private byte[] block = new byte[BLOCK_BYTES];
    private int from;
    private int to;
    private long position;

    private EventLines(RandomAccessFile file, long position) {
        this.file = file;
        this.position = position;
    }

    /// @param position where a line begins
    static EventLines open(Path path, long position) throws IOException {
        RandomAccessFile file = new RandomAccessFile(path.toFile(), "r");
        try {
            file.seek(position);
        } catch (IOException e) {
            file.close();
            throw e;
        }
        return new EventLines(file, position);
    }

    /// Opens the file where the first event behind a place is: by halving, because places grow.
    static EventLines after(Path path, EventCursor place) throws IOException {
        long low = 0;
        long high;
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            high = file.length();
        }
        // A line that begins at or before `low` is not behind the place.
        while (high - low > BLOCK_BYTES) {
            long middle = (low + high) >>> 1;
            Optional<PlacedLine> found;
            long begin;
            try (EventLines lines = open(path, middle)) {
                lines.skipLine();
                begin = lines.position();
                found = lines.next();
            }
            if (found.isPresent() && found.get().cursor().compareTo(place) <= 0 && begin < high) {
                low = begin;
            } else {
                high = middle;
            }
        }
        EventLines lines = open(path, low);
        try {
            long begin = low;
            for (Optional<PlacedLine> line = lines.next(); line.isPresent()
                    && line.get().cursor().compareTo(place) <= 0; line = lines.next()) {
                begin = lines.position();
            }
            lines.back(begin);
            return lines;
        } catch (IOException e) {
            lines.close();
            throw e;
        }
    }

    private void back(long begin) throws IOException {
        file.seek(begin);
        position = begin;
        from = 0;
        to = 0;
    }

    /// @return false at the end
    boolean skipLine() throws IOException {
        int end = endOfLine();
        if (end >= 0) {
            take(end);
        }
        return end >= 0;
    }

    Optional<PlacedLine> next() throws IOException {
        int end = endOfLine();
        if (end < 0) {
            return Optional.empty();
        }
        String text = new String(block, from, end - from, StandardCharsets.UTF_8);
        Optional<EventCursor> cursor = MailEvent.cursorOf(text);
        if (cursor.isEmpty()) {
            return Optional.empty();
        }
        take(end);
        return Optional.of(new PlacedLine(cursor.get(), text));
    }

    private void take(int end) {
        position += end + 1 - from;
        from = end + 1;
    }

    /// Index of the line's end in the block; -1 without one.
    private int endOfLine() throws IOException {
        int at = from;
        while (true) {
            for (; at < to; at++) {
                if (block[at] == '\n') {
                    return at;
                }
            }
            if (to - from > LONGEST) {
                return -1;
            }
            if (from > 0) {
                System.arraycopy(block, from, block, 0, to - from);
                to -= from;
                at -= from;
                from = 0;
            }
            if (to == block.length) {
                block = Arrays.copyOf(block, block.length * 2);
            }
            int length = file.read(block, to, block.length - to);
            if (length <= 0) {
                return -1;
            }
            to += length;
        }
    }

    /// Behind the last line that was returned.
    long position() {
        return position;
    }

    /// False when a line follows that is not whole.
    boolean isAtEnd() throws IOException {
        return position >= file.length();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
