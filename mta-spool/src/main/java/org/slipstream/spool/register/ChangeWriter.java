package org.slipstream.spool.register;

import org.slipstream.core.Envelope;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Wishes;
import org.slipstream.spool.box.EnvelopeCodec;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Executes changes on one connection, in one transaction per call. Belongs to the writer thread.
///
/// **Batches without disorder.** Statements are collected by kind and sent kind by kind, in the order of [Kind]: inserts
/// of a hundred messages go in one batch. Changes of different messages may pass each other on the way; that is not
/// observable, because the transaction shows all of them or none. Changes of the *same* message must not, so when one
/// arrives whose kind is sent earlier than something that already waits for this message, everything that waits is sent
/// first. In the life of a message (outcome, then report, then next attempt or removal) that hardly ever happens: the order
/// of kinds is the order of that life. Claims look at all messages: they also send first.
final class ChangeWriter {
    /// Above this size an envelope does not lie in its message's row: rows share a page of the database.
    private static final int LARGEST_INLINE_ENVELOPE = 16 << 10;

    private enum Kind {
        ENTER_MESSAGE(
                """
                insert into message (id, seq, box_segment, box_offset, own_file, size_bytes, created_millis, next_millis,
                 state, attempts, delay_notified, recipients, sender_local, sender_domain, body_type, smtp_utf8,
                 envelope_id, dsn_return, envelope, wishes, not_before_millis)
                 values (?, ?, ?, ?, ?, ?, ?, ?, -1, 0, false, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""), ENTER_LARGE(
                        "insert into large_letter (message_id) values (?)"), MOVE(
                                "update message set seq = ?, box_segment = ?, box_offset = ? where id = ?"), OUTCOME("""
                update recipient set state = ?, reply_code = ?, reply_status = ?, reply_text = ?, remote = ?, at_millis = ?
                 where message_id = ? and number = ?"""), NOTED("""
                update recipient set state = ?, reply_code = ?, reply_status = ?, reply_text = ?, remote = ?, at_millis = ?
                 where message_id = ? and number = ? and state = 0"""), ATTEMPT(
                                        "update message set attempts = attempts + 1 where id = ?"), FAILURES_REPORTED(
                                                "update recipient set state = 3 where message_id = ? and state = 2"), DELAY_REPORTED(
                                                        "update message set delay_notified = true where id = ?"), NEXT_ATTEMPT(
                                                                "update message set next_millis = ?, state = greatest(state, 0) where id = ?"), MAKE_DUE(
                                                                        """
                update message set next_millis = ? where id = ? and next_millis > ? and not_before_millis <= ?"""), HOLD(
                                                                                "update message set state = ? where id = ? and state <> 2"), SET_ASIDE(
                                                                                        "update message set state = 2 where id = ?"),
        /// Not a batch: all of a group in one statement, by [Removals].
        REMOVE("");

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
    private final Expansion expansion;
    private final PreparedStatement advance;
    private final ClaimWriter claims;
    private Register.Standing standing;

    /// @param connection without auto-commit
    ChangeWriter(Connection connection, Register.Standing standing) throws SQLException {
        this.connection = connection;
        this.standing = standing;
        for (Kind kind : Kind.values()) {
            if (kind != Kind.REMOVE) {
                batches.put(kind, new Batch(connection.prepareStatement(kind.sql)));
            }
        }
        occupancy = new Occupancy(connection);
        removals = new Removals(connection, occupancy);
        expansion = new Expansion(connection);
        advance = connection.prepareStatement(
                """
                update standing set last_seq = ?, last_id = ?, last_segment = ?, last_offset = ?, safe_seq = ?,
                 doubt_from_id = ? where one = 1""");
        claims = new ClaimWriter(connection);
    }

    /// One transaction. After a failure, [#rollback] or no further call.
    Register.Written write(List<Change> changes) throws SQLException {
        List<Register.Claims> answers = new ArrayList<>();
        Register.Standing reached = standing;
        for (Change change : changes) {
            reached = reached(reached, change);
            if (change instanceof Change.Claim claim) {
                send();
                Register.Claims found = claims.claim(claim);
                found.messages().forEach(message -> expansion.touch(message.id().value()));
                answers.add(found);
            } else {
                add(change);
            }
        }
        send();
        occupancy.send();
        advance(reached);
        connection.commit();
        standing = reached;
        return new Register.Written(removals.freed(), answers);
    }

    private void add(Change change) throws SQLException {
        switch (change) {
            case Change.Enter enter -> enter(enter);
            case Change.Outcomes outcomes -> outcomes(outcomes);
            case Change.FailuresReported(QueueId id) -> addForId(Kind.FAILURES_REPORTED, id);
            case Change.DelayReported(QueueId id) -> addForId(Kind.DELAY_REPORTED, id);
            case Change.Noted noted -> noted(noted);
            case Change.Move move -> move(move);
            case Change.NextAttempt(QueueId id, long atMillis) -> {
                // Who flushes a domain finds it by its recipients' rows.
                expansion.touch(id.value());
                addForId(Kind.NEXT_ATTEMPT, atMillis, id);
            }
            case Change.Hold(QueueId id, boolean held) ->
                addForId(Kind.HOLD, held ? MessageStatus.HELD : MessageStatus.QUEUED, id);
            case Change.SetAside(QueueId id) -> addForId(Kind.SET_ASIDE, id);
            case Change.Remove(QueueId id, Optional<Register.Located> located) -> {
                ordered(Kind.REMOVE, id);
                removals.add(id, located);
            }
            case Change.Withdraw(List<QueueId> ids) -> withdraw(ids);
            case Change.WithdrawRange(long first, long last) -> withdraw(first, last);
            case Change.MakeDue makeDue -> makeDue(makeDue);
            case Change.KeepHost(HostRecord host) -> HostRows.keep(connection, host);
            case Change.ForgetHost(String host, String kind) -> HostRows.forget(connection, host, kind);
            case Change.AllSafe _ -> {
                // Only the standing says it.
            }
            case Change.Claim _ -> throw new IllegalStateException("a claim is answered, not added");
        }
    }

    /// Sends what waits when the new change must not pass it.
    private Batch ordered(Kind kind, QueueId id) throws SQLException {
        Kind before = latest.put(id.value(), kind);
        if (before != null && before.compareTo(kind) > 0) {
            send();
            latest.put(id.value(), kind);
        }
        return batches.get(kind);
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

    private void enter(Change.Enter enter) throws SQLException {
        Envelope envelope = enter.envelope();
        PreparedStatement message = batches.get(Kind.ENTER_MESSAGE).statement;
        message.setLong(1, enter.id().value());
        message.setLong(2, enter.seq());
        message.setLong(3, enter.place().segment());
        message.setLong(4, enter.place().offset());
        message.setBoolean(5, enter.place().ownFile());
        message.setLong(6, enter.sizeBytes());
        message.setLong(7, enter.createdMillis());
        message.setLong(8, envelope.wishes().releaseMillis(enter.createdMillis()));
        message.setInt(9, envelope.recipients().size());
        message.setString(10, envelope.sender().map(sender -> sender.localPart()).orElse(null));
        message.setString(11, envelope.sender().map(sender -> sender.domain()).orElse(null));
        message.setInt(12, EnvelopeCodec.code(envelope.body()));
        message.setBoolean(13, envelope.smtpUtf8());
        message.setString(14, envelope.envelopeId().orElse(null));
        message.setInt(15, EnvelopeCodec.code(envelope.returns()));
        boolean inline = enter.envelopeBytes().length <= LARGEST_INLINE_ENVELOPE;
        message.setBytes(16, inline ? enter.envelopeBytes() : null);
        message.setBytes(17, envelope.wishes().equals(Wishes.NONE) ? null : EnvelopeCodec.encode(envelope.wishes()));
        message.setLong(18, envelope.wishes().holdUntilMillis().orElse(0));
        batches.get(Kind.ENTER_MESSAGE).add();
        if (!inline) {
            expansion.enter(enter.id().value(), envelope.recipients());
        }
        if (enter.place().ownFile()) {
            addForId(Kind.ENTER_LARGE, enter.id());
        }
        occupancy.entered(enter.place(), enter.sizeBytes());
    }

    private void move(Change.Move move) throws SQLException {
        Batch batch = ordered(Kind.MOVE, move.id());
        batch.statement.setLong(1, move.seq());
        batch.statement.setLong(2, move.to().segment());
        batch.statement.setLong(3, move.to().offset());
        batch.statement.setLong(4, move.id().value());
        batch.add();
        occupancy.left(move.from(), move.sizeBytes());
        occupancy.entered(move.to(), move.sizeBytes());
    }

    private void outcomes(Change.Outcomes change) throws SQLException {
        expansion.touch(change.id().value());
        Batch batch = ordered(Kind.OUTCOME, change.id());
        for (RecipientOutcome each : change.outcomes()) {
            outcome(batch, change.id(), each, change.atMillis());
        }
        if (change.attempt()) {
            // Not by addForId: outcomes and the count of attempts do not disturb each other.
            Batch attempts = batches.get(Kind.ATTEMPT);
            attempts.statement.setLong(1, change.id().value());
            attempts.add();
        }
    }

    private void noted(Change.Noted change) throws SQLException {
        expansion.touch(change.id().value());
        outcome(ordered(Kind.NOTED, change.id()), change.id(), change.outcome(), change.atMillis());
    }

    private static void outcome(Batch batch, QueueId id, RecipientOutcome each, long atMillis) throws SQLException {
        PreparedStatement row = batch.statement;
        Outcome outcome = each.outcome();
        row.setInt(1, RecipientStatus.after(outcome).code);
        row.setInt(2, outcome.reply().code());
        row.setString(3, outcome.reply().status().map(Object::toString).orElse(null));
        // PostgreSQL takes no NUL in a text; it says nothing in a reply either.
        row.setString(4, String.join("\n", outcome.reply().lines()).replace('\0', ' '));
        row.setString(5, outcome.remote().replace('\0', ' '));
        row.setLong(6, atMillis);
        row.setLong(7, id.value());
        row.setInt(8, each.number());
        batch.add();
    }

    private void withdraw(List<QueueId> ids) throws SQLException {
        send();
        ids.forEach(id -> removals.add(id, Optional.empty()));
        removals.send();
        // Its letters were never counted as named in the box.
        removals.freed();
    }

    private void withdraw(long first, long last) throws SQLException {
        List<QueueId> ids = new ArrayList<>();
        try (PreparedStatement rows = connection.prepareStatement("select id from message where seq between ? and ?")) {
            rows.setLong(1, first);
            rows.setLong(2, last);
            try (ResultSet found = rows.executeQuery()) {
                while (found.next()) {
                    ids.add(new QueueId(found.getLong(1)));
                }
            }
        }
        withdraw(ids);
    }

    private void makeDue(Change.MakeDue change) throws SQLException {
        for (QueueId id : change.ids()) {
            Batch batch = ordered(Kind.MAKE_DUE, id);
            batch.statement.setLong(1, change.nowMillis());
            batch.statement.setLong(2, id.value());
            batch.statement.setLong(3, change.nowMillis());
            // What its sender wants held (RFC 4865) is not late.
            batch.statement.setLong(4, change.nowMillis());
            batch.add();
        }
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
        Batch batch = batches.get(kind);
        if (batch.waiting > 0) {
            batch.waiting = 0;
            batch.statement.executeBatch();
        }
    }

    private Register.Standing reached(Register.Standing before, Change change) {
        return switch (change) {
            case Change.Enter lost when lost.seq() == 0 -> new Register.Standing(before.lastSeq(),
                    Math.max(before.lastId(), lost.id().value()), before.segment(), before.offset(), before.doubt());
            case Change.Enter enter -> new Register.Standing(Math.max(before.lastSeq(), enter.seq()),
                    Math.max(before.lastId(), enter.id().value()), enter.place().segment(), enter.place().offset(),
                    doubt(before, enter.id().value()));
            case Change.Move move -> new Register.Standing(Math.max(before.lastSeq(), move.seq()), before.lastId(),
                    move.to().segment(), move.to().offset(), doubt(before, Long.MAX_VALUE));
            case Change.AllSafe _ -> new Register.Standing(before.lastSeq(), before.lastId(), before.segment(),
                    before.offset(), new Register.Doubt(before.lastSeq(), Long.MAX_VALUE));
            default -> before;
        };
    }

    /// What was written before is safe when something is written now.
    private Register.Doubt doubt(Register.Standing before, long id) {
        long sofar = before.doubt().safeSeq() == standing.lastSeq() ? before.doubt().fromId() : Long.MAX_VALUE;
        return new Register.Doubt(standing.lastSeq(), Math.min(sofar, id));
    }

    private void advance(Register.Standing reached) throws SQLException {
        if (!reached.equals(standing)) {
            advance.setLong(1, reached.lastSeq());
            advance.setLong(2, reached.lastId());
            advance.setLong(3, reached.segment());
            advance.setLong(4, reached.offset());
            advance.setLong(5, reached.doubt().safeSeq());
            advance.setLong(6, reached.doubt().fromId());
            advance.executeUpdate();
        }
    }

    /// Undoes a transaction that failed because of its values. @return false when the connection is of no use any more
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
