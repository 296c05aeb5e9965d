package org.slipstream.spool.log;

import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.Instruction;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/// Hints, one after the other: what [RecordCodec] encodes, or one of these:
///
/// ```
/// 100 stored   id, offset (4), own file (0 or 1), size, due
/// 101 later    as 100, and the time that the sender named
/// 102 told     id, offset (4)
/// 103 lost     id, offset (4), then its former place: segment, offset, own file; size
/// ```
final class HintCodec {
    private static final int STORED = 100;
    private static final int LATER = 101;
    private static final int TOLD = 102;
    private static final int LOST = 103;

    private HintCodec() {}

    /// @param offset of the record in its segment
    static void encode(ByteOutput out, LogRecord record, int offset) {
        switch (record) {
            case LogRecord.Stored stored -> {
                DeliveryOptions options = stored.message().envelope().options();
                long notBefore = options.holdUntilMillis().orElse(0);
                begin(out, notBefore == 0 ? STORED : LATER, stored.id(), offset);
                out.octet(stored.place().ownFile() ? 1 : 0);
                out.eightBytes(stored.message().sizeBytes());
                out.eightBytes(options.releaseMillis(stored.message().createdMillis()));
                if (notBefore != 0) {
                    out.eightBytes(notBefore);
                }
            }
            case LogRecord.Lost(StoredMessage message, RecordPlace place) -> {
                begin(out, LOST, message.id(), offset);
                out.eightBytes(place.segment());
                out.eightBytes(place.offset());
                out.octet(place.ownFile() ? 1 : 0);
                out.eightBytes(message.sizeBytes());
            }
            case LogRecord.Instructed(QueueId id, Instruction.Hold(var note)) -> {
                begin(out, TOLD, id, offset);
                RecordCodec.encode(out, new LogRecord.Hold(id, note.isPresent()));
            }
            case LogRecord.Hold hold -> {
                // A release takes the note away.
                begin(out, TOLD, hold.id(), offset);
                RecordCodec.encode(out, hold);
            }
            case LogRecord.Outcomes each -> begin(out, TOLD, each.id(), offset);
            case LogRecord.Attempts each -> begin(out, TOLD, each.id(), offset);
            case LogRecord.PastAttempts each -> begin(out, TOLD, each.id(), offset);
            case LogRecord.FailuresReported each -> begin(out, TOLD, each.id(), offset);
            case LogRecord.DelayReported each -> begin(out, TOLD, each.id(), offset);
            case LogRecord.Instructed each -> begin(out, TOLD, each.id(), offset);
            // @formatter:off
            case LogRecord.NextAttempt _, LogRecord.MakeDue _, LogRecord.SetAside _, LogRecord.Remove _,
                    LogRecord.KeepHost _, LogRecord.ForgetHost _, LogRecord.KeepOrder _, LogRecord.ForgetOrder _ ->
            // @formatter:on
                RecordCodec.encode(out, record);
        }
    }

    private static void begin(ByteOutput out, int kind, QueueId id, int offset) {
        out.octet(kind);
        out.eightBytes(id.value());
        out.fourBytes(offset);
    }

    /// @param segment of the hints
    /// @throws DamagedMessageException when the bytes are no hints
    static void decode(ByteBuffer in, long segment, LogChanges changes)
            throws DamagedMessageException, NewerLogException {
        try {
            while (in.hasRemaining()) {
                next(in, segment, changes);
            }
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new DamagedMessageException("not hints: " + e);
        }
    }

    private static void next(ByteBuffer in, long segment, LogChanges changes)
            throws DamagedMessageException, NewerLogException {
        switch (in.get(in.position())) {
            case STORED, LATER -> {
                int kind = in.get();
                long id = in.getLong();
                RecordPlace place = new RecordPlace(segment, in.getInt(), in.get() == 1);
                changes.stored(id, place, in.getLong(), in.getLong(), kind == LATER ? in.getLong() : 0);
            }
            case TOLD -> {
                in.get();
                changes.told(in.getLong(), new Position(segment, in.getInt()));
            }
            case LOST -> {
                in.get();
                long id = in.getLong();
                Position at = new Position(segment, in.getInt());
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
