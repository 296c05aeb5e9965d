package org.slipstream.spool.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;

/// The segment that is open for appending. Belongs to the log thread. Records are collected in one
/// direct buffer, which is written when it is full and at [#commit]: a group of small messages costs
/// one write and one sync.
final class SegmentWriter {
    private static final int STAGING_BYTES = 1 << 20;
    private static final byte[] NOTHING = {};

    private final LogStore store;
    private final long number;
    private final long salt;
    private final ByteBuffer staging;
    private final ByteBuffer header = ByteBuffer.allocate(RecordFormat.RECORD_HEADER);
    private final ByteBuffer scratch = ByteBuffer.allocate(8);
    private final CRC32C crc = new CRC32C();
    private long written;

    /// Begins the segment; its header is durable when this returns.
    ///
    /// @param before length of the segment before, as its header states it
    SegmentWriter(LogStore store, long number, long salt, int before, ByteBuffer staging) throws IOException {
        this.store = store;
        this.number = number;
        this.salt = salt;
        this.staging = staging.clear();
        ByteBuffer first = RecordFormat.segmentHeader(number, salt, before);
        written = first.remaining();
        store.begin(number, first);
    }

    static ByteBuffer newStaging() {
        return ByteBuffer.allocateDirect(STAGING_BYTES);
    }

    long number() {
        return number;
    }

    /// Offset of the next record.
    long position() {
        return written + staging.position();
    }

    /// @return the record's offset
    long append(NewMessage message) throws IOException {
        long offset = position();
        boolean moved = !message.state().isEmpty();
        byte[] facts = moved ? withState(message) : RecordCodec.encode(message.facts());
        switch (message.content()) {
            case NewMessage.Inline(byte[] bytes, int length) ->
                put(moved ? RecordFormat.Kind.MOVED_MESSAGE : RecordFormat.Kind.MESSAGE, message, facts, bytes, length);
            case NewMessage.InOwnFile(long sizeBytes, int contentCrc) -> {
                byte[] tail = ByteBuffer.allocate(RecordFormat.OWN_FILE_TAIL).putLong(sizeBytes).putInt(contentCrc)
                        .array();
                put(moved ? RecordFormat.Kind.MOVED_OWN_FILE : RecordFormat.Kind.OWN_FILE, message, facts, tail,
                        tail.length);
            }
        }
        return offset;
    }

    private static byte[] withState(NewMessage message) {
        byte[] facts = RecordCodec.encode(message.facts());
        byte[] state = RecordCodec.encode(message.state());
        return ByteBuffer.allocate(facts.length + RecordFormat.STATE_LENGTH + state.length).put(facts)
                .putInt(state.length).put(state).array();
    }

    void append(List<LogRecord> records) throws IOException {
        byte[] encoded = RecordCodec.encode(records);
        put(RecordFormat.Kind.RECORDS, 0, 0, NOTHING, NOTHING, encoded, encoded.length);
    }

    private void put(RecordFormat.Kind kind, NewMessage message, byte[] facts, byte[] tail, int tailLength)
            throws IOException {
        put(kind, message.id().value(), message.createdMillis(), message.envelopeBytes(), facts, tail, tailLength);
    }

    private void put(RecordFormat.Kind kind, long id, long createdMillis, byte[] envelope, byte[] facts, byte[] tail,
            int tailLength) throws IOException {
        RecordFormat.putHeader(header, kind, envelope.length + facts.length + tailLength, id, createdMillis,
                envelope.length);
        RecordFormat.startCrc(crc, salt, header.array(), scratch);
        crc.update(envelope, 0, envelope.length);
        crc.update(facts, 0, facts.length);
        crc.update(tail, 0, tailLength);
        header.putInt(RecordFormat.CRC_OFFSET, (int) crc.getValue());
        put(header.array(), RecordFormat.RECORD_HEADER);
        put(envelope, envelope.length);
        put(facts, facts.length);
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
        written += staging.remaining();
        store.append(staging);
        staging.clear();
    }

    void commit() throws IOException {
        flush();
        store.commit();
    }
}
