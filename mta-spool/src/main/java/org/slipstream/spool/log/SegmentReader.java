package org.slipstream.spool.log;

import org.slipstream.core.ContentFacts;
import org.slipstream.core.QueueId;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads one record. May be called by any thread.
final class SegmentReader {
    /// The bytes after the envelope in the array that was read.
    record RecordRest(Optional<ContentFacts> facts, byte[] record, int offset, int length) {
        /// Size and checksum of the file that holds the content.
        NewMessage.InOwnFile reference() {
            ByteBuffer reference = ByteBuffer.wrap(record, offset, length);
            return new NewMessage.InOwnFile(reference.getLong(), reference.getInt());
        }

        long createdMillis() {
            return header().createdMillis();
        }

        byte[] envelope() {
            return Arrays.copyOfRange(record, RecordFormat.RECORD_HEADER,
                    RecordFormat.RECORD_HEADER + header().envelopeLength());
        }

        private RecordFormat.RecordHeader header() {
            return RecordFormat.header(ByteBuffer.wrap(record), 0);
        }
    }

    private SegmentReader() {}

    /// @param learnt salts of segments with damaged headers, as far as they are known; concurrent
    /// @throws DamagedMessageException when the record is not a valid and complete record of
    ///     message `id`
    static RecordRest read(LogStore store, RecordPlace place, QueueId id, Map<Long, Long> learnt) throws IOException {
        Position at = new Position(place.segment(), place.offset());
        byte[] record = record(store, at, learnt);
        ByteBuffer bytes = ByteBuffer.wrap(record);
        RecordFormat.RecordHeader header = RecordFormat.header(bytes, 0);
        RecordFormat.Kind kind = RecordFormat.Kind.of(header.kind());
        if (header.id() != id.value() || !kind.isMessage() || kind.hasOwnFile() != place.ownFile()) {
            throw new DamagedMessageException("another record" + where(at));
        }
        int afterEnvelope = RecordFormat.RECORD_HEADER + header.envelopeLength();
        int offset = afterEnvelope + RecordFormat.beforeContent(kind, bytes.slice(afterEnvelope,
                record.length - afterEnvelope));
        return new RecordRest(RecordCodec.facts(bytes.position(afterEnvelope)), record, offset,
                record.length - offset);
    }

    /// The records without content at a position: those of a group, or the state of a message from another spool.
    static List<LogRecord> records(LogStore store, Position at, Map<Long, Long> learnt) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(record(store, at, learnt));
        RecordFormat.RecordHeader header = RecordFormat.header(bytes, 0);
        RecordFormat.Kind kind = RecordFormat.Kind.of(header.kind());
        int from = RecordFormat.RECORD_HEADER + header.envelopeLength();
        ByteBuffer rest = bytes.slice(from, bytes.limit() - from);
        return RecordCodec.decode(kind.hasState()
                ? RecordFormat.state(kind, rest)
                : kind == RecordFormat.Kind.RECORDS ? rest : ByteBuffer.allocate(0));
    }

    /// A whole record with a correct checksum.
    private static byte[] record(LogStore store, Position at, Map<Long, Long> learnt) throws IOException {
        try (LogStore.OpenSegment input = store.open(at.segment())) {
            long salt = salt(input, at.segment(), learnt);
            byte[] record = record(input, at);
            ByteBuffer bytes = ByteBuffer.wrap(record);
            if (!RecordFormat.isSound(bytes, 0, RecordFormat.header(bytes, 0), salt)) {
                throw new DamagedMessageException("wrong checksum" + where(at));
            }
            return record;
        } catch (java.io.EOFException e) {
            throw new DamagedMessageException("segment too short" + where(at));
        }
    }

    private static long salt(LogStore.OpenSegment input, long segment, Map<Long, Long> learnt)
            throws IOException {
        byte[] header = new byte[RecordFormat.SEGMENT_HEADER];
        input.read(0, header, 0, header.length);
        try {
            return RecordFormat.salt(ByteBuffer.wrap(header), segment);
        } catch (DamagedMessageException e) {
            Optional<Long> known = Optional.ofNullable(learnt.get(segment));
            long salt = known.isPresent() ? known.get() : SegmentSalt.find(input, segment).orElseThrow(() -> e);
            learnt.put(segment, salt);
            return salt;
        }
    }

    private static byte[] record(LogStore.OpenSegment input, Position at) throws IOException {
        byte[] fixed = new byte[RecordFormat.RECORD_HEADER];
        input.read(at.offset(), fixed, 0, fixed.length);
        RecordFormat.RecordHeader header = RecordFormat.header(ByteBuffer.wrap(fixed), 0);
        if (!header.isPlausible(input.size() - at.offset())) {
            throw new DamagedMessageException("no record" + where(at));
        }
        byte[] record = new byte[Math.toIntExact(header.recordBytes())];
        System.arraycopy(fixed, 0, record, 0, fixed.length);
        input.read(at.offset() + fixed.length, record, fixed.length, header.length());
        return record;
    }

    private static String where(Position at) {
        return " in segment " + at.segment() + " at " + at.offset();
    }
}
