package org.slipstream.spool.box;

import org.slipstream.core.QueueId;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/// Reads one record. Any thread; a file handle per call, because letters are read from disk seldom and an interrupted
/// reader must not close a channel that others use (RandomAccessFile does not mind interrupts at all).
final class SegmentReader {
    /// What follows the envelope, in the array that was read.
    record Tail(RecordFormat.Kind kind, byte[] record, int offset, int length) {}

    private SegmentReader() {}

    /// @throws DamagedLetterException when the record is not the letter `id`, sound and whole
    static Tail read(Path file, Place place, QueueId id) throws IOException {
        try (RandomAccessFile input = new RandomAccessFile(file.toFile(), "r")) {
            byte[] segmentHeader = new byte[RecordFormat.SEGMENT_HEADER];
            input.readFully(segmentHeader);
            long salt = RecordFormat.salt(ByteBuffer.wrap(segmentHeader), place.segment());
            byte[] record = record(input, place);
            ByteBuffer bytes = ByteBuffer.wrap(record);
            RecordFormat.Header header = RecordFormat.header(bytes, 0);
            RecordFormat.Kind kind = place.ownFile() ? RecordFormat.Kind.OWN_FILE : RecordFormat.Kind.LETTER;
            if (!RecordFormat.isSound(bytes, 0, header, salt) || header.id() != id.value()
                    || header.kind() != kind.code) {
                throw new DamagedLetterException("wrong checksum" + where(place));
            }
            int offset = RecordFormat.RECORD_HEADER + header.envelopeLength();
            return new Tail(kind, record, offset, record.length - offset);
        } catch (java.io.EOFException e) {
            throw new DamagedLetterException("segment too short" + where(place));
        }
    }

    private static byte[] record(RandomAccessFile input, Place place) throws IOException {
        byte[] fixed = new byte[RecordFormat.RECORD_HEADER];
        input.seek(place.offset());
        input.readFully(fixed);
        RecordFormat.Header header = RecordFormat.header(ByteBuffer.wrap(fixed), 0);
        if (!header.isPlausible(input.length() - place.offset())) {
            throw new DamagedLetterException("no record" + where(place));
        }
        byte[] record = new byte[Math.toIntExact(header.recordBytes())];
        System.arraycopy(fixed, 0, record, 0, fixed.length);
        input.readFully(record, fixed.length, header.length());
        return record;
    }

    private static String where(Place place) {
        return " in segment " + place.segment() + " at " + place.offset();
    }
}
