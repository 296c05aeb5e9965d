package org.slipstream.spool.log;

import org.slipstream.core.ContentFacts;
import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.PastAttempt;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.StandingOrder;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Encodes records without content: one octet that names the kind, then its fields. Numbers of
/// constants are written out, so that reordering an enum does not change the format on disk.
///
/// ```
///  1 outcomes          id, time, attempt (0 or 1), count, then for each: number, code, status, text, remote
///  2 attempted         as 1, and for each: duration (below 0: not attempted), phase or reason
///  3 attempts          id, count
///  4 past attempts     id, count, then for each: time, remote, phase, code, status, text, duration, recipients
///  5 next attempt      id, time
///  6 make due          id, time
///  7 hold              id, 1 held or 0 released
///  8 failures reported id
///  9 delays reported   id, count
/// 10 returned          id, cause (1 cancelled, 2 expired, 3 deleted), reason
/// 11 rerouted          id, route (empty: that of the routing table)
/// 12 priority          id, priority plus 9
/// 13 hold note         id, 0 or: 1, author, time, reason
/// 14 set aside         id
/// 15 lost              id, created, size, segment, offset, own file (0 or 1), length of the envelope, the envelope
/// 16 remove            id
/// 17 keep host         host, kind, name, since, until, failures, words, author
/// 18 forget host       host, kind
/// 19 keep order        kind, name, setting, words, author, since, until
/// 20 forget order      kind, name
/// ```
///
/// Ids and times take 8 bytes, high byte first; texts and small numbers are those of
/// [EnvelopeCodec]. Outcomes of which nothing more is known have kind 1. A missing enhanced status is
/// an empty text; lines of a reply are separated by LF.
final class RecordCodec {
    /// Flags (1 known, 2 leading dot, 4 eight-bit), longest line, lines.
    static final int FACTS_BYTES = 17;

    static final int NEXT_ATTEMPT = 5;
    static final int REMOVE = 16;

    private static final int KNOWN = 1;
    private static final int LEADING_DOT = 2;
    private static final int EIGHT_BIT = 4;

    private RecordCodec() {}

    static byte[] encode(List<LogRecord> records) {
        ByteOutput out = new ByteOutput(32 + 24 * records.size());
        records.forEach(record -> encode(out, record));
        return out.toBytes();
    }

    static void encode(ByteOutput out, LogRecord record) {
        switch (record) {
            case LogRecord.Outcomes outcomes -> encode(out, outcomes);
            case LogRecord.Attempts(QueueId id, int count) -> begin(out, 3, id).number(count);
            case LogRecord.NextAttempt(QueueId id, long atMillis) -> begin(out, NEXT_ATTEMPT, id).eightBytes(atMillis);
            case LogRecord.Hold(QueueId id, boolean held) -> begin(out, 7, id).octet(held ? 1 : 0);
            case LogRecord.FailuresReported(QueueId id) -> begin(out, 8, id);
            case LogRecord.DelayReported(QueueId id, int count) -> begin(out, 9, id).number(count);
            case LogRecord.SetAside(QueueId id) -> begin(out, 14, id);
            case LogRecord.Remove(QueueId id) -> begin(out, REMOVE, id);
            case LogRecord.Deleted(QueueId id) -> begin(out, 21, id);
            case LogRecord.MakeDue(QueueId id, long nowMillis) -> begin(out, 6, id).eightBytes(nowMillis);
            case LogRecord.Instructed(QueueId id, Instruction instruction) ->
                InstructionCodec.encode(out, id, instruction);
            case LogRecord.KeepHost(HostRecord host) -> encode(out, host);
            case LogRecord.ForgetHost(String host, String kind) -> {
                out.octet(18);
                out.text(host);
                out.text(kind);
            }
            case LogRecord.KeepOrder(StandingOrder order) -> encode(out, order);
            case LogRecord.ForgetOrder(String orderKind, String name) -> {
                out.octet(20);
                out.text(orderKind);
                out.text(name);
            }
            case LogRecord.PastAttempts(QueueId id, List<PastAttempt> attempts) -> {
                begin(out, 4, id).number(attempts.size());
                attempts.forEach(each -> encode(out, each));
            }
            case LogRecord.Lost lost -> encode(out, lost);
            case LogRecord.Stored _ ->
                throw new IllegalArgumentException("not a record without content: " + record);
        }
    }

