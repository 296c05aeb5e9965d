package org.slipstream.spool.box;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/// The segment that is open for appending. Belongs to the writer thread, but for [#noteEarly], which may come from another one at any
/// time: each record goes in as a whole, and a sync keeps nobody from writing.
///
/// Records are collected in one direct buffer and go to the file when it is full and at [#force]: a group of small
/// letters costs one write and one sync.
final class SegmentWriter implements AutoCloseable {
    private static final int STAGING_BYTES = 1 << 20;

    private final Path file;
    private final long number;
    private final long salt;
    private final FileChannel channel;
    private final ByteBuffer staging;
    private final ByteBuffer header = ByteBuffer.allocate(RecordFormat.RECORD_HEADER);
    private final ByteBuffer scratch = ByteBuffer.allocate(8);
    private final CRC32C crc = new CRC32C();
    private long written;
    /// Early notes that came among the letters of a group. A start reads from the last letter on that the register knows, so
    /// they go behind all of them.
    private final List<Note> held = new ArrayList<>();
    private boolean amongLetters;
    private boolean closed;
    private Optional<IOException> failed = Optional.empty();

    /// Makes the file; its beginning and its name are on disk when this returns.
    SegmentWriter(Path file, long number, long salt, ByteBuffer staging) throws IOException {
        this.file = file;
        this.number = number;
        this.salt = salt;
        this.staging = staging.clear();
        channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            staging.put(RecordFormat.segmentHeader(number, salt));
            flush();
            channel.force(true);
            Directories.sync(file.getParent());
        } catch (IOException e) {
            channel.close();
            // A full disk would otherwise collect one empty segment for each try.
            Files.deleteIfExists(file);
            throw e;
        }
    }

    static ByteBuffer newStaging() {
        return ByteBuffer.allocateDirect(STAGING_BYTES);
    }

    Path file() {
        return file;
    }

    long number() {
        return number;
    }

    /// Where the next record will begin.
    synchronized long position() {
        return written + staging.position();
    }

    /// @return the record's offset
    synchronized long append(long seq, NewLetter letter) throws IOException {
        byte[] envelope = letter.envelopeBytes();
        long offset = position();
        amongLetters = true;
        switch (letter.content()) {
            case NewLetter.Inline(byte[] bytes, int length) ->
                put(RecordFormat.Kind.LETTER, seq, letter.id().value(), letter.createdMillis(), envelope, bytes,
                        length);
            case NewLetter.OwnFile(long sizeBytes, int contentCrc) -> {
                byte[] tail = ByteBuffer.allocate(RecordFormat.OWN_FILE_TAIL).putLong(sizeBytes).putInt(contentCrc)
                        .array();
                put(RecordFormat.Kind.OWN_FILE, seq, letter.id().value(), letter.createdMillis(), envelope, tail,
                        tail.length);
            }
        }
        return offset;
    }

    synchronized void withdraw(long first, long last) throws IOException {
        byte[] tail = ByteBuffer.allocate(RecordFormat.WITHDRAWAL_TAIL).putLong(first).putLong(last).array();
        put(RecordFormat.Kind.WITHDRAWAL, last, 0, 0, new byte[0], tail, tail.length);
    }

    synchronized void note(List<Note> notes) throws IOException {
        ByteBuffer tail = ByteBuffer.allocate(RecordFormat.NOTE_BYTES * notes.size());
        notes.forEach(note -> tail.putLong(note.id().value()).put((byte) note.what().code).putInt(note.number()));
        put(RecordFormat.Kind.NOTES, 0, 0, 0, new byte[0], tail.array(), tail.capacity());
    }

    /// Any thread: notes that are written at once (or as soon as the letters of a group are), unless the segment takes nothing more.
    /// Should that fail, nobody knows what the file ends with, and the next [#force] says so.
    synchronized void noteEarly(List<Note> notes) {
        if (closed || failed.isPresent()) {
            return;
        }
        if (amongLetters) {
            held.addAll(notes);
            return;
        }
        try {
            note(notes);
            flush();
        } catch (IOException e) {
            failed = Optional.of(e);
        }
    }

    private void put(RecordFormat.Kind kind, long seq, long id, long createdMillis, byte[] envelope, byte[] tail,
            int tailLength) throws IOException {
        requireSound();
        RecordFormat.putHeader(header, kind, envelope.length + tailLength, seq, id, createdMillis, envelope.length);
        RecordFormat.startCrc(crc, salt, header.array(), scratch);
        crc.update(envelope, 0, envelope.length);
        crc.update(tail, 0, tailLength);
        header.putInt(RecordFormat.CRC_OFFSET, (int) crc.getValue());
        put(header.array(), RecordFormat.RECORD_HEADER);
        put(envelope, envelope.length);
        put(tail, tailLength);
    }

    private void put(byte[] bytes, int length) throws IOException {
        int done = 0;
        while (done < length) {
            if (!staging.hasRemaining()) {
                flush();
            }
            int step = Math.min(length - done, staging.remaining());
            staging.put(bytes, done, step);
            done += step;
        }
    }

    private void flush() throws IOException {
        staging.flip();
        while (staging.hasRemaining()) {
            // At the position we believe in, not at the channel's: after a short write both could differ.
            written += channel.write(staging, written);
        }
        staging.clear();
    }

    void force() throws IOException {
        synchronized (this) {
            if (!held.isEmpty()) {
                note(List.copyOf(held));
                held.clear();
            }
            amongLetters = false;
            requireSound();
            flush();
        }
        channel.force(false);
    }

    private void requireSound() throws IOException {
        if (failed.isPresent()) {
            throw new IOException("an early note could not be written", failed.get());
        }
    }

    /// What was appended but not written is lost; [#force] comes first.
    @Override
    public synchronized void close() throws IOException {
        closed = true;
        staging.clear();
        channel.close();
    }
}
