package org.slipstream.spool.box;

import org.slipstream.core.QueueId;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// Walks through a segment after a stop nobody planned and says what is in it.
///
/// A record counts when its magic, its lengths and its checksum agree. Where they do not, there are two stories, and they
/// must not be confused:
///
/// - **The end of the box.** The machine stopped inside a write. The file ends before the record does, and nothing sound
///   follows. Nobody was told that this letter was safe, so nothing is lost: [LetterBox.Found.Torn].
/// - **Damage.** The disk forgot or changed bytes of a letter that may have been acknowledged. Either something sound
///   follows, or the record is there in its whole length and has the wrong checksum. The bytes are copied to where the
///   operator finds them, and the walk goes on behind them: [LetterBox.Found.Damaged].
///
/// A damaged header of the segment costs nothing as long as its salt can be learnt from elsewhere: [SegmentSalt].
///
/// Behind damage, lengths cannot be trusted, so the next sound record is looked for byte by byte; the segment's salt (see
/// [RecordFormat]) keeps the walk from finding records that somebody sent us inside a mail.
final class SegmentScan {
    private final Path file;
    private final long number;
    private final Path corrupt;
    private final Consumer<LetterBox.Found> found;
    private final ByteBuffer bytes;
    private long salt;

    private SegmentScan(Path file, long number, Path corrupt, ByteBuffer bytes, Consumer<LetterBox.Found> found) {
        this.file = file;
        this.number = number;
        this.corrupt = corrupt;
        this.bytes = bytes;
        this.found = found;
    }

    static void walk(Path file, long number, long from, Path corrupt, Consumer<LetterBox.Found> found)
            throws IOException {
        try (Arena arena = Arena.ofConfined(); FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            if (size < RecordFormat.SEGMENT_HEADER) {
                // Stopped while the segment was being made: it never held anything.
                found.accept(new LetterBox.Found.Torn(number, 0, size));
                return;
            }
            if (size > Integer.MAX_VALUE) {
                throw new IOException("segment larger than 2 GiB: " + file);
            }
            ByteBuffer bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, size, arena).asByteBuffer();
            new SegmentScan(file, number, corrupt, bytes, found)
                    .begin((int) Math.max(from, RecordFormat.SEGMENT_HEADER));
        } catch (InternalError e) {
            // How the JVM reports that a mapped page could not be read.
            throw new IOException("cannot read " + file, e);
        }
    }

    private void begin(int from) throws IOException {
        try {
            salt = RecordFormat.salt(bytes, number);
        } catch (DamagedLetterException e) {
            Optional<Long> learnt = SegmentSalt.find(bytes, number);
            if (learnt.isEmpty()) {
                // Without the salt no record can be told from noise.
                setAside(0, bytes.limit());
                return;
            }
            salt = learnt.get();
            found.accept(new LetterBox.Found.Headless(number, copy(0, RecordFormat.SEGMENT_HEADER)));
        }
        walk(from);
    }

    private void walk(int from) throws IOException {
        int at = from;
        while (at < bytes.limit()) {
            if (isSound(at)) {
                at = report(at);
                continue;
            }
            int next = RecordFormat.nextSound(bytes, at + 1, salt);
            if (next < bytes.limit() || RecordFormat.wholeUntil(bytes, at).isPresent()) {
                setAside(at, next);
            } else {
                found.accept(new LetterBox.Found.Torn(number, at, bytes.limit() - at));
            }
            at = next;
        }
    }

    private boolean isSound(int at) {
        return RecordFormat.isSound(bytes, at, salt);
    }

    private int report(int at) throws IOException {
        RecordFormat.Header header = RecordFormat.header(bytes, at);
        int end = at + (int) header.recordBytes();
        try {
            found.accept(read(at, header));
        } catch (DamagedLetterException | IllegalArgumentException e) {
            // The checksum fits and the content does not: written by something else than this program.
            setAside(at, end);
        }
        return end;
    }

    private LetterBox.Found read(int at, RecordFormat.Header header) throws DamagedLetterException {
        int tail = at + RecordFormat.RECORD_HEADER + header.envelopeLength();
        int tailLength = header.length() - header.envelopeLength();
        if (header.kind() == RecordFormat.Kind.WITHDRAWAL.code && tailLength == RecordFormat.WITHDRAWAL_TAIL) {
            return new LetterBox.Found.Withdrawn(bytes.getLong(tail), bytes.getLong(tail + 8));
        }
        if (header.kind() == RecordFormat.Kind.FINISHED.code && tailLength % Long.BYTES == 0) {
            List<QueueId> ids = new ArrayList<>(tailLength / Long.BYTES);
            for (int i = 0; i < tailLength; i += Long.BYTES) {
                ids.add(new QueueId(bytes.getLong(tail + i)));
            }
            return new LetterBox.Found.Noted(ids.stream().map(id -> new Note(Note.What.FINISHED, id)).toList());
        }
        if (header.kind() == RecordFormat.Kind.NOTES.code && tailLength % RecordFormat.NOTE_BYTES == 0) {
            List<Note> notes = new ArrayList<>(tailLength / RecordFormat.NOTE_BYTES);
            for (int i = tail; i < tail + tailLength; i += RecordFormat.NOTE_BYTES) {
                notes.add(new Note(Note.What.of(bytes.get(i + 8)), new QueueId(bytes.getLong(i)),
                        bytes.getInt(i + 9)));
            }
            return new LetterBox.Found.Noted(notes);
        }
        boolean ownFile = header.kind() == RecordFormat.Kind.OWN_FILE.code;
        if (!ownFile && header.kind() != RecordFormat.Kind.LETTER.code
                || ownFile && tailLength != RecordFormat.OWN_FILE_TAIL) {
            throw new DamagedLetterException("a record of unknown kind " + header.kind());
        }
        long size = ownFile ? bytes.getLong(tail) : tailLength;
        var envelope = EnvelopeCodec
                .decode(bytes.slice(at + RecordFormat.RECORD_HEADER, header.envelopeLength()));
        return new LetterBox.Found.Stored(
                new StoredLetter(header.seq(), new QueueId(header.id()), header.createdMillis(), size, envelope),
                new Place(number, at, ownFile));
    }

    private void setAside(int from, int to) throws IOException {
        found.accept(new LetterBox.Found.Damaged(number, from, to - from, copy(from, to)));
    }

    private String copy(int from, int to) throws IOException {
        Path copy = corrupt.resolve("segment-" + number + "-at-" + from + ".bytes");
        if (Files.notExists(copy)) {
            byte[] damaged = new byte[to - from];
            bytes.get(from, damaged);
            Files.write(copy, damaged);
        }
        return copy.toString();
    }

    @Override
    public String toString() {
        return "scan of " + file;
    }
}