    private static void encode(ByteOutput out, LogRecord.Lost lost) {
        begin(out, 15, lost.id()).eightBytes(lost.message().createdMillis());
        out.eightBytes(lost.message().sizeBytes());
        out.eightBytes(lost.place().segment());
        out.eightBytes(lost.place().offset());
        out.octet(lost.place().ownFile() ? 1 : 0);
        out.octets(EnvelopeCodec.encode(lost.message().envelope()));
    }

    private static LogRecord lost(ByteBuffer in) throws DamagedMessageException {
        QueueId id = id(in);
        long created = in.getLong();
        long size = in.getLong();
        RecordPlace place = new RecordPlace(in.getLong(), in.getLong(), in.get() == 1);
        ByteBuffer envelope = ByteBuffer.wrap(EnvelopeCodec.octets(in));
        return new LogRecord.Lost(new StoredMessage(id, created, size, EnvelopeCodec.decode(envelope)), place);
    }

    static ByteOutput begin(ByteOutput out, int kind, QueueId id) {
        out.octet(kind);
        out.eightBytes(id.value());
        return out;
    }

    private static void encode(ByteOutput out, LogRecord.Outcomes record) {
        boolean attempted = record.outcomes().stream()
                .anyMatch(each -> !each.reached().equals(RecipientOutcome.Reached.UNKNOWN));
        begin(out, attempted ? 2 : 1, record.id()).eightBytes(record.atMillis());
        out.octet(record.attempt() ? 1 : 0);
        out.number(record.outcomes().size());
        for (RecipientOutcome each : record.outcomes()) {
            Reply reply = each.outcome().reply();
            out.number(each.number());
            out.number(reply.code());
            out.text(reply.status().map(EnhancedStatus::toString).orElse(""));
            out.text(String.join("\n", reply.lines()));
            out.text(each.outcome().remote());
            if (attempted) {
                out.eightBytes(each.reached().tookMillis());
                out.text(each.reached().phase().map(QueuePhase.Code::word).orElse(""));
            }
        }
    }

    private static void encode(ByteOutput out, PastAttempt attempt) {
        out.eightBytes(attempt.atMillis());
        out.text(attempt.remote());
        out.text(attempt.phase().map(QueuePhase.Code::word).orElse(""));
        out.number(attempt.reply().code());
        out.text(attempt.reply().status().map(EnhancedStatus::toString).orElse(""));
        out.text(String.join("\n", attempt.reply().lines()));
        out.eightBytes(attempt.tookMillis());
        out.number(attempt.recipients());
    }

    private static void encode(ByteOutput out, HostRecord host) {
        out.octet(17);
        out.text(host.host());
        out.text(host.kind());
        out.text(host.name());
        out.eightBytes(host.sinceMillis());
        out.eightBytes(host.untilMillis());
        out.number(host.failures());
        out.text(host.words());
        out.text(host.author());
    }

    private static void encode(ByteOutput out, StandingOrder order) {
        out.octet(19);
        out.text(order.kind());
        out.text(order.name());
        out.text(order.value());
        out.text(order.why());
        out.text(order.author());
        out.eightBytes(order.sinceMillis());
        out.eightBytes(order.untilMillis());
    }

    private static StandingOrder order(ByteBuffer in) throws NewerLogException {
        String kind = EnvelopeCodec.text(in);
        return StandingOrder.of(kind, EnvelopeCodec.text(in), EnvelopeCodec.text(in), EnvelopeCodec.text(in),
                EnvelopeCodec.text(in), in.getLong(), in.getLong())
                .orElseThrow(() -> new NewerLogException("a standing order of unknown kind " + kind));
    }

    /// @throws NewerLogException when a kind is unknown
    /// @throws DamagedMessageException when the bytes are no records
    static List<LogRecord> decode(ByteBuffer in) throws DamagedMessageException, NewerLogException {
        List<LogRecord> records = new ArrayList<>();
        try {
            while (in.hasRemaining()) {
                records.add(next(in));
            }
            return records;
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new DamagedMessageException("not records: " + e);
        }
    }

