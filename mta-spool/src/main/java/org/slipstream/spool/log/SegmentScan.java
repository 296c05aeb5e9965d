package org.slipstream.spool.log;

import org.slipstream.core.QueueId;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// Reads a segment after an unplanned stop and reports its records and its damage.
///
/// A record is valid when its magic, its lengths and its checksum agree. Where they do not, two
/// cases must be distinguished:
///
/// - **The end of the log.** The machine stopped inside a write. The file ends with the beginning of
///   a record, and no valid record follows. No client got a 250 for this message, so nothing is lost:
///   [MessageLog.ScannedRecord.Torn]. This needs more than the segment itself: the next segment's
///   header, or the index, may state that the log was sound beyond this point.
/// - **Damage.** The disk lost or changed bytes of a message that may have been acknowledged. Either
///   a valid record follows, or the last bytes are not the beginning of a record, or the log is known
///   to have been sound here. The bytes are copied to `corrupt/` for the operator, and the scan
///   continues after them: [MessageLog.ScannedRecord.Damaged].
///
/// A damaged segment header loses nothing as long as its salt can be found: [SegmentSalt].
///
/// After damage, lengths are not reliable, so the scan looks for the next valid record byte by
/// byte. The segment's salt (see [RecordFormat]) keeps it from finding records inside the content
/// of a mail.
final class SegmentScan {
    private final long number;
    private final Optional<Path> corrupt;
    private final Consumer<MessageLog.ScannedRecord> found;
    private final ByteBuffer bytes;
    private final long soundBytes;
    private long salt;

    private SegmentScan(long number, Optional<Path> corrupt, ByteBuffer bytes, long soundBytes,
            Consumer<MessageLog.ScannedRecord> found) {
        this.number = number;
        this.corrupt = corrupt;
        this.bytes = bytes;
        this.soundBytes = soundBytes;
        this.found = found;
    }

    /// @param soundBytes length of the part that is known to have been sound
    /// @param corrupt folder for copies of damaged bytes; empty: no copies
    static void walk(LogStore store, long number, long from, long to, long soundBytes, Optional<Path> corrupt,
            Consumer<MessageLog.ScannedRecord> found) throws IOException {
        try (LogStore.OpenSegment segment = store.open(number)) {
            long size = Math.min(segment.size(), to);
            if (size < RecordFormat.SEGMENT_HEADER) {
                // Stopped while the segment was being created: it holds no record.
                found.accept(new MessageLog.ScannedRecord.Torn(number, 0, size));
                return;
            }
            if (size > Integer.MAX_VALUE) {
                throw new IOException("segment " + number + " is larger than 2 GiB");
            }
            new SegmentScan(number, corrupt, segment.view(size), soundBytes, found)
                    .begin((int) Math.max(from, RecordFormat.SEGMENT_HEADER));
        } catch (InternalError e) {
            throw new IOException("cannot read segment " + number, e);
        }
    }

    private void begin(int from) throws IOException {
        try {
            salt = RecordFormat.salt(bytes, number);
        } catch (DamagedMessageException e) {
            Optional<Long> learnt = SegmentSalt.find(bytes, number);
            if (learnt.isEmpty()) {
                // Without the salt no record can be recognized.
                setAside(0, bytes.limit());
                return;
            }
            salt = learnt.get();
            found.accept(new MessageLog.ScannedRecord.Headless(number, copy(0, RecordFormat.SEGMENT_HEADER)));
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
            if (next < bytes.limit() || at < soundBytes || !RecordFormat.isUnfinished(bytes, at, salt)) {
                setAside(at, next);
            } else {
                found.accept(new MessageLog.ScannedRecord.Torn(number, at, bytes.limit() - at));
            }
            at = next;
        }
    }

    private boolean isSound(int at) {
        return RecordFormat.isSound(bytes, at, salt);
    }

    private int report(int at) throws IOException {
        RecordFormat.RecordHeader header = RecordFormat.header(bytes, at);
        int end = at + (int) header.recordBytes();
        try {
            read(at, header);
        } catch (DamagedMessageException | IllegalArgumentException | BufferUnderflowException
                | IndexOutOfBoundsException e) {
            // The checksum is right and the content is not: another program wrote it.
            setAside(at, end);
        }
        return end;
    }

    private void read(int at, RecordFormat.RecordHeader header) throws IOException {
        int tail = at + RecordFormat.RECORD_HEADER + header.envelopeLength();
        ByteBuffer rest = bytes.slice(tail, header.length() - header.envelopeLength());
        RecordFormat.Kind kind = RecordFormat.Kind.of(header.kind());
        switch (kind) {
            case MESSAGE, OWN_FILE -> tell(at, message(at, header, kind, rest));
            case MOVED_MESSAGE, MOVED_OWN_FILE -> {
                List<LogRecord> state = RecordCodec.decode(RecordFormat.state(kind, rest));
                tell(at, message(at, header, kind, rest));
                state.forEach(record -> tell(at, record));
            }
            case RECORDS -> RecordCodec.decode(rest).forEach(record -> tell(at, record));
        }
    }

    private void tell(int at, LogRecord record) {
        found.accept(new MessageLog.ScannedRecord.Sound(record, new Position(number, at)));
    }

    private LogRecord message(int at, RecordFormat.RecordHeader header, RecordFormat.Kind kind, ByteBuffer rest)
            throws DamagedMessageException {
        int before = RecordFormat.beforeContent(kind, rest);
        int content = rest.remaining() - before;
        if (content < 0 || kind.hasOwnFile() && content != RecordFormat.OWN_FILE_TAIL) {
            throw new DamagedMessageException("a message of the wrong length");
        }
        long size = kind.hasOwnFile() ? rest.getLong(before) : content;
        byte[] envelope = new byte[header.envelopeLength()];
        bytes.get(at + RecordFormat.RECORD_HEADER, envelope);
        return new LogRecord.Stored(new StoredMessage(new QueueId(header.id()), header.createdMillis(),
                size, EnvelopeCodec.decode(ByteBuffer.wrap(envelope))), new RecordPlace(number, at, kind.hasOwnFile()),
                envelope, false);
    }

    private void setAside(int from, int to) throws IOException {
        found.accept(new MessageLog.ScannedRecord.Damaged(number, from, to - from, copy(from, to)));
    }

    private String copy(int from, int to) throws IOException {
        String name = "segment-" + number + "-at-" + from + ".bytes";
        if (corrupt.isEmpty()) {
            return "corrupt/" + name;
        }
        Path copy = corrupt.get().resolve(name);
        if (Files.notExists(copy)) {
            byte[] damaged = new byte[to - from];
            bytes.get(from, damaged);
            Files.write(copy, damaged);
        }
        return copy.toString();
    }

    @Override
    public String toString() {
        return "scan of segment " + number;
    }
}
