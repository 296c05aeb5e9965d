package org.slipstream.spool.log;

import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.Instruction;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/// Hints, one after the other: what [RecordCodec] encodes, or one of these:
///
/// ```
/// 100 stored   id, own file (0 or 1), size, due
/// 101 later    as 100, and the time that the sender named
/// 102 told     id
/// 103 lost     id, then its former place: segment, offset, own file; size
/// 104 at       offset (4): the next hints are those of the records there
/// ```
final class HintCodec {
    private static final int STORED = 100;
    private static final int LATER = 101;
    private static final int TOLD = 102;
    private static final int LOST = 103;
    private static final int AT = 104;

    /// For what the reader has.
    private static final LogChanges KNOWN = new LogChanges() {
        @Override
        public void stored(long id, RecordPlace place, long sizeBytes, long dueMillis, long notBeforeMillis) {}

        @Override
        public void lost(long id, RecordPlace place, long sizeBytes, Position at) {}

        @Override
        public void told(long id, Position at) {}

        @Override
        public void nextAttempt(long id, long atMillis) {}

        @Override
        public void removed(long id) {}

        @Override
        public void changed(LogRecord record) {}
    };

    private HintCodec() {}

    /// @param offset of the next records in their segment
    static void at(ByteOutput out, int offset) {
        out.octet(AT);
        out.fourBytes(offset);
    }

    static void encode(ByteOutput out, LogRecord record) {
        switch (record) {
            case LogRecord.Stored stored -> {
                DeliveryOptions options = stored.message().envelope().options();
                long notBefore = options.holdUntilMillis().orElse(0);
                begin(out, notBefore == 0 ? STORED : LATER, stored.id());
                out.octet(stored.place().ownFile() ? 1 : 0);
                out.eightBytes(stored.message().sizeBytes());
                out.eightBytes(options.releaseMillis(stored.message().createdMillis()));
                if (notBefore != 0) {
                    out.eightBytes(notBefore);
                }
            }
            case LogRecord.Lost(StoredMessage message, RecordPlace place) -> {
                begin(out, LOST, message.id());
                out.eightBytes(place.segment());
                out.eightBytes(place.offset());
                out.octet(place.ownFile() ? 1 : 0);
                out.eightBytes(message.sizeBytes());
            }
            case LogRecord.Instructed(QueueId id, Instruction.Hold(var note)) -> {
                begin(out, TOLD, id);
                RecordCodec.encode(out, new LogRecord.Hold(id, note.isPresent()));
            }
            case LogRecord.Hold hold -> {
                // A release takes the note away.
                begin(out, TOLD, hold.id());
                RecordCodec.encode(out, hold);
            }
            case LogRecord.Outcomes each -> begin(out, TOLD, each.id());
            case LogRecord.Attempts each -> begin(out, TOLD, each.id());
            case LogRecord.PastAttempts each -> begin(out, TOLD, each.id());
            case LogRecord.FailuresReported each -> begin(out, TOLD, each.id());
            case LogRecord.DelayReported each -> begin(out, TOLD, each.id());
            case LogRecord.Instructed each -> begin(out, TOLD, each.id());
            case LogRecord.Deleted _ -> {
                // The removal follows it.
            }
            // @formatter:off
            case LogRecord.NextAttempt _, LogRecord.MakeDue _, LogRecord.SetAside _, LogRecord.Remove _,
                    LogRecord.KeepHost _, LogRecord.ForgetHost _, LogRecord.KeepOrder _, LogRecord.ForgetOrder _ ->
            // @formatter:on
                RecordCodec.encode(out, record);
        }
    }

    private static void begin(ByteOutput out, int kind, QueueId id) {
        out.octet(kind);
        out.eightBytes(id.value());
    }

    /// @param segment of the hints
    /// @param after what stands before this offset is not told
    /// @throws DamagedMessageException when the bytes are no hints
    static void decode(ByteBuffer in, long segment, long after, LogChanges changes)
            throws DamagedMessageException, NewerLogException {
        int offset = 0;
        try {
            while (in.hasRemaining()) {
                if (in.get(in.position()) == AT) {
                    in.get();
                    offset = in.getInt();
                } else {
                    next(in, new Position(segment, offset), offset < after ? KNOWN : changes);
                }
            }
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new DamagedMessageException("not hints: " + e);
        }
    }

    private static void next(ByteBuffer in, Position at, LogChanges changes)
            throws DamagedMessageException, NewerLogException {
        switch (in.get(in.position())) {
            case STORED, LATER -> {
                int kind = in.get();
                long id = in.getLong();
                RecordPlace place = new RecordPlace(at.segment(), at.offset(), in.get() == 1);
                changes.stored(id, place, in.getLong(), in.getLong(), kind == LATER ? in.getLong() : 0);
            }
            case TOLD -> {
                in.get();
                changes.told(in.getLong(), at);
            }
            case LOST -> {
                in.get();
                long id = in.getLong();
                changes.lost(id, new RecordPlace(in.getLong(), in.getLong(), in.get() == 1), in.getLong(), at);
            }
            case RecordCodec.NEXT_ATTEMPT -> {
                in.get();
                changes.nextAttempt(in.getLong(), in.getLong());
            }
            case RecordCodec.REMOVE -> {
                in.get();
                changes.removed(in.getLong());
            }
            default -> changes.changed(RecordCodec.next(in));
        }
    }
}
