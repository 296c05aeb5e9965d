package org.slipstream.spool.index;

import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.Envelope;
import org.slipstream.core.Origin;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.spool.log.EnvelopeCodec;
import org.slipstream.spool.log.HostRecord;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.Position;
import org.slipstream.spool.log.RecordPlace;
import org.slipstream.spool.log.StoredMessage;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/// Applies records of the log on one connection, in one transaction per call. Belongs to the index
/// thread.
///
/// **Batches without disorder.** Statements are collected by kind and sent kind by kind, in the
/// order of [Kind]: inserts of a hundred messages go in one batch. Records of different messages
/// may change places in a batch; no reader sees that, because the transaction shows all of them or
/// none. Records of the *same* message keep their order: when a new record's kind is sent earlier
/// than a kind that already waits for this message, all waiting batches are sent first. That is
/// rare, because the order of kinds is the order in the life of a message (outcome, then report,
/// then next attempt or removal).
///
/// **Idempotent.** A start applies records that may have been applied before. A message that has a
/// row already is moved to the place of its latest record.
final class IndexWriter {
    /// An envelope above this size is not stored in its message's row, because rows share a page of
    /// the database.
    private static final int LARGEST_INLINE_ENVELOPE = 16 << 10;

    // @formatter:off
    private enum Kind {
        ENTER_MESSAGE("""
                insert into message (id, segment, segment_offset, own_file, size_bytes, created_millis, next_millis,
                 state, attempts, delay_reports, recipients, sender_local, sender_domain, body_type, smtp_utf8,
                 envelope_id, dsn_return, envelope, options, not_before_millis, origin)
                 values (?, ?, ?, ?, ?, ?, ?, -1, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""),
        ENTER_LARGE("insert into large_message (message_id) values (?)"),
        MOVE("update message set segment = ?, segment_offset = ? where id = ?"),
        /// Attempts that a later record has in another numbering.
        FORGET_HISTORY(AttemptRows.FORGET),
        ATTEMPTS("update message set attempts = ? where id = ?"),
        OUTCOME("""
                update recipient set state = ?, reply_code = ?, reply_status = ?, reply_text = ?, remote = ?, at_millis = ?,
                 reason = ? where message_id = ? and number = ?"""),
        ATTEMPT("update message set attempts = attempts + 1 where id = ?"),
        HISTORY(AttemptRows.ADD),
        HISTORY_BOUND(AttemptRows.BOUND),
        FAILURES_REPORTED("update recipient set state = 3 where message_id = ? and state = 2"),
        DELAY_REPORTED("update message set delay_reports = ? where id = ?"),
        RETURN(InstructionRows.RETURN),
        REROUTE(InstructionRows.REROUTE),
        PRIORITY(InstructionRows.PRIORITY),
        NEXT_ATTEMPT("update message set next_millis = ?, state = greatest(state, 0) where id = ?"),
        MAKE_DUE("""
                update message set next_millis = ? where id = ? and next_millis > ? and not_before_millis <= ?"""),
        HOLD_NOTE(InstructionRows.HOLD),
        HOLD("update message set state = ? where id = ? and state <> 2"),
        RELEASE("""
                update message set state = ?, hold_author = null, hold_millis = null, hold_reason = null
                 where id = ? and state <> 2"""),
        SET_ASIDE("update message set state = 2 where id = ?"),
        /// No batch: [Removals] deletes all messages of a group in one statement.
        REMOVE("");
        // @formatter:on

        final String sql;

        Kind(String sql) {
            this.sql = sql;
        }
    }

    private static final class Batch {
        final PreparedStatement statement;
        int waiting;

        Batch(PreparedStatement statement) {
            this.statement = statement;
        }

        void add() throws SQLException {
            statement.addBatch();
            waiting++;
        }
    }

    private final Connection connection;
    private final Map<Kind, Batch> batches = new EnumMap<>(Kind.class);
    private final Map<Long, Kind> latest = new HashMap<>();
    private final Occupancy occupancy;
    private final Removals removals;
    private final RecipientRows expansion;
    private final PreparedStatement advance;
    private final DueReader due;
    private Map<QueueId, QueueIndex.Located> known = new HashMap<>();
    private QueueIndex.Standing standing;

    /// @param connection without auto-commit
    IndexWriter(Connection connection, QueueIndex.Standing standing) throws SQLException {
        this.connection = connection;
        this.standing = standing;
        for (Kind kind : Kind.values()) {
            if (kind != Kind.REMOVE) {
                batches.put(kind, new Batch(connection.prepareStatement(kind.sql)));
            }
        }
        occupancy = new Occupancy(connection);
        removals = new Removals(connection, occupancy);
        expansion = new RecipientRows(connection);
        advance = connection.prepareStatement("update standing set last_id = ?, last_segment = ?, last_offset = ?,"
                + " applied = ? where one = 1");
        due = new DueReader(connection);
    }

    /// Applies the records in one transaction. After a failure, only [#rollback] may follow.
    Set<QueueId> apply(List<LogRecord> records, Position position, long lastId) throws SQLException {
        known = removals.locate(stored(records));
        for (LogRecord record : records) {
            add(record);
        }
        send();
        occupancy.send();
        QueueIndex.Standing reached = new QueueIndex.Standing(position, Math.max(standing.lastId(), lastId),
                standing.applied() + 1);
        advance(reached);
        connection.commit();
        standing = reached;
        return removals.freedFiles();
    }

    private static List<Long> stored(List<LogRecord> records) {
        return records.stream().filter(record -> record instanceof LogRecord.Stored || record instanceof LogRecord.Lost)
                .map(record -> ((LogRecord.OfMessage) record).id().value()).toList();
    }

    QueueIndex.Due due(DueQuery query) throws SQLException {
        QueueIndex.Due found = due.read(query);
        connection.commit();
        return found;
    }

    private void add(LogRecord record) throws SQLException {
        switch (record) {
            case LogRecord.Stored stored -> stored(stored);
            case LogRecord.Lost(StoredMessage lost, RecordPlace place) -> {
                if (known.get(lost.id()) == null) {
                    enter(new LogRecord.Stored(lost, place, EnvelopeCodec.encode(lost.envelope()), false));
                }
            }
            case LogRecord.Outcomes outcomes -> outcomes(outcomes);
            case LogRecord.Attempts(QueueId id, int count) -> addForId(Kind.ATTEMPTS, count, id);
            case LogRecord.PastAttempts past -> pastAttempts(past);
            case LogRecord.NextAttempt(QueueId id, long atMillis) -> {
                // An order for a domain finds the message by its recipients' rows.
                expansion.touch(id.value());
                addForId(Kind.NEXT_ATTEMPT, atMillis, id);
            }
            case LogRecord.Hold(QueueId id, boolean held) ->
                addForId(held ? Kind.HOLD : Kind.RELEASE, held ? MessageStatus.HELD : MessageStatus.QUEUED, id);
            case LogRecord.FailuresReported(QueueId id) -> addForId(Kind.FAILURES_REPORTED, id);
            case LogRecord.DelayReported(QueueId id, int count) -> addForId(Kind.DELAY_REPORTED, count, id);
            case LogRecord.SetAside(QueueId id) -> addForId(Kind.SET_ASIDE, id);
            case LogRecord.Instructed(QueueId id, Instruction instruction) -> instructed(id, instruction);
            case LogRecord.MakeDue makeDue -> makeDue(makeDue);
            case LogRecord.Remove(QueueId id) -> {
                keepOrder(Kind.REMOVE, id);
                removals.add(id);
                known.remove(id);
            }
            case LogRecord.Deleted _ -> {
                // The removal follows it.
            }
            case LogRecord.KeepHost(HostRecord host) -> HostRows.keep(connection, host);
            case LogRecord.ForgetHost(String host, String kind) -> HostRows.forget(connection, host, kind);
            case LogRecord.KeepOrder(StandingOrder order) -> OrderRows.keep(connection, order);
            case LogRecord.ForgetOrder(String kind, String name) -> OrderRows.forget(connection, kind, name);
        }
    }

    private void stored(LogRecord.Stored stored) throws SQLException {
        QueueIndex.Located before = known.get(stored.id());
        if (before == null) {
            enter(stored);
        } else if (!before.place().equals(stored.place())) {
            move(stored, before);
        }
    }

    private void move(LogRecord.Stored stored, QueueIndex.Located before) throws SQLException {
        Batch batch = ordered(Kind.MOVE, stored.id());
        batch.statement.setLong(1, stored.place().segment());
        batch.statement.setLong(2, stored.place().offset());
        batch.statement.setLong(3, stored.id().value());
        batch.add();
        occupancy.left(before.place(), before.sizeBytes());
        occupancy.entered(stored.place(), before.sizeBytes());
        known.put(stored.id(), new QueueIndex.Located(stored.place(), before.sizeBytes()));
    }

    /// Sends the waiting batches when the new change must not overtake them.
    private void keepOrder(Kind kind, QueueId id) throws SQLException {
        Kind before = latest.put(id.value(), kind);
        if (before != null && before.compareTo(kind) > 0) {
            send();
            latest.put(id.value(), kind);
        }
    }

    private Batch ordered(Kind kind, QueueId id) throws SQLException {
        keepOrder(kind, id);
        return batch(kind);
    }

    /// Not for [Kind#REMOVE], which has none.
    private Batch batch(Kind kind) {
        return Objects.requireNonNull(batches.get(kind));
    }

    private void addForId(Kind kind, QueueId id) throws SQLException {
        Batch batch = ordered(kind, id);
        batch.statement.setLong(1, id.value());
        batch.add();
    }

    private void addForId(Kind kind, long value, QueueId id) throws SQLException {
        Batch batch = ordered(kind, id);
        batch.statement.setLong(1, value);
        batch.statement.setLong(2, id.value());
        batch.add();
    }

    private void enter(LogRecord.Stored stored) throws SQLException {
        if (latest.get(stored.id().value()) == Kind.REMOVE) {
            // The message comes back from another spool: its former rows go first.
            send();
        }
        Envelope envelope = stored.message().envelope();
        PreparedStatement message = batch(Kind.ENTER_MESSAGE).statement;
        message.setLong(1, stored.id().value());
        message.setLong(2, stored.place().segment());
        message.setLong(3, stored.place().offset());
        message.setBoolean(4, stored.place().ownFile());
        message.setLong(5, stored.message().sizeBytes());
        message.setLong(6, stored.message().createdMillis());
        message.setLong(7, envelope.options().releaseMillis(stored.message().createdMillis()));
        message.setInt(8, envelope.recipients().size());
        message.setString(9, envelope.sender().map(sender -> sender.localPart()).orElse(null));
        message.setString(10, envelope.sender().map(sender -> sender.domain()).orElse(null));
        message.setInt(11, EnvelopeCodec.code(envelope.body()));
        message.setBoolean(12, envelope.smtpUtf8());
        message.setString(13, envelope.envelopeId().orElse(null));
        message.setInt(14, EnvelopeCodec.code(envelope.returns()));
        boolean inline = stored.envelopeBytes().length <= LARGEST_INLINE_ENVELOPE;
        message.setBytes(15, inline ? stored.envelopeBytes() : null);
        message.setBytes(16,
                envelope.options().equals(DeliveryOptions.NONE) ? null : EnvelopeCodec.encode(envelope.options()));
        message.setLong(17, envelope.options().holdUntilMillis().orElse(0));
        message.setBytes(18, envelope.origin().equals(Origin.UNKNOWN) ? null : EnvelopeCodec.encode(envelope.origin()));
        batch(Kind.ENTER_MESSAGE).add();
        if (!inline) {
            expansion.enter(stored.id().value(), envelope.recipients());
        }
        if (stored.place().ownFile()) {
            addForId(Kind.ENTER_LARGE, stored.id());
        }
        occupancy.entered(stored.place(), stored.message().sizeBytes());
        known.put(stored.id(), new QueueIndex.Located(stored.place(), stored.message().sizeBytes()));
    }

    private void outcomes(LogRecord.Outcomes change) throws SQLException {
        expansion.touch(change.id().value());
        Batch batch = ordered(Kind.OUTCOME, change.id());
        for (RecipientOutcome each : change.outcomes()) {
            outcome(batch, change.id(), each, change.atMillis());
        }
        history(change.id(), AttemptRows.of(change));
        if (change.attempt()) {
            // Not by addForId: outcomes and the count of attempts are independent.
            Batch attempts = batch(Kind.ATTEMPT);
            attempts.statement.setLong(1, change.id().value());
            attempts.add();
        }
    }

    // The list is complete up to its latest attempt. A message that the cleaner copied has its rows already.
    private void pastAttempts(LogRecord.PastAttempts past) throws SQLException {
        Batch forgotten = ordered(Kind.FORGET_HISTORY, past.id());
        forgotten.statement.setLong(1, past.id().value());
        forgotten.statement.setLong(2, past.attempts().getFirst().atMillis());
        forgotten.add();
        history(past.id(), AttemptRows.of(past));
    }

    // The batches of the history are sent after that of the message's row, and their order among
    // other records does not matter.
    private void history(QueueId id, List<AttemptRows.HistoryRow> attempts) throws SQLException {
        if (!attempts.isEmpty()) {
            Batch rows = batch(Kind.HISTORY);
            for (AttemptRows.HistoryRow each : attempts) {
                AttemptRows.fill(rows.statement, id, each);
                rows.add();
            }
            Batch bound = batch(Kind.HISTORY_BOUND);
            AttemptRows.fillBound(bound.statement, id);
            bound.add();
        }
    }

    private static void outcome(Batch batch, QueueId id, RecipientOutcome each, long atMillis) throws SQLException {
        PreparedStatement row = batch.statement;
        Outcome outcome = each.outcome();
        row.setInt(1, RecipientStatus.after(outcome).code);
        row.setInt(2, outcome.reply().code());
        row.setString(3, outcome.reply().status().map(Object::toString).orElse(null));
        // PostgreSQL takes no NUL in a text, and a reply does not need one.
        row.setString(4, String.join("\n", outcome.reply().lines()).replace('\0', ' '));
        row.setString(5, outcome.remote().replace('\0', ' '));
        row.setLong(6, atMillis);
        row.setString(7, each.reached().reason().map(QueuePhase.Code::word).orElse(null));
        row.setLong(8, id.value());
        row.setInt(9, each.number());
        batch.add();
    }

    private void instructed(QueueId id, Instruction instruction) throws SQLException {
        Batch batch = ordered(switch (instruction) {
            case Instruction.Return _ -> Kind.RETURN;
            case Instruction.Reroute _ -> Kind.REROUTE;
            case Instruction.Priority _ -> Kind.PRIORITY;
            case Instruction.Hold _ -> Kind.HOLD_NOTE;
        }, id);
        InstructionRows.fill(batch.statement, id, instruction);
        batch.add();
    }

    private void makeDue(LogRecord.MakeDue record) throws SQLException {
        Batch batch = ordered(Kind.MAKE_DUE, record.id());
        batch.statement.setLong(1, record.nowMillis());
        batch.statement.setLong(2, record.id().value());
        batch.statement.setLong(3, record.nowMillis());
        // A message that its sender wants held (RFC 4865) is not late.
        batch.statement.setLong(4, record.nowMillis());
        batch.add();
    }

    private void send() throws SQLException {
        send(Kind.ENTER_MESSAGE);
        expansion.send();
        for (Kind kind : batches.keySet()) {
            send(kind);
        }
        removals.send();
        latest.clear();
    }

    private void send(Kind kind) throws SQLException {
        Batch batch = batch(kind);
        if (batch.waiting > 0) {
            batch.waiting = 0;
            batch.statement.executeBatch();
        }
    }

    private void advance(QueueIndex.Standing reached) throws SQLException {
        advance.setLong(1, reached.lastId());
        advance.setLong(2, reached.position().segment());
        advance.setLong(3, reached.position().offset());
        advance.setLong(4, reached.applied());
        if (advance.executeUpdate() != 1) {
            // The tables were emptied by hand.
            throw new SQLException("the index has lost its position");
        }
    }

    /// Undoes a transaction that failed because of its values. @return false when the connection is
    /// unusable
    boolean rollback() {
        try {
            removals.forget();
            expansion.forget();
            occupancy.forget();
            latest.clear();
            for (Batch batch : batches.values()) {
                batch.waiting = 0;
                batch.statement.clearBatch();
            }
            connection.rollback();
            return true;
        } catch (SQLException e) {
            return false;
        }
    }
}