    static LogRecord next(ByteBuffer in) throws NewerLogException, DamagedMessageException {
        int kind = in.get();
        return switch (kind) {
            case 1 -> outcomes(in, false);
            case 2 -> outcomes(in, true);
            case 3 -> new LogRecord.Attempts(id(in), EnvelopeCodec.number(in));
            case 4 -> pastAttempts(in);
            case NEXT_ATTEMPT -> new LogRecord.NextAttempt(id(in), in.getLong());
            case 6 -> new LogRecord.MakeDue(id(in), in.getLong());
            case 7 -> new LogRecord.Hold(id(in), in.get() == 1);
            case 8 -> new LogRecord.FailuresReported(id(in));
            case 9 -> new LogRecord.DelayReported(id(in), EnvelopeCodec.number(in));
            case InstructionCodec.RETURNED, InstructionCodec.REROUTED, InstructionCodec.PRIORITY,
                    InstructionCodec.HELD ->
                new LogRecord.Instructed(id(in), InstructionCodec.decode(kind, in));
            case 14 -> new LogRecord.SetAside(id(in));
            case 15 -> lost(in);
            case REMOVE -> new LogRecord.Remove(id(in));
            case 17 -> new LogRecord.KeepHost(host(in));
            case 18 -> new LogRecord.ForgetHost(EnvelopeCodec.text(in), EnvelopeCodec.text(in));
            case 19 -> new LogRecord.KeepOrder(order(in));
            case 20 -> new LogRecord.ForgetOrder(EnvelopeCodec.text(in), EnvelopeCodec.text(in));
            case 21 -> new LogRecord.Deleted(id(in));
            default -> throw new NewerLogException("a record of unknown kind " + kind);
        };
    }

    private static QueueId id(ByteBuffer in) {
        return new QueueId(in.getLong());
    }

    private static LogRecord outcomes(ByteBuffer in, boolean attempted) {
        QueueId id = id(in);
        long atMillis = in.getLong();
        boolean attempt = in.get() == 1;
        int count = EnvelopeCodec.number(in);
        List<RecipientOutcome> outcomes = new ArrayList<>(Math.min(count, in.remaining()));
        for (int i = 0; i < count; i++) {
            int number = EnvelopeCodec.number(in);
            Reply reply = reply(in);
            Outcome outcome = Outcome.of(reply, EnvelopeCodec.text(in));
            outcomes.add(new RecipientOutcome(number, outcome,
                    attempted ? reached(in) : RecipientOutcome.Reached.UNKNOWN));
        }
        return new LogRecord.Outcomes(id, outcomes, atMillis, attempt);
    }

    private static Reply reply(ByteBuffer in) {
        int code = EnvelopeCodec.number(in);
        Optional<EnhancedStatus> status = Optional.of(EnvelopeCodec.text(in)).filter(text -> !text.isEmpty())
                .map(EnhancedStatus::of);
        return new Reply(code, status, List.of(EnvelopeCodec.text(in).split("\n", -1)));
    }

    private static LogRecord pastAttempts(ByteBuffer in) {
        QueueId id = id(in);
        int count = EnvelopeCodec.number(in);
        List<PastAttempt> attempts = new ArrayList<>(Math.min(count, in.remaining()));
        for (int i = 0; i < count; i++) {
            attempts.add(new PastAttempt(in.getLong(), EnvelopeCodec.text(in),
                    QueuePhase.Code.of(EnvelopeCodec.text(in)), reply(in), in.getLong(), EnvelopeCodec.number(in)));
        }
        return new LogRecord.PastAttempts(id, attempts);
    }

    private static RecipientOutcome.Reached reached(ByteBuffer in) {
        long tookMillis = in.getLong();
        return new RecipientOutcome.Reached(QueuePhase.Code.of(EnvelopeCodec.text(in)), tookMillis);
    }

    private static HostRecord host(ByteBuffer in) {
        return new HostRecord(EnvelopeCodec.text(in), EnvelopeCodec.text(in), EnvelopeCodec.text(in), in.getLong(),
                in.getLong(), EnvelopeCodec.number(in), EnvelopeCodec.text(in), EnvelopeCodec.text(in));
    }

    static byte[] encode(Optional<ContentFacts> facts) {
        ByteBuffer out = ByteBuffer.allocate(FACTS_BYTES);
        facts.ifPresent(known -> out.put((byte) (KNOWN | (known.leadingDot() ? LEADING_DOT : 0)
                | (known.eightBit() ? EIGHT_BIT : 0))).putLong(known.longestLine()).putLong(known.lines()));
        return out.array();
    }

    static Optional<ContentFacts> facts(ByteBuffer in) {
        int flags = in.get();
        ContentFacts facts = new ContentFacts((flags & LEADING_DOT) != 0, (flags & EIGHT_BIT) != 0, in.getLong(),
                in.getLong());
        return (flags & KNOWN) == 0 ? Optional.empty() : Optional.of(facts);
    }
}
